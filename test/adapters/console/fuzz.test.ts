/** Fuzzed HTTP against a console with a token and two homes behind it: nothing gets in, nothing falls over, nothing is let slip. */
import { request } from "node:http";
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OperatedHouse, operated, TEAM } from "../../help/operated.ts";

const TOKEN = "a long random value";
let house: OperatedHouse;
let cookie: string;
let port: number;

beforeAll(async () => {
  house = await operated({ token: TOKEN });
  port = Number(new URL(house.url).port);
  const answer = await fetch(`${house.url}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: house.url, "content-type": "application/x-www-form-urlencoded" },
    body: `token=${encodeURIComponent(TOKEN)}`,
  });
  cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
});
afterAll(() => house.end());

interface Raw {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}
/** Without what `fetch` would put right. */
function raw({ method = "GET", path, headers = {}, body }: Raw): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, agent: false, method, path, headers: { host: `127.0.0.1:${port}`, ...headers } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
        answer.on("error", reject);
      },
    );
    sent.on("error", (error: NodeJS.ErrnoException) =>
      // The console may hang up on a body that it does not want.
      error.code === "EPIPE" || error.code === "ECONNRESET" ? resolve({ status: 413, text: "" }) : reject(error),
    );
    // Whoever was answered before all was sent still has a socket that breaks.
    sent.on("socket", (socket) => socket.on("error", () => undefined));
    sent.end(body);
  });
}
const GOOD = () => ({ "content-type": "application/json", "x-console": "1", origin: house.url, cookie });
const untouched = () => {
  expect(house.read(TEAM, "AGENTS.md")).toContain("Denizen");
  expect(house.logged.filter(({ msg }) => msg.includes("could not"))).toEqual([]);
};
const PAGES = [
  "/",
  "/overview",
  "/approvals",
  "/sessions",
  "/session",
  "/step",
  "/todos",
  "/files",
  "/changes",
  "/change",
  "/memory",
  "/memory/changes",
  "/session/seen",
  "/grants",
  "/usage",
  "/why",
  "/homes",
  "/waiting",
  "/metrics",
  "/live",
];
const NAMES = ["press", "check", "save", "remove", "revoke", "undo", "forget", "rewrite", "unlearn"];
const ACTS = ["/messages", "/clicks", ...NAMES.map((name) => `/acts/${name}`)];

describe("without the token", () => {
  test.each([...PAGES, ...ACTS])("%s gives nothing and does nothing, whatever stands in the cookie", async (path) => {
    const method = ACTS.includes(path) ? "POST" : "GET";
    const body = JSON.stringify({ home: TEAM, path: "AGENTS.md", text: "taken over", version: "" });
    for (const given of ["", "console=", "console=x", "console=undefined", `console=${"a".repeat(5_000)}`, cookie.slice(0, -1)]) {
      const headers = { ...GOOD(), cookie: given, accept: "text/html" };
      const { status, text } = await raw({ method, path: `${path}?home=${TEAM}`, headers, ...(method === "POST" ? { body } : {}) });
      expect([303, 401]).toContain(status);
      expect(text).not.toContain(TEAM);
    }
    untouched();
  });
});

describe("from elsewhere", () => {
  test.each([
    ["another Origin", { origin: "https://evil.example" }, 403],
    ["no Origin", { origin: "" }, 403],
    ["an Origin of null", { origin: "null" }, 403],
    ["an Origin with the name in it", { origin: "http://127.0.0.1.evil.example" }, 403],
    ["a rebinding Host", { host: "evil.example" }, 403],
    ["a rebinding Host with its Origin", { host: "evil.example", origin: "http://evil.example" }, 403],
    ["no header of ours", { "x-console": "" }, 403],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }, 403],
    ["plain text", { "content-type": "text/plain" }, 403],
  ])("every act by %s is refused with the cookie of the operator", async (_name, headers, status) => {
    for (const path of ACTS) {
      const body = JSON.stringify({ home: TEAM, path: "AGENTS.md", text: "taken over", version: "" });
      expect([path, (await raw({ method: "POST", path, headers: { ...GOOD(), ...headers }, body })).status]).toEqual([path, status]);
    }
    untouched();
  });

  test("pages asked for by a rebound name, or as a part of another site's page, are not given", async () => {
    for (const path of PAGES) {
      expect((await raw({ path, headers: { cookie, host: "evil.example" } })).status).toBe(403);
      expect((await raw({ path, headers: { cookie, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" } })).status).toBe(403);
    }
  });

  test("other methods do nothing", async () => {
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
      for (const path of [...PAGES, ...ACTS]) expect((await raw({ method, path, headers: GOOD() })).status).toBeGreaterThanOrEqual(400);
    for (const path of ACTS) expect((await raw({ path, headers: GOOD() })).status).toBe(404);
    untouched();
  });
});

const TRICKS = [
  "../AGENTS.md",
  "..%2f..%2fetc%2fpasswd",
  "files/../../../etc/passwd",
  "/etc/passwd",
  "....//....//etc/passwd",
  "agents/main/context/journal.db",
  "memory/people/slack_UBOB/MEMORY.md",
  "..\\..\\windows",
  "\\\\server\\share",
  "file:///etc/passwd",
  "C:\\x",
  "~root/x",
  "AGENTS.md\u0000.png",
  ".git/config",
  "skills/.GIT/x",
  "con",
  "a".repeat(5_000),
];

describe("tricks with paths", () => {
  test.each(TRICKS)("%j opens, makes and deletes nothing outside the home's files", async (path) => {
    for (const query of [path, encodeURIComponent(path)]) {
      for (const way of [
        `/files?home=${TEAM}&path=${encodeURIComponent(query)}`,
        `/files?home=${encodeURIComponent(path)}&path=AGENTS.md`,
        `/static/${encodeURIComponent(path)}`,
      ]) {
        const { text, status } = await raw({ path: way, headers: { cookie } });
        expect(status).toBeLessThan(500);
        expect(text).not.toMatch(/root:.*:0:0|SQLite format/);
      }
    }
    for (const [act, more] of [
      ["save", { text: "x", version: "" }],
      ["remove", {}],
    ] as const) {
      const { text } = await raw({
        method: "POST",
        path: `/acts/${act}`,
        headers: GOOD(),
        body: JSON.stringify({ home: TEAM, path, ...more }),
      });
      expect(text).toContain("error");
    }
    untouched();
  });

  test.each(["files/%2e%2e/%2e%2e/x", "files/\u202etxt.exe", "files/..a", "files/<script>alert(1)</script>"])(
    "%j is a name like any other, below the home, and no markup",
    async (path) => {
      const body = (more: object) => JSON.stringify({ home: TEAM, path, ...more });
      const post = (act: string, more: object) => raw({ method: "POST", path: `/acts/${act}`, headers: GOOD(), body: body(more) });
      expect((await post("save", { text: "odd", version: "" })).text).toBe('{"ok":true}');
      expect(house.read(TEAM, path)).toBe("odd");
      expect((await raw({ path: `/files?home=${TEAM}&path=${encodeURIComponent(path)}`, headers: { cookie } })).text).not.toContain(
        "<script>alert",
      );
      expect((await post("remove", {})).text).toBe('{"ok":true}');
    },
  );

  test("paths of the address itself lead nowhere", async () => {
    for (const path of [
      "//evil.example/",
      "/static/../../package.json",
      "/static/%2e%2e%2fapp.tsx",
      "/%2e%2e/overview",
      "/overview/../../x",
      "/acts/../acts/save",
      "/threads/..%2f..",
      "/%00",
      "/\u00ff".normalize(),
      "/overview;/x",
      "/Overview",
    ]) {
      const { status, text } = await raw({ path: encodeURI(decodeURISafely(path)), headers: { cookie } });
      expect(status).toBeGreaterThanOrEqual(300);
      expect(status).toBeLessThan(500);
      expect(text).not.toContain('"dependencies"');
    }
  });
});
const decodeURISafely = (path: string): string => path.replaceAll("%00", "%2500");

describe("bodies", () => {
  test("10 MB are refused without being kept, on every act, and the console goes on", async () => {
    const big = Buffer.alloc(10_000_000, 120);
    for (const path of [...ACTS, "/login"]) {
      const { status } = await raw({ method: "POST", path, headers: { ...GOOD(), "content-length": String(big.length) }, body: big });
      expect([path, status]).toEqual([path, 413]);
    }
    expect((await raw({ path: "/healthz" })).status).toBe(200);
  });

  test("one that never ends, or lies about its length, holds nobody up", async () => {
    const head = `POST /acts/save HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\norigin: ${house.url}\r\nx-console: 1\r\ncontent-type: application/json\r\ncookie: ${cookie}\r\n`;
    const slow = connect(port, "127.0.0.1");
    slow.on("error", () => undefined);
    slow.write(`${head}content-length: 500\r\n\r\n{"home":`);
    const both = connect(port, "127.0.0.1");
    both.on("error", () => undefined);
    both.write(`${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`);
    expect((await raw({ path: "/overview", headers: { cookie } })).status).toBe(200);
    slow.destroy();
    both.destroy();
    untouched();
  });

  test("whatever JSON is posted to an act, it is answered in words, and never as a fault", async () => {
    const key = fc.constantFrom(
      "home",
      "path",
      "text",
      "version",
      "act",
      "code",
      "values",
      "id",
      "session",
      "as",
      "thread",
      "scope",
      "before",
      "after",
      "n",
      "edit",
      "files",
      "__proto__",
      "constructor",
    );
    const value = fc.oneof(
      fc.constantFrom(TEAM, "console", "AGENTS.md", "approve", "", "team", "../x", "__proto__", "toString"),
      fc.string(),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ACTS), fc.oneof(fc.dictionary(key, value), fc.jsonValue()), async (path, body) => {
        // Not a text that could truly replace the file.
        const given =
          typeof body === "object" && body !== null && !Array.isArray(body) && path === "/acts/remove"
            ? { ...body, path: "nothing" }
            : body;
        const { status, text } = await raw({ method: "POST", path, headers: GOOD(), body: JSON.stringify(given) });
        expect(status).not.toBe(500);
        expect(() => JSON.parse(text)).not.toThrow();
      }),
      { numRuns: 150 },
    );
    untouched();
  });

  test("whatever stands in a query, a page is given or a sentence, and what was asked for is never markup", async () => {
    const nasty = fc.oneof(
      fc.constantFrom(
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "-1",
        "1e9",
        "NaN",
        "%",
        "' OR 1=1 --",
        "__proto__",
        "team",
        TEAM,
      ),
      fc.string(),
    );
    const query = fc.dictionary(
      fc.constantFrom("home", "path", "id", "page", "turn", "step", "words", "scope", "days", "by", "open", "as", "thread"),
      nasty,
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...PAGES.filter((path) => path !== "/live")), query, async (path, asked) => {
        const { status, text } = await raw({ path: `${path}?${new URLSearchParams(asked)}`, headers: { cookie, accept: "text/html" } });
        expect([200, 404]).toContain(status);
        expect(text).not.toMatch(/<script>alert|<img src=x/);
      }),
      { numRuns: 150 },
    );
    untouched();
  });
});
