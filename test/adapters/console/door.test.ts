/** The door: who may ask the console anything, and who may change something in it. Requests in memory; nothing listens. */
import { describe, expect, test } from "vitest";
import type { House } from "../../../adapters/console/app.tsx";
import { BODY, consoleSite, GOOD, type Headers, silent } from "../../help/console-site.ts";

const without = (name: string): Headers => Object.fromEntries(Object.entries(GOOD).filter(([key]) => key !== name));
const get = (path: string, headers: Headers = {}, options: Partial<House> = {}) => consoleSite(options).get(path, headers);
const wordsOf = async (answer: Response): Promise<string> => ((await answer.json()) as { error: string }).error;

describe("names", () => {
  test.each([
    ["127.0.0.1:4321", 200],
    ["localhost:4321", 200],
    ["localhost", 200],
    ["[::1]:4321", 200],
    ["LOCALHOST:4321", 200],
    ["evil.example", 403],
    ["evil.example:4321", 403],
    ["127.0.0.1.evil.example", 403],
    ["localhost.evil.example:4321", 403],
    ["10.0.0.5:4321", 403],
    ["0.0.0.0:4321", 403],
    ["", 400],
    ["evil@127.0.0.1:4321", 400],
    ["127.0.0.1:4321/evil", 400],
    ["127.0.0.1:99999999", 400],
  ])("on loopback, Host %j is answered with %i on every path", async (host, status) => {
    for (const path of ["/", "/healthz", "/static/console.css"]) expect((await get(path, { host })).status).toBe(status);
  });

  test.each([
    ["10.0.0.5:4321", 200],
    ["[fe80::1]:4321", 200],
    ["box.lan:4321", 200],
    ["console.example", 200],
    ["localhost:4321", 200],
    ["evil.example", 403],
  ])("on another address with a name and a public one, Host %j is answered with %i", async (host, status) => {
    const names = { host: "box.lan", publicUrl: "https://console.example" };
    expect((await get("/login", { host }, { names, token: "t" })).status).toBe(status);
  });

  test("behind TLS a page's Origin is compared with the name that was asked", async () => {
    const options = { names: { host: "0.0.0.0", publicUrl: "https://console.example" } };
    const headers = { ...GOOD, host: "console.example", origin: "https://console.example" };
    const { post } = consoleSite(options);
    expect((await post("/messages", headers)).status).toBe(200);
    expect((await post("/messages", { ...headers, origin: "https://evil.example" })).status).toBe(403);
  });
});

describe("changes", () => {
  test.each<[string, Headers, number]>([
    ["a page of its own", GOOD, 200],
    ["a page of its own by another of its names", { ...GOOD, host: "localhost:4321", origin: "http://localhost:4321" }, 200],
    ["no Origin", without("origin"), 403],
    ["an Origin of null", { ...GOOD, origin: "null" }, 403],
    ["another site", { ...GOOD, origin: "https://evil.example" }, 403],
    ["another port of the same machine", { ...GOOD, origin: "http://127.0.0.1:9999" }, 403],
    ["another of its names", { ...GOOD, origin: "http://localhost:4321" }, 403],
    ["a file", { ...GOOD, origin: "file://" }, 403],
    ["no header of its script", without("x-console"), 403],
    ["a form", { ...GOOD, "content-type": "application/x-www-form-urlencoded" }, 403],
    ["a form that says it is text", { ...GOOD, "content-type": "text/plain" }, 403],
    ["no type at all", without("content-type"), 403],
  ])("by %s: answered as they should be, and done only then", async (_name, headers, status) => {
    const { post, done } = consoleSite();
    for (const [path, body] of [
      ["/messages", BODY],
      ["/clicks", { ...BODY, act: "approve", code: "c1" }],
    ] as const) {
      expect((await post(path, headers, JSON.stringify(body))).status).toBe(status);
    }
    expect(done).toEqual(status === 200 ? ["ann m12345678", "approve c1"] : []);
  });

  test.each([
    ["not json", "{"],
    ["null", "null"],
    ["a list", "[]"],
    ["nobody", JSON.stringify({ ...BODY, as: "mallory" })],
    ["no person", JSON.stringify({ ...BODY, as: undefined })],
    ["an id of its own making", JSON.stringify({ ...BODY, id: "p0123456789abcdef" })],
    ["an id with a path", JSON.stringify({ ...BODY, id: "m../../../../etc" })],
    ["a number for text", JSON.stringify({ ...BODY, text: 5 })],
    ["nothing but space", JSON.stringify({ ...BODY, text: " \n " })],
    ["too much text", JSON.stringify({ ...BODY, text: "x".repeat(100_001) })],
    ["a thread that is a path", JSON.stringify({ ...BODY, thread: "../x" })],
  ])("a message with %s is refused in words", async (_name, body) => {
    const { post, done } = consoleSite();
    const answer = await post("/messages", GOOD, body);
    expect(answer.status).toBe(400);
    expect(await wordsOf(answer)).toMatch(/^[A-Z].*\.$/);
    expect(done).toEqual([]);
  });

  test.each([{ act: "launch" }, { act: "__proto__" }, { code: "a b" }, { code: "x".repeat(81) }, { values: "text" }, { values: { a: 1 } }])(
    "a click with %j is refused",
    async (part) => {
      const { post, done } = consoleSite();
      expect((await post("/clicks", GOOD, JSON.stringify({ ...BODY, act: "edit", code: "c1", ...part }))).status).toBe(400);
      expect(done).toEqual([]);
    },
  );

  test("a thread that is not kept cannot be written to", async () => {
    const { post, done } = consoleSite();
    expect((await post("/messages", GOOD, JSON.stringify({ ...BODY, thread: "m99999999" }))).status).toBe(404);
    expect(done).toEqual([]);
  });

  test("a body of more than a megabyte is refused, said and unsaid length alike", async () => {
    const big = JSON.stringify({ ...BODY, text: "x".repeat(1_100_000) });
    const { post, done } = consoleSite();
    expect((await post("/messages", { ...GOOD, "content-length": String(big.length) }, big)).status).toBe(413);
    expect((await post("/messages", { ...GOOD, "transfer-encoding": "chunked" }, big)).status).toBe(413);
    expect(done).toEqual([]);
  });

  test("once it stops nothing is taken any more", async () => {
    expect((await consoleSite({ desk: () => undefined }).post("/messages")).status).toBe(503);
  });
});

describe("other sites", () => {
  test.each<[string, Headers, number]>([
    ["a page of its own loads a part", { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" }, 200],
    ["a person opens it", { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }, 200],
    ["a person follows a link to it", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, 200],
    ["another site loads a part", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }, 403],
    ["another port loads a part", { "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" }, 403],
  ])("%s: %j is answered with %i", async (_name, headers, status) => {
    for (const path of ["/", "/static/console.js"]) expect((await get(path, headers)).status).toBe(status);
  });

  test("every answer forbids scripts and styles that are not its files, frames, sniffing and foreign readers", async () => {
    for (const path of ["/", "/nowhere", "/healthz", "/static/console.js", "/login"]) {
      const { headers } = await get(path);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("style-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  test("pages have no inline script, style or handler", async () => {
    for (const path of ["/", "/threads/m12345678", "/login", "/nowhere"]) {
      const page = await (await get(path)).text();
      expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i);
      expect([...page.matchAll(/<script([^>]*)>/g)].every(([, attributes]) => attributes?.includes("src="))).toBe(true);
    }
  });
});

describe("paths", () => {
  test.each([
    "/static/../console.ts",
    "/static/%2e%2e%2fconsole.ts",
    "/static/..%2f..%2fpackage.json",
    "/static/%00",
    "/static/__proto__",
    "/static/constructor",
    "/static/",
    "/threads/%2e%2e%2f",
    "/threads/%00",
    "/threads/%E0%A4%A",
    "/threads/m99999999",
    "//evil.example",
    "/board.jsonl",
    "/.env",
  ])("%s is nothing, and says so in words", async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain("There is nothing here");
  });

  test("its files may be cached for ever, its pages never", async () => {
    expect((await get("/static/console.css")).headers.get("cache-control")).toContain("immutable");
    expect((await get("/static/console.css")).headers.get("content-type")).toContain("text/css");
    expect((await get("/")).headers.get("cache-control")).toBe("no-store");
  });

  test("a fault of its own is a page in words, with what to look for in the log", async () => {
    const logged: object[] = [];
    const log = { ...silent, error: (facts: object) => void logged.push(facts) };
    const answer = await get("/", {}, { log, show: async () => Promise.reject(new Error("secret detail")) });
    const page = await answer.text();
    expect(answer.status).toBe(500);
    expect(page).not.toContain("secret detail");
    expect(page).toContain((logged[0] as { id: string }).id);
  });
});

describe("health", () => {
  test.each([
    [true, 200, "ok"],
    [false, 503, "failing"],
  ])("with an adapter that is ok: %j it answers %i", async (ok, status, word) => {
    const answer = await get(
      "/healthz",
      {},
      { token: "t", health: () => ({ console: { ok: true, detail: "" }, slack: { ok, detail: "why" } }) },
    );
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ status: word, adapters: { console: { ok: true, detail: "" }, slack: { ok, detail: "why" } } });
  });
});

describe("pages for the outside", () => {
  const door: House["door"] = async ({ url, method }) =>
    new URL(url).pathname === "/oauth/x" ? new Response(`${method} taken`) : undefined;

  test("answer to any name, without a sign-in, and nothing else does", async () => {
    const options = { door, token: "t" };
    const answer = await get("/oauth/x", { host: "denizen.example" }, options);
    expect([answer.status, await answer.text()]).toEqual([200, "GET taken"]);
    expect((await get("/oauth/y", { host: "denizen.example" }, options)).status).toBe(403);
    expect((await get("/oauth/y", {}, options)).status).toBe(303);
    expect((await get("/healthz", {}, options)).status).toBe(200);
  });
});
