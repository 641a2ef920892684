import { afterEach, expect, test } from "vitest";
import { serveHealth } from "../src/health.ts";

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

async function served(ok: boolean, token?: string) {
  const health = () => ({ slack: { ok, detail: "" } });
  const server = await serveHealth(0, "127.0.0.1", health, undefined, { text: () => "turns_total 3\n", token });
  close = server.close;
  return (path: string, headers: Record<string, string> = {}) => fetch(`http://127.0.0.1:${server.port}${path}`, { headers });
}

test.each([
  [true, 200, "ok"],
  [false, 503, "unhealthy"],
])("health: all adapters well is %s, so the answer is %i", async (ok, status, word) => {
  const get = await served(ok);
  const answer = await get("/healthz?x=1");
  expect([answer.status, await answer.json()]).toEqual([status, { status: word, adapters: { slack: { ok, detail: "" } } }]);
  expect((await get("/other")).status).toBe(404);
});

test.each<[string, string | undefined, Record<string, string>, number]>([
  ["no token is set", undefined, {}, 200],
  ["the token is shown", "long and random", { authorization: "Bearer long and random" }, 200],
  ["none is shown", "long and random", {}, 401],
  ["another is shown", "long and random", { authorization: "Bearer long and" }, 401],
  ["it is shown in another way", "long and random", { authorization: "long and random" }, 401],
])("metrics, where %s", async (_, token, headers, status) => {
  const answer = await (await served(true, token))("/metrics", headers);
  expect(answer.status).toBe(status);
  const text = await answer.text();
  expect(text.includes("turns_total")).toBe(status === 200);
});

test("pages that the outside has to reach are served beside it, with what is posted to them, within bounds", async () => {
  const door = async (request: Request) =>
    new URL(request.url).pathname === "/oauth/x"
      ? new Response(`${request.method} ${await request.text()}`, { status: 201, headers: { "x-a": "b" } })
      : undefined;
  const server = await serveHealth(0, "127.0.0.1", () => ({}), door);
  close = server.close;
  const at = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${server.port}${path}`, init);
  const answer = await at("/oauth/x", { method: "POST", body: "token=1" });
  expect([answer.status, answer.headers.get("x-a"), await answer.text()]).toEqual([201, "b", "POST token=1"]);
  expect((await at("/oauth/y")).status).toBe(404);
  expect((await at("/healthz")).status).toBe(200);
  expect((await at("/oauth/x", { method: "POST", body: "x".repeat(100_000) }).catch(() => ({ status: 400 }))).status).toBe(400);
});

test("a port that another program has is said, with what to set", async () => {
  const first = await serveHealth(0, "127.0.0.1", () => ({}));
  await expect(serveHealth(first.port, "127.0.0.1", () => ({}))).rejects.toThrow(/Port \d+ is taken by another program\. Set HEALTH_PORT/);
  await first.close();
});
