/**
 * Ids of people and of roles in the product's own words, shown by name. Who is not known is asked for once, and never waited for long.
 *
 * D1. A name calls nobody: it is plain text, without marks of markup. What is not known keeps its id.
 */
import type { Client } from "discord.js";
import type { View } from "../../src/core/view.ts";
import { clip } from "../shared/escape.ts";
import { within } from "../shared/within.ts";
import { worded } from "../shared/worded.ts";

const NAMED = /( \()?\bdiscord:(role:)?(\d{2,20})\b(\))?/g;
const PATIENCE = 800;
const MARKUP = /[*_~`|<>[\]()\\#@\s]+/g;

export interface Names {
  person(id: string): string | undefined;
  role(id: string): string | undefined;
}

export interface Naming extends Names {
  /** Asks who those are whom a view names. */
  learn(view: View): Promise<unknown>;
}

/** Roles of any guild: their ids are the platform's. */
export const namesOf = (client: Client): Naming => ({
  learn(view) {
    const unknown = peopleIn(view).filter((id) => !client.users.cache.has(id));
    return within(PATIENCE, Promise.all(unknown.map((id) => client.users.fetch(id).catch(() => undefined))), undefined);
  },
  person: (id) => client.users.cache.get(id)?.displayName,
  role: (id) => client.guilds.cache.map((guild) => guild.roles.cache.get(id)?.name).find((name) => name !== undefined),
});

function peopleIn(view: View): string[] {
  const found = new Set<string>();
  worded(view, (text) => {
    for (const [, , role, id = ""] of text.matchAll(NAMED)) if (role === undefined) found.add(id);
    return text;
  });
  return [...found];
}

export const named = (view: View, names: Names): View => worded(view, (text) => withNames(text, names));

export function withNames(text: string, names: Names): string {
  return text.replace(
    NAMED,
    (whole, open: string | undefined, role: string | undefined, id: string, close: string | undefined, at: number) => {
      const name = role ? names.role(id) : names.person(id);
      if (name === undefined) return whole;
      // The name stands there already, and the id behind it.
      if (open && close && text.slice(0, at).endsWith(name)) return "";
      const plain = clip(name.replace(MARKUP, " ").trim(), 60) || id;
      return `${open ?? ""}${role ? "" : "@"}${plain}${close ?? ""}`;
    },
  );
}
