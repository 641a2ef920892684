/**
 * Runs turns with one of the two loops, and tells what they cost: first some that do not count, then those that do.
 * The CPU is that of this process, its garbage collection included.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type Anthropic from "@anthropic-ai/sdk";
import type { Model, Request } from "../../src/core/ports.ts";
import { anthropic } from "../../src/model/anthropic.ts";
import { type Frame, turn } from "../rig/bare.ts";
import { messagesOf, seed } from "../rig/history.ts";
import { openHouse, says } from "../rig/house.ts";
import { asks } from "../rig/lookup.ts";

export interface Load {
  variant: "ours" | "bare";
  /** A folder of this run's own. */
  dir: string;
  url: string;
  /** Where the prompt and tools of the house are kept for the bare loop. */
  frame: string;
  /** Turns of four messages that every session has before. */
  history: number;
  /** How often `parallel` sessions take a turn of so many calls. */
  warm: number;
  rounds: number;
  parallel: number;
  calls: number;
  /** All rounds go on in the same sessions. */
  same: boolean;
}
export interface Cost {
  /** Milliseconds. */
  cpu: number;
  wall: number;
  /** Requests to the model. */
  steps: number;
  /** Megabytes, the most this process ever had. */
  rss: number;
  /** Milliseconds until each message was acknowledged. */
  acks: number[];
}
type Taken = { steps: number; ack?: number };
interface Loop {
  begin(thread: string): Promise<void>;
  turn(thread: string): Promise<Taken>;
  end(): Promise<void>;
}

const job = JSON.parse(process.argv[2] ?? "{}") as Load;
const KEY = "sk-ant-bench-key";
const SETTLING = 100;

async function house(): Promise<Loop> {
  const inner = anthropic({ apiKey: KEY, baseURL: job.url, model: "claude-bench", scrub: (text) => text });
  const { inbox, journal, stage, close } = await openHouse(job.dir, keeping(inner, job.frame));
  return {
    begin: (thread) => seed(journal, thread, job.history),
    async turn(thread) {
      const folded = stage.folded(thread);
      const began = performance.now();
      await inbox.message(says(thread, asks(job.calls)));
      const ack = performance.now() - began;
      await folded;
      return { steps: job.calls + 1, ack };
    },
    end: close,
  };
}

/** Writes down once what the house sends beside the messages. */
function keeping(model: Model, file: string): Model {
  let kept = false;
  const keep = ({ system, tools }: Request): void => {
    kept = true;
    const frame = {
      model: "claude-bench",
      system: system.map(({ text }) => ({ type: "text", text })),
      tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    };
    writeFileSync(file, JSON.stringify(frame));
  };
  return {
    ...model,
    answer(request, onDelta, signal) {
      if (!kept) keep(request);
      return model.answer(request, onDelta, signal);
    },
  };
}

async function bare(): Promise<Loop> {
  const { default: Client } = await import("@anthropic-ai/sdk");
  const { readFileSync } = await import("node:fs");
  const client = new Client({ apiKey: KEY, baseURL: job.url, maxRetries: 0 });
  const frame = JSON.parse(readFileSync(job.frame, "utf8")) as Frame;
  const sessions = new Map<string, Anthropic.MessageParam[]>();
  return {
    async begin(thread) {
      sessions.set(thread, JSON.parse(JSON.stringify(messagesOf(job.history))));
    },
    async turn(thread) {
      const messages = sessions.get(thread) ?? [];
      messages.push({ role: "user", content: [{ type: "text", text: asks(job.calls) }] });
      return { steps: await turn(client, frame, messages, join(job.dir, `${thread}.jsonl`)) };
    },
    end: async () => {},
  };
}

async function main(): Promise<void> {
  const loop = await (job.variant === "ours" ? house() : bare());
  const threads = (round: number): string[] => Array.from({ length: job.parallel }, (_, n) => `t${job.same ? 0 : round}-${n}`);
  const all = Array.from({ length: job.warm + job.rounds }, (_, round) => threads(round));
  for (const thread of new Set(all.flat())) await loop.begin(thread);
  const round = (names: string[]) => Promise.all(names.map((thread) => loop.turn(thread)));
  for (const names of all.slice(0, job.warm)) await round(names);
  await new Promise((done) => setTimeout(done, SETTLING));
  globalThis.gc?.();
  const began = performance.now();
  const before = process.cpuUsage();
  const taken: Taken[] = [];
  for (const names of all.slice(job.warm)) taken.push(...(await round(names)));
  const wall = performance.now() - began;
  // What is recorded last is of that turn too.
  await new Promise((done) => setTimeout(done, SETTLING));
  const { user, system } = process.cpuUsage(before);
  const cost: Cost = {
    cpu: (user + system) / 1_000,
    wall,
    steps: taken.reduce((sum, { steps }) => sum + steps, 0),
    rss: process.resourceUsage().maxRSS / 1_024,
    acks: taken.flatMap(({ ack }) => ack ?? []),
  };
  await loop.end();
  process.stdout.write(`${JSON.stringify(cost)}\n`);
  process.exit(0);
}
await main();
