/** Text as it is, whatever it holds; a long one is folded behind its beginning. */
import type { Child } from "hono/jsx";
import { reveal } from "../../shared/escape.ts";
import { Code } from "../markdown.tsx";
import { count } from "./room.tsx";

/** Texts longer than this are folded. */
const FOLDED = 700;

export function Long({ text, code }: { text: string; code?: boolean }): Child {
  const draw = (part: string): Child =>
    code ? (
      <Code text={reveal(part)} />
    ) : (
      <div class="plain" dir="auto">
        {reveal(part)}
      </div>
    );
  if (text.length <= FOLDED) return draw(text);
  return (
    <details>
      <summary>
        <span dir="auto">{reveal(text.slice(0, 160))}…</span> <span class="note">({count(text.length)} characters)</span>
      </summary>
      {draw(text)}
    </details>
  );
}
