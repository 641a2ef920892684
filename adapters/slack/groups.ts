/**
 * User groups: who is in which, so that a policy can name them (`slack:group:S…`), and what people call them.
 *
 * U1. In doubt nobody is in any group.
 * U2. Where Slack will never tell (no scope, no user groups in its plan) nobody is, and the log says it once, with what mends it.
 */
import type { webApi } from "@slack/bolt";
import type { Log } from "../../src/core/ports.ts";
import { recent } from "../shared/recent.ts";
import { attempt } from "./outcome.ts";

const GROUPS_FOR = 60_000;

export interface Groups {
  of(person: string): Promise<string[]>;
  /** By the bare id. */
  name(group: string): Promise<string | undefined>;
}
interface Known {
  byPerson: ReadonlyMap<string, readonly string[]>;
  names: ReadonlyMap<string, string>;
}
const NONE: Known = { byPerson: new Map(), names: new Map() };

/** Looked up at most once a minute for all people. */
export function groups(client: webApi.WebClient, log: Log): Groups {
  let said = false;
  const known = recent<Known>(GROUPS_FOR, async () => {
    const found = await attempt(client.usergroups.list({ include_users: true }));
    if (found.ok) return knownFrom(found.value.usergroups ?? []);
    const never = found.retryIn === null;
    if (!never || !said) {
      const advice = found.code === "missing_scope" ? " Give the app what `npm run slack:manifest` prints and install it once more." : "";
      log.warn({ adapter: "slack", code: found.code }, `User groups are not known, so no policy can name them: ${found.reason}${advice}`);
    }
    said ||= never;
    return never ? NONE : undefined;
  });
  return {
    of: async (person) => [...((await known.get("all"))?.byPerson.get(person) ?? [])],
    name: async (group) => (await known.get("all"))?.names.get(group),
  };
}

function knownFrom(all: readonly { id?: string; name?: string; handle?: string; users?: string[] }[]): Known {
  const byPerson = new Map<string, string[]>();
  const names = new Map<string, string>();
  for (const { id, name, handle, users = [] } of all) {
    if (!id) continue;
    const called = name || handle;
    if (called) names.set(id, called);
    for (const user of users) byPerson.set(user, [...(byPerson.get(user) ?? []), `slack:group:${id}`]);
  }
  return { byPerson, names };
}
