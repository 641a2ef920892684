/**
 * Decides whether a call runs, is put to people, or is refused: the product's own caution, then the home's policy, then standing grants.
 *
 * A1. What changes the home's character, tools or protected files always asks, and an administrator decides: no rule and no grant lifts that.
 * A2. A grant waives only a question for which it could be given today; the call stays marked as risky. A tool of a server that says
 *     something else of itself than when it was granted or approved asks again, and the card says what changed.
 * A3. A call that was denied and comes again unchanged in the same turn is refused without asking.
 * A5. What takes words out of a private place needs the agreement of those who said them, each time, whatever the policy says: the person
 *     the turn is for, everybody else who spoke in the turn, and whoever's earlier words or facts are in the input as far as code can tell.
 *     Where others decide about the call as well, all of them have to approve.
 * A4. While policy.json cannot be used, what asked goes on asking, and the card says that nobody can decide until it is mended.
 */
import { isDeepStrictEqual } from "node:util";
import type { Consent, Grant, JsonObject, Speaker } from "../core/event.ts";
import type { SessionId } from "../core/id.ts";
import type { Gate, Hook, Moment, Rules, Standing, Tool } from "../core/ports.ts";
import { isPrivate } from "../core/scope.ts";
import { isWithin, normalise } from "../files/path.ts";
import { wordsIn } from "../memory/whose-words.ts";
import { isSafeCommand } from "../workspace/command.ts";
import { touches } from "../workspace/glob.ts";
import type { OpenHomes } from "../workspace/homes.ts";
import { changedSince, type Pinned } from "../workspace/pins.ts";
import type { Policy, ToolRule } from "../workspace/policy.ts";
import { isAmong } from "../workspace/rules.ts";
import { restrictions, rule } from "../workspace/tool-rule.ts";

export interface ApprovalOptions {
  homes: Pick<OpenHomes, "home" | "rules">;
  /** Standing grants that hold in a session: its own and the home's. */
  grants(home: string, session: SessionId): Promise<{ session: SessionId; grant: Grant }[]>;
  /** What tools of servers said of themselves when they were last approved. */
  pins?(home: string): Promise<Readonly<Record<string, Pinned>>>;
  /** What the platform knows of the person a turn is for. */
  standing(place: Moment["place"], person: string): Promise<Standing>;
  /** Whose words a text of this conversation carries, as far as can be told. */
  speakers?(moment: Moment, text: string): Promise<Speaker[]>;
}
type Offers = NonNullable<Gate["offers"]>;
interface Asking {
  level: "approve" | "admin" | "asker";
  reason: string;
  offers: Offers;
}

export function approval({ homes, grants, standing, speakers, pins = async () => ({}) }: ApprovalOptions): Hook {
  const preActing = async (moment: Moment, tool: Tool, input: JsonObject): Promise<Gate> => {
    if (wasDenied(moment, tool, input))
      return { verdict: "deny", reason: "This was denied before in this turn, and nothing about it has changed." };
    const { policy } = await homes.home(moment.home).policy();
    const barred = await whyBarred(policy, tool, moment, standing);
    if (barred) return { verdict: "deny", reason: barred };
    const leaving = isPrivate(moment.scope) && tool.leaves?.(input) === true;
    const asking = whatAsks(policy, tool, input, moment) ?? (leaving ? LEAVING : undefined);
    if (!asking || (asking.level === "approve" && !leaving && isSafe(policy, tool, input))) return { verdict: "allow", risky: false };
    const subject = !leaving && grantable(policy, tool, input, asking) ? tool.subject(input) : null;
    if (subject !== null) {
      const held = (await grants(moment.home, moment.session)).find(({ grant }) => covers(grant, tool, subject));
      if (held) return { verdict: "allow", risky: true, reason: asking.reason, grant: { session: held.session, id: held.grant.id } };
    }
    const rules = await homes.rules(moment.home);
    const changed = tool.pin === undefined ? undefined : changedSince((await pins(moment.home))[tool.label], tool.pin);
    const { quorum, expireMinutes, selfApprove } = policy.approvals;
    const { level } = asking;
    const leavers = leaving ? await leaversOf(moment, input, speakers) : [];
    const besides = leaving ? besidesOf(leavers) : undefined;
    return {
      verdict: "ask",
      risky: true,
      reason: changed ? `${changed} ${asking.reason}` : asking.reason,
      level,
      offers: subject === null ? asking.offers : [...asking.offers, "thread", "always"],
      quorum: level === "asker" ? 0 : quorum,
      ...(besides ? { consent: consentOf(leavers), besides } : {}),
      expires: moment.now + expireMinutes * 60_000,
      notBy: selfApprove || level === "asker" ? null : moment.by.id,
      ...named(policy, level, moment, selfApprove),
      deciders: level === "asker" ? onlyThey(rules, leavers) : deciders(rules, moment.place.platform, level, selfApprove, besides),
    };
  };
  return { name: "approval", preActing };
}

/** A grant for a tool that says something else of itself now is a grant for another tool. */
const covers = (grant: Grant, { label, pin }: Tool, subject: string): boolean =>
  grant.tool === label && grant.subject === subject && grant.pin === pin;

/** Whom a reminder may call: people of this platform whom policy names by id, a handful at most. */
function named({ people }: Policy, level: Asking["level"], { by, place }: Moment, selfApprove: boolean): Pick<Gate, "named"> {
  const words = level === "asker" ? [by.id] : people[level];
  const found = words.filter((word) => word.startsWith(`${place.platform}:`) && word.split(":").length === 2);
  const able = found.filter((id) => level === "asker" || selfApprove || id !== by.id).slice(0, CALLED);
  return able.length ? { named: able } : {};
}
const CALLED = 5;

/** Whose words would leave a private place, the person the turn is for first. */
async function leaversOf(moment: Moment, input: JsonObject, speakers: ApprovalOptions["speakers"]): Promise<Speaker[]> {
  const found = (await speakers?.(moment, wordsIn(input))) ?? [];
  return [moment.by, ...found.filter(({ id }) => id !== moment.by.id)];
}

function consentOf([first, ...others]: readonly Speaker[]): Consent {
  return { by: first?.id ?? "", ...(others.length ? { also: others.map(({ id }) => id) } : {}) };
}

const listed = (people: readonly Speaker[]): string => {
  const names = people.map(({ name }) => name);
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
};

const besidesOf = (leavers: readonly Speaker[]): string =>
  `It takes words out of this private place, so ${listed(leavers)} ${leavers.length > 1 ? "have" : "has"} to agree as well.`;

const NOBODY = "Nobody can approve until policy.json is mended.";
function onlyThey({ broken }: Rules, leavers: readonly Speaker[]): string {
  if (broken !== undefined) return NOBODY;
  return leavers.length > 1 ? `Only ${listed(leavers)} decide, all of them.` : `Only ${listed(leavers)} decides.`;
}
function deciders(rules: Rules, platform: string, level: "approve" | "admin", selfApprove: boolean, besides: string | undefined): string {
  if (rules.broken !== undefined) return NOBODY;
  return `Who may decide: ${rules.who(level, platform)}${selfApprove ? "" : ", but not the person who asked"}.${besides ? ` ${besides}` : ""}`;
}

const LEAVING: Asking = { level: "asker", reason: "It takes words out of this private place.", offers: ["approve", "edit", "deny"] };

function wasDenied({ state }: Moment, tool: Tool, input: JsonObject): boolean {
  return Object.values(state.calls.byId).some(
    (call) =>
      call.decided?.how === "denied" &&
      call.decided.by.length > 0 &&
      call.turn === state.talk.turn &&
      call.tool === tool.name &&
      [call.input, call.edited?.from].some((denied) => denied !== undefined && isSame(tool, denied, input)),
  );
}

/** `input` was brought into shape already; what was denied may be as the model wrote it. */
function isSame(tool: Tool, denied: JsonObject, input: JsonObject): boolean {
  const shaped = tool.parse(denied);
  return isDeepStrictEqual(shaped.ok ? shaped.input : denied, input);
}

async function whyBarred(
  policy: Policy,
  tool: Tool,
  { place, by }: Moment,
  standing: ApprovalOptions["standing"],
): Promise<string | undefined> {
  const limits = restrictions(policy, tool.label);
  const here = `${place.platform}:${place.channel}`;
  if (limits.some(({ places }) => places && !places.includes(here))) return `policy.json does not allow ${tool.label} in this place.`;
  const people = limits.flatMap((limit) => (limit.people ? [limit.people] : []));
  if (people.length === 0) return undefined;
  const found = await standing(place, by.id);
  return people.every((words) => isAmong(words, by.id, found)) ? undefined : `policy.json does not allow ${by.name} to use ${tool.label}.`;
}

function whatAsks(policy: Policy, tool: Tool, input: JsonObject, { scope }: Moment): Asking | undefined {
  const own = tool.risk(input, scope);
  const said = rule(policy, tool.label);
  const glob = protectedBy(policy, tool, input);
  const offers: Offers = typeof said === "object" ? [...said.allow] : ["approve", "edit", "deny"];
  if (glob !== undefined) return { level: "admin", reason: `policy.json protects ${glob}.`, offers };
  if (own === "admin") return { level: "admin", reason: "It changes how this home works.", offers };
  if (said === undefined ? own === "none" : said === false) return undefined;
  return { level: "approve", reason: why(said, tool), offers };
}

const why = (said: ToolRule | undefined, { label }: Tool): string =>
  said === undefined ? `${label} asks first, unless policy.json says otherwise.` : `policy.json asks for ${label}.`;

/** One person's grant would go round a quorum, and nothing can be granted that cannot be approved. */
function grantable(policy: Policy, tool: Tool, input: JsonObject, { level, offers }: Asking): boolean {
  return level === "approve" && policy.approvals.quorum === 1 && offers.includes("approve") && tool.subject(input) !== null;
}

/** People listed this very program with these first words. */
const isSafe = (policy: Policy, { label }: Tool, { command }: JsonObject): boolean =>
  label === "execute" && typeof command === "string" && isSafeCommand(policy.safeCommands, command);

const CHANGING = ["write_file", "edit_file", "delete"];

/** The pattern of `protected` that a call would change something in. Folders are erased whole, so what lies in them counts. */
function protectedBy(policy: Policy, tool: Tool, input: JsonObject): string | undefined {
  if (!CHANGING.includes(tool.label) || typeof input.file_path !== "string") return undefined;
  const found = normalise(input.file_path);
  if (!found.ok || !isWithin("/home", found.path)) return undefined;
  const path = found.path.slice("/home".length);
  return policy.protected.find((glob) => touches(glob, path, tool.label === "delete"));
}
