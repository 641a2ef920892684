/**
 * A view in Slack's idiom.
 *
 * B1. Whatever the view, the result keeps Slack's limits; what had to be left out is said, and buttons are never left out.
 * B2. No text that people did not write for Slack calls anybody, in blocks or in the fallback.
 * B3. Quoted text stands in a quotation wherever the message is more than an answer, so it cannot look like a card's own words.
 * B4. A button's id is its act and code, nothing else.
 * B5. A turn's plan and work stand in one plan of Slack's own, if Slack takes one.
 * B6. A card whose input had to be cut gets a button that shows all of it.
 */
import type { types } from "@slack/bolt";
import type { Button, Part, View } from "../../src/core/view.ts";
import { plain, stepLine, todoLine } from "../../src/core/view.ts";
import { clip, hush, hushAll, reveal } from "../shared/escape.ts";
import { LIMIT, problems, textOf } from "./limits.ts";
import { planned } from "./plan.ts";
import { written } from "./tables.ts";
import { inline, mrkdwn } from "./text.ts";

type Block = types.KnownBlock;
export interface Rendered {
  text: string;
  blocks: Block[];
}

/** Where a message is more than its text: a card, the list of a turn's work. An answer is its text and nothing else. */
export type Manner = "answer" | "card" | "progress";

const FALLBACK = 3000;
/** Of all text in a message: then its Markdown keeps its own limit too. */
const TOGETHER = 12_000;
const STEPS = 15;
/** Beside a plan, which tells what is done: only what is done now. */
const STEPS_BESIDE = 5;
/** Of what stands literally in one block. */
export const LITERAL = LIMIT.section - 100;
/** Of an input on a card, as a phone wraps it: its buttons are to be found below. */
const ROWS = { most: 40, wide: 44 };
const CUT: Block = { type: "context", elements: [{ type: "mrkdwn", text: "The rest does not fit into one Slack message." }] };

/** `native`: with plans and tables of Slack's own. */
export function render(view: View, manner: Manner, native = true): Rendered {
  const plan = manner === "progress" && native ? planned(view) : undefined;
  const body = [
    ...(view.title && !plan ? [heading(view.title, manner)] : []),
    ...view.parts.flatMap((part) => (part === plan?.of ? plan.blocks : partBlocks(part, manner, native, plan ? STEPS_BESIDE : STEPS))),
  ];
  const actions = rowsOf(manner === "card" ? withWhole(view) : view.buttons);
  // Nothing of an answer is left out: one that does not fit into blocks goes as text.
  const blocks = [...(manner === "answer" ? body : fitting(body, actions)), ...actions];
  const called = callsOf(view);
  if (called) blocks.push({ type: "context", elements: [{ type: "mrkdwn", text: called }] });
  const text = `${mrkdwn(clip(plain(view), FALLBACK)) || "…"}${called && ` ${called}`}`;
  return problems(blocks, "message").length === 0 ? { text, blocks } : bare(view);
}

/** People whom the product itself calls, by their ids and by nothing else. */
const callsOf = ({ calls = [] }: View): string =>
  calls.flatMap((id) => (/^slack:[UW][A-Z0-9]+$/.test(id) ? [`<@${id.slice("slack:".length)}>`] : [])).join(" ");

const DECIDES: readonly Button["act"][] = ["approve", "edit", "deny"];
function withWhole({ parts, buttons }: View): readonly Button[] {
  const code = buttons.find(({ act }) => DECIDES.includes(act))?.code;
  const cut = parts.some((part) => part.kind === "code" && isCut(part.text));
  return cut && code !== undefined ? [...buttons, { word: "See all", act: "show", code }] : buttons;
}

/** A header takes much of a phone's screen: what is no card makes do with a bold line. */
function heading(title: string, manner: Manner): Block {
  if (manner === "card") return { type: "header", text: { type: "plain_text", text: clip(hushAll(title), LIMIT.header), emoji: false } };
  return {
    type: "rich_text",
    elements: [
      { type: "rich_text_section", elements: [{ type: "text", text: clip(hushAll(title), LIMIT.header), style: { bold: true } }] },
    ],
  };
}

/** The same as text only: for a message whose blocks Slack would not take. Its buttons are kept. */
export function bare(view: View): Rendered {
  return {
    text: mrkdwn(plain(view)) || "…",
    blocks: view.buttons.length ? [...sections(clip(mrkdwn(plain(view)), 9000)), ...rowsOf(view.buttons)] : [],
  };
}

function fitting(body: Block[], actions: Block[]): Block[] {
  let left = TOGETHER - textOf(actions);
  const most = LIMIT.blocks - actions.length - 1;
  const kept: Block[] = [];
  for (const block of body) {
    const room = left;
    left -= textOf(block);
    if (kept.length >= most) return [...kept, CUT];
    if (left < 0) return [...kept, ...(block.type === "markdown" ? markdown(clip(block.text, room)) : []), CUT];
    kept.push(block);
  }
  return kept;
}

export function partBlocks(part: Part, manner: Manner, native = true, steps = STEPS): Block[] {
  switch (part.kind) {
    case "text":
      return manner === "answer" ? written(part.text, native) : markdown(part.text);
    case "quoted":
      return manner === "answer" ? written(part.text, native) : markdown(quotation(part.text));
    case "code":
      return code(part.text, inRows(reveal(part.text)));
    case "file":
      return code(part.text, LITERAL);
    case "fields":
      return fields(part.rows);
    case "todos":
      return sections(mrkdwn(part.todos.map(todoLine).join("\n")));
    case "steps":
      return context(stepLines(part.steps.map(stepLine), steps));
    case "list":
      return sections(inline(part.items.map((item) => `• ${item}`).join("\n")));
    case "note":
      return context(part.text);
    case "buttons":
      return rowsOf(part.buttons);
  }
}

export const markdown = (text: string): Block[] => (text.trim() ? [{ type: "markdown", text: hush(text) }] : []);
const quotation = (text: string): string => text.replace(/^/gm, "> ");
const context = (text: string): Block[] =>
  text.trim() ? [{ type: "context", elements: [{ type: "mrkdwn", text: clip(mrkdwn(text), 2000) }] }] : [];

function stepLines(lines: string[], most: number): string {
  const hidden = lines.length - most;
  const shown = lines.slice(-most).map((line) => clip(line, 120));
  return [...(hidden > 0 ? [`… ${hidden} earlier`] : []), ...shown].join("\n");
}

/** Monospaced and literal: Slack reads no markup in it. What hides is shown, what is cut is counted. */
function code(text: string, most: number): Block[] {
  const whole = reveal(text);
  const shown = clip(whole, most, "");
  const cut = whole.length - shown.length;
  return cut > 0 ? [literal(shown), ...context(`${cut} more characters are not shown here.`)] : [literal(shown)];
}
/** How much of a text stands in so many rows. */
function inRows(text: string): number {
  let left = ROWS.most;
  let at = 0;
  for (const line of text.split("\n")) {
    const rows = Math.max(1, Math.ceil(line.length / ROWS.wide));
    if (rows > left) return Math.min(LITERAL, at + left * ROWS.wide);
    left -= rows;
    at += line.length + 1;
  }
  return LITERAL;
}
const isCut = (text: string): boolean => reveal(text).length > inRows(reveal(text));
export const literal = (text: string): Block => ({
  type: "rich_text",
  elements: [{ type: "rich_text_preformatted", elements: [{ type: "text", text: hush(text) || " " }] }],
});

function fields(rows: readonly (readonly [string, string])[]): Block[] {
  const cells: types.MrkdwnElement[] = rows.map(([label, value]) => ({
    type: "mrkdwn",
    text: clip(`*${mrkdwn(label)}*\n${mrkdwn(value)}`, LIMIT.field),
  }));
  const blocks: Block[] = [];
  for (let at = 0; at < cells.length; at += LIMIT.fields) blocks.push({ type: "section", fields: cells.slice(at, at + LIMIT.fields) });
  return blocks;
}

/** Text that may be longer than one section holds, cut at its lines. */
export function sections(text: string): types.SectionBlock[] {
  const chunks: string[] = [];
  let chunk = "";
  for (const line of text.split("\n").flatMap((each) => pieces(each, LIMIT.section))) {
    if (chunk && chunk.length + line.length + 1 > LIMIT.section) {
      chunks.push(chunk);
      chunk = line;
    } else chunk = chunk ? `${chunk}\n${line}` : line;
  }
  chunks.push(chunk);
  return chunks.filter((each) => each.trim()).map((each) => ({ type: "section", text: { type: "mrkdwn", text: each } }));
}
export function pieces(line: string, size: number): string[] {
  const found: string[] = [];
  for (let rest = line; ; ) {
    const piece = clip(rest, size, "");
    found.push(piece);
    rest = rest.slice(piece.length);
    if (!rest || !piece) return found;
  }
}

export function rowsOf(buttons: readonly Button[]): Block[] {
  const rows: Block[] = [];
  for (let at = 0; at < buttons.length; at += LIMIT.actions) {
    rows.push({ type: "actions", elements: buttons.slice(at, at + LIMIT.actions).map(button) });
  }
  return rows;
}
const button = (one: Button): types.Button => ({
  type: "button",
  text: { type: "plain_text", text: clip(hushAll(one.word), LIMIT.button) || "…", emoji: false },
  action_id: `${one.act}:${one.code}`,
  ...(one.style === undefined ? {} : { style: one.style }),
});
