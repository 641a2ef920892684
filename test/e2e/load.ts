/**
 * Many people at once while Slack limits what it takes: mentions in some threads of two channels, each with a plan and tools. What people see,
 * and when, is written down.
 */
import { until } from "../help/until.ts";
import { buttonsOf, type Call, type Said, wordsOf } from "../rigs/slack.ts";
import { think } from "./brain.ts";
import { slotOf, Team } from "./team.ts";

export interface Asked {
  n: number;
  said: Said;
  at: number;
}
export interface Load {
  team: Team;
  asked: Asked[];
  /** Memory in MB: before, at its most, and afterwards. */
  memory: { before: number; most: number; after: number };
  ms: number;
}
const SMALL_HEAP = "--max-old-space-size=160";

export interface Size {
  threads: number;
  mentions: number;
  /** Between two mentions, in ms. */
  gap: number;
  /** Methods that Slack takes once a second in each channel. */
  limited: readonly string[];
}

export async function load({ threads, mentions, gap, limited }: Size): Promise<Load> {
  const limits = Object.fromEntries(limited.map((method) => [method, 1000]));
  const team = await Team.open({ slack: { limits }, env: { NODE_OPTIONS: SMALL_HEAP } });
  team.model.fallback = (body) => ({ ...think(body), chunk: 12, delay: 5 });
  await team.product.start();
  // The home is made and its servers are started once.
  await team.heard(team.slack.as("U2BEN").mention("C1", "[n0] look please"), "done n0");
  await team.quiet();
  const asked: Asked[] = [];
  const roots: Said[] = [];
  const memory = { before: team.product.rss, most: 0, after: 0 };
  const watch = setInterval(() => {
    memory.most = Math.max(memory.most, team.product.rss);
  }, 200);
  const from = Date.now();
  for (let n = 1; n <= mentions; n++) {
    const thread = n % threads;
    const said = team.slack.as("U1ANN").mention(thread % 2 ? "C1" : "C2", `[n${n}] plan please`, roots[thread]?.ts);
    roots[thread] ??= said;
    asked.push({ n, said, at: Date.now() });
    await new Promise((next) => setTimeout(next, gap));
  }
  const open = () => asked.filter((one) => answersTo(team, one).length === 0);
  await until(
    () => open().length === 0,
    () => `all answers; open: ${open().map(({ n }) => n)}; ${team.product.tail()}`,
    mentions * 4000,
  );
  const pressable = () => team.slack.space.messages.filter((message) => !message.removed && message.bot_id && buttonsOf(message).length);
  await until(
    () => pressable().length === 0,
    () => `all progress to be folded; left: ${pressable().length}`,
    mentions * 4000,
  );
  await team.quiet(mentions * 4000);
  clearInterval(watch);
  memory.after = team.product.rss;
  return { team, asked, memory, ms: Date.now() - from };
}

const rootOf = ({ message }: Said): string => message.thread_ts ?? message.ts;

export const answersTo = (team: Team, { n, said }: Asked) =>
  team.slack.space
    .said(said.channel, rootOf(said))
    .filter((message) => slotOf(message).startsWith("answer/") && new RegExp(`^done n${n}\\b`, "m").test(wordsOf(message)));

/** Until a thread showed that something goes on: a status that stands, or a message, in ms from each mention. */
export function signs({ team, asked }: Load): number[] {
  return asked.map(({ said, at }) => {
    const shown = team.slack.calls.filter(
      ({ method, args, answer }) => answer.ok === true && args.thread_ts === rootOf(said) && /setStatus$|postMessage$/.test(method),
    );
    const stood = shown.findLast((call) => call.at <= at);
    if (stood && isSign(stood) && !isAnswer(stood.args)) return 0;
    const first = shown.find((call) => call.at > at && isSign(call));
    return first ? first.at - at : Number.POSITIVE_INFINITY;
  });
}
/** A message takes a status away, and is a sign itself. */
const isSign = ({ method, args }: Call): boolean => method.endsWith("postMessage") || args.status !== "";

export const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** Calls that Slack refused for their rate, and those it took. */
export function figures({ team, asked, memory, ms }: Load): Record<string, unknown> {
  const of = (method: string) => {
    const calls = team.slack.callsTo(method);
    return `${calls.filter(({ answer }) => answer.ok).length} taken, ${calls.filter(({ answer }) => answer.error === "ratelimited").length} refused`;
  };
  return {
    mentions: asked.length,
    seconds: Math.round(ms / 1000),
    sign: [0.5, 0.95, 1].map((share) => percentile(signs({ team, asked, memory, ms }), share)),
    memory: Object.values(memory).map(Math.round),
    updates: of("chat.update"),
    posts: of("chat.postMessage"),
    statuses: of("assistant.threads.setStatus"),
    requests: team.model.calls.length,
  };
}

/** Progress that Slack took in a channel between the first try to post an answer there and the one it took. */
export function overtaken({ team }: Load): number {
  const answers = team.slack.callsTo("chat.postMessage").filter(({ args }) => isAnswer(args));
  const firstTry = new Map<string, number>();
  let count = 0;
  for (const { args, at, answer } of answers) {
    const key = JSON.stringify(args.metadata);
    firstTry.set(key, firstTry.get(key) ?? at);
    if (!answer.ok) continue;
    const from = firstTry.get(key) ?? at;
    const before = team.slack
      .callsTo("chat.postMessage")
      .filter((call) => call.answer.ok && call.args.channel === args.channel && call.at > from && call.at < at && isProgress(call.args));
    count += before.length;
  }
  return count;
}
const keyOf = (args: Call["args"]): string =>
  String((args.metadata as { event_payload?: { key?: string } } | undefined)?.event_payload?.key ?? "");
const isAnswer = (args: Call["args"]): boolean => keyOf(args).includes(" answer/");
const isProgress = (args: Call["args"]): boolean => keyOf(args).includes(" progress/");
