/**
 * The people of the console: three named ones, so that every role can be tried by one person at one machine.
 *
 * The console believes the page about who writes: whoever can open it is the operator anyway.
 */
import type { Speaker } from "../../src/core/event.ts";
import type { Standing } from "../../src/core/ports.ts";

export interface Person {
  key: string;
  name: string;
  role: string;
  member: boolean;
  owner: boolean;
}

const ANN: Person = { key: "ann", name: "Ann", role: "owner", member: true, owner: true };
export const PEOPLE: readonly Person[] = [
  ANN,
  { key: "ben", name: "Ben", role: "member", member: true, owner: false },
  { key: "cleo", name: "Cleo", role: "guest", member: false, owner: false },
];

/** Who acts on the operator's pages: whoever can open them. */
export const OPERATOR: Person = { key: "operator", name: "Operator", role: "operator", member: true, owner: true };

export const idOf = (person: Person): string => `console:${person.key}`;
export const byId = (id: string): Person | undefined => [...PEOPLE, OPERATOR].find((person) => idOf(person) === id);

/** In homes of chat teams the roles to try would be strangers with a vote: there only the operator acts. */
export const actingIn = (home: string | undefined, person: Person): Person => (home === undefined ? person : OPERATOR);

/** Who a page writes as; the owner if it does not say or names nobody. */
export const byKey = (key: string | undefined): Person => PEOPLE.find((person) => person.key === key) ?? ANN;

export const speaker = (person: Person): Speaker => ({ id: idOf(person), name: person.name, kind: person.member ? "member" : "guest" });

export function standingOf(id: string): Standing {
  const person = byId(id);
  const known = person !== undefined;
  return {
    member: person?.member ?? false,
    guest: known && !person.member,
    external: false,
    owner: person?.owner ?? false,
    bot: false,
    groups: [],
  };
}
