import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cut, part } from "../../src/core/parts.ts";

const RUNS = Number(process.env.RUNS ?? 1);
const partsOf = (text: string, limit: number): string[] => {
  const cuts = cut(text, limit);
  return [...cuts, text.length].map((_, index) => part(text, cuts, index));
};
const slicesOf = (text: string, cuts: number[]): string[] =>
  [...cuts, text.length].map((to, index) => text.slice(cuts[index - 1] ?? 0, to));

/** Whether every fence of a part is closed in it. */
function fencesWhole(text: string): boolean {
  let open: string | undefined;
  for (const line of text.split("\n")) {
    const mark = /^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([^\n`]*)$/.exec(line)?.[1];
    if (!mark) continue;
    if (!open) open = mark;
    else if (mark[0] === open[0] && mark.length >= open.length && line.trim() === mark) open = undefined;
  }
  return open === undefined;
}
/** Code lines in order, whatever fences they stand in. */
const codeLines = (text: string): string[] => text.split("\n").filter((line) => line.startsWith("line "));

describe("cutting", () => {
  it("leaves alone what fits, to the character", () => {
    for (const text of ["", "a", "x".repeat(200)]) expect(cut(text, 200)).toEqual([]);
    expect(cut("x".repeat(201), 200)).toHaveLength(1);
  });
  it("P3: prefers a paragraph, then a line, a sentence, a word", () => {
    const fill = (n: number) => "word ".repeat(n).trim();
    const table: [string, string][] = [
      [`${fill(15)}.\n\n${fill(5)}.\n${fill(60)}`, `${fill(15)}.\n\n`],
      [`${fill(15)}.\n${fill(5)}. ${fill(60)}`, `${fill(15)}.\n`],
      [`${fill(15)}. ${fill(60)}`, `${fill(15)}. `],
      [`${"w".repeat(100)} ${"w".repeat(300)}`, `${"w".repeat(100)} `],
    ];
    for (const [text, first] of table) expect(text.slice(0, cut(text, 200)[0])).toBe(first);
  });
  it("P2: closes a fence before a boundary and reopens it behind, with its language", () => {
    const text = `Before.\n\n\`\`\`ts\n${Array.from({ length: 60 }, (_, n) => `line ${n}`).join("\n")}\n\`\`\`\n\nAfter.`;
    const parts = partsOf(text, 300);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.every(fencesWhole)).toBe(true);
    expect(parts.slice(1).filter((it) => it.startsWith("```ts\n")).length).toBeGreaterThan(0);
    expect(parts.flatMap(codeLines)).toEqual(codeLines(text));
  });
  it("P2: keeps tildes, longer fences and fences inside fences", () => {
    const body = Array.from({ length: 60 }, (_, n) => `line ${n}`).join("\n");
    for (const text of [`~~~py\n${body}\n~~~`, `\`\`\`\`md\n\`\`\`js\n${body}\n\`\`\`\n\`\`\`\``, `  \`\`\`\n${body}`]) {
      const parts = partsOf(text, 250);
      expect(parts.length).toBeGreaterThan(1);
      expect(parts.slice(0, -1).every(fencesWhole)).toBe(true);
      expect(parts.flatMap(codeLines)).toEqual(codeLines(text));
    }
  });
  it("P2: does not carry a fence's line along where it is long", () => {
    const text = `\`\`\`${"x".repeat(100)}\n${Array.from({ length: 60 }, (_, n) => `line ${n}`).join("\n")}\n\`\`\``;
    const parts = partsOf(text, 250);
    expect(parts[1]?.startsWith("```\nline")).toBe(true);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(250);
  });
  it("takes boundaries beyond the text for its end", () => {
    expect([part("abc", [9], 0), part("abc", [9], 1), part("", [1, 3], 1)]).toEqual(["abc", "", ""]);
  });
  it("P3: never cuts inside a grapheme", () => {
    const whole = ["👩‍👩‍👧‍👦", "👍🏽", "🇩🇪", "é", "한국", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"];
    const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
    for (const unit of whole)
      for (let lead = 0; lead < unit.length + 1; lead++) {
        const text = `${"x".repeat(lead)}${unit.repeat(200)}`;
        const starts = new Set([...segmenter.segment(text)].map(({ index }) => index));
        expect(cut(text, 160).filter((at) => !starts.has(at))).toEqual([]);
      }
  });
});

describe("any text", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "\n",
      "\n\n",
      "```ts\n",
      "```\n",
      "~~~\n",
      "````\n",
      " ",
      ". ",
      "word ",
      "👍🏽",
      "🇩🇪",
      "漢字",
      "a".repeat(50),
      "。",
      "\r\n",
    ),
    fc.string({ unit: "grapheme", maxLength: 30 }),
  );
  const texts = fc.array(piece, { maxLength: 120, size: "max" }).map((pieces) => pieces.join(""));
  it("P1 P3: loses and doubles nothing, no part is too long, none is empty, and it ends", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 150, max: 400 }), (text, limit) => {
        const cuts = cut(text, limit);
        expect(slicesOf(text, cuts).join("")).toBe(text);
        expect([...cuts].sort((a, b) => a - b)).toEqual(cuts);
        expect(new Set(cuts).size).toBe(cuts.length);
        for (const [index] of [...cuts, text.length].entries()) expect(part(text, cuts, index).length).toBeLessThanOrEqual(limit);
        const cores = slicesOf(text, cuts).map((slice) => slice.trim());
        for (const [index, core] of cores.entries()) expect(part(text, cuts, index)).toContain(core);
      }),
      { numRuns: 300 * RUNS },
    );
  });
  it("P2: every part but the last has its fences closed", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const parts = partsOf(text, 200);
        expect(parts.slice(0, -1).filter((it) => !fencesWhole(it))).toEqual([]);
      }),
      { numRuns: 300 * RUNS },
    );
  });
});
