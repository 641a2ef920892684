/** Buttons, forms, commands and the message menu: what came in, handed to the inbox, and its reply brought back. */
import {
  type APIChatInputApplicationCommandInteraction,
  type APIInteraction,
  type APIMessage,
  type APIMessageApplicationCommandInteraction,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  ApplicationCommandType,
  InteractionType,
} from "discord.js";
import type { Place, Speaker } from "../../src/core/event.ts";
import type { Reply } from "../../src/core/ports.ts";
import { say } from "../../src/core/view.ts";
import { pressed } from "../shared/pressed.ts";
import { background, spoken } from "./background.ts";
import { ASK, choicesFor, wordOf } from "./command.ts";
import type { Desk } from "./desk.ts";
import { valuesOf } from "./form.ts";
import { isStranger, type Member } from "./people.ts";
import { placeAt, type Where } from "./places.ts";
import { respond } from "./respond.ts";
import { heard, madeAt } from "./text.ts";

export async function press(desk: Desk, interaction: APIInteraction): Promise<void> {
  switch (interaction.type) {
    case InteractionType.ApplicationCommandAutocomplete:
      await desk.door.answer(interaction, { kind: "choices", choices: choicesFor(interaction.data) });
      return;
    case InteractionType.MessageComponent:
      return button(desk, interaction);
    case InteractionType.ModalSubmit:
      return submitted(desk, interaction);
    case InteractionType.ApplicationCommand:
      if (interaction.data.type === ApplicationCommandType.ChatInput)
        return command(desk, interaction as APIChatInputApplicationCommandInteraction);
      if (interaction.data.type === ApplicationCommandType.Message)
        return menu(desk, interaction as APIMessageApplicationCommandInteraction);
  }
}

interface Caller {
  where: Where;
  by: Speaker;
}
type Called = Pick<APIInteraction, "guild_id" | "channel" | "member" | "user">;

async function callerOf({ places, people }: Desk, { channel, member, user }: Called): Promise<Caller | undefined> {
  const author = member?.user ?? user;
  const where = channel && (await places.where(channel.id));
  if (!author || !where) return undefined;
  const known: Member | undefined = member;
  if (where.guild) people.learn(where.guild, author, known);
  const by = await people.speaker(where.team, author, known, { direct: where.guild === null });
  return isStranger(where, by) ? undefined : { where, by };
}
const STRANGE: Reply = { to: "asker", view: say("I do not serve this place.") };

function button(desk: Desk, interaction: APIMessageComponentInteraction): Promise<void> {
  return acted(desk, interaction, interaction.data.custom_id, interaction.message.message_reference?.message_id ?? null);
}
function submitted(desk: Desk, interaction: APIModalSubmitInteraction): Promise<void> {
  const root = interaction.message?.message_reference?.message_id ?? null;
  return acted(desk, interaction, interaction.data.custom_id, root, valuesOf(interaction));
}

async function acted(
  desk: Desk,
  interaction: APIMessageComponentInteraction | APIModalSubmitInteraction,
  customId: string,
  root: string | null,
  values?: Record<string, string>,
): Promise<void> {
  const about = pressed(customId);
  let place: Place | undefined;
  const reply = async (): Promise<Reply> => {
    const caller = await callerOf(desk, interaction);
    if (!about) return { to: "asker", view: say("I do not know this button any more.") };
    if (!caller) return STRANGE;
    place = placeAt(caller.where, root);
    return desk.inbox.click({
      platform: "discord",
      ...about,
      by: caller.by,
      place,
      at: madeAt(interaction.id),
      ...(values ? { values } : {}),
    });
  };
  // A form that was not opened on a message has none to be deferred on.
  await respond(desk, interaction, { reply: reply(), place: () => place, quiet: interaction.message !== undefined });
}

async function command(desk: Desk, interaction: APIChatInputApplicationCommandInteraction): Promise<void> {
  let place: Place | undefined;
  const reply = async (): Promise<Reply> => {
    const caller = await callerOf(desk, interaction);
    if (!caller) return STRANGE;
    place = placeAt(caller.where, null);
    return said(desk, caller, place, wordOf(interaction.data), interaction.id);
  };
  await respond(desk, interaction, { reply: reply(), place: () => place, quiet: false });
}

function said(desk: Desk, { where, by }: Caller, place: Place, text: string, id: string): Promise<Reply> {
  return desk.inbox.command({ place, channel: where.kind, shared: false, by, text, at: madeAt(id) });
}

/** “Ask Denizen” and “Stop” on a message: the conversation is the one on that message. */
async function menu(desk: Desk, interaction: APIMessageApplicationCommandInteraction): Promise<void> {
  let place: Place | undefined;
  const reply = async (): Promise<Reply> => {
    const caller = await callerOf(desk, interaction);
    const target = Object.values(interaction.data.resolved.messages)[0];
    if (!caller || !target) return STRANGE;
    place = { ...placeAt(caller.where, target.id), thread: caller.where.thread ?? target.id };
    if (interaction.data.name !== ASK) return said(desk, caller, place, "stop", interaction.id);
    return ask(desk, caller, place, target, interaction.id);
  };
  await respond(desk, interaction, { reply: reply(), place: () => place, quiet: false });
}

async function ask(desk: Desk, { where, by }: Caller, place: Place, target: APIMessage, id: string): Promise<Reply> {
  const names = {
    person: (one: string) => target.mentions.find((user) => user.id === one)?.username,
    role: (one: string) => desk.self.roleName(where.guild, one),
    channel: desk.places.nameOf,
  };
  const words = heard(target.content, [desk.self.id], names) || "(a message without words)";
  const known = where.thread !== null && desk.taken.within(where.thread).length > 0;
  const before = await (known ? spoken(desk, where, [target]) : background(desk, where, { id, referenced_message: target }));
  const text = `Please look at this message of ${target.author.global_name || target.author.username} (discord:${target.author.id}):\n${words.replace(/^/gm, "> ")}`;
  const { taken, reply } = await desk.inbox.message({
    place,
    channel: where.kind,
    shared: false,
    id,
    by,
    text,
    mentioned: true,
    toOthers: false,
    unseen: true,
    own: false,
    at: madeAt(id),
    ...(before.length ? { background: before } : {}),
  });
  if (taken && where.threads) void desk.threads.begin(place, words, by.name);
  return reply ?? { to: "asker", view: say("I answer in the thread of that message.") };
}
