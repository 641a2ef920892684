/**
 * The gate: decides about all new calls of an answer in one record, so that everything that needs a person is asked at once, in order.
 *
 * G1. The strictest hook wins, and what two ask for holds together; a hook that throws means deny.
 * G2. The digest covers the tool's definition, its server's entry and the input: what people see is what may run.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Call } from "../core/calls.ts";
import type { Event, JsonObject, Verdict } from "../core/event.ts";
import type { CallId } from "../core/id.ts";
import type { Action } from "../core/next.ts";
import type { Gate, Moment, Rules, Tool } from "../core/ports.ts";
import { isPrivate } from "../core/scope.ts";
import { type TurnHome, turnHome } from "./home.ts";
import type { Planner } from "./plan.ts";
import { write } from "./plan.ts";
import { previewOf } from "./preview.ts";
import { momentOf, type Scene, type World } from "./world.ts";

const QUESTION_EXPIRES = 7 * 24 * 60 * 60_000;

export const gate: Planner<Extract<Action, { do: "gate" }>> = async (scene, action) => ({
  intent: write(scene.session, ...(await gated(scene, await turnHome(scene), action.calls))),
});

/** The verdicts on these calls, as events. Usually recorded with the answer that made them; after a crash in between by an action of their own. */
export async function gated(scene: Scene, home: TurnHome, calls: readonly CallId[]): Promise<Event[]> {
  const events: Event[] = [];
  for (const id of calls) {
    const call = scene.state.calls.byId[id];
    if (call?.status === "new")
      events.push({ type: "call.gated", at: scene.world.now(), call: id, ...(await verdictOf(scene, home, call)) });
  }
  return events;
}

/** What an approval is for. Both the gate and the run compute it, from the tool as it is then. */
export function callDigest(tool: Tool, input: JsonObject): string {
  return createHash("sha256")
    .update(`${tool.digest}\n${canonical(input)}`)
    .digest("base64url")
    .slice(0, 32);
}
/** A code for a button: finds its call by itself, and cannot be guessed. */
export const newCode = (): string => randomBytes(12).toString("base64url");

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
}

async function verdictOf(scene: Scene, home: TurnHome, call: Call): Promise<Verdict> {
  const tool = home.tools.get(call.tool);
  if (!tool) return refused(call.tool, `There is no tool ${call.tool}. Offered now: ${[...home.tools.keys()].join(", ")}.`);
  const parsed = tool.parse(call.input);
  if (!parsed.ok) return refused(tool.label, `Not run, the input is not valid: ${parsed.error}`);
  const base = {
    label: tool.label,
    digest: callDigest(tool, parsed.input),
    code: newCode(),
    helper: tool.helper ?? false,
    subject: tool.subject(parsed.input),
    asker: scene.state.talk.by?.name ?? "",
  };
  if (tool.question) {
    const question = tool.question(parsed.input);
    const expires = scene.world.now() + QUESTION_EXPIRES;
    return { ...DEFAULTS, ...base, verdict: "question", level: "talk", question, expires, deciders: "" };
  }
  const found = await strictest(scene.world, momentOf(scene), tool, parsed.input);
  const { verdict, grant, ...rest } = found;
  const shown = verdict === "ask" ? { ...(await previewOf(scene, call, tool, parsed.input)), ...noticesOf(scene, home.rules, tool) } : {};
  return { ...DEFAULTS, ...base, ...rest, ...shown, verdict, ...(grant ? { grant } : {}) };
}

/** Whom policy wants told outside the thread: that a decision waits and where. What was said in private stays there. */
function noticesOf({ opened: { place, scope }, platform }: Scene, { notify = [] }: Rules, { label }: Tool): Pick<Verdict, "notices"> {
  const own = `${place.platform}:`;
  const channels = notify.filter((id) => id.startsWith(own)).map((id) => id.slice(own.length));
  const link = place.thread === null ? undefined : platform.link({ channel: place.channel, message: place.thread });
  const text = `A decision waits${isPrivate(scope) ? " in a private place" : `: may I run ${label}?`}${link ? ` [Open the thread](${link})` : ""}`;
  const notices = channels.filter((channel) => channel !== place.channel).map((channel) => ({ channel, text }));
  return notices.length ? { notices } : {};
}

const DEFAULTS: Omit<Verdict, "verdict" | "label" | "digest" | "code" | "helper" | "subject"> = {
  reason: "",
  risky: false,
  quorum: 1,
  expires: null,
  offers: ["approve", "edit", "deny"],
  level: "approve",
  notBy: null,
  deciders: "",
};
const refused = (label: string, reason: string): Verdict => ({
  ...DEFAULTS,
  verdict: "deny",
  label,
  digest: "",
  code: newCode(),
  helper: false,
  subject: null,
  reason,
});

/** Why an input that a person changed is not the decision its card was about any more: it needs others, or may not run at all. */
export async function beyond(scene: Scene, gate: Verdict, tool: Tool, input: JsonObject): Promise<string | undefined> {
  const now = await strictest(scene.world, momentOf(scene), tool, input);
  if (now.verdict === "deny") return now.reason ?? "It may not be run.";
  if (now.verdict === "allow") return undefined;
  const more = LEVELS[now.level ?? "approve"] > LEVELS[gate.level] || (now.consent && !gate.consent) || (now.quorum ?? 1) > gate.quorum;
  return more ? `Changed like this it is another decision: ${now.reason ?? ""} ${now.deciders ?? ""}`.trim() : undefined;
}

const ORDER = { allow: 0, ask: 1, deny: 2 } as const;
const LEVELS = { talk: 0, asker: 0, approve: 1, admin: 2 } as const;
async function strictest(world: World, moment: Moment, tool: Tool, input: JsonObject): Promise<Gate> {
  let found: Gate = { verdict: "allow" };
  for (const hook of world.hooks) {
    const gate = await asked(world, hook, moment, tool, input);
    if (gate) found = together(found, gate);
  }
  return found;
}

function together(one: Gate, other: Gate): Gate {
  if (one.verdict !== other.verdict) return ORDER[one.verdict] > ORDER[other.verdict] ? one : other;
  if (one.verdict === "deny") return one;
  const risky = one.risky === true || other.risky === true;
  if (one.verdict === "allow") return { ...one, ...other, risky };
  const stricter = LEVELS[other.level ?? "approve"] > LEVELS[one.level ?? "approve"];
  const quorum = Math.max(one.quorum ?? 1, other.quorum ?? 1);
  if (!stricter) return { ...one, risky, quorum };
  // Whose agreement the milder one needs agrees beside those who decide.
  const { consent } = one;
  return consent
    ? { ...other, risky, consent: { ...consent, decides: false }, quorum: Math.max(quorum, (other.quorum ?? 1) + 1) }
    : { ...other, risky, quorum };
}

async function asked(world: World, hook: World["hooks"][number], moment: Moment, tool: Tool, input: JsonObject): Promise<Gate | undefined> {
  try {
    return await hook.preActing?.(moment, tool, input);
  } catch (error) {
    world.log.error({ hook: hook.name, tool: tool.label, err: error }, "a hook failed before a call: denied");
    return { verdict: "deny", reason: `Not run: the check “${hook.name}” failed. An operator finds the reason in the log.` };
  }
}
