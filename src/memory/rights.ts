/** Who may change a fact, and what is left of one that was forgotten. Pure. */
import type { PlannedChange } from "../core/ports.ts";
import type { Fact } from "./facts.ts";
import { mark } from "./words.ts";

/** Who wants to change something. */
export interface Person {
  id: string;
  admin: boolean;
}

export const mayChange = ({ by, about }: Fact, { id, admin }: Person): boolean => admin || by === id || about === id;

export const stoneOf = (fact: Fact, by: string): NonNullable<PlannedChange["bury"]>[number] => ({
  mark: mark(fact.text),
  by,
  messages: (fact.messages ?? []).map((message) => `${fact.session} ${message}`),
});
