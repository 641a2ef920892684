/** What the model writes is text and never markup, whatever it writes; and no text takes long. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { cheap } from "../../../adapters/console/cost.ts";
import { Markdown } from "../../../adapters/console/markdown.tsx";
import { ViewBody } from "../../../adapters/console/view.tsx";
import type { Part } from "../../../src/core/view.ts";

const html = (text: string): string => String(<Markdown text={text} />);

/** Every element of the result, with its attributes as they stand there. Fails on anything that is not well-formed. */
function elements(markup: string): { name: string; attributes: string }[] {
  const open: string[] = [];
  const found: { name: string; attributes: string }[] = [];
  for (const [tag, slash, name = "", attributes = ""] of markup.matchAll(
    /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*\/?>/g,
  )) {
    if (slash) expect(open.pop()).toBe(name);
    else {
      found.push({ name, attributes });
      if (!tag.endsWith("/>") && !["br", "hr", "img", "input"].includes(name)) open.push(name);
    }
  }
  expect(open).toEqual([]);
  expect(markup.replace(/<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*\/?>/g, "")).not.toMatch(/[<>]/);
  return found;
}

const ELEMENTS = new Set(
  "p h3 h4 h5 h6 blockquote ol ul li pre code em strong del br hr table thead tbody tr th td section a sup div".split(" "),
);
const ATTRIBUTES =
  /^(\s+(dir="auto"|class="[a-z -]*"|tabindex="0"|aria-label="Table"|start="\d+"|data-lang="[^"]*"|href="(https?:\/\/|mailto:)[^"]*"|title="[^"]*"|target="_blank"|rel="noopener noreferrer nofollow"))*$/;

function safe(markup: string): void {
  for (const { name, attributes } of elements(markup)) {
    expect(ELEMENTS).toContain(name);
    expect(attributes).toMatch(ATTRIBUTES);
  }
}

const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<style>*{display:none}</style>",
  "<button data-act='approve' data-code='c1'>Approve</button>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](java\nscript:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](vbscript:x) [y](file:///etc/passwd) [z](//evil.example) [w](/threads/m1)",
  "[x][a]\n\n[a]: javascript:alert(1)",
  "![x](javascript:alert(1)) ![y](https://a.example/track.png)",
  '[x](https://a.example "\\" onmouseover=alert(1) x=\\"")',
  '[x](https://a.example/"onmouseover="alert(1))',
  '<https://a.example/"><script>>',
  "<javascript:alert(1)>",
  '```js"><script>alert(1)</script>\n</code></pre><script>\n```',
  "| <b>a</b> | [x](javascript:b) |\n| --- | ---: |\n| <script> | `</td><script>` |",
  "[^a]\n\n[^a]: <script>alert(1)</script>",
  "# <script>\n\n> <iframe src=javascript:alert(1)>\n\n- [ ] <svg onload=alert(1)>",
  "&lt;script&gt; &#60;script&#62;",
  "www.a.example/<script> a@b.example http://a.example/?<b>",
];

test.each(HOSTILE)("P10 stays text: %s", (text) => safe(html(text)));

test("P10 whatever is written, nothing but text and the elements of Markdown comes of it", () => {
  const piece = fc.oneof(
    fc.constantFrom(...HOSTILE),
    fc.constantFrom(
      "<",
      ">",
      '"',
      "'",
      "&",
      "`",
      "*",
      "_",
      "[",
      "](",
      ")",
      "|",
      "\n",
      "\n\n",
      "- ",
      "> ",
      "# ",
      "~~",
      "\\",
      "javascript:",
      "on",
      "=",
    ),
    fc.string({ maxLength: 12 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => safe(html(pieces.join("")))),
    { numRuns: 400 },
  );
});

test("P10 no other part of a view lets markup through either, and characters that hide or turn text round are spelled out", () => {
  const parts: Part[] = HOSTILE.slice(0, 4).flatMap((text): Part[] => [
    { kind: "code", text: `${text}\u202e\u200b`, lang: text },
    { kind: "fields", rows: [[text, `${text}\u202e`]] },
    { kind: "todos", todos: [{ content: text, status: "pending" }] },
    { kind: "steps", steps: [{ label: text, state: "failed" }] },
    { kind: "list", items: [text] },
    { kind: "note", text },
    { kind: "text", text },
    { kind: "quoted", text },
  ]);
  const markup = String(<ViewBody view={{ title: HOSTILE[0] ?? "", parts, buttons: [] }} id="p1" />);
  expect(elements(markup).map(({ name }) => name)).not.toEqual(expect.arrayContaining(["script"]));
  expect(markup).not.toMatch(/<(script|img|style|button)/);
  expect(markup).not.toContain("\u202e");
  expect(markup).toContain("U+202E");
});

test.each([
  ["# One\n\n## Two", "<h3", "<h4"],
  ["**b** *i* ~~d~~ `c`", "<strong>b</strong>", "<em>i</em>", "<del>d</del>", "<code>c</code>"],
  ["1. a\n2. b", '<ol start="1">', "<li"],
  ["- [x] done\n- [ ] open", "☑ ", "☐ "],
  ["| a | b |\n| --- | ---: |\n| 1 | 2 |", '<th class="left"', '<td class="right"'],
  ["```ts\nlet a = 1 < 2;\n```", 'data-lang="ts"', "let a = 1 &lt; 2;"],
  ["[x](https://a.example/b?c=d&e=f)", 'href="https://a.example/b?c=d&amp;e=f"', "noopener noreferrer nofollow"],
  ["see https://a.example", 'href="https://a.example/"'],
  ["[x][l]\n\n[l]: mailto:a@b.example", 'href="mailto:a@b.example"'],
  ["![a cat](https://a.example/cat.png)", 'href="https://a.example/cat.png"', "a cat (image)"],
])("%j is drawn as it was meant", (text, ...wanted) => {
  for (const one of wanted) expect(html(text)).toContain(one);
});

/** Each takes a parser seconds or more if it is let. */
const SLOW: [string, string][] = [
  ["emphasis", "*a ".repeat(30_000)],
  ["emphasis over lines", "*a\n".repeat(30_000)],
  ["nested quotes", `${">".repeat(5_000)}a`],
  ["nested lists", "- ".repeat(3_000)],
  ["numbered lists", "1) ".repeat(3_000)],
  ["brackets", "[".repeat(20_000)],
  ["closing brackets", "]".repeat(20_000)],
  ["links", "[a](".repeat(8_000)],
  ["backticks", Array.from({ length: 300 }, (_, i) => "`".repeat(i)).join(" ")],
  ["tables", "a|\n".repeat(12_000)],
  ["one long line", "a".repeat(2_000_000)],
  ["many lines", "a\n\n".repeat(30_000)],
  ["deep list", Array.from({ length: 300 }, (_, i) => `${" ".repeat(2 * i)}- a`).join("\n")],
  ["a fence that a list ends", `- a\n  \`\`\`\n${"*a\n".repeat(1_900)}`],
  ["a fence that is none", `\`\`\` a\`b\n${"*a ".repeat(10_000)}`],
  ["a fence in a table", `a|b\n-|-\n\`\`\`\n${"*a|".repeat(10_000)}`],
  ["a fence in markup", `<div>\n\`\`\`\n\n${"*a\n".repeat(1_900)}`],
  ["entities", "&amp;".repeat(20_000)],
];
test.each(SLOW)("a text made to be slow is shown in no time: %s", (_name, text) => {
  const began = performance.now();
  safe(html(text));
  expect(performance.now() - began).toBeLessThan(1_500);
});

test("text that is too dear to read as Markdown is shown as it is; ordinary long answers are not", () => {
  expect(html("*a ".repeat(5_000))).toMatch(/^<pre class="as-is">\*a /);
  const ordinary =
    "A paragraph with **bold**, `code` and a [link](https://a.example), as long as people write them.\n\n- and\n- a list\n\n".repeat(150);
  expect(cheap(ordinary)).toBe(true);
  expect(cheap(`\`\`\`\n${"const a = [1, 2];\n".repeat(1_500)}\`\`\``)).toBe(true);
});
