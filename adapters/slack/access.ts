/** Which of an organisation's workspaces its token reaches now. */
import type { webApi } from "@slack/bolt";
import { attempt } from "./outcome.ts";

const PAGE = 200;
const PAGES = 25;

/** Undefined: could not be found out. */
export async function reached(look: webApi.WebClient): Promise<ReadonlySet<string> | undefined> {
  const found = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const outcome = await attempt(look.auth.teams.list({ limit: PAGE, ...(cursor ? { cursor } : {}) }));
    if (!outcome.ok) return undefined;
    for (const { id } of outcome.value.teams ?? []) if (id) found.add(id);
    cursor = outcome.value.response_metadata?.next_cursor || undefined;
    if (!cursor) return found;
  }
  return undefined;
}

/** Whether Slack says that a workspace was taken from an organisation's app. */
export function isTakenBack(body: object): boolean {
  const { event } = body as { event?: { type?: unknown; event?: { type?: unknown } } };
  return [event?.type, event?.event?.type].includes("team_access_revoked");
}
