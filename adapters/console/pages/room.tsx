/** What all of the operator's pages have in common: their frame with the way from one to another, and the small things they are made of. */
import type { Child } from "hono/jsx";
import { isPrivate, type Scope } from "../../../src/core/scope.ts";
import { urlOf } from "../assets.ts";
import { Frame } from "../frame.tsx";

/** Each page, in the order of the way through them. */
export const ROOMS = {
  overview: "Overview",
  approvals: "Approvals",
  sessions: "Sessions",
  todos: "Todos",
  files: "Files",
  memory: "Memory",
  grants: "Grants",
  usage: "Usage",
  why: "Why",
  homes: "Homes",
} as const;
export type Room = keyof typeof ROOMS;

export interface Standing {
  room: Room;
  /** Which pages there are in this house. */
  rooms: readonly Room[];
  /** The homes the operator may see, and the one that is looked at; empty on pages of all homes. */
  homes: readonly string[];
  home: string;
  /** Decisions that wait in all homes. */
  waiting: number;
  signedIn: boolean;
}

interface RoomProps {
  at: Standing;
  title: string;
  /** Below the title: what this page is for. */
  about?: string;
  /** Loads itself anew when what waits has changed. */
  follows?: boolean;
  children?: Child;
}

export function RoomPage({ at, title, about, follows, children }: RoomProps): Child {
  return (
    <Frame title={title} script="operator.js">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <div class="house operate">
        <aside>
          <header class="brand">
            <a href="/">
              <img src={urlOf("icon.svg")} alt="" width="24" height="24" />
              Denizen
            </a>
          </header>
          <Ways at={at} />
          {at.signedIn && (
            <form method="post" action="/logout" class="logout">
              <button type="submit">Sign out</button>
            </form>
          )}
        </aside>
        <main id="content" data-home={at.home} data-waiting={String(at.waiting)} {...(follows ? { "data-follows": "" } : {})}>
          <header class="room-head">
            <div>
              <h1 dir="auto">{title}</h1>
              {about && <p class="note">{about}</p>}
            </div>
            <HomePick at={at} />
          </header>
          <p class="reply" id="trouble" role="alert" />
          {children}
        </main>
      </div>
      <dialog id="dialog" aria-labelledby="dialog-title" />
    </Frame>
  );
}

function Ways({ at }: { at: Standing }): Child {
  const home = at.home ? `?home=${encodeURIComponent(at.home)}` : "";
  return (
    <nav class="ways" aria-label="Console">
      <ul>
        <li>
          <a href="/">Chat</a>
        </li>
        {at.rooms.map((room) => (
          <li>
            <a href={`/${room}${home}`} {...(room === at.room ? { "aria-current": "page" } : {})}>
              {ROOMS[room]}
              {room === "approvals" && at.waiting > 0 && (
                <span class="count">
                  {at.waiting}
                  <span class="unseen"> waiting</span>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const PILLS = 4;

/** Which home a page is about; nothing where there is only one. */
function HomePick({ at }: { at: Standing }): Child {
  if (!at.home || at.homes.length < 2) return "";
  if (at.homes.length <= PILLS) {
    return (
      <nav class="pills" aria-label="Home">
        {at.homes.map((home) => (
          <a href={`/${at.room}?home=${encodeURIComponent(home)}`} {...(home === at.home ? { "aria-current": "true" } : {})}>
            {home}
          </a>
        ))}
      </nav>
    );
  }
  return (
    <form method="get" action={`/${at.room}`} class="pick">
      <label for="home">Home</label>
      <select id="home" name="home">
        {at.homes.map((home) => (
          <option value={home} selected={home === at.home}>
            {home}
          </option>
        ))}
      </select>
      <button type="submit">Show</button>
    </form>
  );
}

// ---- small things ---------------------------------------------------------------------------------------------------

const TWO = "2-digit";
const CLOCK = { hour: TWO, minute: TWO } as const;

export function When({ at, seconds }: { at: number; seconds?: boolean }): Child {
  const date = new Date(at);
  const today = date.toDateString() === new Date().toDateString();
  const clock = date.toLocaleTimeString("en-GB", seconds ? { ...CLOCK, second: TWO } : CLOCK);
  const day = date.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  return (
    <time datetime={date.toISOString()} title={date.toISOString()}>
      {today || seconds ? clock : `${day}, ${clock}`}
    </time>
  );
}

export const Nothing = ({ children }: { children?: Child }): Child => <p class="nothing">{children}</p>;

interface PagesProps {
  page: number;
  more: boolean;
  /** Makes the address of a page, from 0. */
  way: (page: number) => string;
  /** For the page before and the one behind. */
  words?: [back: string, on: string];
}

export function Pages({ page, more, way, words: [back, on] = ["Newer", "Older"] }: PagesProps): Child {
  if (page === 0 && !more) return "";
  return (
    <nav class="pages" aria-label="Pages">
      {page > 0 ? <a href={way(page - 1)}>{back}</a> : <span />}
      <span>Page {page + 1}</span>
      {more ? <a href={way(page + 1)}>{on}</a> : <span />}
    </nav>
  );
}

/** Where something was said, in words. */
export function scopeWords(scope: Scope): string {
  if (scope === "team") return "the whole team";
  const id = scope.slice(scope.indexOf(":") + 1);
  return scope.startsWith("person:") ? `direct messages of ${id}` : `private place ${id}`;
}

export const ScopeTag = ({ scope }: { scope: Scope }): Child =>
  isPrivate(scope) ? <span class="tag private">{scopeWords(scope)}</span> : "";

/** Asks before it shows what was said in private; opening it is logged. */
export function Closed({ href, what }: { href: string; what: string }): Child {
  return (
    <div class="closed">
      <p>{what} What was said there in private is not shown unless you open it, and opening it is written to the log.</p>
      <a class="button" href={href}>
        Open it
      </a>
    </div>
  );
}

const numbers = new Intl.NumberFormat("en");
export const count = (value: number): string => numbers.format(value);
export const dollars = (value: number): string => `$${value < 10 ? value.toFixed(2) : numbers.format(Math.round(value))}`;
export const duration = (ms: number): string =>
  ms < 1_000 ? `${ms} ms` : ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;

export function query(values: Record<string, string | number | undefined>): string {
  const given = Object.entries(values).flatMap(([key, value]): [string, string][] =>
    value === undefined || value === "" || value === 0 ? [] : [[key, String(value)]],
  );
  return given.length ? `?${new URLSearchParams(given)}` : "";
}
