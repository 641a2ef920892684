/**
 * A model's Markdown in the words Discord knows: tables, deep headings and images are shown as what it can show. A table that is wider
 * than a phone is a list, a line each row.
 *
 * K1. Nothing inside a fence is touched, and a text without anything of the kind comes back as it is.
 */
import { monospaced, pieces } from "../shared/table.ts";

export const discordMarkdown = (text: string): string =>
  pieces(text)
    .flatMap((piece) => ("rows" in piece ? tabled(piece.rows) : [piece.fenced ? piece.text : plainer(piece.text)]))
    .join("\n");

const WIDEST = 60;

function tabled(rows: readonly string[][]): string[] {
  const lines = monospaced(rows);
  if (lines.every((line) => line.length <= WIDEST)) return ["```", ...lines, "```"];
  const [heads = [], ...others] = rows;
  return others.map(([first = "", ...cells]) => {
    const told = cells.flatMap((cell, at) => (cell ? [`${heads[at + 1] ? `${heads[at + 1]}: ` : ""}${cell}`] : []));
    return `- ${[`**${first || "…"}**`, ...told].join(" · ")}`;
  });
}

const plainer = (line: string): string => line.replace(/^\s{0,3}#{4,6}\s+(.+?)\s*#*$/, "**$1**").replace(/!\[([^\]\n]*)\]\(/g, "[$1](");
