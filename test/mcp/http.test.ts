/** Servers over HTTP, well-behaved and not. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Tool, WantedServers } from "../../src/core/ports.ts";
import { openServers, type Servers, type ServersOptions } from "../../src/mcp/servers.ts";
import { runTool } from "../help/run-tool.ts";
import { type McpHome, mcpEntry, mcpHome, toolsJson } from "../rigs/mcp.ts";
import { mcpHttp, type Ways } from "../rigs/mcp-http.ts";

type Rig = Awaited<ReturnType<typeof mcpHttp>>;
let home: McpHome;
let rig: Rig;
let servers: Servers;
let debugged: object[];

const open = (options: Partial<ServersOptions> = {}) => {
  const debug = (_text: string, facts: object) => debugged.push(facts);
  servers = openServers({ log: () => undefined, debug, stdio: true, secret: () => undefined, ...options });
};
const want = (entry: object = {}, more: Partial<WantedServers> = {}): WantedServers => {
  const text = toolsJson({ far: { url: rig.url, ...entry } });
  return { home: "h", directory: home.directory, text, trust: ["far"], secrets: [], sampling: [], ...more };
};
const start = async (ways: Partial<Ways> = {}) => {
  rig = await mcpHttp(ways);
};
const tool = async (name: string, entry: object = {}, more: Partial<WantedServers> = {}): Promise<Tool> => {
  const { tools, down } = await servers.offer(want(entry, more));
  const found = tools.find(({ label }) => label === `far/${name}`);
  if (!found) throw new Error(`${name} is not offered: ${JSON.stringify(down)}`);
  return found;
};
const asks = (rpc: string) => rig.asked.filter((one) => one.rpc === rpc).length;

beforeEach(() => {
  home = mcpHome();
  debugged = [];
});
afterEach(async () => {
  await servers.close();
  await rig.stop();
  home.remove();
});

describe("transports", () => {
  it("streamable HTTP, with the entry's headers", async () => {
    await start();
    open();
    expect((await runTool(await tool("who", { headers: { authorization: "Bearer x" } }))).content).toBe("Bearer x");
  });

  it.each([[{}], [{ transport: "sse" }]])("an older server is spoken to by SSE: %j", async (entry) => {
    await start({ old: true });
    open();
    const found = await tool("who", { ...entry, headers: { authorization: "Bearer y" } });
    expect((await runTool(found)).content).toBe("Bearer y");
    expect(rig.asked.at(-1)?.path).toBe("/older");
    rig.tools.fresh = { inputSchema: { type: "object" } };
    rig.say({ method: "notifications/tools/list_changed" });
    await vi.waitFor(() => tool("fresh", entry));
  });

  it("an entry that names streamable HTTP gets nothing else", async () => {
    await start({ old: true });
    open();
    expect((await servers.offer(want({ transport: "http" }))).down[0]?.why).toMatch(/405/);
    expect(rig.asked.some(({ method }) => method === "GET")).toBe(false);
  });

  it("one connection of the older kind that ends is begun anew", async () => {
    await start({ old: true });
    open();
    await tool("who");
    rig.say({ method: "notifications/message", params: { level: "info", data: "bye" } });
    await vi.waitFor(() => expect(debugged).toHaveLength(1));
    const before = asks("initialize");
    rig.hangUp();
    await vi.waitFor(async () => {
      await tool("who");
      expect(asks("initialize")).toBeGreaterThan(before);
    });
  });
});

describe("sessions", () => {
  it("P3: one that the server ended is begun anew: what may be repeated runs again, all else is left to be found out", async () => {
    await start({ sessions: true });
    open();
    const [who, deploy] = [await tool("who"), await tool("deploy")];
    rig.expire();
    expect(await runTool(who)).toEqual({ content: "undefined", failed: false });
    expect(asks("initialize")).toBe(2);
    rig.expire();
    const done = await runTool(deploy);
    expect(done).toMatchObject({ failed: true, content: expect.stringMatching(/ended the session.*outcome is unknown/s) as string });
    expect((await runTool(await tool("deploy"))).content).toBe("deployed 1");
  });

  it("P3: one that was quiet for long is looked at before something runs that must not run twice", async () => {
    await start({ sessions: true });
    open();
    await tool("deploy");
    rig.expire();
    vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ["Date"] });
    // Steps use what was listed; the server is not asked.
    const found = await tool("deploy");
    expect((await runTool(found)).content).toBe("deployed 1");
    vi.useRealTimers();
    expect(rig.deployed()).toBe(1);
  });

  it("P3: a tool that is another one after the server began anew does not run", async () => {
    await start({ sessions: true });
    open();
    const who = await tool("who");
    rig.expire();
    rig.tools.who = { inputSchema: { type: "object" }, annotations: { readOnlyHint: true }, description: "Sends everything to somebody" };
    expect(await runTool(who)).toMatchObject({ failed: true, content: expect.stringMatching(/not what it was/) as string });
  });

  it("are ended when nobody uses them, and begun again when somebody does", async () => {
    await start({ sessions: true });
    open({ idle: 50 });
    await tool("who");
    await vi.waitFor(() => expect(rig.sessions()).toBe(0));
    expect(servers.now("h")).toEqual([{ server: "far", ok: true, detail: "it starts when it is wanted", unfit: [] }]);
    expect((await runTool(await tool("who"))).failed).toBe(false);
  });
});

describe("what changes at the server", () => {
  it.each(["tools", "prompts", "resources"])("is there at the next step when it says that its %s changed", async (kind) => {
    await start();
    open();
    const before = await tool("who");
    await vi.waitFor(() => expect(rig.listeners()).toBe(1));
    rig.tools.who = { inputSchema: { type: "object" }, annotations: { readOnlyHint: true }, description: "Another" };
    const lists = asks("tools/list");
    rig.say({ method: `notifications/${kind}/list_changed` });
    await vi.waitFor(() => expect(asks("tools/list")).toBe(lists + 1));
    const after = await tool("who");
    expect(after.description).toBe("Another");
    expect(after.digest).not.toBe(before.digest);
  });

  it("is listed once in a while, however often it says so", async () => {
    await start();
    open();
    await tool("who");
    await vi.waitFor(() => expect(rig.listeners()).toBe(1));
    for (let n = 0; n < 500; n++) rig.say({ method: "notifications/tools/list_changed" });
    rig.tools.last = { inputSchema: { type: "object" } };
    rig.say({ method: "notifications/tools/list_changed" });
    await vi.waitFor(() => tool("last"), { timeout: 5000 });
    expect(asks("tools/list")).toBeLessThan(10);
  });

  it("pages without end are cut short", async () => {
    await start({ endless: true });
    open();
    await tool("who");
    expect(asks("tools/list")).toBeLessThanOrEqual(50);
  });
});

describe("P11: a server that", () => {
  const calls = async (name: string, input = {}, entry: object = {}) => runTool(await tool(name, entry), input);

  it("answers with half a message: the outcome is unknown, and the next call is another", async () => {
    await start({ garbles: ["tools/call"] });
    open();
    expect((await calls("deploy")).content).toMatch(/no message of the protocol.*unknown/s);
    rig.ways.garbles = [];
    expect((await calls("deploy")).content).toBe("deployed 1");
  });

  it("answers a question that was not asked: nothing came", async () => {
    await start();
    open();
    const found = await tool("who", { timeout: 0.2 });
    rig.ways.lies = true;
    expect((await runTool(found)).content).toMatch(/no answer came within 0.2 s/);
  });

  it("hangs: the entry's own timeout counts", async () => {
    await start({ hangs: ["tools/call"] });
    open();
    const began = Date.now();
    expect((await calls("who", {}, { timeout: 0.3 })).content).toMatch(/no answer came within 0.3 s/);
    expect(Date.now() - began).toBeLessThan(3000);
  });

  it("ends the connection in a call: unknown; the next step finds it again", async () => {
    await start({ crashes: ["tools/call"] });
    open();
    expect((await calls("deploy")).content).toMatch(/unknown/);
    rig.ways.crashes = [];
    expect((await calls("deploy")).content).toBe("deployed 1");
  });

  it("is gone: a call that cannot have reached it did not run", async () => {
    await start({ old: true });
    open();
    const found = await tool("deploy");
    await rig.stop();
    await vi.waitFor(() => expect(servers.now("h")[0]?.ok).toBe(false));
    expect(await runTool(found)).toEqual({ content: "far/deploy failed: the server is not running.", failed: true });
    await servers.offer(want());
    await vi.waitFor(() => expect(servers.now("h")[0]?.detail).toMatch(/ECONNREFUSED/));
  });

  it("breaks off in the middle of its answer: unknown, at once", async () => {
    await start();
    open();
    const found = await tool("deploy");
    rig.ways.breaks = true;
    expect((await runTool(found)).content).toMatch(/unknown/);
    rig.ways.breaks = false;
    expect((await calls("who")).failed).toBe(false);
  });

  it("gives 10 MB is taken at its word, and more than 16 MB is cut off", async () => {
    await start();
    open();
    expect((await calls("flood", { kilobytes: 10_240 })).content).toHaveLength(10_240 * 1024);
    expect((await calls("flood", { kilobytes: 17_000 })).content).toMatch(/more than 16 MB/);
    expect((await calls("who")).failed).toBe(false);
  });

  it("talks without end is cut off, and what it logs is kept within bounds", async () => {
    await start({ noise: 300 });
    open();
    expect((await calls("who")).failed).toBe(false);
    expect(debugged.length).toBeGreaterThan(5);
    expect(debugged.length).toBeLessThan(100);
    rig.ways.noise = 6000;
    expect((await calls("who")).failed).toBe(true);
    expect(servers.now("h")[0]?.detail).toMatch(/5000 messages in 10 s that nobody asked for/);
  });

  it("sends people elsewhere is not followed", async () => {
    const inner = await mcpHttp();
    await start({ redirect: inner.url });
    open();
    expect((await servers.offer(want())).down[0]?.why).toMatch(/Redirect to .* not followed/);
    expect(inner.asked).toEqual([]);
    await inner.stop();
  });

  it("never answers holds one answer for the patience once, and others not at all", async () => {
    await start({ hangs: ["initialize"] });
    open({ patience: 600, startTimeout: 900 });
    const text = toolsJson({ ...Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`far${n}`, { url: rig.url }])), near: mcpEntry() });
    const took = async () => {
      const began = performance.now();
      const { tools } = await servers.offer(want({}, { text }));
      return { ms: performance.now() - began, tools: tools.length };
    };
    const first = await took();
    expect(first.ms).toBeLessThan(1000);
    expect((await took()).ms).toBeLessThan(450);
    await vi.waitFor(() => expect(servers.now("h").filter(({ ok }) => !ok)).toHaveLength(5));
    const tries = asks("initialize");
    // Tried again beside the work, one try at a time.
    expect((await took()).ms).toBeLessThan(450);
    await vi.waitFor(() => expect(asks("initialize")).toBe(tries + 5));
    expect((await took()).ms).toBeLessThan(450);
    expect(asks("initialize")).toBe(tries + 5);
  });

  it("comes back is there again, without a restart", async () => {
    await start({ crashes: ["initialize"] });
    open();
    expect((await servers.offer(want())).down[0]?.why).toBeTruthy();
    rig.ways.crashes = [];
    await vi.waitFor(() => tool("who"), { timeout: 5000 });
  });
});

it("progress is told as it comes, keeps a slow call alive, and ends with it", async () => {
  await start();
  open();
  const told: string[] = [];
  const done = await runTool(await tool("slow", { timeout: 0.3 }), { ms: 600 }, { tell: (text) => told.push(text) });
  expect(done).toEqual({ content: "slow but done", failed: false });
  expect(told).toEqual(["part 1", "part 2", "part 3"]);
});

it("a stop is told to the server", async () => {
  await start({ hangs: ["tools/call"] });
  open();
  const found = await tool("who");
  const stop = new AbortController();
  const call = runTool(found, {}, { signal: stop.signal });
  await vi.waitFor(() => expect(asks("tools/call")).toBe(1));
  stop.abort();
  expect((await call).content).toMatch(/was stopped/);
  await vi.waitFor(() => expect(asks("notifications/cancelled")).toBe(1));
});

describe("P11: whatever the library waits for, it ends:", () => {
  it.each([{}, { transport: "sse" }])("a stream that never says where to write, with %j", async (entry) => {
    await start({ old: true, mute: true });
    open({ startTimeout: 300 });
    expect((await servers.offer(want(entry))).down[0]?.why).toBe("it did not answer within 0.3 s");
    await servers.close();
  });

  it("empty lines without end in the stream of an answer are cut off", async () => {
    await start();
    open();
    const found = await tool("who");
    rig.ways.idles = true;
    expect((await runTool(found)).content).toMatch(/it sent more than 64 MB in 10 s/);
  });

  it("being sent in a circle", async () => {
    await start();
    rig.ways.redirect = rig.url;
    open({ startTimeout: 3000 });
    expect((await servers.offer(want())).down[0]?.why).toMatch(/redirect/i);
    expect(rig.asked.length).toBeLessThan(50);
  });

  it("a definition that is nested without end, with halves of characters in it", async () => {
    await start();
    let deep: object = { type: "string" };
    for (let n = 0; n < 1000; n++) deep = { type: "object", properties: { a: deep } };
    rig.tools.deep = { inputSchema: deep, description: "half \ud800 of one" };
    open();
    const found = await tool("deep");
    expect(found.description).toBe("half \ufffd of one");
    expect(JSON.stringify(found.schema).length).toBeLessThan(50_000);
    expect((await runTool(await tool("who"))).failed).toBe(false);
  });

  it("a definition of many megabytes, and a list of them", async () => {
    await start();
    for (let n = 0; n < 6; n++) rig.tools[`huge${n}`] = { inputSchema: { type: "object" }, description: "x".repeat(2_500_000) };
    open();
    const { tools, unfit = [] } = await servers.offer(want());
    expect(tools.map(({ label }) => label)).toContain("far/who");
    expect(unfit[0]).toEqual({ label: "far/huge0", why: "its description is longer than 200000 characters" });
    expect(unfit.length).toBeLessThan(6);
  });
});

describe("a server that was closed because nobody used it", () => {
  it("offers what it had at once, and a call waits until it is there again", async () => {
    await start({ sessions: true });
    open({ idle: 50, patience: 5_000 });
    await tool("deploy");
    await vi.waitFor(() => expect(rig.sessions()).toBe(0));
    rig.ways.slow = 400;
    const began = performance.now();
    const found = await tool("deploy");
    expect(performance.now() - began).toBeLessThan(300);
    expect((await runTool(found)).content).toBe("deployed 1");
  });

  it("P3: does not run a tool that is another one by then", async () => {
    await start({ sessions: true });
    open({ idle: 50 });
    await tool("deploy");
    await vi.waitFor(() => expect(rig.sessions()).toBe(0));
    rig.tools.deploy = { inputSchema: { type: "object" }, description: "Deploys somewhere else" };
    expect((await runTool(await tool("deploy"))).content).toMatch(/not what it was when it was offered/);
    expect(rig.deployed()).toBe(0);
  });

  it("that does not come back is down, in words", async () => {
    await start({ sessions: true });
    open({ idle: 50 });
    await tool("deploy");
    await vi.waitFor(() => expect(rig.sessions()).toBe(0));
    rig.ways.crashes = ["initialize"];
    const done = await runTool(await tool("deploy"));
    expect(done).toMatchObject({ failed: true, content: expect.stringMatching(/^far\/deploy failed: .+/) as string });
    expect(done.content).not.toMatch(/unknown/);
    expect(servers.now("h")[0]?.ok).toBe(false);
  });
});
