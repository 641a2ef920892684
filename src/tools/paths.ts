/**
 * What a path means for permission: which files shape the agent itself, and the class of path that a standing grant would bind.
 *
 * R1. AGENTS.md, KNOWLEDGE.md, tools.json, skills and subagents of the home are an administrator's decision and can never be granted.
 * R2. What is written to the team's files leaves the place it was said in.
 */
import { z } from "zod";
import type { FileError } from "../core/ports.ts";
import { keptByOthers } from "../files/mounts.ts";
import { components, normalise } from "../files/path.ts";
import { CONTROL, isKept } from "../workspace/control.ts";
import { failed } from "./define.ts";

/** Refused in parse where it is no path, and in its one spelling afterwards, so that cards and policy see what is meant. */
export const path = z.string().transform((text, context) => {
  const result = normalise(text);
  if (result.ok) return result.path;
  context.addIssue({ code: "custom", message: result.error });
  return z.NEVER;
});

/** A path that is to be changed: the files that others keep are refused at once. */
export const target = path.superRefine((value, context) => {
  const why = keptByOthers(homePath(value) ?? "/");
  if (why) context.addIssue({ code: "custom", message: why });
});

const MOUNTS = new Set(["memories", "skills", "evicted", "attachments", "history"]);

/** The path below the home, e.g. `/files/a.md`; undefined for what lies elsewhere. */
function homePath(value: string): string | undefined {
  const [first, ...rest] = components(value);
  return first === "home" ? `/${rest.join("/")}` : undefined;
}

const isControl = (value: string): boolean => CONTROL.has(components(homePath(value) ?? "/")[0] ?? "");

export const changeRisk = (value: string): "none" | "admin" => (isControl(value) ? "admin" : "none");

/** What is written below /home is there for the whole team. */
export const changeLeaves = (value: string): boolean => homePath(value) !== undefined;

/** What the history of the home keeps can be taken back. */
export const undoable = (value: string): { undoable?: true } => (isKept(homePath(value) ?? "/") ? { undoable: true } : {});

/** `/home/files`, `/memories`, … or `scratch`; null where nothing may be granted. */
export function changeClass(value: string): string | null {
  return isControl(value) ? null : readClass(value);
}

export function readClass(value: string): string {
  const [first, second] = components(value);
  if (first === undefined) return "/";
  if (first === "home") return second === undefined ? "/home" : `/home/${second}`;
  return MOUNTS.has(first) ? `/${first}` : "scratch";
}

/** An error of a backend in a sentence for the model. */
export const refused = (value: string, error: FileError) => failed(`${value}: ${error.detail}.`);
