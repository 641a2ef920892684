/** People's own hooks: the module that HOOKS names, loaded once at start. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Hook, UserError } from "../core/ports.ts";

export async function ownHooks(file: string): Promise<Hook[]> {
  const module = await load(file);
  if (!Array.isArray(module.default)) throw new UserError(`HOOKS names ${file}, but its default export is not a list of hooks.`);
  return module.default;
}

async function load(file: string): Promise<{ default?: unknown }> {
  try {
    return await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new UserError(`HOOKS names ${file}, which cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
  }
}
