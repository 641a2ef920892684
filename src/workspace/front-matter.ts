/**
 * The head of a Markdown file: YAML between two lines of dashes, and the text behind it. The only door to the library that reads it.
 *
 * F1. Nothing in a file is executed: YAML is the only language, whatever the head names.
 * F2. Never throws; what is wrong is a sentence's end. What comes back is fresh each time, shared with nobody.
 * F3. A byte order mark, Windows line ends, dashes in the body and a colon in an unquoted value are no mistakes.
 */
import { createRequire } from "node:module";

export type FrontMatter = { ok: true; data: Record<string, unknown>; body: string } | { ok: false; wrong: string };

/** Loaded with its first use: a start does not pay for it. */
const load = () => createRequire(import.meta.url)("gray-matter") as typeof import("gray-matter");

const refuse = {
  parse(): object {
    throw new Error("only YAML is read");
  },
  stringify(): string {
    throw new Error("only YAML is written");
  },
};
const SAFE = { language: "yaml", engines: { js: refuse, javascript: refuse, json: refuse, coffee: refuse } };
/** Heads larger than this are a mistake, or meant to cost time. */
const LONGEST = 64 * 1024;

export function readFrontMatter(text: string): FrontMatter {
  const clean = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const found = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/.exec(clean);
  if (!found) return { ok: false, wrong: wrongHead(clean) };
  const head = found[1] ?? "";
  if (head.length > LONGEST) return { ok: false, wrong: `its head is longer than ${LONGEST / 1024} KB` };
  const read = parsed(head);
  const again = read.ok ? read : parsed(quoted(head));
  if (!again.ok) return { ok: false, wrong: read.ok ? "" : read.wrong };
  return { ok: true, data: again.data, body: clean.slice(found[0].length).replace(/^\n+/, "").trimEnd() };
}

function wrongHead(text: string): string {
  if (!text.startsWith("---")) return "it does not begin with a head between two lines of ---";
  return /^---[ \t]*\n/.test(text) ? "its head is not closed by a line of ---" : "its head has to begin with a line of nothing but ---";
}

function parsed(head: string): { ok: true; data: Record<string, unknown> } | { ok: false; wrong: string } {
  try {
    const data: unknown = load()(`---\n${head}\n---\n`, { ...SAFE }).data;
    if (typeof data === "object" && data !== null && !Array.isArray(data)) return { ok: true, data: { ...data } };
    return { ok: false, wrong: "its head holds no names with values" };
  } catch (error) {
    const first = error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error);
    return { ok: false, wrong: `its head is not valid YAML (${first.replace(/[.:]$/, "")})` };
  }
}

/** Puts plain values that hold a colon into quotes, as their writers meant them. */
function quoted(head: string): string {
  return head.replace(/^([A-Za-z][\w-]*):[ \t]+([^\s"'[\]{}|>&*!%@`#][^\n]*?)[ \t]*$/gm, (line, key: string, value: string) =>
    /:(\s|$)/.test(value) ? `${key}: ${JSON.stringify(value)}` : line,
  );
}
