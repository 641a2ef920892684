/** The console's pages: their frame, in which the fragments stand and change. */
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { urlOf } from "./assets.ts";
import { type Fragment, LATEST, PER_PAGE } from "./fragments.tsx";
import { Frame } from "./frame.tsx";
import { type Look, livePathOf, pathOf } from "./look.ts";
import { PEOPLE } from "./people.ts";

export interface Regions {
  list: Fragment[];
  head: Fragment[];
  log: Fragment[];
}

export interface Shown {
  look: Look;
  regions: Regions;
  /** A label that never lies: that the model is no real one. */
  notice: string | undefined;
  /** There are more threads than this page of the list shows. */
  older: boolean;
  /** There are more entries than are shown. */
  longer: boolean;
  signedIn: boolean;
  /** There are pages for the operator. */
  operated: boolean;
  /** Of others than the console itself, in which the operator may begin threads. */
  homes: readonly string[];
}

const WITHOUT_SCRIPT = "This page needs JavaScript to send and to follow what happens. What stands in the thread can be read without it.";

const Drawn = ({ fragments }: { fragments: Fragment[] }): Child => raw(fragments.map(([, html]) => html).join(""));

export function ThreadPage({ look, regions, notice, older, longer, signedIn, operated, homes }: Shown): Child {
  const open = look.thread !== "";
  return (
    <Frame title={open ? "Thread" : "New thread"} script="console.js" live={livePathOf(look)} without={WITHOUT_SCRIPT}>
      <a class="skip" href="#text">
        Skip to writing
      </a>
      <div class={open ? "house in-thread" : "house"} data-as={look.person.key}>
        <aside>
          <header class="brand">
            <a href={pathOf({ ...look, thread: "", page: 0, all: false })}>
              <img src={urlOf("icon.svg")} alt="" width="24" height="24" />
              Denizen
            </a>
            <Notice notice={notice} />
          </header>
          <a class="new" href={pathOf({ ...look, thread: "", page: 0, all: false })} {...(open ? {} : { "aria-current": "page" })}>
            New thread
          </a>
          <nav aria-label="Threads">
            <ol id="list" class="threads">
              <Drawn fragments={regions.list} />
            </ol>
            <Pager look={look} older={older} />
          </nav>
          <Foot signedIn={signedIn} operated={operated} />
        </aside>
        <main>
          <header class="head">
            <a class="back" href={pathOf({ ...look, thread: "", all: false })}>
              <span class="unseen">All threads</span>
            </a>
            <div id="head">
              <Drawn fragments={regions.head} />
            </div>
            <Notice notice={notice} />
          </header>
          <div class="scroll" id="scroll">
            {!open && <Within look={look} homes={homes} />}
            {!open && <Welcome notice={notice} />}
            {longer && (
              <p class="longer">
                <a href={pathOf({ ...look, all: true })}>Show the whole thread</a> (these are its latest {LATEST} entries)
              </p>
            )}
            <section id="log" role="log" aria-label="What was said" aria-live="polite">
              <Drawn fragments={regions.log} />
            </section>
          </div>
          <Composer look={look} />
        </main>
      </div>
      <dialog id="dialog" aria-labelledby="dialog-title" />
    </Frame>
  );
}

function Foot({ signedIn, operated }: Pick<Shown, "signedIn" | "operated">): Child {
  return (
    <>
      {operated && (
        <a class="operate-link" href="/overview">
          Operate
        </a>
      )}
      {signedIn && (
        <form method="post" action="/logout" class="logout">
          <button type="submit">Sign out</button>
        </form>
      )}
    </>
  );
}

/** The label in the first words of the notice; the rest of it where there is room. */
function Notice({ notice }: { notice: string | undefined }): Child {
  if (!notice) return "";
  return (
    <span class="notice" title={notice}>
      {notice.split(":", 1)[0]}
    </span>
  );
}

function Pager({ look, older }: { look: Look; older: boolean }): Child {
  if (look.page === 0 && !older) return "";
  return (
    <p class="pager">
      {look.page > 0 && <a href={pathOf({ ...look, page: look.page - 1 })}>Newer</a>}
      <span>
        {look.page * PER_PAGE + 1}–{(look.page + 1) * PER_PAGE}
      </span>
      {older && <a href={pathOf({ ...look, page: look.page + 1 })}>Older</a>}
    </p>
  );
}

/** In which home a new thread is begun. */
function Within({ look, homes }: { look: Look; homes: readonly string[] }): Child {
  if (homes.length === 0) return "";
  const { home: _, ...own } = look;
  return (
    <nav class="pills within" aria-label="In the home">
      <a href={pathOf(own)} {...(look.home === undefined ? { "aria-current": "true" } : {})}>
        console
      </a>
      {homes.map((home) => (
        <a href={pathOf({ ...look, home })} {...(look.home === home ? { "aria-current": "true" } : {})}>
          {home}
        </a>
      ))}
    </nav>
  );
}

const EXAMPLES = [
  "plan look around, write a note, report",
  "replace friendly with cheerful in /home/AGENTS.md",
  "remember we deploy on Fridays",
  "ask Which colour? red, green, blue",
];

function Welcome({ notice }: { notice: string | undefined }): Child {
  return (
    <div class="welcome">
      <img src={urlOf("icon.svg")} alt="" width="48" height="48" />
      <h2>What is there to do?</h2>
      <p>Denizen plans, uses its tools, asks before anything risky, and remembers. Every message here begins a thread of its own.</p>
      {notice && <p class="note">{notice}</p>}
      <ul class="examples">
        {EXAMPLES.map((text) => (
          <li>
            <button type="button" data-fill={text}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Composer({ look }: { look: Look }): Child {
  return (
    <form id="write" data-thread={look.thread} data-as={look.person.key} data-home={look.thread ? "" : (look.home ?? "")}>
      <p class="reply" id="trouble" role="alert" />
      <div class="sheet">
        <label class="unseen" for="text">
          {look.thread ? "Message to this thread" : "Message"}
        </label>
        <textarea
          id="text"
          name="text"
          rows={1}
          placeholder={look.thread ? "Reply, or / for a command" : "Ask Denizen for something"}
          autofocus
        />
        <ul id="chosen" class="files" aria-label="Files to send" />
        <div class="tools">
          <label class="attach" title="Send files along">
            <span class="unseen">Add files</span>
            <span aria-hidden="true">+</span>
            <input id="files" type="file" multiple />
          </label>
          <As look={look} />
          <small class="hint">
            <kbd>Enter</kbd> sends, <kbd>Shift</kbd> <kbd>Enter</kbd> a new line
          </small>
          <button type="submit" class="primary">
            Send
          </button>
        </div>
      </div>
    </form>
  );
}

/** Whom a message is from: one of the roles to try, or in other homes the operator. */
function As({ look }: { look: Look }): Child {
  if (look.home !== undefined) return <span class="people">{`as ${look.person.name} in ${look.home}`}</span>;
  return (
    <fieldset class="people" aria-label="Write as">
      <span>as</span>
      {PEOPLE.map((person) => (
        <a href={pathOf({ ...look, person })} title={person.role} {...(person === look.person ? { "aria-current": "true" } : {})}>
          {person.name}
          <small class="unseen"> ({person.role})</small>
        </a>
      ))}
    </fieldset>
  );
}

export function LoginPage({ trouble }: { trouble?: string }): Child {
  return (
    <Frame title="Sign in">
      <main class="plain-page">
        <img src={urlOf("icon.svg")} alt="" width="40" height="40" />
        <h1>Sign in</h1>
        <form method="post" action="/login">
          <div>
            <label for="token">The console’s token</label>
            <input id="token" type="password" name="token" required autofocus autocomplete="current-password" />
            <small class="hint">It is the value of CONSOLE_TOKEN where Denizen runs.</small>
          </div>
          <p class="reply" role="alert">
            {trouble}
          </p>
          <button type="submit" class="primary">
            Sign in
          </button>
        </form>
      </main>
    </Frame>
  );
}

export function SorryPage({ title, why }: { title: string; why: string }): Child {
  return (
    <Frame title={title}>
      <main class="plain-page">
        <img src={urlOf("icon.svg")} alt="" width="40" height="40" />
        <h1>{title}</h1>
        <p>{why}</p>
        <p>
          <a href="/">All threads</a>
        </p>
      </main>
    </Frame>
  );
}
