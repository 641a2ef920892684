/**
 * A journal in which so many bytes were said, in many sessions: words as often as in a language (Zipf), some of it Chinese.
 * Written past the harness, for it would take an hour; what is read here are its words only.
 */
import { type Event, VERSION } from "../../src/core/event.ts";
import type { Journal } from "../../src/core/ports.ts";
import { connect } from "../../src/store/file.ts";
import { openJournal } from "../../src/store/journal.ts";
import { ANN, opening, sessionOf } from "./history.ts";

const SESSIONS = 2_000;
const VOCABULARY = 60_000;
const SIGNS = 3_000;
/** One in so many is Chinese. */
const CHINESE = 20;
/** Words of a message, at most; half of that on average. */
const LONGEST = 160;
/** Said by hand in one message of so many. */
const RARE = 50_000;
/** One session in so many is a direct message. */
const PRIVATE = 100;
export const ANNS_OWN = "person:bench:ann";

export interface Archive {
  journal: Journal;
  /** The word at this place of the list of all, by how often it is said. */
  word(rank: number): string;
  rare: string;
  chinese: string;
}

export async function archive(path: string, bytes: number): Promise<Archive> {
  await openJournal(path).close();
  const random = dice(7);
  const words = Array.from({ length: VOCABULARY }, (_, n) => spelt(n));
  const signs = Array.from({ length: SIGNS }, (_, n) => String.fromCodePoint(0x4e00 + n * 5));
  const pick = <T>(list: readonly T[]): T => list[Math.floor(list.length ** random()) - 1] as T;
  const text = (n: number): string => {
    const many = 1 + Math.floor(random() * LONGEST);
    if (n % CHINESE === 0) return Array.from({ length: many }, () => pick(signs)).join("");
    const said = Array.from({ length: many }, () => pick(words)).join(" ");
    return n % RARE === 1 ? `${said} kestrel` : said;
  };
  fill(path, bytes, text);
  return { journal: openJournal(path), word: (rank) => words[rank] ?? "", rare: "kestrel", chinese: signs.slice(0, 3).join("") };
}

function fill(path: string, bytes: number, text: (n: number) => string): void {
  const db = connect(path);
  db.pragma("synchronous = OFF");
  const session = db.prepare(
    "INSERT INTO session (id, name, root, settled, scope, place, todos, at, title) VALUES (?, ?, ?, 1, ?, ?, '[]', 0, 'Talk')",
  );
  const event = db.prepare("INSERT INTO event (seq, session, version, body) VALUES (?, ?, ?, ?)");
  db.transaction(() => {
    for (let id = 1; id <= SESSIONS; id++) {
      const name = sessionOf(`${id}`);
      session.run(id, name, name, id % PRIVATE === 0 ? ANNS_OWN : "team", JSON.stringify(opening(`${id}`).place));
    }
    let seq = 1;
    for (let size = 0; size < bytes; seq++) {
      const said: Event = { type: "message.received", at: seq * 1_000, id: `m${seq}`, by: ANN, text: text(seq), heard: true };
      size += Buffer.byteLength(said.text);
      event.run(seq, 1 + (Math.floor(seq / 40) % SESSIONS), VERSION, JSON.stringify(said));
    }
  })();
  db.close();
}

/** Numbers between 0 and 1 that are the same in each run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const SYLLABLES =
  "ba be bi bo bu da de di do du fa ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru sa se si so su ta te ti to tu".split(
    " ",
  );
/** A word of its own for each number: frequent ones are short. */
function spelt(n: number): string {
  const rest = Math.floor(n / SYLLABLES.length);
  return `${rest ? spelt(rest - 1) : ""}${SYLLABLES[n % SYLLABLES.length]}`;
}
