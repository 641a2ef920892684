/** Opens a journal that another process left, and makes the next request of its session, as after a start. With `turns` it writes it first. */

import { transcript } from "../../src/core/transcript.ts";
import { bodyOf } from "../../src/model/body.ts";
import { openJournal } from "../../src/store/journal.ts";
import { seed, sessionOf } from "../rig/history.ts";

export interface Opening {
  path: string;
  /** Written before, if there are any. */
  turns?: number;
}
export interface Opened {
  /** Milliseconds until the state is there, and until the request is. */
  state: number;
  request: number;
  /** Of the CPU, all threads, until the state is there. */
  cpu: number;
  messages: number;
}

const { path, turns } = JSON.parse(process.argv[2] ?? "{}") as Opening;
const before = process.cpuUsage();
const began = performance.now();
const journal = openJournal(path);
if (turns) {
  await seed(journal, "t", turns);
  // A snapshot that is due is written beside.
  await new Promise((done) => setTimeout(done, 200));
}
const state = await journal.state(sessionOf("t"));
const stateAt = performance.now() - began;
const { user, system } = process.cpuUsage(before);
const messages = transcript(state);
bodyOf({ model: "claude-bench", system: [], messages, tools: [], maxTokens: 1 });
const opened: Opened = { state: stateAt, request: performance.now() - began, cpu: (user + system) / 1_000, messages: messages.length };
await journal.close();
process.stdout.write(`${JSON.stringify(opened)}\n`);
