/** Messages of Discord drawn as text, about as wide as on a phone: to be read by eye. */
import { buttonsOf, type Message } from "../rigs/discord.ts";
import { bubbles, lines } from "./phone.ts";

/** Code keeps its lines: it is scrolled sideways, not wrapped, where it is too wide. */
function written(text: string, indent: string): string[] {
  let fenced = false;
  return text.split("\n").flatMap((line) => {
    const fence = line.startsWith("```");
    if (fence) fenced = !fenced;
    if (fence) return [];
    return fenced ? [`${indent}│ ${line}`] : lines(line.replace(/^-# /, "· "), indent);
  });
}

function drawn(message: Message): string[] {
  const { content, embeds, attachments } = message;
  const buttons = buttonsOf(message).map(({ label }) => `[${label}]`);
  return [
    ...(content ? written(content, "") : []),
    ...embeds.flatMap(({ title, description, fields }) => [
      ...(title ? lines(title.toUpperCase(), "▌ ") : []),
      ...(description ? written(description, "▌ ") : []),
      ...(fields ?? []).flatMap(({ name, value }) => lines(`${name}: ${value}`, "▌ ")),
    ]),
    ...attachments.map(({ filename }) => `(file ${filename})`),
    ...(buttons.length ? lines(buttons.join(" ")) : []),
  ];
}

export const discordPhone = (messages: readonly Message[]): string => bubbles(messages.map(drawn));
