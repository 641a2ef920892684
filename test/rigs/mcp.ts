/** Entries of tools.json for the local MCP server, and a home on disk to run it in. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SERVER = fileURLToPath(new URL("mcp-server.mjs", import.meta.url));

export interface McpEntry {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** `mode`: how it starts and misbehaves, see mcp-server.mjs. */
export const mcpEntry = (mode = "", env: Record<string, string> = {}): McpEntry => ({
  command: process.execPath,
  args: [SERVER],
  env: { ...(mode && { MODE: mode }), ...env },
});

export const toolsJson = (servers: Record<string, unknown>, rest: object = {}): string => JSON.stringify({ mcpServers: servers, ...rest });

export interface McpHome {
  directory: string;
  /** The file that servers write their effects to. */
  effects: string;
  happened(): Record<string, unknown>[];
  remove(): void;
}

export function mcpHome(): McpHome {
  const directory = mkdtempSync(join(tmpdir(), "denizen-mcp-"));
  const effects = join(directory, "effects.jsonl");
  return {
    directory,
    effects,
    happened() {
      try {
        const lines = readFileSync(effects, "utf8").trim().split("\n").filter(Boolean);
        return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      } catch {
        return [];
      }
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** A server that asks people and the model back, see mcp-asking.mjs. */
export const asking = (env: Record<string, string> = {}): McpEntry => ({
  command: process.execPath,
  args: [fileURLToPath(new URL("mcp-asking.mjs", import.meta.url))],
  env,
});

/** A server that goes wrong in one way when it is asked at a method, see mcp-bad.mjs. */
export const bad = (way: string, at: string, env: Record<string, string> = {}): McpEntry => ({
  command: process.execPath,
  args: [fileURLToPath(new URL("mcp-bad.mjs", import.meta.url))],
  env: { WAY: way, AT: at, ...env },
});
