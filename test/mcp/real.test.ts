/** Servers that others wrote, as programs over stdio. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/event.ts";
import type { WantedServers } from "../../src/core/ports.ts";
import { openServers, type Servers } from "../../src/mcp/servers.ts";
import { runTool } from "../help/run-tool.ts";
import { type McpHome, mcpHome, toolsJson } from "../rigs/mcp.ts";

let home: McpHome;
let servers: Servers;
const program = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [resolve("node_modules/@modelcontextprotocol", `server-${name}`, "dist/index.js"), ...args],
});

beforeEach(() => {
  home = mcpHome();
  servers = openServers({ log: () => undefined, stdio: true, secret: () => undefined, patience: 15_000 });
});
afterEach(async () => {
  await servers.close();
  home.remove();
});

it("everything, filesystem and memory work side by side by one entry each", async () => {
  const files = join(home.directory, "files");
  mkdirSync(files);
  writeFileSync(join(files, "note.txt"), "ship on Thursday");
  const text = toolsJson({
    everything: program("everything"),
    filesystem: program("filesystem", files),
    memory: { ...program("memory"), env: { MEMORY_FILE_PATH: join(home.directory, "graph.json") } },
  });
  const trust = ["everything", "filesystem", "memory"];
  const wanted: WantedServers = { home: "h", directory: home.directory, text, trust, secrets: [], sampling: [] };
  const { tools, down } = await servers.offer(wanted);
  expect(down).toEqual([]);
  const run = async (label: string, input: JsonObject, told: string[] = []) => {
    const context = { home: "h", session: "s", call: `c_1_1_${label}`, now: 0, tell: (line: string) => void told.push(line) };
    return runTool(
      tools.find((tool) => tool.label === label),
      input,
      context,
    );
  };
  expect((await run("everything/echo", { message: "hello" })).content).toContain("hello");
  expect((await run("everything/get-sum", { a: "2", b: 3 })).content).toContain("5");
  const picture = await run("everything/get-tiny-image", {});
  expect(Array.isArray(picture.content) && picture.content.some(({ type }) => type === "image")).toBe(true);
  const form = await run("everything/trigger-elicitation-request", {});
  expect(form.asks).toMatchObject({ from: "everything", text: expect.stringContaining("(1 of 3)") });
  servers.release("h", "s");
  const told: string[] = [];
  expect((await run("everything/trigger-long-running-operation", { duration: 0.3, steps: 3 }, told)).failed).toBe(false);
  expect(told.length).toBeGreaterThan(0);
  expect((await run("filesystem/read_text_file", { path: join(files, "note.txt") })).content).toContain("ship on Thursday");
  expect((await run("filesystem/read_text_file", { path: "/etc/passwd" })).failed).toBe(true);
  const entities = [{ name: "Ann", entityType: "person", observations: ["likes tea"] }];
  expect((await run("memory/create_entities", { entities })).failed).toBe(false);
  expect((await run("memory/search_nodes", { query: "tea" })).content).toContain("Ann");
  // Hints count: what only reads asks nobody, what writes does.
  const risk = (label: string) => tools.find((tool) => tool.label === label)?.risk({}, "team");
  expect([risk("filesystem/read_text_file"), risk("filesystem/write_file")]).toEqual(["none", "ask"]);
});
