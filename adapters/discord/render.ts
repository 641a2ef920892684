/**
 * A view in Discord's idiom: an answer is a message's own words, everything else an embed with its buttons.
 *
 * R1. Whatever the view, the result keeps Discord's limits; what does not fit is said and handed over as a file. Buttons are never left out.
 * R2. Words of an answer can never look like a card: cards are embeds, and an answer's links unfold none.
 * R3. Quoted text stands in a quotation wherever the message is more than an answer; code cannot leave its fence.
 * R4. A button's id is its act and code, nothing else.
 */
import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIEmbed,
  ButtonStyle,
  ComponentType,
  MessageFlags,
} from "discord.js";
import type { Button, Part, View } from "../../src/core/view.ts";
import { plain, stepLine, todoLine } from "../../src/core/view.ts";
import { clip, reveal } from "../shared/escape.ts";
import { discordMarkdown } from "./markdown.ts";

type Row = APIActionRowComponent<APIButtonComponentWithCustomId>;
export interface Rendered {
  content: string;
  embeds: APIEmbed[];
  components: Row[];
  flags: MessageFlags;
  /** `bytes`: where it is no text. */
  files: { name: string; text: string; bytes?: Uint8Array }[];
  /** People whom the product itself calls; all others are only named. */
  called?: string[];
}
/** Where a message is more than its text: a card, a list of work. An answer is its text and nothing else. */
export type Manner = "answer" | "card";

export const LIMIT = {
  content: 2000,
  title: 256,
  description: 4096,
  fields: 25,
  field: 256,
  value: 1024,
  label: 80,
  row: 5,
  rows: 5,
} as const;
/** Of all text in an embed that stands beside its code, of all its code, and of all its fields: together they are what an embed holds. */
const WORDS = 2400;
const CODE = 1500;
const NAMES = 700;
const VALUES = 900;
/** Pieces of code in one embed, each with its fence and what it leaves out; of more than these a message could not bear the files. */
const CODES = 8;
const FENCE = 60;
const STEPS = 15;
const COLOUR = { asks: 0xf0b232, tells: 0x5865f2 } as const;

export function render(view: View, manner: Manner): Rendered {
  return manner === "answer" ? answer(view) : card(view);
}

/** Stands where there are no words at all. */
export const NOTHING = "…";

function answer(view: View): Rendered {
  const words = view.parts.map((part) => (part.kind === "note" ? small(part.text) : partText(part))).filter((text) => text.trim());
  const written = [...(view.title ? [`**${view.title}**`] : []), ...words].join("\n");
  const shaped = discordMarkdown(written);
  const text = (shaped.length <= LIMIT.content ? shaped : written).trim() || NOTHING;
  const fits = text.length <= LIMIT.content;
  const content = fits ? text : `${clip(text, LIMIT.content - 100)}\n${small("All of it is in the file.")}`;
  const called = calledBy(view);
  const missing = mentions(called.filter((id) => !content.includes(`<@${id}>`)));
  const room = missing !== "" && content.length + missing.length < LIMIT.content;
  return {
    content: room ? `${content}\n${missing}` : content,
    embeds: [],
    components: rowsOf(buttonsOf(view)),
    flags: MessageFlags.SuppressEmbeds,
    files: fits ? [] : [{ name: "answer.md", text }],
    ...(called.length ? { called } : {}),
  };
}

const calledBy = ({ calls = [] }: View): string[] => calls.flatMap((id) => /^discord:(\d+)$/.exec(id)?.[1] ?? []);
const mentions = (ids: readonly string[]): string => ids.map((id) => `<@${id}>`).join(" ");

function card(view: View): Rendered {
  const files: Rendered["files"] = [];
  const embed: APIEmbed = { color: view.buttons.some(({ act }) => act !== "stop") ? COLOUR.asks : COLOUR.tells };
  if (view.title) embed.title = clip(reveal(view.title), LIMIT.title);
  const fields = view.parts.flatMap((part) => (part.kind === "fields" ? part.rows : []));
  const share = (all: number) => Math.floor(all / Math.min(fields.length, LIMIT.fields));
  if (fields.length)
    embed.fields = fields.slice(0, LIMIT.fields).map(([name, value]) => ({
      name: clip(name, Math.min(LIMIT.field, share(NAMES))) || "…",
      value: clip(value, Math.min(LIMIT.value, share(VALUES))) || "…",
    }));
  const description = described(view.parts, files);
  if (description) embed.description = description;
  if (!view.title && !description && !fields.length) embed.description = "…";
  const called = calledBy(view);
  return {
    content: mentions(called),
    embeds: [embed],
    components: rowsOf(buttonsOf(view)),
    flags: 0 as MessageFlags,
    files,
    ...(called.length ? { called } : {}),
  };
}

/** The words of an embed; what is too long for it goes into `files`. */
function described(parts: readonly Part[], files: Rendered["files"]): string {
  let room: number = WORDS;
  let left = false;
  const blocks: string[] = [];
  const codes = parts.filter(({ kind }) => kind === "code").slice(0, CODES);
  const each = Math.floor((CODE + FENCE) / Math.max(1, codes.length)) - FENCE;
  let group = 0;
  for (const part of parts) {
    if (part.kind === "fields") continue;
    if (part.kind === "buttons") group++;
    if (part.kind === "code") {
      if (codes.includes(part)) blocks.push(code(part.text, files, each));
      else left = true;
    } else if (part.kind === "file") files.push({ name: part.name, text: part.text });
    else {
      // The buttons stand below everything: what they are about says which they are.
      const text = part.kind === "buttons" && part.buttons.length ? small(`Buttons: ${group}`) : cardText(part);
      const shown = clip(text, room);
      left ||= shown.length < text.length;
      room -= shown.length;
      if (shown.trim()) blocks.push(shown);
    }
  }
  if (left) files.push({ name: "all.txt", text: plain({ parts: [...parts], buttons: [] }) });
  return blocks.join("\n");
}

function cardText(part: Part): string {
  if (part.kind === "quoted") return discordMarkdown(part.text).replace(/^/gm, "> ");
  return part.kind === "note" || part.kind === "steps" ? small(partText(part)) : partText(part);
}

function partText(part: Part): string {
  switch (part.kind) {
    case "code":
      return fenced(reveal(part.text), part.lang);
    case "todos":
      return part.todos.map(todoLine).join("\n");
    case "steps":
      return stepLines(part.steps.map(stepLine));
    case "list":
      return part.items.map((item) => `- ${item}`).join("\n");
    case "fields":
      return part.rows.map(([label, value]) => `**${label}**: ${value}`).join("\n");
    case "buttons":
      return "";
    default:
      return part.text;
  }
}

/** Discord keeps all buttons below the words: those of a part bear its number. */
function buttonsOf({ parts, buttons }: View): Button[] {
  const groups = parts.flatMap((part) => (part.kind === "buttons" ? [part.buttons] : []));
  return [...groups.flatMap((group, index) => group.map((one) => ({ ...one, word: `${one.word} ${index + 1}` }))), ...buttons];
}

const small = (text: string): string => text.replace(/^(?=.)/gm, "-# ");

function stepLines(lines: string[]): string {
  const hidden = lines.length - STEPS;
  return [...(hidden > 0 ? [`… ${hidden} earlier`] : []), ...lines.slice(-STEPS).map((line) => clip(line, 120))].join("\n");
}

/** Literal: what hides is shown, no fence inside can end it, what is cut is counted and handed over whole. */
function code(text: string, files: Rendered["files"], most: number): string {
  const whole = reveal(text);
  const shown = clip(whole, most, "");
  const cut = whole.length - shown.length;
  if (cut === 0) return fenced(shown);
  const name = files.length ? `input-${files.length + 1}.txt` : "input.txt";
  files.push({ name, text: whole });
  return `${fenced(shown)}\n${small(`${cut} more characters are in ${name}.`)}`;
}
const fenced = (text: string, lang = ""): string => `\`\`\`${lang}\n${text.replaceAll("``", "`\u2060`") || " "}\n\`\`\``;

function rowsOf(buttons: readonly Button[]): Row[] {
  const shown = buttons.slice(0, LIMIT.row * LIMIT.rows).map(button);
  return Array.from({ length: Math.ceil(shown.length / LIMIT.row) }, (_, row) => ({
    type: ComponentType.ActionRow,
    components: shown.slice(row * LIMIT.row, (row + 1) * LIMIT.row),
  }));
}
const STYLES = { primary: ButtonStyle.Success, danger: ButtonStyle.Danger } as const;
const button = ({ word, act, code: about, style }: Button): APIButtonComponentWithCustomId => ({
  type: ComponentType.Button,
  label: clip(word, LIMIT.label) || "…",
  custom_id: `${act}:${about}`,
  style: style ? STYLES[style] : ButtonStyle.Secondary,
});
