/**
 * A page as keyed fragments: the same for its first drawing and for every change after it.
 *
 * F1. A fragment is one element whose id is its key. What did not change is the same string, so that nothing is sent or swapped for it.
 * F2. What was drawn of a view is kept with the view: views are values.
 */
import type { Child } from "hono/jsx";
import { type Attachment, sizeText } from "../../src/core/file.ts";
import type { Live, SessionRow } from "../../src/core/ports.ts";
import { type Look, pathOf } from "./look.ts";
import { Markdown } from "./markdown.tsx";
import { byId, type Person } from "./people.ts";
import type { Whisper } from "./present.ts";
import type { Entry, Message, Post, Thread } from "./shelf.ts";
import { pathOf as filePath } from "./transfer.ts";
import { ViewBody } from "./view.tsx";

export type Fragment = readonly [id: string, html: string];

/** Entries shown of a long thread, and threads on one page of the list. */
export const LATEST = 200;
export const PER_PAGE = 25;

const REPEAT = "(may be a repeat: the connection broke while this was sent)";

const drawn = new WeakMap<object, string>();
function once(key: object, draw: () => Child): string {
  const known = drawn.get(key) ?? String(draw());
  drawn.set(key, known);
  return known;
}

// ---- a thread -------------------------------------------------------------------------------------------------------

export function logFragments(entries: readonly Entry[], whispers: readonly Whisper[], live: Live | undefined, person: Person): Fragment[] {
  const shown = entries.filter((entry) => entry.kind === "message" || !entry.hidden);
  const items: { at: number; fragment: Fragment }[] = [
    ...shown.map((entry) => ({
      at: entry.at,
      fragment: [entry.id, entry.kind === "message" ? drawMessage(entry) : drawPost(entry, live)] as const,
    })),
    ...whispers.map((whisper) => ({ at: whisper.at, fragment: [whisper.id, drawWhisper(whisper, person)] as const })),
  ];
  items.sort((a, b) => a.at - b.at);
  const now = live && drawLive(live, shown);
  return [...items.map((item) => item.fragment), ...(now ? [["now", now] as const] : [])];
}

const drawMessage = (message: Message): string =>
  once(message, () => {
    const person = byId(message.person);
    return (
      <article class="entry person" id={message.id} data-by={person?.key ?? ""} tabindex={-1}>
        <Author name={person?.name ?? message.person} rank={person?.role} at={message.at} />
        <Said text={message.text} />
        <FileLinks files={message.files ?? []} />
        {message.signs && (
          <div class="signs" role="img" aria-label={`Denizen reacted with ${message.signs.join(" ")}`}>
            {message.signs.join(" ")}
          </div>
        )}
        {!message.taken && <div class="note untaken">Not handed over yet …</div>}
      </article>
    );
  });

/** Longer ones are folded behind their beginning, so that a paste does not bury the thread. */
const [LONGEST, LINES] = [4_000, 40];
function Said({ text }: { text: string }): Child {
  const lines = text.split("\n", LINES + 1);
  const whole = (
    <div class="said" dir="auto">
      {text}
    </div>
  );
  if (text.length <= LONGEST && lines.length <= LINES) return whole;
  const beginning = lines
    .slice(0, LINES / 4)
    .join("\n")
    .slice(0, LONGEST / 4)
    .replace(/\p{Cs}$/u, "");
  return (
    <>
      <div class="said" dir="auto">{`${beginning.trimEnd()} …`}</div>
      <details class="rest">
        <summary>All of it ({text.length.toLocaleString("en")} characters)</summary>
        {whole}
      </details>
    </>
  );
}

function drawPost(post: Post, live: Live | undefined): string {
  const view = live?.progress?.ref.message === post.id ? live.progress.view : post.slot.view;
  return once(view, () => (
    <article class={`entry denizen ${classOf(post)}`} id={post.id} tabindex={-1}>
      <Author name="Denizen" at={post.at} />
      <div class="body">
        <ViewBody view={view} id={post.id} />
        <FileLinks files={post.file && post.slot.file ? [{ ...post.slot.file, id: post.file }] : []} />
        {post.mark && <div class="note">{REPEAT}</div>}
      </div>
    </article>
  ));
}

/** To save, never to look at here: who wrote a file is not who may write this page. */
function FileLinks({ files }: { files: readonly Pick<Attachment, "id" | "name" | "size">[] }): Child {
  if (!files.length) return "";
  return (
    <ul class="files">
      {files.map(({ id, name, size }) => (
        <li>
          <a href={filePath(id, name)} download={name}>
            {name}
          </a>
          <small>{sizeText(size)}</small>
        </li>
      ))}
    </ul>
  );
}

function classOf({ slot }: Post): string {
  if (slot.kind !== "card") return slot.kind;
  const question = slot.view.buttons.some((button) => button.act === "answer");
  return `card ${question ? "question" : ""} ${slot.final ? "decided" : "open"}`;
}

const drawWhisper = (whisper: Whisper, person: Person): string =>
  once(whisper.view, () => (
    <article class="entry denizen whisper" id={whisper.id} tabindex={-1}>
      <Author name="Denizen" at={whisper.at} />
      <div class="body">
        <div class="note">
          Only you see this, {person.name}.{whisper.asked && <code>{whisper.asked}</code>}
        </div>
        <ViewBody view={whisper.view} id={whisper.id} />
      </div>
    </article>
  ));

/** The answer as it grows; before its first word, a sign of life where no progress gives one. */
function drawLive(live: Live, shown: readonly Entry[]): string | undefined {
  const last = shown.at(-1);
  const signed = last?.kind === "post" && last.slot.kind === "progress";
  if (live.draft === "" && (signed || live.phase === "waiting" || live.phase === "idle")) return undefined;
  return once(live, () => (
    <article class="entry denizen answer now" id="now" aria-live="off" tabindex={-1}>
      <Author name="Denizen" />
      <div class="body">
        {live.draft === "" ? (
          <p class="thinking">{live.phase === "thinking" ? "Thinking" : "Working"}</p>
        ) : (
          <div class="words draft">
            <Markdown text={live.draft} />
          </div>
        )}
      </div>
    </article>
  ));
}

function Author({ name, rank, at }: { name: string; rank?: string | undefined; at?: number }): Child {
  return (
    <header class="author">
      <span class="face" aria-hidden="true">
        {name === "Denizen" ? "" : name.slice(0, 1)}
      </span>
      <span class="name">{name}</span>
      {rank && <span class="rank">{rank}</span>}
      {at !== undefined && <Time at={at} />}
    </header>
  );
}

function Time({ at, day }: { at: number; day?: boolean }): Child {
  const date = new Date(at);
  const time = date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const full = `${date.toLocaleDateString("en-GB", { day: "numeric", month: "short" })}, ${time}`;
  return (
    <time datetime={date.toISOString()} title={full}>
      {day ? full : time}
    </time>
  );
}

// ---- the list of threads, and the head of one ----------------------------------------------------------------------

/** What is known of threads besides what stands in them. */
export interface Known {
  /** The harness's row of each. */
  rows: ReadonlyMap<string, SessionRow>;
  live(thread: string): Live | undefined;
}

const STATES = { waiting: "waits for a decision", working: "working", quiet: "" } as const;

/** The first card that waits. */
const openCard = ({ entries }: Thread): Entry | undefined =>
  entries.find((entry) => entry.kind === "post" && entry.slot.kind === "card" && !entry.slot.final && !entry.hidden);

function stateOf(thread: Thread, live: Live | undefined): keyof typeof STATES {
  return openCard(thread) ? "waiting" : live?.phase === "thinking" || live?.phase === "working" ? "working" : "quiet";
}

function titleOf(thread: Thread, row: SessionRow | undefined): string {
  const first = thread.entries[0];
  const words = first?.kind === "message" ? first.text.trim().split("\n", 1)[0] : first?.slot.view.title;
  const title = row?.title || words || "Thread";
  return title.length > 90 ? `${title.slice(0, 90).trimEnd()} …` : title;
}

export function listFragments(threads: readonly Thread[], { rows, live }: Known, look: Look): Fragment[] {
  return threads.slice(look.page * PER_PAGE, (look.page + 1) * PER_PAGE).map((thread) => {
    const item = (
      <li id={`t-${thread.id}`}>
        <a href={pathOf({ ...look, thread: thread.id, all: false })} {...(thread.id === look.thread ? { "aria-current": "page" } : {})}>
          <span class="thread-title" dir="auto">
            {titleOf(thread, rows.get(thread.id))}
          </span>
          <span class="thread-facts">
            {thread.home && <span>{thread.home}</span>}
            <Time at={thread.at} day />
            <State state={stateOf(thread, live(thread.id))} />
          </span>
        </a>
      </li>
    );
    return [`t-${thread.id}`, String(item)] as const;
  });
}

export function headFragments(thread: Thread | undefined, { rows, live }: Known): Fragment[] {
  const title = thread ? titleOf(thread, rows.get(thread.id)) : "New thread";
  const head = (
    <div id="head-title" tabindex={-1}>
      <h1 dir="auto">{title}</h1>
      {thread?.home && <span class="tag">{thread.home}</span>}
      {thread && <HeadState thread={thread} live={live(thread.id)} />}
    </div>
  );
  return [["head-title", String(head)]];
}

/** The way to the card that waits, or out of work that has no progress with a Stop of its own. */
function HeadState({ thread, live }: { thread: Thread; live: Live | undefined }): Child {
  const state = stateOf(thread, live);
  const card = openCard(thread);
  if (card)
    return (
      <a class={`state ${state}`} href={`#${card.id}`}>
        {STATES[state]}
      </a>
    );
  const stops = thread.entries.some(
    (entry) => entry.kind === "post" && !entry.hidden && entry.slot.view.buttons.some(({ act }) => act === "stop"),
  );
  return (
    <>
      <State state={state} />
      {state === "working" && !stops && (
        <button type="button" class="small" data-say="/stop">
          Stop
        </button>
      )}
    </>
  );
}

function State({ state }: { state: keyof typeof STATES }): Child {
  return state === "quiet" ? "" : <span class={`state ${state}`}>{STATES[state]}</span>;
}
