/** What goes over the wire between Slack and the app, as the rig writes it down. */
import type { Fields } from "./slack-space.ts";

export interface Call {
  method: string;
  args: Fields;
  at: number;
  answer: Fields;
  /** What it bore. */
  token: string;
}
export type Kind = "events_api" | "interactive" | "slash_commands";
export interface Delivery {
  kind: Kind;
  body: Fields;
  attempts: number;
  acked: boolean;
  /** What the acknowledgement carried. */
  answer: Fields;
  ackMs: number;
}
export interface Fault {
  method: string;
  times?: number;
  status?: number;
  headers?: Record<string, string>;
  body?: Fields | string;
  delay?: number;
  /** Cuts the connection: before anything was done, or after it was done and before it was said. */
  drop?: "before" | "after";
}

/** Arguments of a call: form-encoded, with JSON in the fields that hold more than text. */
export function parsed(body: string): Fields {
  const args: Fields = Object.fromEntries(new URLSearchParams(body));
  for (const name of ["blocks", "files", "view", "metadata", "prompts", "chunks"]) {
    if (typeof args[name] === "string") args[name] = JSON.parse(args[name]);
  }
  return args;
}
