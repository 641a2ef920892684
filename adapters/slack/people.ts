/**
 * Who people are and what kind of place a channel is, looked up at Slack and remembered for a while.
 *
 * L1. In doubt a place is private, a person a guest, and nobody a member or an owner.
 * L2. The way of a message never waits long for a name.
 */
import type { webApi } from "@slack/bolt";
import type { Speaker } from "../../src/core/event.ts";
import type { Log, Standing } from "../../src/core/ports.ts";
import type { ChannelKind } from "../../src/core/scope.ts";
import { recent } from "../shared/recent.ts";
import { within } from "../shared/within.ts";
import { groups } from "./groups.ts";

/** A name may be old; what a person may do and who sees a channel may not. */
const NAME_FOR = 10 * 60_000;
const STANDING_FOR = 60_000;
const CHANNEL_FOR = 60_000;
const PATIENCE = { name: 300, speaker: 800, channel: 1500, standing: 5000 } as const;

interface Known {
  name: string;
  standing: Standing;
}
interface ChannelFacts {
  kind: ChannelKind;
  shared: boolean;
}
const NOBODY: Standing = { member: false, guest: false, external: false, owner: false, bot: false, groups: [] };
const UNKNOWN: ChannelFacts = { kind: "unknown", shared: false };

export interface People {
  speaker(id: string, hint: { name?: string | undefined; bot?: boolean; external?: boolean }): Promise<Speaker>;
  /** Of people and of user groups, by their bare ids. */
  names(ids: readonly string[]): Promise<(id: string) => string | undefined>;
  standing(id: string): Promise<Standing>;
  channel(id: string): Promise<ChannelFacts>;
  /** What an event said of its channel. */
  learn(id: string, facts: ChannelFacts): void;
}

export function people(client: webApi.WebClient, team: string, log: Log): People {
  const groupsOf = groups(client, log);
  const users = recent<Known>(NAME_FOR, async (id) => {
    const { user } = await client.users.info({ user: id });
    return user && { name: nameOf(user, id), standing: standingOf(user, team) };
  });
  const channels = recent<ChannelFacts>(CHANNEL_FOR, async (id) => {
    const { channel } = await client.conversations.info({ channel: id });
    return channel && factsOf(channel);
  });

  return {
    async speaker(id, hint) {
      const found = await within(PATIENCE.speaker, users.get(id), undefined);
      if (hint.bot || found?.standing.bot) return { id: `slack:${id}`, name: hint.name ?? found?.name ?? id, kind: "bot" };
      const external = hint.external || found?.standing.external;
      const kind = external ? "external" : found?.standing.member ? "member" : "guest";
      return { id: `slack:${id}`, name: found?.name ?? hint.name ?? id, kind };
    },
    async names(ids) {
      const found = new Map<string, string>();
      await Promise.all(
        ids.map(async (id) => {
          const called = id.startsWith("S") ? groupsOf.name(id) : users.get(id).then((person) => person?.name);
          const name = await within(PATIENCE.name, called, undefined);
          if (name !== undefined) found.set(id, name);
        }),
      );
      return (id) => found.get(id);
    },
    async standing(id) {
      const [found, belongs] = await Promise.all([
        within(PATIENCE.standing, users.get(id, STANDING_FOR), undefined),
        within(PATIENCE.standing, groupsOf.of(id), []),
      ]);
      return found ? { ...found.standing, groups: belongs } : NOBODY;
    },
    // What the other event of a message said meanwhile counts, where the look-up took too long.
    channel: async (id) => (await within(PATIENCE.channel, channels.get(id), undefined)) ?? channels.known(id) ?? UNKNOWN,
    learn: (id, facts) => channels.put(id, facts),
  };
}

interface User {
  name?: string;
  real_name?: string;
  team_id?: string;
  /** In an organisation: all the workspaces that somebody is a member of. */
  enterprise_user?: { teams?: string[] };
  deleted?: boolean;
  is_bot?: boolean;
  is_restricted?: boolean;
  is_ultra_restricted?: boolean;
  is_stranger?: boolean;
  is_owner?: boolean;
  is_admin?: boolean;
  is_primary_owner?: boolean;
  profile?: { display_name?: string; real_name?: string };
}
const nameOf = (user: User, id: string): string =>
  user.profile?.display_name || user.profile?.real_name || user.real_name || user.name || id;

function standingOf(user: User, team: string): Standing {
  const bot = user.is_bot === true;
  const belongs = user.team_id === undefined || user.team_id === team || user.enterprise_user?.teams?.includes(team) === true;
  const external = !bot && (user.is_stranger === true || !belongs);
  const guest = !bot && !external && (user.is_restricted === true || user.is_ultra_restricted === true);
  const member = !bot && !external && !guest && user.deleted !== true;
  return { member, guest, external, bot, owner: member && (user.is_owner || user.is_admin || user.is_primary_owner) === true, groups: [] };
}

export interface Conversation {
  is_im?: boolean;
  is_mpim?: boolean;
  is_private?: boolean;
  is_ext_shared?: boolean;
  is_pending_ext_shared?: boolean;
}
export function factsOf(channel: Conversation): ChannelFacts {
  const kind = channel.is_im ? "dm" : channel.is_mpim ? "group" : channel.is_private === false ? "public" : "private";
  return { kind, shared: channel.is_ext_shared === true || channel.is_pending_ext_shared === true };
}

const KINDS: Record<string, ChannelKind> = { channel: "public", group: "private", mpim: "group", im: "dm", app_home: "dm" };
/** The kind an event names, if it names one. */
export const kindOf = (channelType: string | undefined): ChannelKind => KINDS[channelType ?? ""] ?? "unknown";
