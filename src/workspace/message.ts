/** How a cause is written into a commit, and read back: a sentence first, then the rest as one line of JSON. */
import { z } from "zod";
import type { Cause } from "../core/ports.ts";

const Rest = z.object({
  kind: z.enum(["agent", "person", "job", "undo", "outside", "begun"]),
  at: z.number(),
  by: z.object({ id: z.string(), name: z.string() }).optional(),
  approved: z.array(z.string()).optional(),
  session: z.string().optional(),
  call: z.string().optional(),
  scope: z.custom<NonNullable<Cause["scope"]>>((value) => typeof value === "string").optional(),
  undoes: z.array(z.string()).optional(),
});

export function messageOf({ text, ...rest }: Cause): { message: string; author: { name: string; email: string } } {
  const { by } = rest;
  const author = { name: clean(by?.name ?? "") || "somebody", email: clean(by?.id ?? "") || rest.kind };
  return { message: `${text.replace(/\s+/g, " ").trim().slice(0, 200)}\n\n${JSON.stringify(rest)}\n`, author };
}

/** What git takes in a name. */
const clean = (text: string): string =>
  text
    .replace(/[<>\p{C}]+/gu, " ")
    .trim()
    .slice(0, 100);

export function readMessage(message: string): Cause {
  const [text = "", ...lines] = message.trim().split("\n");
  try {
    const { by, approved, session, call, scope, undoes, ...rest } = Rest.parse(JSON.parse(lines.at(-1) ?? ""));
    return {
      text,
      ...rest,
      ...(by ? { by } : {}),
      ...(approved ? { approved } : {}),
      ...(session ? { session } : {}),
      ...(call ? { call } : {}),
      ...(scope ? { scope } : {}),
      ...(undoes ? { undoes } : {}),
    };
  } catch {
    // Somebody committed by hand.
    return { kind: "outside", text, at: 0 };
  }
}
