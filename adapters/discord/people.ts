/**
 * Who people are in a guild, looked up at Discord and remembered for a while; what events say of them is fresher and free.
 *
 * U1. In doubt somebody is external, and no member or owner of anything.
 * U2. Who writes a direct message is a member only while they are one in the guild whose home serves it; others are strangers there,
 *     whatever policy says of people in channels.
 * U3. The way of a message never waits long for a look-up.
 */
import { type APIGuildMember, type APIUser, type Client, PermissionFlagsBits, Routes } from "discord.js";
import type { Speaker } from "../../src/core/event.ts";
import type { Standing } from "../../src/core/ports.ts";
import { recent } from "../shared/recent.ts";
import { within } from "../shared/within.ts";
import { attempt, CODE } from "./outcome.ts";
import type { Places, Where } from "./places.ts";

const STANDING_FOR = 60_000;
/** Who left a guild may not go on talking to it in private. */
const DIRECT_FOR = 5000;
const PATIENCE = { speaker: 800, standing: 5000 } as const;

/** What is read of a member; events leave the user out. */
export type Member = Pick<APIGuildMember, "roles" | "pending" | "nick">;
type Known = { member: Member; bot: boolean } | "nobody";
export type Author = Pick<APIUser, "id" | "username" | "global_name" | "bot">;

/** Speaks in direct messages, and is not known to belong to what serves them. */
export const isStranger = ({ guild }: Pick<Where, "guild">, { kind }: Pick<Speaker, "kind">): boolean =>
  guild === null && kind === "external";

const NOBODY: Standing = { member: false, guest: false, external: true, owner: false, bot: false, groups: [] };

export interface People {
  /** `direct`: in direct messages, of which nothing says whether they are in a guild still. */
  speaker(team: string, author: Author, member: Member | undefined, how: { webhook?: boolean; direct?: boolean }): Promise<Speaker>;
  standing(team: string, person: string): Promise<Standing>;
  /** What an event said of a person in a guild. */
  learn(guild: string, person: Author, member: Member | undefined): void;
}

export function people(client: Client, places: Places): People {
  const members = recent<Known>(STANDING_FOR, async (key) => {
    const [guild = "", person = ""] = key.split(" ");
    const found = await attempt(client.rest.get(Routes.guildMember(guild, person)) as Promise<APIGuildMember>);
    if (found.ok) return { member: found.value, bot: found.value.user.bot === true };
    return found.code === CODE.unknownMember ? "nobody" : undefined;
  });
  const inGuild = async (guild: string, person: string, fresh: number): Promise<Standing> => {
    const known = await members.get(`${guild} ${person}`, fresh);
    return known === undefined || known === "nobody" ? NOBODY : standingOf(client, guild, person, known);
  };
  const standing = async (team: string, person: string, fresh = STANDING_FOR): Promise<Standing> => {
    if (team !== "dm") return places.serves(team) ? inGuild(team, person, fresh) : NOBODY;
    // No guild's home: who belongs to one of the guilds may talk, but owns nothing.
    const all = await Promise.all(places.guilds().map((guild) => inGuild(guild, person, fresh)));
    const found = all.find(({ member, bot }) => member || bot);
    return found ? { ...found, owner: false, groups: [] } : NOBODY;
  };
  return {
    standing: (team, person) => within(PATIENCE.standing, standing(team, person), NOBODY),
    learn(guild, person, member) {
      if (member) members.put(`${guild} ${person.id}`, { member, bot: person.bot === true });
    },
    async speaker(team, author, member, { webhook = false, direct = false }) {
      const id = `discord:${author.id}`;
      const name = member?.nick || author.global_name || author.username;
      if (author.bot || webhook) return { id, name, kind: "bot" };
      const found = await within(PATIENCE.speaker, standing(team, author.id, direct ? DIRECT_FOR : STANDING_FOR), NOBODY);
      return { id, name, kind: found.member ? "member" : found.guest ? "guest" : "external" };
    },
  };
}

function standingOf(
  client: Client,
  guildId: string,
  person: string,
  { member: { roles, pending }, bot }: Exclude<Known, string>,
): Standing {
  const guild = client.guilds.cache.get(guildId);
  const granted = [guildId, ...roles].map((role) => guild?.roles.cache.get(role)?.permissions.bitfield ?? 0n);
  const manages = granted.some((bits) => (bits & (PermissionFlagsBits.ManageGuild | PermissionFlagsBits.Administrator)) !== 0n);
  const member = !bot && pending !== true;
  return {
    member,
    // Somebody who has not accepted the guild's rules yet.
    guest: !bot && pending === true,
    external: false,
    owner: member && (manages || guild?.ownerId === person),
    bot,
    groups: roles.map((role) => `discord:role:${role}`),
  };
}
