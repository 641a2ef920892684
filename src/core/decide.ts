/**
 * Who may decide about a call: one pure rule, for the moment a button is pressed and for lists of what waits for somebody.
 *
 * D1. Rights are those of now, not of when the card was shown.
 * D2. Whoever may not is told who may.
 * D3. A home may serve teams of several platforms. What waits on one is decided on another only by those whom policy names by id: being a
 *     member there says nothing here. The operator comes from none of the home's teams.
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

/** Why somebody may not decide this, in a sentence for them; undefined: they may. */
export function whyNot(gate: Verdict, act: Act, { id, at, about, standing }: Decider, rules: Rules): string | undefined {
  if (rules.broken && gate.level !== "talk") return rules.broken;
  // Their words: they may say whether these leave, also where they decide nothing else.
  const { consent } = gate;
  if (asksOf(consent).includes(id) && (gate.level === "asker" || id !== consent?.by || !consent.decides)) return undefined;
  if (gate.level === "asker")
    return consent?.also
      ? "This takes words out of a private place, so only those who said them can decide."
      : "This takes words out of a private place, so only the person who asked for it can decide.";
  const level = act === "always" ? "admin" : gate.level;
  const elsewhere = at.platform !== about.platform && (rules.teams ?? []).includes(`${at.platform}:${at.team}`);
  const known = standing && elsewhere ? BY_ID : standing;
  if (!known || !rules.may(level, id, known))
    return `You may not decide this. ${level === "talk" ? "" : "Who may: "}${rules.who(level, at.platform)}.`;
  if (gate.notBy === id) return "You asked for this yourself, so somebody else has to decide it.";
  return undefined;
}
