/**
 * Ids of people in the product's own words, shown by name.
 *
 * D1. A name calls nobody: it is plain text, without marks of markup. Whom Slack does not name keeps the id.
 * D2. What is quoted and what is code stays as it is.
 */
import type { Part, View } from "../../src/core/view.ts";
import { clip } from "../shared/escape.ts";
import type { People } from "./people.ts";

const PERSON = /( \()?\bslack:([UW][A-Z0-9]{2,})\b(\))?/g;
const MARKUP = /[*_~`|<>[\]()\\#\s]+/g;
type NameOf = (id: string) => string | undefined;

export async function named(view: View, people: Pick<People, "names">): Promise<View> {
  const ids = new Set<string>();
  worded(view, (text) => {
    for (const [, , id = ""] of text.matchAll(PERSON)) ids.add(id);
    return text;
  });
  if (!ids.size) return view;
  const nameOf = await people.names([...ids]);
  return worded(view, (text) => withNames(text, nameOf));
}

export function withNames(text: string, nameOf: NameOf): string {
  return text.replace(PERSON, (whole, open: string | undefined, id: string, close: string | undefined, at: number, all: string) => {
    const name = nameOf(id);
    if (name === undefined) return whole;
    // The name stands there already, and the id behind it.
    if (open && close && all.slice(0, at).endsWith(name)) return "";
    return `${open ?? ""}@${clip(name.replace(MARKUP, " ").trim(), 60) || id}${close ?? ""}`;
  });
}

function worded(view: View, each: (text: string) => string): View {
  return { ...view, parts: view.parts.map((part) => partOf(part, each)) };
}
function partOf(part: Part, each: (text: string) => string): Part {
  switch (part.kind) {
    case "text":
    case "note":
      return { ...part, text: each(part.text) };
    case "list":
      return { ...part, items: part.items.map(each) };
    case "fields":
      return { ...part, rows: part.rows.map(([label, value]) => [label, each(value)]) };
    default:
      return part;
  }
}
