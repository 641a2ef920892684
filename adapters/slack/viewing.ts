/**
 * What somebody has open beside their direct messages with the agent: Slack tells it with what they say there.
 *
 * L1. Told in those direct messages only, and only of a channel that the agent and that person both see now. In doubt nothing is told.
 * L2. It is a name and an id, nothing of what is said there; a message waits for it no longer than for the name of who wrote it.
 */
import type { webApi } from "@slack/bolt";
import { clip } from "../shared/escape.ts";
import { within } from "../shared/within.ts";
import type { Memberships } from "./memberships.ts";
import { attempt } from "./outcome.ts";
import { factsOf } from "./people.ts";

const PATIENCE = 800;
const CHANNEL = /^[CG][A-Z0-9]{2,20}$/;

/** As Slack gives it, the likeliest first: of several kinds, with an id or with where a message is. */
export interface AppContext {
  entities?: readonly ({ type?: string; value?: unknown } | null)[] | null;
}
type Looked = (person: string, context: AppContext | null | undefined) => Promise<string | undefined>;

export function viewing(look: webApi.WebClient, shared: Memberships): Looked {
  async function named(person: string, channel: string): Promise<string | undefined> {
    const found = await attempt(look.conversations.info({ channel }));
    const info = found.ok ? found.value.channel : undefined;
    if (!info?.name || info.is_archived) return undefined;
    const facts = factsOf(info);
    const open = facts.kind === "public" && !facts.shared;
    if (!open && !(await shared(person, [`place:slack:${channel}`])).length) return undefined;
    return `#${clip(info.name, 80)} (slack:${channel})`;
  }
  return async (person, context) => {
    const channel = channelIn(context);
    return channel === undefined ? undefined : within(PATIENCE, named(person, channel), undefined);
  };
}

function channelIn(context: AppContext | null | undefined): string | undefined {
  const entities = Array.isArray(context?.entities) ? context.entities : [];
  for (const { value } of entities.filter((one) => typeof one === "object" && one !== null)) {
    const id = typeof value === "object" && value !== null ? (value as { channel_id?: unknown }).channel_id : value;
    if (typeof id === "string" && CHANNEL.test(id)) return id;
  }
  return undefined;
}
