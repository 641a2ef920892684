/**
 * Runs turns with one of the two loops, and tells what they cost: first some that do not count, then those that do.
 * The CPU is that of this process, its garbage collection included.
 */
import { readFileSync, writeFileSync } from "node:fs";
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
  /** Turns in short sessions before, so that the code is compiled as in a process that has been running for some minutes. */
  warm: number;
  /** How often `parallel` sessions take a turn of so many calls. */
  rounds: number;
  parallel: number;
  calls: number;
  /** Milliseconds between the messages of one round. */
  apart: number;
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
  begin(thread: string, turns: number): Promise<void>;
  turn(thread: string): Promise<Taken>;
  end(): Promise<void>;
}

const job = JSON.parse(process.argv[2] ?? "{}") as Load;
const KEY = "sk-ant-bench-key";
const SETTLING = 100;
/** Turns of a session that only warms. */
const SHORT = 3;

async function house(): Promise<Loop> {
  const inner = anthropic({ apiKey: KEY, baseURL: job.url, model: "claude-bench", scrub: (text) => text });
  const { inbox, journal, stage, close } = await openHouse(job.dir, keeping(inner, job.frame));
  return {
    begin: (thread, turns) => seed(journal, thread, turns),
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
  const client = new Client({ apiKey: KEY, baseURL: job.url, maxRetries: 0 });
  const frame = JSON.parse(readFileSync(job.frame, "utf8")) as Frame;
  const sessions = new Map<string, Anthropic.MessageParam[]>();
  return {
    async begin(thread, turns) {
      sessions.set(thread, JSON.parse(JSON.stringify(messagesOf(turns))));
    },
    async turn(thread) {
      const messages = sessions.get(thread) ?? [];
      messages.push({ role: "user", content: [{ type: "text", text: asks(job.calls) }] });
      return { steps: await turn(client, frame, messages, join(job.dir, `${thread}.jsonl`)) };
    },
    end: async () => {},
  };
}

const pause = (ms: number): Promise<void> => (ms ? new Promise((done) => setTimeout(done, ms)) : Promise.resolve());

async function main(): Promise<void> {
  const loop = await (job.variant === "ours" ? house() : bare());
  const warm = Array.from({ length: job.warm }, (_, round) => [`w${round}`]);
  const counted = Array.from({ length: job.rounds }, (_, round) =>
    Array.from({ length: job.parallel }, (_, n) => `t${job.same ? 0 : round}-${n}`),
  );
  for (const thread of warm.flat()) await loop.begin(thread, SHORT);
  for (const thread of new Set(counted.flat())) await loop.begin(thread, job.history);
  const round = (names: string[]) => Promise.all(names.map((thread, n) => pause(n * job.apart).then(() => loop.turn(thread))));
  for (const names of warm) await round(names);
  await pause(SETTLING);
  globalThis.gc?.();
  const began = performance.now();
  const before = process.cpuUsage();
  const taken: Taken[] = [];
  for (const names of counted) taken.push(...(await round(names)));
  const wall = performance.now() - began;
  // What is recorded last is of that turn too.
  await pause(SETTLING);
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
