/** What a server at an address offers to a stranger, before anybody agreed to it. */
import { afterEach, expect, it } from "vitest";
import { visit } from "../../src/mcp/visit.ts";
import { mcpHttp, type Ways } from "../rigs/mcp-http.ts";

let rig: Awaited<ReturnType<typeof mcpHttp>>;
afterEach(() => rig.stop());
const signal = new AbortController().signal;
const visited = async (ways: Partial<Ways> = {}) => {
  rig = await mcpHttp(ways);
  return visit(rig.url, signal, () => true);
};

it.each([{}, { old: true }, { sessions: true }])("its tools are told, and nothing of us is shown: %j", async (ways) => {
  const probed = await visited(ways);
  expect(probed).toMatchObject({ ok: true, instructions: "" });
  expect(probed.ok && probed.tools.map(({ name }) => name)).toContain("deploy");
  expect(rig.asked.filter(({ headers }) => headers.authorization)).toEqual([]);
  expect(rig.deployed()).toBe(0);
  expect(rig.sessions()).toBe(0);
});

it.each<[string, Partial<Ways>, RegExp]>([
  ["wants a sign-in", { token: "x" }, /^it tells only those who have signed in$/],
  ["leads elsewhere", { redirect: "http://169.254.169.254/latest" }, /not followed/],
  ["leads to a file", { redirect: "file:///etc/passwd" }, /not followed/],
  ["breaks off", { crashes: ["initialize"] }, /closed/],
  ["talks nonsense", { garbles: ["tools/list"] }, /no message of the protocol/],
])("one that %s is told in words", async (_how, ways, why) => {
  expect(await visited(ways)).toEqual({ ok: false, why: expect.stringMatching(why) as string });
});

it("P7: an address inside this machine's network is not asked, however it is written", async () => {
  rig = await mcpHttp();
  const { port } = new URL(rig.url);
  for (const host of ["127.0.0.1", "localhost", "[::1]", "2130706433", "0.0.0.0"])
    expect(await visit(`http://${host}:${port}/mcp`, signal)).toEqual({
      ok: false,
      why: expect.stringMatching(/an address inside this machine's network/) as string,
    });
  expect(rig.asked).toEqual([]);
});

it("one that hangs is given up when nobody waits any more", async () => {
  rig = await mcpHttp({ hangs: ["initialize"] });
  const stop = new AbortController();
  const asked = visit(rig.url, stop.signal, () => true);
  await expect.poll(() => rig.asked.length).toBe(1);
  stop.abort();
  expect((await asked).ok).toBe(false);
});
