/** Signing in at servers: the link, the answer, tokens at rest and in use, and what they are never used for. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OfferedServers, Tool, WantedServers } from "../../src/core/ports.ts";
import { signInDoor } from "../../src/mcp/door.ts";
import { openServers, type Servers, type ServersOptions } from "../../src/mcp/servers.ts";
import { runTool } from "../help/run-tool.ts";
import { type McpHome, mcpHome, toolsJson } from "../rigs/mcp.ts";
import { mcpHttp } from "../rigs/mcp-http.ts";
import { signInRig } from "../rigs/sign-in.ts";

const PUBLIC = "https://denizen.example";
const KEY = randomBytes(32);
const [ann, ben] = [
  { id: "slack:U1", name: "Ann <b>" },
  { id: "slack:U2", name: "Ben" },
];
let home: McpHome;
let rig: Awaited<ReturnType<typeof mcpHttp>>;
let people: Awaited<ReturnType<typeof signInRig>>;
let servers: Servers;
let text: string;
const logged: string[] = [];

const folder = () => join(home.directory, "sealed");
const open = (more: Partial<ServersOptions["signIn"]> = {}) => {
  const wanted = async () => want(ann);
  const warn = (line: string) => logged.push(line);
  const signIn = { folder: folder(), key: KEY, publicUrl: PUBLIC, wanted, warn, ...more };
  servers = openServers({ log: (line) => logged.push(line), stdio: true, secret: () => undefined, signIn });
};
const want = (by: WantedServers["by"]): WantedServers => {
  const common = { home: "h", directory: home.directory, text, trust: ["far"], secrets: [], sampling: [] };
  return by ? { ...common, by } : common;
};
const entry = (more: object = {}) => {
  text = toolsJson({ far: { url: rig.url, oauth: { issuer: people.origin }, ...more } });
};
const who = ({ tools }: OfferedServers): Tool | undefined => tools.find(({ label }) => label === "far/who");
const link = async (by = ann): Promise<string> => {
  const connected = await servers.connect(want(by), "far");
  if (!connected.ok || !connected.link) throw new Error(JSON.stringify(connected));
  return connected.link;
};
/** Opens a link as a browser does, up to the page that comes back to us. */
const follow = async (to: string): Promise<Response> => {
  const answer = await fetch(to, { redirect: "manual" });
  const page = await signInDoor(servers, PUBLIC)(new Request(answer.headers.get("location") ?? ""));
  if (!page) throw new Error("nobody answered");
  return page;
};
const signIn = async (by = ann) => {
  const page = await follow(await link(by));
  expect(page.status).toBe(200);
  rig.ways.token = people.token();
  return page;
};

beforeEach(async () => {
  home = mcpHome();
  logged.length = 0;
  people = await signInRig(() => rig.url);
  rig = await mcpHttp({ token: "nobody has it", metadata: people.metadata });
  entry();
});
afterEach(async () => {
  await servers.close();
  await Promise.all([rig.stop(), people.stop()]);
  home.remove();
});

describe("a home's own sign-in", () => {
  it("is asked of administrators in words; the link leads to tools at the next step", async () => {
    open();
    const before = await servers.offer(want(ann));
    expect(before.down).toEqual([{ server: "far", why: "an administrator has to connect it: `/tools connect far`", signIn: true }]);
    // Nothing is registered anywhere because somebody said something.
    expect([people.registered(), before.asks]).toEqual([0, undefined]);
    const url = new URL(await link());
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      redirect_uri: `${PUBLIC}/oauth/mcp/callback`,
      resource: rig.url,
    });
    expect(url.searchParams.get("state")?.length).toBeGreaterThan(30);
    expect(await link()).toBe(url.href);
    await signIn();
    const found = who(await servers.offer(want(ben)));
    expect((await runTool(found)).failed).toBe(false);
    expect(servers.whose(want(ann), "far")).toBe("home");
  });

  it("P9: is kept encrypted, for this home alone, and what the server sends back of it is masked", async () => {
    open();
    await signIn();
    const result = await runTool(who(await servers.offer(want(ann))));
    expect(result.content).toBe("Bearer •••");
    await servers.close();
    rig.ways.tells = true;
    open();
    expect(who(await servers.offer(want(ann)))?.description).toContain("Shown: Bearer •••");
    const [file = ""] = readdirSync(folder());
    expect(statSync(join(folder(), file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder(), file)).toString("latin1")).not.toContain(people.token());
    expect(logged.join()).not.toContain(people.token());
  });

  it("outlives a restart, also one between the link and its answer", async () => {
    open();
    const to = await link();
    await servers.close();
    open();
    expect((await follow(to)).status).toBe(200);
    rig.ways.token = people.token();
    await servers.close();
    open();
    expect((await runTool(who(await servers.offer(want(ann))))).failed).toBe(false);
    expect(people.registered()).toBe(1);
  });

  it("with another key is forgotten in words, and nothing is lost of the file", async () => {
    open();
    await signIn();
    await servers.close();
    open({ key: randomBytes(32) });
    expect((await servers.offer(want(ann))).down[0]?.why).toMatch(/has to connect it/);
    expect(logged.join()).toMatch(/cannot be read with this ENCRYPTION_KEY/);
    expect(readdirSync(folder())).toEqual(["h.sealed.unreadable"]);
  });

  it("is never shown to another address that tools.json names later", async () => {
    open();
    await signIn();
    const other = await mcpHttp({ token: "x" });
    text = toolsJson({ far: { url: other.url } });
    expect((await servers.offer(want(ann))).down[0]?.why).toMatch(/has to connect it/);
    expect(other.asked.length).toBeGreaterThan(0);
    expect(other.asked.some(({ headers }) => headers.authorization)).toBe(false);
    await other.stop();
  });

  it("is refreshed once for all calls that find it expired, and people are told nothing", async () => {
    open();
    await signIn();
    const found = who(await servers.offer(want(ann)));
    const old = people.token();
    const refreshed = vi.waitFor(() => {
      expect(people.token()).not.toBe(old);
      rig.ways.token = people.token();
    });
    rig.ways.token = "changed";
    people.ways.onToken = () => (rig.ways.token = people.token());
    const all = await Promise.all([runTool(found), runTool(found), runTool(found), refreshed]);
    expect(all.slice(0, 3).map((result) => (result as { failed: boolean }).failed)).toEqual([false, false, false]);
    expect(people.asked.filter((path) => path === "POST /token")).toHaveLength(2);
  });

  it("whose refresh token is worth nothing any more asks an administrator again", async () => {
    open();
    await signIn();
    const found = who(await servers.offer(want(ann)));
    people.forget();
    rig.ways.token = "changed";
    expect(await runTool(found)).toMatchObject({ failed: true, content: expect.stringMatching(/wants somebody to sign in/) as string });
    expect((await servers.offer(want(ann))).down[0]?.why).toMatch(/has to connect it/);
    await signIn();
    expect((await runTool(who(await servers.offer(want(ann))))).failed).toBe(false);
  });

  it("is not asked for again because the sign-in server is down", async () => {
    open();
    await signIn();
    const found = who(await servers.offer(want(ann)));
    people.ways.down = true;
    rig.ways.token = "changed";
    expect((await runTool(found)).failed).toBe(true);
    people.ways.down = false;
    people.ways.onToken = () => (rig.ways.token = people.token());
    await vi.waitFor(async () => expect((await runTool(who(await servers.offer(want(ann))))).failed).toBe(false));
  });

  it("that allows too little leads to a link for more, and what was given goes on counting", async () => {
    open();
    await signIn();
    const found = who(await servers.offer(want(ann)));
    rig.ways.scope = "files:write";
    expect(await runTool(found)).toMatchObject({ failed: true, content: expect.stringMatching(/wants somebody to sign in/) as string });
    rig.ways.scope = undefined;
    expect((await runTool(who(await servers.offer(want(ann))))).failed).toBe(false);
    expect(new URL(await link()).searchParams.get("scope")).toBe("files:write");
  });

  it("is asked for also where a server lists its tools to everybody, and refuses only calls", async () => {
    rig.ways.lists = true;
    rig.ways.wellKnown = people.metadata;
    open();
    expect(await runTool(who(await servers.offer(want(ann))))).toMatchObject({ failed: true });
    expect((await servers.offer(want(ann))).down[0]?.why).toMatch(/has to connect it/);
    await signIn();
    expect((await runTool(who(await servers.offer(want(ann))))).content).toBe("Bearer •••");
  });

  it("ends with /tools disconnect, here and at the server", async () => {
    open();
    await signIn();
    await servers.offer(want(ann));
    const token = people.token();
    expect(await servers.disconnect(want(ann), "far")).toMatchObject({ ok: true, text: expect.stringMatching(/is gone/) as string });
    expect(people.revoked).toContain(token);
    expect((await servers.offer(want(ann))).down[0]?.why).toMatch(/has to connect it/);
    expect(await servers.disconnect(want(ann), "far")).toEqual({ ok: true, text: "far was not connected." });
  });
});

describe("a person's own sign-in", () => {
  beforeEach(() => entry({ auth: "person" }));

  it("is asked of each person once, privately, and used in their turns only", async () => {
    open();
    const first = await servers.offer(want(ann));
    expect(first.asks).toHaveLength(1);
    expect(first.down).toEqual([
      { server: "far", why: `${ann.name} has not signed in to it yet: \`/tools connect far\``, own: true, signIn: true },
    ]);
    expect(first.asks?.[0]).toContain(people.origin);
    // The same sentence, which is told once; and no other link.
    expect((await servers.offer(want(ann))).asks).toEqual(first.asks);
    await servers.close();
    open();
    expect((await servers.offer(want(ann))).asks).toBeUndefined();
    await signIn(ann);
    expect((await runTool(who(await servers.offer(want(ann))))).failed).toBe(false);
    const bens = await servers.offer(want(ben));
    expect([who(bens), bens.asks?.length]).toEqual([undefined, 1]);
    expect(rig.asked.filter(({ headers }) => headers.authorization).length).toBeGreaterThan(0);
    expect((await servers.offer(want(undefined))).down[0]?.why).toMatch(/nobody's turn/);
  });

  it("of one person is never shown for another", async () => {
    open();
    await signIn(ann);
    const anns = people.token();
    const tool = who(await servers.offer(want(ann)));
    await signIn(ben);
    const bens = people.token();
    await servers.offer(want(ben));
    rig.asked.length = 0;
    rig.ways.token = anns;
    await runTool(tool);
    const shown = rig.asked.flatMap(({ headers }) => headers.authorization ?? []);
    expect([shown.includes(`Bearer ${anns}`), shown.includes(`Bearer ${bens}`)]).toEqual([true, false]);
    await servers.disconnect(want(ben), "far");
    expect((await runTool(who(await servers.offer(want(ann))))).failed).toBe(false);
  });
});

describe("the pages", () => {
  const door = (path: string, init?: RequestInit) => signInDoor(servers, PUBLIC)(new Request(`${PUBLIC}${path}`, init));

  it("say for whom a server was connected, escaped, and let that be taken back once", async () => {
    entry({ auth: "person" });
    open();
    const page = await signIn(ann);
    const html = await page.text();
    expect(html).toContain("far is connected for Ann &#60;b&#62;, in the home h.");
    expect(page.headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(who(await servers.offer(want(ann)))).toBeDefined();
    const [, token = ""] = /name="token" value="([^"]+)"/.exec(html) ?? [];
    const undo = () => door("/oauth/mcp/undo", { method: "POST", body: new URLSearchParams({ token }) });
    expect((await undo())?.status).toBe(200);
    expect(who(await servers.offer(want(ann)))).toBeUndefined();
    expect((await undo())?.status).toBe(404);
  });

  it("P2: take an answer once, and none that nobody asked for", async () => {
    open();
    const to = await link();
    const back = (await fetch(to, { redirect: "manual" })).headers.get("location") ?? "";
    const answer = async (url: string) => (await signInDoor(servers, PUBLIC)(new Request(url)))?.status;
    expect(await answer(back.replace(/state=[^&]+/, "state=guess"))).toBe(400);
    expect(await answer(`${back}&iss=https%3A%2F%2Fevil.example`)).toBe(400);
    expect(await answer(back)).toBe(200);
    expect(await answer(back)).toBe(400);
    expect(await answer(`${PUBLIC}/oauth/mcp/callback`)).toBe(400);
  });

  it("P9: take no answer of another sign-in server, whose code this one would be handed, also where a server says nothing of itself", async () => {
    open();
    const tries = async (...given: string[]) => {
      const back = (await fetch(await link(), { redirect: "manual" })).headers.get("location") ?? "";
      const found = [];
      for (const more of given) found.push((await signInDoor(servers, PUBLIC)(new Request(back + more)))?.status);
      return found;
    };
    people.ways.bare = true;
    expect(await tries("&iss=https%3A%2F%2Fevil.example", `&iss=${encodeURIComponent(people.origin)}`)).toEqual([400, 200]);
    await servers.disconnect(want(ann), "far");
    [people.ways.bare, people.ways.names] = [false, true];
    expect(await tries("", `&iss=${encodeURIComponent(people.origin)}`)).toEqual([400, 200]);
  });

  it("take no answer to a link that is more than a day old", async () => {
    open();
    const to = await link();
    vi.useFakeTimers({ now: Date.now() + 25 * 3_600_000, toFake: ["Date"] });
    const page = await follow(to);
    expect(await page.text()).toContain("more than a day old");
    expect(await link()).not.toBe(to);
    vi.useRealTimers();
  });

  it("say that people refused", async () => {
    open();
    people.ways.refuses = true;
    expect(await (await follow(await link())).text()).toContain("far was not connected: access_denied.");
    expect(await (await fetch(await link(), { redirect: "manual" })).status).toBe(302);
  });

  it("describe the product for servers that read that, and are nobody's elsewhere", async () => {
    open();
    const about = (await (await door("/client-metadata.json"))?.json()) as { client_id: string; redirect_uris: string[] };
    expect(about).toMatchObject({ client_id: `${PUBLIC}/client-metadata.json`, redirect_uris: [`${PUBLIC}/oauth/mcp/callback`] });
    expect((await door("/oauth/mcp/else"))?.status).toBe(404);
    expect(await door("/healthz")).toBeUndefined();
  });
});

describe("what is missing is said in words", () => {
  it.each([
    [{ key: undefined }, /ENCRYPTION_KEY\.$/],
    [{ publicUrl: undefined }, /PUBLIC_URL\.$/],
    [{ key: undefined, publicUrl: undefined }, /ENCRYPTION_KEY and PUBLIC_URL\.$/],
    [{ unreachable: "no answer can arrive" }, /^No answer can arrive\.$/],
  ])("%j", async (more, words) => {
    open(more);
    const connected = await servers.connect(want(ann), "far");
    expect(connected.ok ? "" : connected.why).toMatch(words);
    expect((await servers.offer(want(ann))).down[0]?.why).toMatch(/^it wants a sign-in, and /);
  });

  it("what cannot be connected", async () => {
    open();
    text = toolsJson({ near: { command: "x" }, keyed: { url: rig.url, headers: { Authorization: "Bearer x" } }, free: { url: rig.url } });
    rig.ways.token = undefined;
    const said = async (server: string) => {
      const connected = await servers.connect(want(ann), server);
      return connected.ok ? connected.text : connected.why;
    };
    expect(await said("none")).toMatch(/no server named none/);
    expect(await said("near")).toMatch(/program here/);
    expect(await said("keyed")).toMatch(/by its entry/);
    expect(await said("free")).toBe("free needs no sign-in: 5 tools.");
  });
});

describe("P7: discovery goes nowhere that nobody wrote", () => {
  it.each(["http://localhost:4999", "http://169.254.169.254/latest", "http://10.0.0.1", "http://[::1]:1", "http://0x7f000002:1"])(
    "a server that says people sign in at %s is refused in words",
    async (issuer) => {
      open();
      people.ways.issuer = issuer;
      const connected = await servers.connect(want(ann), "far");
      expect(connected.ok ? "" : connected.why).toMatch(/inside this machine's network that nobody wrote into tools\.json/);
    },
  );

  it("another door of the host that a person wrote is another address", async () => {
    open();
    entry({ oauth: undefined });
    const connected = await servers.connect(want(ann), "far");
    expect(connected.ok ? "" : connected.why).toMatch(/127\.0\.0\.1, an address inside this machine's network/);
    expect(people.asked).toEqual([]);
    expect((await servers.offer(want(ann))).down[0]).toMatchObject({ server: "far" });
  });

  it("but does go where a person wrote it", async () => {
    open();
    expect(await link()).toContain("/authorize?");
  });
});
