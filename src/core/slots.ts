/**
 * The view of a session: what people should see, as a keyed list of slots. Pure; whether it stands already is for `posts` to say.
 *
 * - `progress/<turn>`: only for turns that use tools; folded once the final answer stands.
 * - `answer/<turn>/<part>`: the parts of a turn's answer.
 * - `answer/<turn>/whole`: all of an answer that is too long for messages, as a file; if it cannot be posted, the parts follow after all.
 * - `file/<call>`: a file that a tool hands over, posted once.
 * - `card/<call>`: a decision or question; without buttons once decided. `card/<call>/<n>`: the nth question of a running call.
 * - `asked/<message>`: what somebody asked in a form, so that those in the thread read it before its answer.
 * - `queued/<message>`: a message that waits behind an open decision.
 * - `digest/<part>`: what nights learned, in a session of its own.
 * - `notice/<call>/<channel>`: says outside the thread that a decision waits, for as long as it does.
 * - `reminder/<call>`: says so once more in the thread before the decision expires.
 */
import { type Call, cardOf, openDecisions, openQuestion } from "./calls.ts";
import { cardView, reminderView } from "./card.ts";
import { type Digest, digestViews } from "./digest.ts";
import type { Place } from "./event.ts";
import { sizeText } from "./file.ts";
import { fingerprint } from "./id.ts";
import { inquiryView } from "./inquiry.ts";
import { memo } from "./memo.ts";
import { part } from "./parts.ts";
import type { State } from "./state.ts";
import { type Ending, type Item, isOpen } from "./talk.ts";
import type { Button, Part, View } from "./view.ts";

export interface Slot {
  key: string;
  kind: "progress" | "answer" | "file" | "card" | "asked" | "queued" | "notice" | "digest";
  view: View;
  /** Posted with it. `text`: all that is in it; without it its bytes were set aside when its call ran. */
  file?: { name: string; mime: string; size: number; text?: string };
  /** Changes exactly when the view does (progress: only when it is folded, its text is never journaled). */
  digest: string;
  /** Nothing about it will change once this is shown. */
  final: boolean;
  /** Not shown before. */
  due?: number;
}

export const slots = memo((state: State): Slot[] => {
  if (!state.opened) return [];
  if (state.digest) return digestSlots(state.digest, state.opened.code);
  const cards = cardSlots(state);
  return state.opened.parent
    ? [...fileSlots(state), ...cards, ...noticeSlots(state), ...reminderSlots(state)]
    : [
        ...askedSlots(state),
        ...progressSlots(state),
        ...fileSlots(state),
        ...answerSlots(state),
        ...cards,
        ...queuedSlots(state),
        ...noticeSlots(state),
        ...reminderSlots(state),
      ];
});

/** Where a slot stands: in the session's thread, but for notices. One for another platform names it and its team before the channel. */
export function placeOf(slot: string, own: Place): Place {
  const channel = /^notice\/[^/]*\/(.+)$/.exec(slot)?.[1];
  if (channel === undefined) return own;
  const [, platform, team, there] = /^([a-z]+):([^:]+):(.+)$/.exec(channel) ?? [];
  return platform && team && there ? { platform, team, channel: there, thread: null } : { ...own, channel, thread: null };
}

function answerSlots({ talk: { ending, phase }, posts }: State): Slot[] {
  if (phase !== "ended" || !ending?.text) return [];
  if (ending.head === undefined) return partsOf(ending);
  const [head, whole] = headOf(ending);
  if (!posts[whole.key]?.gaveUp) return [head, whole];
  return [instead(ending), whole, ...partsOf(ending).map((each, index) => ({ ...each, key: `answer/${ending.turn}/${index + 1}` }))];
}

const partsOf = memo((ending: Ending): Slot[] =>
  Array.from({ length: ending.cuts.length + 1 }, (_, index): Slot => {
    const text = part(ending.text, ending.cuts, index);
    const view: View = { parts: [{ kind: ending.how === "answered" ? "quoted" : "text", text }], buttons: [] };
    return slot(`answer/${ending.turn}/${index}`, "answer", view, true);
  }),
);

const headOf = memo((ending: Ending): [head: Slot, whole: Slot] => {
  const file = { name: "answer.md", mime: "text/markdown", size: utf8Length(ending.text), text: ending.text };
  const whole = slot(`answer/${ending.turn}/whole`, "answer", { parts: [], buttons: [] }, true);
  return [begun(ending, `This answer is long (${sizeText(file.size)}): all of it is in the file below.`), { ...whole, file }];
});
const instead = memo((ending: Ending): Slot => begun(ending, "The file with all of it could not be posted, so it follows in messages."));
function begun(ending: Ending, note: string): Slot {
  const text = part(ending.text, [ending.head ?? ending.text.length], 0).trimEnd();
  const view: View = {
    parts: [
      { kind: "quoted", text: `${text}\n\n…` },
      { kind: "note", text: note },
    ],
    buttons: [],
  };
  return slot(`answer/${ending.turn}/0`, "answer", view, true);
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** Those of the turn that is going on: a turn closes once they stand. */
function fileSlots({ calls, talk }: State): Slot[] {
  if (talk.phase === "idle") return [];
  return Object.values(calls.byId).flatMap((call) => (call.file && call.turn === talk.turn ? [handed(call)] : []));
}
const handed = memo((call: Call): Slot => {
  const { name = "file", mime = "", size = 0, comment } = call.file ?? {};
  const view: View = { parts: comment ? [{ kind: "quoted", text: comment }] : [], buttons: [] };
  const made = slot(`file/${call.id}`, "file", view, true);
  return { ...made, digest: call.file?.digest ?? made.digest, file: { name, mime, size } };
});

function slot(key: string, kind: Slot["kind"], view: View, final: boolean): Slot {
  return { key, kind, view, digest: fingerprint(JSON.stringify(view)), final };
}

function digestSlots(digest: Digest, code: string): Slot[] {
  return digestViews(digest, code).map((view, part) => ({ ...slot(`digest/${part}`, "digest", view, false), due: digest.due }));
}

function progressSlots(state: State): Slot[] {
  const { talk, posts } = state;
  const made: Slot[] = [];
  const past = talk.ending && `progress/${talk.ending.turn}`;
  if (talk.ending?.tools && past && posts[past]?.ref) {
    const stands = talk.phase !== "ended" || answerSlots(state).every(({ key }) => posts[key]?.ref || posts[key]?.gaveUp);
    made.push({
      key: past,
      kind: "progress",
      view: progressView(state, talk.ending.turn, !stands),
      digest: stands ? "folded" : "open",
      final: stands,
    });
  }
  if (isOpen(talk) && Object.values(state.calls.byId).some((call) => call.turn === talk.turn && call.tool !== REACT))
    made.push({ key: `progress/${talk.turn}`, kind: "progress", view: progressView(state, talk.turn, true), digest: "open", final: false });
  return made;
}

/** A reaction shows itself: it is no work that people follow. */
const REACT = "react";
const STATES = { new: "running", asked: "waiting", allowed: "running", started: "running", waiting: "running" } as const;
/** At most so many lines of steps: the newest. */
const STEPS = 12;

/** Plan and steps of a turn; the Stop button while it is open. `doing`: what the helper behind a call is at. */
export function progressView(
  { opened, calls, talk, todos }: State,
  turn: number,
  open: boolean,
  doing: (call: Call) => string | undefined = () => undefined,
): View {
  const own = Object.values(calls.byId).filter((call) => call.turn === turn && call.tool !== "write_todos" && call.tool !== REACT);
  const steps = own.map((call) => ({
    label: doing(call) ?? (call.gate?.helper ? helperName(call) : (call.gate?.label ?? call.tool)),
    state: call.status === "done" ? (call.result?.failed ? ("failed" as const) : ("done" as const)) : STATES[call.status],
  }));
  const words = open ? lastWords(talk.entries, turn) : "";
  const parts: Part[] = words ? [{ kind: "quoted", text: words }] : [];
  // A plan that was done before this turn began is not this turn's.
  const planned = Object.values(calls.byId).some((call) => call.turn === turn && call.tool === "write_todos");
  if (planned || todos.some((todo) => todo.status !== "completed")) parts.push({ kind: "todos", todos: [...todos] });
  if (steps.length > STEPS) parts.push({ kind: "note", text: `${steps.length - STEPS} earlier steps` });
  if (steps.length) parts.push({ kind: "steps", steps: steps.slice(-STEPS) });
  if (!parts.length) parts.push({ kind: "note", text: open ? "Working…" : "Done." });
  const code = opened?.code ?? "";
  const undo: Button[] = talk.ending?.turn === turn && talk.ending.undoable ? [{ word: "Undo", act: "undo", code: `${code}.${turn}` }] : [];
  return { title: open ? "Working" : "Work done", parts, buttons: open ? [{ word: "Stop", act: "stop", code }] : undo };
}

/** The helper a call is for, as the model named it. */
export const helperName = ({ input }: Pick<Call, "input">): string => String(input.subagent_type ?? "general-purpose");

/** What the model said beside its latest calls. */
function lastWords(entries: State["talk"]["entries"], turn: number): string {
  const last = entries.findLast((entry) => entry.as === "answer" && entry.turn === turn);
  if (last?.as !== "answer") return "";
  return last.content
    .flatMap((block) => (block.type === "text" ? [String(block.text)] : []))
    .join("\n")
    .trim()
    .slice(0, 500);
}

function cardSlots({ opened, calls, posts }: State): Slot[] {
  return calls.cards.flatMap((card) => {
    const { call: id, question } = cardOf(card);
    const call = calls.byId[id];
    const asked = call?.questions[question - 1];
    if (!call?.gate) return [];
    const key = `card/${card}`;
    const open = asked ? !asked.answered : call.status === "asked" && !openQuestion(call);
    // A card that never reached anybody is not posted just to say that it is over.
    if (!open && !(posts[key]?.ref || posts[key]?.sending)) return [];
    const helper = opened?.parent?.agent;
    return [slot(key, "card", asked ? inquiryView(call.gate.label, asked, helper) : cardView(call, call.gate, helper), !open)];
  });
}

/** Of what waits and of the turn that is going on. */
function askedSlots({ talk }: State): Slot[] {
  const { queue, entries, phase, turn } = talk;
  const asked: Slot[] = [];
  for (let index = entries.length - 1; phase !== "idle" && index >= 0; index--) {
    const entry = entries[index];
    if (!entry || entry.turn < turn) break;
    if (entry.as === "said" && entry.unseen && !entry.gone) asked.unshift(askedSlot(entry));
  }
  return [...asked, ...queue.flatMap((item) => (item.unseen ? [askedSlot(item)] : []))];
}
const askedSlot = memo(({ id, by, text }: Pick<Item, "id" | "by" | "text">): Slot => {
  const view: View = {
    parts: [
      { kind: "note", text: `${by.name} asked me:` },
      { kind: "quoted", text },
    ],
    buttons: [],
  };
  return slot(`asked/${id}`, "asked", view, true);
});

function queuedSlots({ opened, talk, calls }: State): Slot[] {
  if (!openDecisions(calls).length) return [];
  return talk.queue
    .filter((item) => item.kind === "message" && item.must)
    .map((item) => {
      const text = `Your message waits behind this decision, ${item.by.name}. It is taken up as soon as somebody has decided.`;
      const view: View = {
        parts: [{ kind: "note", text }],
        buttons: [{ word: "Withdraw", act: "withdraw", code: `${opened?.code}.${item.n}` }],
      };
      return slot(`queued/${item.id}`, "queued", view, false);
    });
}

function noticeSlots({ calls }: State): Slot[] {
  return openDecisions(calls).flatMap((call) =>
    (openQuestion(call) ? [] : (call.gate?.notices ?? [])).map(({ channel, text }) =>
      slot(`notice/${call.id}/${channel}`, "notice", { parts: [{ kind: "text", text }], buttons: [] }, false),
    ),
  );
}

function reminderSlots({ calls }: State): Slot[] {
  return openDecisions(calls).flatMap((call) =>
    call.reminded && call.gate && !openQuestion(call) ? [slot(`reminder/${call.id}`, "notice", reminderView(call.gate), false)] : [],
  );
}
