/** What a measurement says, and how it is printed. */

export interface Row {
  what: string;
  ours: string;
  bare?: string;
  /** Ours to bare. */
  ratio?: number;
  target: string;
  ok: boolean;
  /** Small print: how it was measured. */
  note?: string;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** A row that compares one figure with the bare loop's. */
export function ratioRow(what: string, ours: number, bare: number, most: number, unit: string, note?: string): Row {
  const ratio = ours / bare;
  const [left, right] = [ours, bare].map((value) => `${value.toFixed(value < 20 ? 2 : 0)} ${unit}`);
  return { what, ours: left ?? "", bare: right ?? "", ratio, target: `<= ${most}x`, ok: ratio <= most, ...(note ? { note } : {}) };
}

/** A row with a limit of its own. */
export function limitRow(what: string, ours: number, most: number, unit: string, note?: string): Row {
  const shown = ours.toFixed(ours < 20 ? 2 : 0);
  return { what, ours: `${shown} ${unit}`, target: `<= ${most} ${unit}`, ok: ours <= most, ...(note ? { note } : {}) };
}

export function table(rows: readonly Row[]): string {
  const cells = rows.map(({ what, ours, bare, ratio, target, ok }) => [
    what,
    ours,
    bare ?? "",
    ratio === undefined ? "" : `${ratio.toFixed(2)}x`,
    target,
    ok ? "ok" : "MISSED",
  ]);
  const all = [["what", "ours", "bare", "ratio", "target", "ok"], ...cells];
  const widths = all.reduce<number[]>((most, line) => line.map((cell, at) => Math.max(most[at] ?? 0, cell.length)), []);
  const line = (row: readonly string[]): string => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ");
  const [head = [], ...rest] = all;
  return [line(head), widths.map((width) => "-".repeat(width)).join("-|-"), ...rest.map(line)].join("\n");
}
