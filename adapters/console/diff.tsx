/** A unified diff as lines that say by a sign and a colour what they are. */
import type { Child } from "hono/jsx";
import { reveal } from "../shared/escape.ts";

const LONGEST = 2_000;

/** `whole`: to the last line and with the file's name, since people decide on it. */
export function Diff({ text, whole }: { text: string; whole?: boolean }): Child {
  const all = text.replace(/\n$/, "").split("\n");
  // Only what stands before the first place is about the file; below, such lines are its text.
  const first = Math.max(
    0,
    all.findIndex((line) => line.startsWith("@@")),
  );
  const lines = all.slice(first);
  const shown = whole ? lines : lines.slice(0, LONGEST);
  return (
    <pre class="code diff" tabindex={0}>
      {whole && all.slice(0, first).map((line) => <span class="hunk">{`${reveal(line)}\n`}</span>)}
      {shown.map((line) => (
        <span class={kindOf(line)}>{`${reveal(line)}\n`}</span>
      ))}
      {shown.length < lines.length && <span class="hunk">{`… and ${lines.length - shown.length} more lines`}</span>}
    </pre>
  );
}

const kindOf = (line: string): string =>
  line.startsWith("@@") ? "hunk" : line.startsWith("+") ? "added" : line.startsWith("-") ? "gone" : "same";
