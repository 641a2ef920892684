/**
 * Ids of people and of user groups in the product's own words, shown by name.
 *
 * D1. A name calls nobody: it is plain text, without marks of markup. What Slack does not name keeps its id.
 * D2. What is quoted and what is code stays as it is.
 */
import type { View } from "../../src/core/view.ts";
import { clip } from "../shared/escape.ts";
import { worded } from "../shared/worded.ts";
import type { People } from "./people.ts";

const NAMED = /( \()?\bslack:(group:S[A-Z0-9]+|[UW][A-Z0-9]{2,})\b(\))?/g;
const MARKUP = /[*_~`|<>[\]()\\#\s]+/g;
type NameOf = (id: string) => string | undefined;

const bare = (id: string): string => id.replace("group:", "");

export async function named(view: View, people: Pick<People, "names">): Promise<View> {
  const ids = new Set<string>();
  worded(view, (text) => {
    for (const [, , id = ""] of text.matchAll(NAMED)) ids.add(bare(id));
    return text;
  });
  if (!ids.size) return view;
  const nameOf = await people.names([...ids]);
  return worded(view, (text) => withNames(text, nameOf));
}

export function withNames(text: string, nameOf: NameOf): string {
  return text.replace(NAMED, (whole, open: string | undefined, id: string, close: string | undefined, at: number, all: string) => {
    const name = nameOf(bare(id));
    if (name === undefined) return whole;
    // The name stands there already, and the id behind it.
    if (open && close && all.slice(0, at).endsWith(name)) return "";
    const plain = clip(name.replace(MARKUP, " ").trim(), 60) || bare(id);
    return `${open ?? ""}${id === bare(id) ? "@" : ""}${plain}${close ?? ""}`;
  });
}
