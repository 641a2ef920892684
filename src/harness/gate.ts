/**
 * The gate: decides about all new calls of an answer in one record, so that everything that needs a person is asked at once, in order.
 *
 * G1. The strictest hook wins, and what two ask for holds together; a hook that throws means deny. Whose words leave agrees, and those
 *     who may decide decide: two things asked for, each told on the card.
 * G2. The digest covers the tool's definition, its server's entry and the input: what people see is what may run.
 * G3. A call that cannot be judged, since its tool throws where it should say what is wrong, is denied: the others of its answer run.
 */
import { hash, randomBytes } from "node:crypto";
import { asksOf, type Call } from "../core/calls.ts";
import { remindAt } from "../core/card.ts";
import type { Event, JsonObject, Verdict } from "../core/event.ts";
import type { CallId } from "../core/id.ts";
import type { Action } from "../core/next.ts";
import type { Gate, Moment, Rules, Tool } from "../core/ports.ts";
import { isPrivate } from "../core/scope.ts";
import { type TurnHome, toolFor, turnHome } from "./home.ts";
import type { Planner } from "./plan.ts";
import { write } from "./plan.ts";
import { previewOf, remarksOf } from "./preview.ts";
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
    if (call?.status !== "new") continue;
    const at = scene.world.now();
    const untold = home.tools.has(call.tool) ? undefined : home.untold.get(call.tool);
    if (untold) {
      const told: Event = { type: "tools.loaded", at, tools: [untold.label] };
      events.push({ type: "call.gated", at, call: id, ...refused(untold.label, introduced(untold)) }, told);
      continue;
    }
    const verdict = await verdictOf(scene, home, call).catch((error) => unjudged(scene, call, error));
    events.push({ type: "call.gated", at, call: id, ...verdict }, ...reminders(id, verdict, at));
  }
  return events;
}

const introduced = ({ name, description, schema }: Tool): string =>
  `Not run: ${name} had not been told in full. It is offered from now on, call it again with what it takes:\n${JSON.stringify({ name, description, input_schema: schema })}`;

/** One reminder for whatever expires while people are asked. */
function reminders(call: CallId, { verdict, expires }: Verdict, at: number): Event[] {
  if (expires === null || (verdict !== "ask" && verdict !== "question")) return [];
  return [{ type: "timer.set", at, id: `remind/${call}`, due: remindAt(at, expires), text: "", call }];
}

/** What an approval is for. Both the gate and the run compute it, from the tool as it is then. */
export function callDigest(tool: Tool, input: JsonObject): string {
  return hash("sha256", `${tool.digest}\n${canonical(input)}`, "base64url").slice(0, 32);
}
/** A code for a button: finds its call by itself, and cannot be guessed. */
export function newCode(): string {
  if (chance.length < CODE) chance = randomBytes(CODE * 64);
  const code = chance.toString("base64url", 0, CODE);
  chance = chance.subarray(CODE);
  return code;
}
/** Bytes of a code; drawn for many at once, since asking the system costs more than all else of a verdict. */
const CODE = 12;
let chance = Buffer.alloc(0);

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
}

function unjudged({ world, session }: Scene, call: Call, error: unknown): Verdict {
  world.log.error({ tool: call.tool, session, call: call.id, err: error }, "a call could not be judged: denied");
  return refused(call.tool, `Not run: ${call.tool} could not be checked. An operator finds the reason in the log.`);
}

async function verdictOf(scene: Scene, home: TurnHome, call: Call): Promise<Verdict> {
  const tool = toolFor(home, call.tool, call.input);
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
    ...(tool.pin === undefined ? {} : { pin: tool.pin }),
  };
  if (tool.question) {
    const question = tool.question(parsed.input);
    const expires = scene.world.now() + QUESTION_EXPIRES;
    const by = scene.state.talk.by?.id;
    return { ...DEFAULTS, ...base, verdict: "question", level: "talk", question, expires, deciders: "", ...(by ? { named: [by] } : {}) };
  }
  const found = await strictest(scene.world, home.rules, momentOf(scene), tool, parsed.input);
  const { verdict, grant, besides: _, ...rest } = found;
  const shown = verdict === "ask" ? await shownOf(scene, home.rules, call, tool, parsed.input) : {};
  // Whoever asks about a call means that it runs once: it is not repeated by itself.
  const risky = found.risky === true || verdict === "ask";
  const apart = verdict === "ask" ? { apart: true as const } : {};
  return { ...DEFAULTS, ...base, ...rest, ...shown, ...apart, verdict, risky, ...(grant ? { grant } : {}) };
}

async function shownOf(scene: Scene, rules: Rules, call: Call, tool: Tool, input: JsonObject): Promise<Partial<Verdict>> {
  const [preview, remarks] = await Promise.all([previewOf(scene, call, tool, input), remarksOf(scene, call, tool, input)]);
  return { ...preview, ...(remarks.length ? { remarks } : {}), ...noticesOf(scene, rules, tool) };
}

/** Whom policy wants told outside the thread: that a decision waits and where. What was said in private stays there. */
function noticesOf(scene: Scene, { notify = [], teams = [] }: Rules, { label }: Tool): Pick<Verdict, "notices"> {
  const { place, scope } = scene.opened;
  const { platform, world } = scene;
  const channels = notify.flatMap((id) => {
    const [, there = "", channel = ""] = /^([a-z]+):(.+)$/.exec(id) ?? [];
    if (there === place.platform) return channel === place.channel ? [] : [channel];
    // Elsewhere only in a team that is this home's own.
    const team = teams.find((one) => one.startsWith(`${there}:`))?.slice(there.length + 1);
    return team && world.platforms.has(there) ? [`${there}:${team}:${channel}`] : [];
  });
  const link = place.thread === null ? undefined : platform.link(place, place.thread);
  const text = `A decision waits${isPrivate(scope) ? " in a private place" : `: may I run ${label}?`}${link ? ` [Open the thread](${link})` : ""}`;
  const notices = channels.map((channel) => ({ channel, text }));
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
  const now = await strictest(scene.world, await scene.world.homes.rules(scene.home), momentOf(scene), tool, input);
  if (now.verdict === "deny") return now.reason ?? "It may not be run.";
  if (now.verdict === "allow") return undefined;
  const more =
    LEVELS[now.level ?? "approve"] > LEVELS[gate.level] ||
    asksOf(now.consent).some((person) => !asksOf(gate.consent).includes(person)) ||
    (now.quorum ?? 1) > gate.quorum;
  return more ? `Changed like this it is another decision: ${now.reason ?? ""} ${now.deciders ?? ""}`.trim() : undefined;
}

const ORDER = { allow: 0, ask: 1, deny: 2 } as const;
const LEVELS = { talk: 0, asker: 0, approve: 1, admin: 2 } as const;
async function strictest(world: World, rules: Rules, moment: Moment, tool: Tool, input: JsonObject): Promise<Gate> {
  let found: Gate = { verdict: "allow" };
  for (const hook of world.hooks) {
    const gate = await asked(world, hook, moment, tool, input);
    if (gate) found = together(found, whole(gate, rules, moment));
  }
  return found;
}

/** With what a hook that asks left unsaid. With `asker` nobody decides but those who agree. */
function whole(gate: Gate, rules: Rules, { place }: Moment): Gate {
  const { verdict, level = "approve", quorum = 1 } = gate;
  if (verdict !== "ask") return gate;
  if (level === "asker") return { ...gate, quorum: 0 };
  return { deciders: `Who may decide: ${rules.who(level, place.platform)}.`, ...gate, level, quorum: Math.max(1, quorum) };
}

function together(one: Gate, other: Gate): Gate {
  const risky = one.risky === true || other.risky === true;
  if (one.verdict !== other.verdict) return { ...(ORDER[one.verdict] > ORDER[other.verdict] ? one : other), risky };
  if (one.verdict === "deny") return one;
  if (one.verdict === "allow") return { ...one, ...other, risky };
  const [strict, mild] = LEVELS[other.level ?? "approve"] > LEVELS[one.level ?? "approve"] ? [other, one] : [one, other];
  const consent = both(strict.consent, mild.consent);
  const quorum = Math.max(strict.quorum ?? 1, mild.quorum ?? 1);
  return { ...strict, ...bounded(strict, mild), ...told(strict, mild), risky, quorum, ...(consent ? { consent } : {}) };
}

/** Who decides, and who has to agree as well. */
function told({ deciders = "", besides }: Gate, mild: Gate): Pick<Gate, "deciders" | "besides"> {
  const more = besides ?? mild.besides;
  return {
    deciders: more === undefined || deciders.includes(more) ? deciders : `${deciders} ${more}`.trim(),
    ...(more ? { besides: more } : {}),
  };
}

/** What either rules out is ruled out: a person, an offer, time. */
function bounded(strict: Gate, mild: Gate): Partial<Gate> {
  const notBy = strict.notBy ?? mild.notBy;
  const times = [strict.expires, mild.expires].filter((time) => typeof time === "number");
  const { offers = DEFAULTS.offers } = strict;
  return {
    ...(notBy ? { notBy } : {}),
    ...(times.length ? { expires: Math.min(...times) } : {}),
    offers: offers.filter((offer) => offer === "deny" || (mild.offers?.includes(offer) ?? true)),
  };
}

/** Everybody whose agreement either needs. */
function both(one: Gate["consent"], other: Gate["consent"]): Gate["consent"] {
  const first = one ?? other;
  if (!first) return undefined;
  const also = [...new Set([...asksOf(one), ...asksOf(other)])].filter((id) => id !== first.by);
  return { by: first.by, ...(also.length ? { also } : {}) };
}

async function asked(world: World, hook: World["hooks"][number], moment: Moment, tool: Tool, input: JsonObject): Promise<Gate | undefined> {
  try {
    return await hook.preActing?.(moment, tool, input);
  } catch (error) {
    world.log.error({ hook: hook.name, tool: tool.label, err: error }, "a hook failed before a call: denied");
    return { verdict: "deny", reason: `Not run: the check “${hook.name}” failed. An operator finds the reason in the log.` };
  }
}
