/** What a call of a server's tool is given, and what came of it; and what a server lists. */
import type { Session } from "./client.ts";
import { digest } from "./digest.ts";
import type { Patience } from "./patience.ts";

export interface Listing {
  tools: unknown[];
  about: Session["about"];
}
/** `pages`: it did not run, because people have to open these first. */
export type Called = { ok: true; result: unknown } | { ok: false; ran: "no" | "unknown"; why: string; pages?: unknown[] };
export interface CallWishes {
  signal: AbortSignal;
  /** Gives it up when it is used up. */
  patience: Patience;
  /** May run twice. */
  repeatable: boolean;
  tell?: ((text: string) => void) | undefined;
}

/** A tool as its server describes it. */
export interface Given {
  name: string;
}
/** Whether a tool is what it was when it was offered. */
export function isStill(tool: Given, { tools }: Listing): boolean {
  const now = tools.find((it) => (it as Partial<Given> | null)?.name === tool.name);
  return now === tool || digest(now) === digest(tool);
}
