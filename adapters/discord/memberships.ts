/** The private places of a guild in which both a person and the agent are now. What cannot be found out is left out. */
import { type Client, type GuildMember, PermissionFlagsBits } from "discord.js";
import type { Scope } from "../../src/core/scope.ts";
import { recent } from "../shared/recent.ts";
import type { Places } from "./places.ts";

/** Whoever left a place must not see it for long. */
const KNOWN_FOR = 30_000;
const VIEW = PermissionFlagsBits.ViewChannel;

export type Memberships = (team: string, person: string) => Promise<Scope[]>;

export function memberships(client: Client, places: Places): Memberships {
  const members = recent<GuildMember>(KNOWN_FOR, async (key) => {
    const [guild = "", user = ""] = key.split(" ");
    return client.guilds.cache.get(guild)?.members.fetch({ user, force: true });
  });
  return async (team, person) => {
    const guild = client.guilds.cache.get(team);
    const me = guild?.members.me;
    const member = guild && places.serves(team) ? await members.get(`${team} ${person}`) : undefined;
    if (!guild || !me || !member) return [];
    const both = guild.channels.cache.filter(
      (channel) =>
        !channel.isThread() &&
        !channel.permissionsFor(guild.roles.everyone).has(VIEW) &&
        channel.permissionsFor(member).has(VIEW) &&
        channel.permissionsFor(me).has(VIEW),
    );
    return both.map(({ id }): Scope => `place:discord:${id}`);
  };
}
