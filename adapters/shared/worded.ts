/** A view with every text of the product's own passed through a function. What is quoted and what is code stays as it is. */
import type { Part, View } from "../../src/core/view.ts";

export function worded(view: View, each: (text: string) => string): View {
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
