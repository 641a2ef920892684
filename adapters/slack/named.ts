/**
 * Ids of people and of user groups, shown by name.
 *
 * D1. A name calls nobody: it is plain text, without marks of markup. What Slack does not name keeps its id.
 * D2. What is code stays as it is: what runs is shown as it runs.
 */
import type { View } from "../../src/core/view.ts";
import { clip, outsideCode } from "../shared/escape.ts";
import { worded } from "../shared/worded.ts";
import type { People } from "./people.ts";

const NAMED = /( \()?\bslack:(group:S[A-Z0-9]+|[UW][A-Z0-9]{2,})\b(\))?/g;
const MARKUP = /[*_~`|<>[\]()\\#\s]+/g;
type NameOf = (id: string) => string | undefined;

const bare = (id: string): string => id.replace("group:", "");

export async function named(view: View, people: Pick<People, "names">): Promise<View> {
  const ids = new Set<string>();
  throughout(view, (text) => {
    for (const [, , id = ""] of text.matchAll(NAMED)) ids.add(bare(id));
    return text;
  });
  if (!ids.size) return view;
  const nameOf = await people.names([...ids]);
  return throughout(view, (text) => withNames(text, nameOf));
}

/** The product's own words, and of what is quoted all but its code. */
function throughout(view: View, each: (text: string) => string): View {
  const own = worded(view, each);
  return { ...own, parts: own.parts.map((part) => (part.kind === "quoted" ? { ...part, text: outsideCode(part.text, each) } : part)) };
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
