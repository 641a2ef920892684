import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../src/core/event.ts";
import type { Outcome, Tool, ToolContext, WantedServers } from "../../src/core/ports.ts";
import { openServers, type Servers, type ServersOptions } from "../../src/mcp/servers.ts";
import { type McpHome, mcpEntry, mcpHome, toolsJson } from "../rigs/mcp.ts";
import { mcpHttp } from "../rigs/mcp-http.ts";

let home: McpHome;
let servers: Servers;
const logged: string[] = [];

const open = (options: Partial<ServersOptions> = {}): Servers => {
  servers = openServers({ log: (text) => logged.push(text), stdio: true, secret: () => undefined, ...options });
  return servers;
};
const want = (text: string, more: Partial<WantedServers> = {}): WantedServers => ({
  home: "h",
  directory: home.directory,
  text,
  trust: [],
  secrets: [],
  sampling: [],
  ...more,
});
const run = (tool: Tool | undefined, input: JsonObject = {}, signal = new AbortController().signal): Promise<Outcome> => {
  if (!tool) throw new Error("the tool was not offered");
  const parsed = tool.parse(input);
  if (!parsed.ok) throw new Error(parsed.error);
  return tool.run(parsed.input, { home: "h", session: "s", signal } as ToolContext);
};
const find = (tools: Tool[], label: string): Tool | undefined => tools.find((tool) => tool.label === label);
const alive = (pid: unknown): boolean => {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch {
    return false;
  }
};
const started = () => home.happened().flatMap(({ started: pid }) => (pid ? [Number(pid)] : []));

beforeEach(() => {
  home = mcpHome();
  logged.length = 0;
});
afterEach(async () => {
  await servers.close();
  home.remove();
});

describe("offering", () => {
  it("lists the tools of all pages of all servers, with a label for people and a name for the model", async () => {
    const { tools, down } = await open().offer(want(toolsJson({ ops: mcpEntry(), "log-2": mcpEntry("noisy") })));
    expect(down).toEqual([]);
    expect(find(tools, "ops/echo")?.name).toBe("ops__echo");
    expect(find(tools, "log-2/grow")?.name).toBe("log-2__grow");
    expect(find(tools, "ops/grow")?.description).toBe("The tool grow of the server ops.");
  });

  it("keeps the very same tools from step to step, and one connection for all sessions of the home", async () => {
    const text = toolsJson({ ops: mcpEntry("", { EFFECTS: home.effects }) });
    open();
    const [first, second] = await Promise.all([servers.offer(want(text)), servers.offer(want(text))]);
    const third = await servers.offer(want(text));
    expect(third.tools[0]).toBe(first.tools[0]);
    expect(second.tools[0]).toBe(first.tools[0]);
    expect(started()).toHaveLength(1);
  });

  it("P11: a dead, a silent, a slow and a missing server cost their own tools only, within the patience given", async () => {
    open({ patience: 400, startTimeout: 5000 });
    const text = toolsJson({
      good: mcpEntry(),
      dead: mcpEntry("exit"),
      silent: mcpEntry("silent"),
      gone: { command: "no-such-command-here" },
      old: { url: "http://127.0.0.1:1/sse", transport: "sse" },
    });
    let offered = await servers.offer(want(text));
    // On a busy machine even a good server can need longer than one step.
    while (!find(offered.tools, "good/echo")) offered = await servers.offer(want(text));
    const down = Object.fromEntries(offered.down.map(({ server, why }) => [server, why]));
    expect(Object.keys(down).sort()).toEqual(["dead", "gone", "old", "silent"]);
    expect(down.silent).toBe("it is still starting");
    expect(down.gone).toBe("the command no-such-command-here was not found");
    expect(down.old).toMatch(/ECONNREFUSED|bad port/);
    await vi.waitFor(async () => {
      const again = await servers.offer(want(text));
      expect(again.down.find(({ server }) => server === "dead")?.why).toBe("it ended with code 2: the token is missing");
    });
  });

  it("P11: says the same of a server that failed while it is tried again, and names one that could not even be tried", async () => {
    open({ patience: 0, startTimeout: 60_000 });
    const text = toolsJson({ dead: mcpEntry("exit"), keyed: { url: "https://x.example", headers: { a: `\${NOPE}` } } });
    const said = new Set<string>();
    // Over several tries: it is begun again with growing pauses.
    await vi.waitFor(
      async () => {
        for (const { server, why, starting } of (await servers.offer(want(text))).down) if (server === "dead" && !starting) said.add(why);
        expect(logged.filter((line) => line.includes("dead is down")).length).toBeGreaterThan(1);
      },
      { timeout: 8_000, interval: 20 },
    );
    expect([...said]).toEqual(["it ended with code 2: the token is missing"]);
    expect(servers.now("h").find(({ server }) => server === "keyed")).toMatchObject({ ok: false, detail: expect.stringContaining("NOPE") });
  });

  it("goes on starting a slow server in the background and offers it as soon as it is there", async () => {
    open({ patience: 20 });
    const text = toolsJson({ slow: mcpEntry("slow", { SLOW: "60" }) });
    const first = await servers.offer(want(text));
    expect(first.tools).toEqual([]);
    await vi.waitFor(async () => expect((await servers.offer(want(text))).tools.length).toBeGreaterThan(0), { timeout: 10_000 });
  });

  it("gives a server up that does not answer, and kills it", async () => {
    open({ startTimeout: 300 });
    const text = toolsJson({ silent: mcpEntry("silent", { EFFECTS: home.effects }) });
    const { down } = await servers.offer(want(text));
    expect(down[0]?.why).toBe("it did not answer within 0.3 s");
    await vi.waitFor(() => expect(started().some(alive)).toBe(false));
  });

  it("offers nothing at all from a file that is broken", async () => {
    open();
    const good = toolsJson({ ops: mcpEntry() });
    expect((await servers.offer(want(good))).tools.length).toBeGreaterThan(0);
    const { tools, problem } = await servers.offer(want(good.slice(0, -1)));
    expect(tools).toEqual([]);
    expect(problem).toMatch(/^tools\.json is not valid/);
  });

  it("leaves out what is denied, whatever is allowed", async () => {
    const lists = { allow: ["echo", "ops/d*"], deny: ["d*s"] };
    const { tools } = await open().offer(want(toolsJson({ ops: mcpEntry() }, lists)));
    expect(tools.map(({ label }) => label)).toEqual(["ops/echo", "ops/deploy"]);
  });

  it("starts no process where that is switched off", async () => {
    const { down } = await open({ stdio: false }).offer(want(toolsJson({ ops: mcpEntry("", { EFFECTS: home.effects }) })));
    expect(down[0]?.why).toMatch(/MCP_STDIO/);
    expect(started()).toEqual([]);
  });

  it("makes odd names and schemas fit for the model", async () => {
    const { tools } = await open().offer(want(toolsJson({ ops: mcpEntry("odd") })));
    expect(find(tools, "ops/odd.name/with everything")?.name).toMatch(/^ops__odd_name_with_everything_[a-z0-9]+$/);
    const choice = find(tools, "ops/choice");
    expect(choice?.schema).toEqual({ type: "object", properties: { a: { type: "string" }, b: { type: "string" } } });
    expect(choice?.parse({}).ok).toBe(false);
  });
});

describe("asking and digests", () => {
  it("asks for every tool, but not for one that only reads if its server is trusted", async () => {
    const text = toolsJson({ ops: mcpEntry() });
    const plain = await open().offer(want(text));
    expect(plain.tools.map((tool) => tool.risk({}, "team"))).not.toContain("none");
    const trusted = await servers.offer(want(text, { trust: ["ops"] }));
    expect(find(trusted.tools, "ops/echo")?.risk({}, "team")).toBe("none");
    expect(find(trusted.tools, "ops/echo")?.repeatable).toBe(true);
    expect(find(trusted.tools, "ops/deploy")?.risk({}, "team")).toBe("ask");
    expect(find(trusted.tools, "ops/deploy")?.repeatable).toBe(false);
  });

  it("P3: another entry or another definition is another digest, the same is the same", async () => {
    open();
    const digests = async (entry: object) => (await servers.offer(want(toolsJson({ ops: entry })))).tools[0]?.digest;
    const one = await digests(mcpEntry());
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    const { command, args, env } = mcpEntry();
    expect(await digests({ env, args, command })).toBe(one);
    expect(await digests(mcpEntry("", { A: "1" }))).not.toBe(one);
  });
});

describe("calling", () => {
  it("gives text, pictures and failures as results, and numbers sent as text as numbers", async () => {
    const { tools } = await open().offer(want(toolsJson({ ops: mcpEntry() })));
    expect(await run(find(tools, "ops/echo"), { text: "hi" })).toEqual({ content: "echo: hi", failed: false });
    expect(await run(find(tools, "ops/add"), { a: "1.5", b: "2" })).toEqual({ content: "number number 3.5", failed: false });
    const picture = await run(find(tools, "ops/picture"));
    expect(picture.content).toMatchObject([{ type: "text" }, { type: "image", source: { type: "base64", media_type: "image/png" } }]);
    expect(await run(find(tools, "ops/fails"))).toEqual({ content: "the disk is full", failed: true });
    const refused = await run(find(tools, "ops/refuses"));
    expect(refused.failed).toBe(true);
    expect(refused.content).toContain("no such thing");
    expect(refused.content).not.toContain("unknown");
    expect((await run(find(tools, "ops/flood"), { kilobytes: 3000 })).content).toHaveLength(3000 * 1024);
  });

  it("says that the outcome is unknown when the server dies in a call, and starts it again at the next step", async () => {
    const text = toolsJson({ ops: mcpEntry("", { EFFECTS: home.effects }) });
    const { tools } = await open().offer(want(text));
    const died = await run(find(tools, "ops/dies"));
    expect(died).toMatchObject({
      failed: true,
      content: expect.stringMatching(/server ended during the call.*outcome is unknown/s) as string,
    });
    const after = await run(find(tools, "ops/echo"), { text: "x" });
    expect(after).toEqual({ content: "ops/echo failed: the server is not running.", failed: true });
    const again = await servers.offer(want(text));
    expect((await run(find(again.tools, "ops/echo"), { text: "x" })).content).toBe("echo: x");
    expect(started()).toHaveLength(2);
  });

  it("gives a call up after its time, and on a stop, and tells the server", async () => {
    const text = toolsJson({ ops: mcpEntry("", { EFFECTS: home.effects }) });
    const { tools } = await open({ callTimeout: 200 }).offer(want(text));
    expect(await run(find(tools, "ops/hangs"))).toMatchObject({ failed: true, content: expect.stringMatching(/no answer came/) as string });
    const control = new AbortController();
    const call = run(find(tools, "ops/hangs"), {}, control.signal);
    control.abort();
    expect(await call).toMatchObject({ failed: true, content: expect.stringMatching(/was stopped/) as string });
    await vi.waitFor(() => expect(home.happened().filter(({ cancelled }) => cancelled)).toHaveLength(2));
    expect((await run(find(tools, "ops/echo"), { text: "still there" })).content).toBe("echo: still there");
  });

  it("reaches a server over streamable HTTP with the headers of its entry", async () => {
    const http = await mcpHttp();
    const entry = { url: http.url, headers: { authorization: `Bearer \${TOKEN}` } };
    const { tools } = await open({ secret: () => "t0ken" }).offer(want(toolsJson({ far: entry }), { secrets: ["TOKEN"] }));
    expect((await run(find(tools, "far/who"))).content).toBe("Bearer t0ken");
    await http.stop();
  });

  it("offers a tool that the server adds later", async () => {
    const text = toolsJson({ ops: mcpEntry() });
    const { tools } = await open().offer(want(text));
    await run(find(tools, "ops/grow"));
    await vi.waitFor(async () => expect(find((await servers.offer(want(text))).tools, "ops/grown")).toBeDefined());
  });
});

describe("processes", () => {
  const about = async (tools: Tool[]) => {
    const { content } = await run(find(tools, "ops/about"));
    return JSON.parse(String(content)) as { env: Record<string, string>; cwd: string; pid: number };
  };

  it("P7: see nothing of the product's environment but where programs are", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "sk-secret");
    vi.stubEnv("SECRET_OTHER", "hidden");
    const { tools } = await open().offer(want(toolsJson({ ops: mcpEntry("", { MINE: "1" }) })));
    const { env } = await about(tools);
    const own = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "MINE"];
    expect(Object.keys(env).filter((key) => !own.includes(key))).toEqual([]);
    expect(env.MINE).toBe("1");
    vi.unstubAllEnvs();
  });

  it("P7: get a secret only if policy lists it and it is set; it is masked in what is told", async () => {
    const secret = (name: string) => (name === "TOKEN" ? "t0p-s3cret" : undefined);
    const text = toolsJson({ ops: mcpEntry("", { KEY: `Bearer \${TOKEN}` }) });
    open({ secret });
    const unlisted = await servers.offer(want(text));
    expect(unlisted.down[0]?.why).toMatch(/\$\{TOKEN\}.*policy\.json/);
    const listed = await servers.offer(want(text, { secrets: ["TOKEN"] }));
    expect((await about(listed.tools)).env.KEY).toBe("Bearer t0p-s3cret");
    const missing = await servers.offer(want(toolsJson({ x: { command: `\${TOKEN}` } }), { secrets: ["TOKEN"] }));
    expect(missing.down[0]?.why).toBe("the command ••• was not found");
    expect(logged.join()).not.toContain("t0p-s3cret");
  });

  it("run in the home's files, or where the entry says, never outside by a relative way", async () => {
    mkdirSync(join(home.directory, "files"));
    open();
    const at = async (cwd?: string) => servers.offer(want(toolsJson({ ops: { ...mcpEntry(), ...(cwd && { cwd }) } })));
    expect((await about((await at()).tools)).cwd).toBe(join(home.directory, "files"));
    expect((await about((await at(".")).tools)).cwd).toBe(home.directory);
    expect((await at("../")).down[0]?.why).toMatch(/leads out of the home/);
    expect((await at("nowhere")).down[0]?.why).toMatch(/not a directory/);
  });

  it("end with all their children when the entry changes or goes, but not before a call under way has ended", async () => {
    const effects = { EFFECTS: home.effects };
    open({ callTimeout: 300 });
    const { tools } = await servers.offer(want(toolsJson({ ops: mcpEntry("", effects) })));
    const child = Number((await run(find(tools, "ops/child"))).content);
    const [pid] = started();
    expect([alive(pid), alive(child)]).toEqual([true, true]);
    const under = run(find(tools, "ops/hangs"));
    const changed = await servers.offer(want(toolsJson({ ops: mcpEntry("", { ...effects, NEW: "1" }) })));
    expect(find(changed.tools, "ops/echo")).toBeDefined();
    expect(alive(pid)).toBe(true);
    await under;
    await vi.waitFor(() => expect([alive(pid), alive(child)]).toEqual([false, false]), { timeout: 5000 });
    await servers.offer(want(""));
    await vi.waitFor(() => expect(started().some(alive)).toBe(false), { timeout: 5000 });
  });

  it("end when all is closed, even while they start", async () => {
    open({ patience: 10 });
    await servers.offer(want(toolsJson({ a: mcpEntry("silent", { EFFECTS: home.effects }), b: mcpEntry("", { EFFECTS: home.effects }) })));
    await vi.waitFor(() => expect(started()).toHaveLength(2));
    await servers.close();
    await vi.waitFor(() => expect(started().some(alive)).toBe(false));
    expect(existsSync(home.directory)).toBe(true);
  });
});
