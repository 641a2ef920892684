/** The small things the operator's pages are made of. Pure. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Diff } from "../../../adapters/console/diff.tsx";
import { Chart, roundUp } from "../../../adapters/console/pages/chart.tsx";
import { Unfit } from "../../../adapters/console/pages/overview.tsx";
import { query } from "../../../adapters/console/pages/room.tsx";
import { unified } from "../../../src/workspace/unified.ts";

describe("a diff", () => {
  test("hides no line that is taken out or put in, whatever it looks like, and marks it by more than a colour", () => {
    const line = fc.constantFrom("-- a comment", "++ more", "Index: x", "@@ at", "plain", "", "<b>bold</b>");
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.array(line, { maxLength: 8 }), (before, after) => {
        const diff = unified("a.sql", before.join("\n"), after.join("\n"));
        const page = String(Diff({ text: diff }));
        const body = diff.split("\n").slice(diff.split("\n").findIndex((text) => text.startsWith("@@")));
        if (diff === "") return;
        expect(page.match(/<span/g)?.length).toBe(body.length);
        expect(page).not.toContain("<b>");
      }),
    );
    const page = String(Diff({ text: unified("a.sql", "-- drop it\nselect 1;\n", "select 1;\n") }));
    expect(page).toContain('<span class="gone">--- drop it');
  });

  test("shows what an eye would miss", () => {
    expect(String(Diff({ text: unified("a", "x", "x\u202e\u200b") }))).toContain("⟨U+202E⟩⟨U+200B⟩");
  });
});

describe("a chart", () => {
  test("has a bar for each value that is not nothing, says its sum to who cannot see it, and needs no style of its own", () => {
    const series = [
      { name: "a & b", values: [1, 0, 3] },
      { name: "<c>", values: [0, 0, 6] },
    ];
    const svg = String(<Chart label="Tokens" days={["2026-11-28", "2026-11-29", "2026-11-30"]} series={series} format={String} />);
    expect(svg.match(/<rect/g)).toHaveLength(3);
    expect(svg).toContain('aria-label="Tokens. In all 10."');
    expect(svg).not.toContain("style=");
    expect(svg).not.toContain("<c>");
  });

  test("of any values lies within its frame", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.double({ min: 0, max: 1e12, noNaN: true }), { minLength: 5, maxLength: 5 }), { maxLength: 7 }),
        (rows) => {
          const series = rows.map((values, i) => ({ name: `s${i}`, values }));
          const days = ["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04", "2026-11-05"];
          const svg = String(<Chart label="x" days={days} series={series} format={String} />);
          for (const [, y, height] of svg.matchAll(/<rect[^>]* y="([\d.-]+)" height="([\d.-]+)"/g)) {
            expect(Number(y)).toBeGreaterThanOrEqual(0);
            expect(Number(y) + Number(height)).toBeLessThanOrEqual(221);
          }
          expect(svg).not.toMatch(/NaN|Infinity/);
        },
      ),
    );
  });

  test("its scale ends at a round number above the largest", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (value) => {
        expect(roundUp(value)).toBeGreaterThanOrEqual(value * (1 - 1e-9));
      }),
    );
    expect([0, 0.16, 3, 12, 99].map(roundUp)).toEqual([1, 0.2, 5, 20, 100]);
  });
});

test("an address keeps what was asked for, and leaves out what says nothing", () => {
  expect(query({ home: "a&b", page: 0, words: "", open: 1 })).toBe("?home=a%26b&open=1");
  expect(query({ page: 0 })).toBe("");
});

test("tools that cannot be offered are named on the overview, with the reason", () => {
  const server = {
    home: "slack-T1",
    server: "shop",
    ok: true,
    detail: "3 tools",
    unfit: [{ label: "shop/<b>", why: "its schema is none" }],
  };
  const page = String(Unfit({ servers: [server, { ...server, unfit: [] }] }));
  expect(page).toContain("1 tool cannot be offered");
  expect(page).toContain("<code>shop/&lt;b&gt;</code> (slack-T1): its schema is none");
  expect(String(Unfit({ servers: [{ ...server, unfit: [] }] }))).toBe("");
});
