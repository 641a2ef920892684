/**
 * The private places in which both a person and the agent are now: private channels, group DMs, and channels shared with other organisations.
 *
 * M1. What cannot be found out is left out. A list that was not read to its end counts as far as it was read.
 * M2. What is known is used for a moment only: whoever left a place must not see it for long. A limit of Slack's is rested out.
 * M3. A place counts only if it is on both lists: Slack also tells of public channels that the agent is not in.
 * M4. Of the places that are asked about each one's own list of members has the last word, as it is at this moment where they are few.
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

/** So many places are asked for their members each time; of more, those that were asked about first, and they are believed for longer. */
const FEW = 5;
const MOST = 50;
const MEMBERS = 1_000;

export type Memberships = (person: string, among: readonly Scope[]) => Promise<Scope[]>;
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
  const members = recent<ReadonlySet<string>>(KNOWN_FOR, (channel) => membersOf(client, channel));
  return async (person, among) => {
    const both = await within(PATIENCE, Promise.all([lists.get(""), lists.get(person)]), []);
    const [own, theirs] = both;
    if (!own || !theirs) return [];
    const likely = among.map((scope) => scope.replace(/^place:slack:/, "")).filter((id) => theirs.get(id) === true && own.get(id) === true);
    const fresh = likely.length > FEW ? KNOWN_FOR : 0;
    const found = likely.slice(0, MOST).map(async (id): Promise<Scope[]> => {
      const there = await within(PATIENCE, members.get(id, fresh), undefined);
      return there?.has(person) ? [`place:slack:${id}`] : [];
    });
    return (await Promise.all(found)).flat();
  };
}

async function membersOf(client: webApi.WebClient, channel: string): Promise<ReadonlySet<string> | undefined> {
  const found = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const outcome = await attempt(client.conversations.members({ channel, limit: MEMBERS, ...(cursor ? { cursor } : {}) }));
    if (!outcome.ok) return undefined;
    for (const id of outcome.value.members ?? []) found.add(id);
    cursor = outcome.value.response_metadata?.next_cursor;
    if (!cursor) break;
  }
  return found;
}

/** As scopes see it: in doubt private. A direct message is nobody's place but its person's. */
function isPrivate(channel: Conversation): boolean {
  const { kind, shared } = factsOf(channel);
  return kind !== "dm" && (kind !== "public" || shared);
}
