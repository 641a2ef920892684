/**
 * Who may do what in a home, from its policy and what the platform knows of a person. Pure.
 *
 * R1. Guests, people of other organisations and bots approve and administer only where they are named by id; bots do nothing else either.
 * R2. While policy.json cannot be used nobody approves or administers; who may talk stays.
 */
import type { Rules, Standing } from "../core/ports.ts";
import type { Policy } from "./policy.ts";
import type { Problem } from "./text.ts";

/** A home's policy as it is, or as it was when it was last valid; then `broken` says what is wrong and what mends it. */
export interface PolicyNow {
  policy: Policy;
  broken: Problem | undefined;
}

export function rulesOf({ policy, broken }: PolicyNow, stepLimit: number): Rules {
  return {
    may: (what, person, standing) => {
      if (what === "talk") return isAmong(policy.people.talk, person, standing);
      if (broken !== undefined) return false;
      return policy.people[what].includes(person) || (!isOutsider(standing) && isAmong(policy.people[what], person, standing));
    },
    who: (what, platform) =>
      broken !== undefined && what !== "talk" ? "nobody until policy.json is mended" : inWords(near(policy.people[what], platform)),
    followUps: policy.followUps,
    stepsPerTurn: policy.budget.stepsPerTurn ?? stepLimit,
    model: policy.model,
    timezone: policy.timezone,
    broken: broken?.what,
    budget: policy.budget,
    notify: policy.approvals.notify,
    mentions: policy.mentions,
  };
}

const isOutsider = (standing: Standing): boolean => standing.guest || standing.external || standing.bot;

/** Whether a person is meant by one of the words that policy.json has for people. */
export function isAmong(words: readonly string[], person: string, standing: Standing): boolean {
  return words.includes(person) || (!standing.bot && words.some((word) => isMeant(word, standing)));
}

function isMeant(word: string, standing: Standing): boolean {
  switch (word) {
    case "*":
      return true;
    case "members":
      return standing.member && !isOutsider(standing);
    case "guests":
      return standing.guest;
    case "external":
      return standing.external;
    case "owners":
      return standing.owner;
    default:
      return standing.groups.includes(word);
  }
}

const NAMES: Record<string, string> = {
  "*": "everybody",
  members: "members of the team",
  guests: "guests",
  external: "people of other organisations",
  owners: "the owners",
};
/** Whom people of a platform can turn to: ids of another say nothing to them. */
function near(words: readonly string[], platform: string | undefined): readonly string[] {
  const here = words.filter((word) => platform === undefined || !word.includes(":") || word.startsWith(`${platform}:`));
  return here.length ? here : words;
}
function inWords(words: readonly string[]): string {
  const names = [...new Set(words)].map(
    (word) => NAMES[word] ?? word.replace(/^(?=[a-z]+:group:)/, "the group ").replace(/^(?=[a-z]+:role:)/, "the role "),
  );
  const last = names.pop();
  if (last === undefined) return "nobody";
  return names.length ? `${names.join(", ")} or ${last}` : last;
}
