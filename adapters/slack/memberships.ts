/**
 * The private places in which both a person and the agent are now: private channels, group DMs, and channels shared with other organisations.
 *
 * M1. What cannot be found out is left out. A list that was not read to its end counts as far as it was read.
 * M2. What is known is used for a moment only: whoever left a place must not see it for long. A limit of Slack's is rested out.
 * M3. A place counts only if it is on both lists: Slack also tells of public channels that the agent is not in.
 */
import type { webApi } from "@slack/bolt";
import type { Log } from "../../src/core/ports.ts";
import type { Scope } from "../../src/core/scope.ts";
import { recent } from "../shared/recent.ts";
import { within } from "../shared/within.ts";
import { attempt } from "./outcome.ts";
import { type Conversation, factsOf } from "./people.ts";

const KNOWN_FOR = 30_000;
const PATIENCE = 4000;
const PAGE = 200;
const PAGES = 10;
const TYPES = "public_channel,private_channel,mpim";

export type Memberships = (person: string) => Promise<Scope[]>;
/** Ids of channels, and whether what is said there is not for the whole team. */
type Channels = ReadonlyMap<string, boolean>;

export function memberships(client: webApi.WebClient, log: Log): Memberships {
  let rested = 0;
  const lists = recent<Channels>(KNOWN_FOR, async (user) => {
    if (Date.now() < rested) return undefined;
    const found = new Map<string, boolean>();
    let cursor: string | undefined;
    for (let page = 0; page < PAGES; page++) {
      const asked = { types: TYPES, exclude_archived: true, limit: PAGE, ...(user ? { user } : {}), ...(cursor ? { cursor } : {}) };
      const outcome = await attempt(client.users.conversations(asked));
      if (!outcome.ok) {
        rested = Date.now() + (outcome.retryIn ?? KNOWN_FOR);
        log.warn({ adapter: "slack", code: outcome.code }, `The places of a person could not be looked up: ${outcome.reason}`);
        return found.size ? found : undefined;
      }
      for (const channel of outcome.value.channels ?? []) if (channel.id && !channel.is_archived) found.set(channel.id, isPrivate(channel));
      cursor = outcome.value.response_metadata?.next_cursor;
      if (!cursor) break;
    }
    return found;
  });
  return async (person) => {
    const both = await within(PATIENCE, Promise.all([lists.get(""), lists.get(person)]), []);
    const [own, theirs] = both;
    if (!own || !theirs) return [];
    return [...theirs].flatMap(([id, closed]): Scope[] => (closed && own.get(id) === true ? [`place:slack:${id}`] : []));
  };
}

/** As scopes see it: in doubt private. A direct message is nobody's place but its person's. */
function isPrivate(channel: Conversation): boolean {
  const { kind, shared } = factsOf(channel);
  return kind !== "dm" && (kind !== "public" || shared);
}
