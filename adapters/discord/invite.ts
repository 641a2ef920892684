/** The link that invites the bot, with exactly the rights it uses, each with what it is for. */
import { type APIApplication, OAuth2Scopes, PermissionFlagsBits, REST, Routes } from "discord.js";
import { UserError } from "../../src/core/ports.ts";
import { attempt } from "./outcome.ts";

export const PERMISSIONS: readonly { flag: bigint; name: string; why: string }[] = [
  { flag: PermissionFlagsBits.ViewChannel, name: "View Channels", why: "hears where it is mentioned" },
  { flag: PermissionFlagsBits.SendMessages, name: "Send Messages", why: "answers where there are no threads" },
  { flag: PermissionFlagsBits.CreatePublicThreads, name: "Create Public Threads", why: "opens a thread on the message that asks" },
  { flag: PermissionFlagsBits.SendMessagesInThreads, name: "Send Messages in Threads", why: "answers in it" },
  { flag: PermissionFlagsBits.EmbedLinks, name: "Embed Links", why: "shows cards and progress" },
  { flag: PermissionFlagsBits.AttachFiles, name: "Attach Files", why: "hands over files, and what is too long to read" },
  { flag: PermissionFlagsBits.AddReactions, name: "Add Reactions", why: "answers with a sign where words are not needed" },
  {
    flag: PermissionFlagsBits.ReadMessageHistory,
    name: "Read Message History",
    why: "reads what was said before it was called, and catches up after it was away",
  },
];
const SCOPES = [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands];

/** Asks Discord whose token it is. Rejects with a sentence if that fails. */
export async function inviteOf(token: string, apiUrl: string | undefined): Promise<string> {
  const rest = new REST({ ...(apiUrl === undefined ? {} : { api: apiUrl }), version: "10", retries: 1 }).setToken(token);
  const found = await attempt(rest.get(Routes.currentApplication()) as Promise<APIApplication>);
  if (!found.ok)
    throw new UserError(`DISCORD_TOKEN: ${found.reason} Copy the token once more from discord.com/developers/applications, under Bot.`);
  return inviteLink(found.value.id);
}

export function inviteLink(application: string): string {
  const permissions = PERMISSIONS.reduce((all, { flag }) => all | flag, 0n);
  const query = new URLSearchParams({ client_id: application, scope: SCOPES.join(" "), permissions: String(permissions) });
  return `https://discord.com/oauth2/authorize?${query}`;
}
