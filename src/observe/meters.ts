/** What is counted and timed, each by its name. */
import { GEN_AI, OWN } from "./names.ts";
import type { Counter, Histogram, Registry } from "./registry.ts";

export interface Meters {
  messages: Counter;
  turns: Counter;
  turnSeconds: Histogram;
  steps: Counter;
  stepSeconds: Histogram;
  tokens: Histogram;
  modelErrors: Counter;
  toolCalls: Counter;
  toolSeconds: Histogram;
  approvals: Counter;
  approvalSeconds: Histogram;
  posts: Counter;
  /** What calls under way are called. */
  labels: Map<string, string>;
}

const QUICK = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const LONG = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400];
const TOKENS = [1, 16, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576];
const LABELS = 10_000;

export const meters = (registry: Registry): Meters => ({
  messages: registry.counter(OWN.messages, "Messages taken in"),
  turns: registry.counter(OWN.turns, "Turns that ended, by how"),
  turnSeconds: registry.histogram(OWN.turnSeconds, "From the first step of a turn to its end", "s", LONG),
  steps: registry.counter(OWN.steps, "Answers of the model"),
  stepSeconds: registry.histogram(GEN_AI.duration, "How long the model took for an answer", "s", QUICK),
  tokens: registry.histogram(GEN_AI.tokenUsage, "Tokens of a request, by type", "{token}", TOKENS),
  modelErrors: registry.counter(OWN.modelErrors, "Requests to the model that gave no answer"),
  toolCalls: registry.counter(OWN.toolCalls, "Calls of tools, by outcome"),
  toolSeconds: registry.histogram(OWN.toolSeconds, "How long a tool ran", "s", QUICK),
  approvals: registry.counter(OWN.approvals, "Decisions by people, by how"),
  approvalSeconds: registry.histogram(OWN.approvalSeconds, "From asking people to their decision", "s", LONG),
  posts: registry.counter(OWN.posts, "Posts to chat platforms, by outcome"),
  labels: bounded(),
});

/** Forgets the oldest: what never finished must not stay for ever. */
function bounded(): Map<string, string> {
  const map = new Map<string, string>();
  const set = map.set.bind(map);
  map.set = (key, value) => {
    set(key, value);
    const oldest = map.keys().next().value;
    if (map.size > LABELS && oldest !== undefined) map.delete(oldest);
    return map;
  };
  return map;
}
