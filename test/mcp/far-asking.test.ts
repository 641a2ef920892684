/** Servers at addresses that ask people while their tools run, over both transports; and what keeps questions apart. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Decided } from "../../src/core/calls.ts";
import type { JsonObject } from "../../src/core/event.ts";
import type { Outcome, ToolContext } from "../../src/core/ports.ts";
import { openServers, type Servers, type ServersOptions } from "../../src/mcp/servers.ts";
import { runTool } from "../help/run-tool.ts";
import { type McpHome, mcpHome, toolsJson } from "../rigs/mcp.ts";
import { mcpHttp, type Ways } from "../rigs/mcp-http.ts";
import { signInRig } from "../rigs/sign-in.ts";

let home: McpHome;
let rig: Awaited<ReturnType<typeof mcpHttp>>;
let servers: Servers;
beforeEach(() => {
  home = mcpHome();
});
afterEach(async () => {
  await servers.close();
  await rig.stop();
  home.remove();
});

const open = async (ways: Partial<Ways> = {}, options: Partial<ServersOptions> = {}) => {
  rig = await mcpHttp(ways);
  servers = openServers({ log: () => undefined, stdio: true, secret: () => undefined, ...options });
};
const ask = async (context: Partial<ToolContext> = {}, input: JsonObject = {}, entry: object = {}): Promise<Outcome> => {
  const text = toolsJson({ far: { url: rig.url, ...entry } });
  const { tools } = await servers.offer({ home: "h", directory: home.directory, text, trust: [], secrets: [], sampling: [] });
  const tool = tools.find(({ label }) => label === "far/ask");
  return runTool(tool, input, { call: "1.1.0", session: "a", ...context });
};
/** It is heard a moment after it was said. */
const takenBack = async () => {
  await vi.waitFor(() => expect(rig.takenBack()).toBe(1));
  await new Promise((resolve) => setTimeout(resolve, 50));
};
const BY = { id: "stage:ann", name: "Ann", kind: "member" } as const;
const said = (values: JsonObject): Decided => ({ how: "answered", by: [BY], at: 1, reason: "", values });
const NO: Decided = { how: "denied", by: [BY], at: 1, reason: "" };
const LATE: Decided = { how: "expired", by: [], at: 1, reason: "" };

describe.each([
  ["streamable HTTP", {}],
  ["streamable HTTP with sessions", { sessions: true }],
  ["SSE", { old: true }],
])("over %s", (_name, ways) => {
  it.each<[string, Decided, object]>([
    ["answered", said({ which: "that" }), { action: "accept", content: { which: "that" } }],
    ["declined", NO, { action: "decline" }],
    ["not answered", LATE, { action: "cancel" }],
  ])("a form is put to people, and it is told that it was %s", async (_how, answer, told) => {
    await open(ways);
    expect((await ask()).asks).toMatchObject({ from: "far", text: "Which one?", fields: [{ id: "which", kind: "text" }] });
    expect(JSON.parse(String((await ask({ answer })).content))).toEqual(told);
  });

  it("a page is shown with its address", async () => {
    await open({ ...ways, asks: { mode: "url", message: "Sign here", url: "https://sign.example/a", elicitationId: "e" } });
    expect((await ask()).asks).toMatchObject({ from: "far", url: "https://sign.example/a" });
    expect((await ask({ answer: said({}) })).content).toBe('{"action":"accept"}');
  });

  it("a stop while people are asked is told to the server", async () => {
    await open(ways);
    await ask();
    servers.release("h", "a");
    await vi.waitFor(() => expect(rig.asked.some(({ rpc }) => rpc === "notifications/cancelled")).toBe(true));
    expect((await ask({ answer: said({ which: "x" }) })).content).toMatch(/outcome unknown/);
  });

  it("a question that the server took back is answered by nobody, and the model hears of it", async () => {
    await open(ways);
    expect((await ask({}, { back: true })).asks).toBeDefined();
    await takenBack();
    const done = await ask({ answer: said({ which: "too late" }) }, { back: true });
    expect(done.content).toMatch(/^never mind\n\[The server took back what it asked people before they answered\.\]$/);
  });
});

describe("P6: what is asked", () => {
  it("by a tool side by side is asked once, never in another conversation", async () => {
    await open({ asksTwice: true });
    const [first, other] = await Promise.all([ask(), ask({ session: "b" })]);
    expect([first.asks, other.asks]).toEqual([undefined, undefined]);
    const again = await ask({ call: "1.2.0" });
    expect(again.asks).toBeDefined();
    const done = await ask({ call: "1.2.0", answer: said({ which: "one" }) });
    expect(done.content).toMatch(/\[\{"action":"accept","content":\{"which":"one"\}\},\{"action":"cancel"\}\]/);
    expect(done.content).toMatch(/several things at once/);
  });
});

it("P9: what it was given to sign in with is masked in what it asks people", async () => {
  const people = await signInRig(() => rig.url);
  await open({ token: "nobody has it", metadata: people.metadata });
  people.ways.onToken = () => {
    rig.ways.token = people.token();
    rig.ways.asks = { ...rig.ways.asks, message: `You gave me ${people.token()} for the-client-secret` };
  };
  const oauth = { grant: "client_credentials", clientId: "c", clientSecret: "the-client-secret", issuer: people.origin };
  expect((await ask({}, {}, { oauth })).asks?.text).toBe("You gave me ••• for •••");
  const text = toolsJson({ far: { url: rig.url, oauth } });
  const { tools } = await servers.offer({ home: "h", directory: home.directory, text, trust: [], secrets: [], sampling: [] });
  expect((await runTool(tools.find(({ label }) => label === "far/who"))).content).toBe("Bearer •••");
  await people.stop();
});
