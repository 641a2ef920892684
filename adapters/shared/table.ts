/**
 * Tables in a model's Markdown, for platforms that do not draw them by themselves.
 *
 * T1. Nothing inside a fence is a table, and the pieces of a text hold all its lines in their order.
 * T2. All rows of a table have as many cells as its longest.
 */
const FENCE = /^\s{0,3}(```|~~~)/;
const RULE = /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$/;
const isRow = (line: string | undefined): line is string => line?.includes("|") === true && line.trim() !== "";

export type Piece = { text: string; fenced: boolean } | { rows: string[][] };

/** A text as its lines outside of tables, each with whether it is code, and its tables. */
export function pieces(text: string): Piece[] {
  const lines = text.split("\n");
  const found: Piece[] = [];
  let fence: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const mark = FENCE.exec(line)?.[1];
    if (mark && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    const rule = lines[at + 1];
    if (fence === undefined && !mark && isRow(line) && rule?.includes("-") && rule.includes("|") && RULE.test(rule)) {
      const end = tableEnd(lines, at + 2);
      found.push({ rows: squared([line, ...lines.slice(at + 2, end)].map(cellsOf)) });
      at = end - 1;
    } else found.push({ text: line, fenced: fence !== undefined || mark !== undefined });
  }
  return found;
}

function tableEnd(lines: readonly string[], from: number): number {
  let end = from;
  while (isRow(lines[end])) end++;
  return end;
}

/** Cells without their marks: where tables are drawn, cells are plain text. */
const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||(?<!\\)\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) =>
      cell
        .trim()
        .replaceAll("\\|", "|")
        .replaceAll("`", "")
        .replaceAll("**", "")
        .replace(/!?\[([^\]]+)\]\(([^)\s]+)\)/g, (_, label: string, url: string) => (label === url ? url : `${label} (${url})`))
        .replace(/<br\s*\/?>/gi, " "),
    );

function squared(rows: readonly string[][]): string[][] {
  const width = Math.max(...rows.map((row) => row.length));
  return rows.map((row) => Array.from({ length: width }, (_, column) => row[column] ?? ""));
}

/** A table as lines of one width, for a place where all characters are equally wide. */
export function monospaced(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => [...(row[column] ?? "")].length)));
  const lines = rows.map((row) =>
    widths
      .map((width, column) => padded(row[column] ?? "", width))
      .join("  ")
      .trimEnd(),
  );
  return [lines[0] ?? "", widths.map((width) => "─".repeat(width)).join("  "), ...lines.slice(1)];
}
const padded = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - [...text].length));
