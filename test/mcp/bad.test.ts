/** Servers over stdio that go wrong at each point, in each way: what it costs, what is said, and that nothing hangs. */
import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OfferedServers } from "../../src/core/ports.ts";
import { openServers, type Servers } from "../../src/mcp/servers.ts";
import { runTool } from "../help/run-tool.ts";
import { bad, type McpHome, mcpEntry, mcpHome, toolsJson } from "../rigs/mcp.ts";

let home: McpHome;
let servers: Servers;
beforeAll(() => {
  home = mcpHome();
  servers = openServers({ log: () => undefined, stdio: true, secret: () => undefined, patience: 40_000 });
});
afterAll(() => home.remove());

const POINTS = ["initialize", "tools/list", "tools/call"] as const;
const NONE = /no message of the protocol/;
const LATE = /did not answer within 0\.8 s|no answer came within 0\.8 s/;
const ENDED = (why: RegExp) => new RegExp(`^${why.source}|the server ended during the call: ${why.source}`);
const WELL = /^acted 1$/;
/** What is said of each, wherever it happens. */
const WAYS: [way: string, said: RegExp][] = [
  ["crash", ENDED(/it ended with code 3/)],
  ["hang", LATE],
  ["junk", WELL],
  ["junk without end", ENDED(/it sent more than 64 MB in 10 s/)],
  ["short junk without end", ENDED(/it (?:printed 5000 lines in 10 s that are no messages|sent more than 64 MB)/)],
  ["one line without end", ENDED(/it sent more than 16 MB at once/)],
  ["10 MB in one line", /x{200}…/],
  ["complaints", WELL],
  ["complaints without end", WELL],
  ["half a message", LATE],
  ["no message", NONE],
  ["nothing as a result", NONE],
  ["words as a result", NONE],
  ["an odd error", NONE],
  ["another number", LATE],
  ["a number in words", WELL],
  ["no number", LATE],
  ["twice", WELL],
  ["an answer nested without end", /./],
  ["nested without end and asked by nobody", NONE],
  ["things nobody knows", WELL],
  ["leaves a child", ENDED(/it ended with code 4/)],
];
const offered = async (name: string, entries: Record<string, object>) => {
  const text = toolsJson(entries);
  return servers.offer({ home: name, directory: home.directory, text, trust: Object.keys(entries), secrets: [], sampling: [] });
};
const labelled = ({ tools }: OfferedServers, label: string) => tools.find((one) => one.label === label);

describe.concurrent("P11: a server that goes wrong costs its own tools and says why, and nothing runs twice:", () => {
  it.each(WAYS)("%s", { timeout: 60_000 }, async (way, said) => {
    const effects = (at: string) => ({ EFFECTS: `${home.effects}.${way}.${at.replace("/", "")}` });
    const times = said === LATE ? { startTimeout: 0.8, timeout: 0.8 } : { startTimeout: 40 };
    const entries = Object.fromEntries(POINTS.map((at) => [at.replace("/", "-"), { ...bad(way, at, effects(at)), ...times }]));
    const found = await offered(way, entries);
    for (const at of POINTS) {
      const server = at.replace("/", "-");
      const tool = labelled(found, `${server}/act`);
      const words = tool ? (await runTool(tool)).content : found.down.find((one) => one.server === server)?.why;
      expect(words, at).toMatch(said);
      const ran = existsSync(effects(at).EFFECTS) ? readFileSync(effects(at).EFFECTS, "utf8").trim().split("\n") : [];
      expect(ran.length, at).toBeLessThanOrEqual(1);
    }
  });
});

it("another server beside them works, and all of it is over at once when it is closed", async () => {
  const echo = labelled(await offered("other", { good: mcpEntry() }), "good/echo");
  expect((await runTool(echo, { text: "still here" })).content).toBe("echo: still here");
  const began = performance.now();
  await servers.close();
  expect(performance.now() - began).toBeLessThan(3000);
});

it("what a server asks that nobody declared is refused by the protocol's own code", async () => {
  const found = await offered("asks", { bad: bad("things nobody knows", "tools/list") });
  await runTool(labelled(found, "bad/act"));
  const heard = JSON.parse(String((await runTool(labelled(found, "bad/heard"))).content)) as unknown[];
  const methods = ["roots/list", "tasks/list", "tasks/get", "sampling/createMessage", "who/knows"];
  expect(heard).toEqual(methods.map((id) => ({ id, code: -32601 })));
});

it.each(["answers without end", "requests without end"])("P11: %s are counted as what nobody asked for", async (way) => {
  await offered(way, { bad: bad(way, "tools/list") });
  const cut = /^it sent (?:5000 messages in 10 s that nobody asked for|more than 64 MB)/;
  await expect.poll(() => servers.now(way)[0]?.detail, { timeout: 3000 }).toMatch(cut);
});

it("complaints without end leave this process to others", async () => {
  await offered("complains", { bad: bad("complaints without end", "initialize") });
  const before = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(250);
  await servers.close();
});
