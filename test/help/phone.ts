/** Messages of Slack drawn as text, about as wide as on a phone: to be read by eye. */
import type { Fields, Message } from "../rigs/slack.ts";

const WIDE = 46;
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);
const of = (value: unknown): string =>
  text((value as Fields | undefined)?.text)
    .replaceAll("&amp;", "&")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">");
const MARKS: Record<string, string> = { pending: "○", in_progress: "◐", complete: "●", error: "✗" };

function wrapped(line: string, indent = ""): string[] {
  const out: string[] = [];
  let rest = line;
  while (rest.length > WIDE - indent.length) {
    const space = rest.lastIndexOf(" ", WIDE - indent.length);
    const at = space > 0 ? space : WIDE - indent.length;
    out.push(indent + rest.slice(0, at));
    rest = rest.slice(at).replace(/^ /, "");
  }
  return [...out, indent + rest];
}
export const lines = (words: string, indent = ""): string[] => words.split("\n").flatMap((line) => wrapped(line, indent));

function drawn(block: Fields): string[] {
  switch (block.type) {
    case "header":
      return lines(of(block.text).toUpperCase());
    case "section":
      return [...(block.text ? lines(of(block.text)) : []), ...listOf(block.fields).flatMap((field) => lines(of({ text: field.text })))];
    case "markdown":
      return lines(text(block.text));
    case "context":
      return listOf(block.elements).flatMap((element) => lines(of({ text: element.text }), "· "));
    case "plan":
      return [
        ...lines(`▾ ${text(block.title)}`),
        ...listOf(block.tasks).flatMap((task) => lines(`${MARKS[text(task.status)]} ${text(task.title)}`, "  ")),
      ];
    case "table":
      return (block.rows as Fields[][]).map((row) => `│ ${row.map((cell) => text(cell.text)).join(" │ ")} │ ⇆`);
    case "rich_text":
      return listOf(block.elements).flatMap((element) =>
        lines(
          listOf(element.elements)
            .map((one) => text(one.text))
            .join(""),
          element.type === "rich_text_preformatted" ? "│ " : "",
        ),
      );
    case "actions":
      return lines(
        listOf(block.elements)
          .map((button) => `[${of(button.text)}]`)
          .join(" "),
      );
    default:
      return [`(${text(block.type)})`];
  }
}

export function phone(messages: readonly Message[]): string {
  return bubbles(messages.map(({ text: words, blocks }) => (blocks.length ? blocks.flatMap(drawn) : lines(words))));
}

export function bubbles(shown: readonly string[][]): string {
  return shown.map((bubble) => ["┌", ...bubble.map((line) => `│ ${line}`.trimEnd()), "└"].join("\n")).join("\n");
}
