/**
 * Where a channel belongs: its guild, its kind, its thread, and how talk is kept apart in it.
 *
 * L1. In doubt a place is private. Public is only what @everyone may view, threads as their channel.
 * L4. A private thread is a place of its own: not everybody of its channel, nor of another thread there, sees it.
 * L2. A conversation is a thread, a direct message's channel, or, where no threads can be, a root message and the replies to it.
 * L3. Guilds that are not served do not exist here.
 */
import { ChannelType, type Client, type GuildBasedChannel, PermissionFlagsBits } from "discord.js";
import type { Place } from "../../src/core/event.ts";
import type { ChannelKind } from "../../src/core/scope.ts";
import type { Outcome } from "../shared/failure.ts";
import { CODE } from "./outcome.ts";

export interface Where {
  guild: string | null;
  /** The guild whose home serves it; for direct messages see `dmTeam`. */
  team: string;
  /** The channel, a public thread's parent, a private thread itself, or the direct messages' channel. */
  channel: string;
  /** Set inside a thread and in direct messages. */
  thread: string | null;
  kind: ChannelKind;
  /** A message here can begin a thread. */
  threads: boolean;
}
export interface PlacesOptions {
  /** Undefined: all. */
  guilds: readonly string[] | undefined;
  dmGuild: string | undefined;
}
export interface Places {
  where(channel: string): Promise<Where | undefined>;
  serves(guild: string): boolean;
  /** The guilds served now. */
  guilds(): string[];
  dmTeam(): string;
  /** For names in texts. */
  nameOf(channel: string): string | undefined;
}

const OPENING = PermissionFlagsBits.CreatePublicThreads | PermissionFlagsBits.SendMessagesInThreads;
const OPENS_THREADS: readonly ChannelType[] = [ChannelType.GuildText, ChannelType.GuildAnnouncement];

export function places(client: Client, { guilds, dmGuild }: PlacesOptions): Places {
  const serves = (guild: string): boolean => guilds === undefined || guilds.includes(guild);
  const served = () => [...client.guilds.cache.keys()].filter(serves);
  const dmTeam = (): string => {
    const [only, ...others] = served();
    return dmGuild ?? (only !== undefined && others.length === 0 ? only : "dm");
  };
  return {
    serves,
    guilds: served,
    dmTeam,
    nameOf(id) {
      const channel = client.channels.cache.get(id);
      return channel && "name" in channel ? (channel.name ?? undefined) : undefined;
    },
    async where(id) {
      const channel = client.channels.cache.get(id) ?? (await client.channels.fetch(id).catch(() => null));
      if (!channel) return undefined;
      if (channel.isDMBased()) {
        const kind = channel.type === ChannelType.DM ? "dm" : "group";
        return { guild: null, team: dmTeam(), channel: id, thread: id, kind, threads: false };
      }
      return serves(channel.guildId) ? whereInGuild(channel) : undefined;
    },
  };
}

function whereInGuild(channel: GuildBasedChannel): Where {
  const { guildId: guild, id } = channel;
  if (channel.isThread()) {
    if (channel.type === ChannelType.PrivateThread) return { guild, team: guild, channel: id, thread: id, kind: "private", threads: false };
    const kind = kindOf(channel.parent);
    return { guild, team: guild, channel: channel.parentId ?? id, thread: id, kind, threads: false };
  }
  const me = channel.guild.members.me;
  const may = !me || channel.permissionsFor(me).has(OPENING);
  return { guild, team: guild, channel: id, thread: null, kind: kindOf(channel), threads: may && OPENS_THREADS.includes(channel.type) };
}

function kindOf(channel: GuildBasedChannel | null): ChannelKind {
  if (!channel) return "unknown";
  return channel.permissionsFor(channel.guild.roles.everyone)?.has(PermissionFlagsBits.ViewChannel) === true ? "public" : "private";
}

/** The place of a message. `root`: the message its replies are about, where there are no threads. */
export function placeAt({ team, channel, thread, threads }: Where, root: string | null): Place {
  return { platform: "discord", team, channel, thread: thread ?? (threads ? null : root) };
}

const ELSEWHERE = new Set<string>([CODE.unknownMessage, CODE.unknownChannel, CODE.noThreadsHere]);

/** Asks of a message where it stands: all of a thread in it, the one it was opened on beside it, and a forum's first post in it again. */
export async function atMessage<T>(
  { channel, thread }: Place,
  message: string,
  ask: (channel: string) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const inside = thread ?? channel;
  const [first, second] = inside === message ? [channel, inside] : [inside, channel];
  const found = await ask(first);
  return found.ok || first === second || !ELSEWHERE.has(found.code) ? found : ask(second);
}
