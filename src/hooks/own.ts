/**
 * People's own hooks: the module that HOOKS names, loaded once at start.
 *
 * O1. What is no hook is said at the start, with its place in the list, and nothing is started.
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Hook, UserError } from "../core/ports.ts";
import { held, POINTS } from "./held.ts";

export async function ownHooks(file: string): Promise<Hook[]> {
  const module = await load(file);
  if (!Array.isArray(module.default)) throw new UserError(`HOOKS names ${file}, but its default export is not a list of hooks.`);
  return module.default.map((hook: unknown, index) => {
    const why = unfit(hook);
    if (why) throw new UserError(`HOOKS names ${file}, whose entry ${index + 1} is no hook: ${why}.`);
    return held(hook as Hook);
  });
}

function unfit(hook: unknown): string | undefined {
  if (typeof hook !== "object" || hook === null) return "it is not an object";
  const { name } = hook as Partial<Hook>;
  if (typeof name !== "string" || !name) return "it has no name";
  const point = POINTS.find((each) => each in hook && typeof (hook as Hook)[each] !== "function");
  if (point) return `its ${point} is not a function`;
  return POINTS.some((each) => each in hook) ? undefined : `it has none of ${POINTS.join(", ")}`;
}

async function load(file: string): Promise<{ default?: unknown }> {
  try {
    return await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new UserError(`HOOKS names ${file}, which cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
  }
}
