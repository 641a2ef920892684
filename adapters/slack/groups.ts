/**
 * The user groups somebody is in, so that a policy can name them (`slack:group:S…`).
 *
 * U1. In doubt nobody is in any group.
 * U2. Where Slack will never tell (no scope, no user groups in its plan) nobody is, and the log says it once, with what mends it.
 */
import type { webApi } from "@slack/bolt";
import type { Log } from "../../src/core/ports.ts";
import { recent } from "../shared/recent.ts";
import { attempt } from "./outcome.ts";

const GROUPS_FOR = 60_000;
type Members = ReadonlyMap<string, readonly string[]>;

/** Gives a person's groups, looked up at most once a minute for all people. */
export function groups(client: webApi.WebClient, log: Log): (person: string) => Promise<string[]> {
  let said = false;
  const known = recent<Members>(GROUPS_FOR, async () => {
    const found = await attempt(client.usergroups.list({ include_users: true }));
    if (found.ok) return byPerson(found.value.usergroups ?? []);
    const never = found.retryIn === null;
    if (!never || !said) {
      const advice = found.code === "missing_scope" ? " Give the app what `npm run slack:manifest` prints and install it once more." : "";
      log.warn({ adapter: "slack", code: found.code }, `User groups are not known, so no policy can name them: ${found.reason}${advice}`);
    }
    said ||= never;
    return never ? new Map() : undefined;
  });
  return async (person) => [...((await known.get("all"))?.get(person) ?? [])];
}

function byPerson(all: readonly { id?: string; users?: string[] }[]): Members {
  const found = new Map<string, string[]>();
  for (const { id, users = [] } of all) {
    if (id) for (const user of users) found.set(user, [...(found.get(user) ?? []), `slack:group:${id}`]);
  }
  return found;
}
