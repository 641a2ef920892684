/** What a post says beside its own words: that it may be a repeat, and the label its answers bear. */
import type { Slot } from "../../src/core/ports.ts";
import type { View } from "../../src/core/view.ts";

export const MARK = "(may be a repeat: the connection broke while this was sent)";

/** `notice`: a label every answer bears while it is set. */
export function noted({ kind, view }: Slot, mark: boolean, notice: string | undefined): View {
  const notes = [mark ? MARK : undefined, kind === "answer" ? notice : undefined].filter((note) => note !== undefined);
  return notes.length ? { ...view, parts: [...view.parts, { kind: "note", text: notes.join("\n") }] } : view;
}
