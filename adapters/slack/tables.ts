/**
 * An answer's Markdown with its tables drawn: Slack reads no tables in Markdown.
 *
 * Q1. Nothing is left out. The first table that fits is one of Slack's own, which scrolls sideways on a phone; a message takes only one. A
 *     further one is drawn in code if it is narrow, else told row by row.
 */
import type { types } from "@slack/bolt";
import { hush, hushWords } from "../shared/escape.ts";
import { monospaced, pieces } from "../shared/table.ts";
import { LIMIT } from "./limits.ts";

/** Characters beside each other on a phone. */
const NARROW = 40;
/** A column with longer cells is wrapped. */
const WRAPPED = 30;

/** `native`: with a table of Slack's own. */
export function written(text: string, native: boolean): types.KnownBlock[] {
  const blocks: types.KnownBlock[] = [];
  const lines: string[] = [];
  let drawn = false;
  const put = () => {
    const block = hush(lines.splice(0).join("\n"));
    if (block.trim()) blocks.push({ type: "markdown", text: drawn ? block.replace(/^\s*\n|\s+$/g, "") : block });
  };
  for (const piece of pieces(text)) {
    if (!("rows" in piece)) lines.push(piece.text);
    else if (native && !drawn && fits(piece.rows)) {
      drawn = true;
      put();
      blocks.push(table(piece.rows));
    } else lines.push(...told(piece.rows));
  }
  put();
  return blocks;
}

const fits = (rows: string[][]): boolean =>
  rows.length <= LIMIT.rows && (rows[0] ?? []).length <= LIMIT.columns && rows.flat().join("").length < LIMIT.cells * 0.9;

/** An empty cell would be refused. */
const table = (rows: string[][]): types.TableBlock => ({
  type: "table",
  column_settings: (rows[0] ?? []).map((_, column) => ({ is_wrapped: rows.some((row) => (row[column] ?? "").length > WRAPPED) })),
  rows: rows.map((row) => row.map((text) => ({ type: "raw_text", text: hushWords(text) || "–" }))),
});

function told(rows: string[][]): string[] {
  const lines = monospaced(rows);
  if (lines.every((line) => line.length <= NARROW)) return ["```", ...lines, "```"];
  const [head = [], ...body] = rows;
  return body.flatMap(([first = "", ...cells]) => [
    "",
    `**${first || "–"}**`,
    ...cells.flatMap((cell, at) => (cell ? [`- ${head[at + 1] || "…"}: ${cell}`] : [])),
  ]);
}
