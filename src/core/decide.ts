/**
 * Who may decide about a call: one pure rule, for the moment a button is pressed and for lists of what waits for somebody.
 *
 * D1. Rights are those of now, not of when the card was shown.
 * D2. Whoever may not is told who may.
 * D3. A home may serve teams of several platforms. What is on one is decided, answered, stopped, withdrawn and taken back on another only
 *     by those whom policy names by id: being a member there says nothing here. The operator comes from none of the home's teams.
 * D4. Agreeing that one's words leave a private place, and deciding about the call, are two rights. Who has both uses both with one press.
 */
import { asksOf } from "./calls.ts";
import type { Place, Verdict } from "./event.ts";
import type { Rules, Standing } from "./ports.ts";
import type { Act } from "./view.ts";

type Team = Pick<Place, "platform" | "team">;
export interface Decider {
  id: string;
  /** Where they decide. */
  at: Team;
  /** Where the conversation is that it is about. */
  about: Pick<Team, "platform">;
  /** Undefined: the platform does not know them. */
  standing: Standing | undefined;
}

const BY_ID: Standing = { member: false, guest: false, external: true, owner: false, bot: false, groups: [] };

/** What somebody is there who acts about a conversation from where they are (D3). */
export function standingAt({ at, about, standing }: Omit<Decider, "id">, { teams = [] }: Pick<Rules, "teams">): Standing | undefined {
  const elsewhere = at.platform !== about.platform && teams.includes(`${at.platform}:${at.team}`);
  return standing && elsewhere ? BY_ID : standing;
}

/** Why somebody may not decide this, in a sentence for them; undefined: they may. */
export function whyNot(gate: Verdict, act: Act, { id, at, about, standing }: Decider, rules: Rules): string | undefined {
  if (rules.broken && gate.level !== "talk") return rules.broken;
  // Their words: they may say whether these leave, also where they decide nothing else.
  if (asksOf(gate.consent).includes(id) && !LASTING.has(act)) return undefined;
  return whyNotDecide(gate, act, { id, at, about, standing }, rules);
}

/** Allowing what comes later is more than agreeing that these words leave. */
const LASTING: ReadonlySet<Act> = new Set(["thread", "always"]);

/** Whether all they may say is that their words leave: the decision is others' (D4). */
export function onlyAgrees(gate: Verdict, act: Act, decider: Decider, rules: Rules): boolean {
  return (
    gate.apart === true &&
    gate.level !== "asker" &&
    asksOf(gate.consent).includes(decider.id) &&
    whyNotDecide(gate, act, decider, rules) !== undefined
  );
}

function whyNotDecide(gate: Verdict, act: Act, { id, at, about, standing }: Decider, rules: Rules): string | undefined {
  if (gate.level === "asker")
    return gate.consent?.also
      ? "This takes words out of a private place, so only those who said them can decide."
      : "This takes words out of a private place, so only the person who asked for it can decide.";
  const level = act === "always" ? "admin" : gate.level;
  const known = standingAt({ at, about, standing }, rules);
  const away = at.platform !== about.platform && level !== "talk";
  const mended = away ? ` To decide from here, ${id} has to be named in people.${level} of policy.json.` : "";
  if (!known || !rules.may(level, id, known))
    return `You may not decide this. ${level === "talk" ? "" : "Who may: "}${rules.who(level, at.platform)}.${mended}`;
  if (gate.notBy === id) return "You asked for this yourself, so somebody else has to decide it.";
  return undefined;
}
