/**
 * What nights did to the memory of one scope, as the people of that scope are told it. Pure.
 *
 * G1. A digest is told once: its session holds one, and its posts have keys like any other.
 * G2. A line that was taken back says so and has no button any more.
 */
import type { DigestLine, Event, Speaker } from "./event.ts";
import type { Button, View } from "./view.ts";

export interface Digest {
  /** Not shown before. */
  due: number;
  title: string;
  lines: readonly (DigestLine & { undone?: Pick<Speaker, "name"> })[];
}

/** Lines of one message: each may have its button, and platforms take about 25. */
const AT_ONCE = 10;
const LONGEST = 600;

export function reduceDigest(digest: Digest | null, event: Event): Digest | null {
  if (event.type === "digest.told") return { due: event.due, title: event.title, lines: event.lines };
  if (event.type !== "digest.undone" || !digest) return digest;
  const { n, edit, by } = event;
  return {
    ...digest,
    lines: digest.lines.map((line) => (line.n === n && line.edit === edit ? { ...line, undone: { name: by.name } } : line)),
  };
}

/** The messages of a digest. A button names its line by the change and the edit; `all` is everything that still stands. */
export function digestViews({ title, lines }: Digest, code: string): View[] {
  const open = lines.filter((line) => !line.undone).length;
  const count = Math.ceil(lines.length / AT_ONCE);
  return Array.from({ length: count }, (_, part) => {
    const from = part * AT_ONCE;
    const own = lines.slice(from, from + AT_ONCE);
    const buttons = own.flatMap((line, index): Button[] =>
      line.undone
        ? []
        : [{ word: lines.length > 1 ? `Undo #${from + index + 1}` : "Undo", act: "undo", code: `${code}.${line.n}-${line.edit}` }],
    );
    const all: Button[] =
      part === count - 1 && lines.length > 1 && open > 0 ? [{ word: "Undo all", act: "undo", code: `${code}.all` }] : [];
    return {
      title: count > 1 ? `${title} (${part + 1} of ${count})` : title,
      parts: [{ kind: "quoted", text: own.map((line, index) => lineText(line, from + index + 1)).join("\n") }],
      buttons: [...buttons, ...all],
    };
  });
}

function lineText({ text, link, undone }: Digest["lines"][number], number: number): string {
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return `- #${number} ${short}${link ? ` [source](${link})` : ""}${undone ? ` (taken back by ${undone.name})` : ""}`;
}
