/** A unified diff as lines that say by a sign and a colour what they are. */
import type { Child } from "hono/jsx";
import { reveal } from "../../shared/escape.ts";

const LONGEST = 2_000;

export function Diff({ text }: { text: string }): Child {
  const all = text.replace(/\n$/, "").split("\n");
  // Only what stands before the first place is about the file; below, such lines are its text.
  const lines = all.slice(
    Math.max(
      0,
      all.findIndex((line) => line.startsWith("@@")),
    ),
  );
  const shown = lines.slice(0, LONGEST);
  return (
    <pre class="code diff" tabindex={0}>
      {shown.map((line) => (
        <span class={kindOf(line)}>{`${reveal(line)}\n`}</span>
      ))}
      {lines.length > LONGEST && <span class="hunk">{`… and ${lines.length - LONGEST} more lines`}</span>}
    </pre>
  );
}

const kindOf = (line: string): string =>
  line.startsWith("@@") ? "hunk" : line.startsWith("+") ? "added" : line.startsWith("-") ? "gone" : "same";
