/**
 * A model's Markdown in the words Discord knows: tables, deep headings and images are shown as what it can show.
 *
 * K1. Nothing inside a fence is touched, and a text without anything of the kind comes back as it is.
 */
const FENCE = /^\s{0,3}(```|~~~)/;
const RULE = /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$/;
const isRow = (line: string | undefined): line is string => line?.includes("|") === true && line.trim() !== "";

export function discordMarkdown(text: string): string {
  const lines = text.split("\n");
  const out: string[] = [];
  let fence: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const mark = FENCE.exec(line)?.[1];
    if (mark && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    const rule = lines[at + 1];
    if (fence === undefined && !mark && isRow(line) && rule?.includes("-") && rule.includes("|") && RULE.test(rule)) {
      const end = tableEnd(lines, at + 2);
      out.push("```", ...table([line, ...lines.slice(at + 2, end)]), "```");
      at = end - 1;
    } else out.push(fence === undefined && !mark ? plainer(line) : line);
  }
  return out.join("\n");
}

function tableEnd(lines: readonly string[], from: number): number {
  let end = from;
  while (isRow(lines[end])) end++;
  return end;
}

function table(rows: readonly string[]): string[] {
  const cells = rows.map((row) =>
    row
      .trim()
      .replace(/^\||\|$/g, "")
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll("\\|", "|").replaceAll("`", "").replaceAll("**", "")),
  );
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => [...(row[column] ?? "")].length)));
  const lines = cells.map((row) =>
    widths
      .map((width, column) => padded(row[column] ?? "", width))
      .join("  ")
      .trimEnd(),
  );
  return [lines[0] ?? "", widths.map((width) => "─".repeat(width)).join("  "), ...lines.slice(1)];
}
const padded = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - [...text].length));

const plainer = (line: string): string => line.replace(/^\s{0,3}#{4,6}\s+(.+?)\s*#*$/, "**$1**").replace(/!\[([^\]\n]*)\]\(/g, "[$1](");
