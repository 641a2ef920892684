/** Signing in by token, and the number of open pages. Requests in memory; nothing listens. */
import { describe, expect, test } from "vitest";
import { consoleSite, GOOD, type Headers, OWN } from "../../help/console-site.ts";

describe("with a token", () => {
  const TOKEN = "a long random value";
  const open = () => consoleSite({ token: TOKEN });
  const signIn = (token: string, { post } = open(), headers: Headers = {}) =>
    post(
      "/login",
      { host: "127.0.0.1:4321", origin: OWN, "content-type": "application/x-www-form-urlencoded", ...headers },
      `token=${encodeURIComponent(token)}`,
    );
  const cookieOf = (answer: Response): string => answer.headers.get("set-cookie")?.split(";")[0] ?? "";

  test("nothing but signing in, health and its files is there without the cookie", async () => {
    const { get, post, done } = open();
    for (const path of ["/", "/threads/m12345678"]) {
      const answer = await get(path);
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/login"]);
    }
    expect((await get("/live", { accept: "text/event-stream" })).status).toBe(401);
    for (const path of ["/messages", "/clicks", "/logout"]) expect((await post(path)).status).toBe(401);
    for (const path of ["/login", "/healthz", "/static/console.css"]) expect((await get(path)).status).toBe(200);
    for (const path of ["/loginx", "/healthz/x", "/static/x/../../"]) expect((await get(path)).status).not.toBe(200);
    expect(done).toEqual([]);
  });

  test("the right one gives a cookie that scripts and other sites never get, and that is not the token", async () => {
    const answer = await signIn(TOKEN);
    const cookie = answer.headers.get("set-cookie") ?? "";
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Strict/);
    expect(cookie).toMatch(/Path=\//);
    expect(decodeURIComponent(cookie)).not.toContain(TOKEN);
    expect((await open().get("/", { cookie: cookieOf(answer) })).status).toBe(200);
    expect((await open().post("/messages", { ...GOOD, cookie: cookieOf(answer) })).status).toBe(200);
  });

  test("the cookie is `Secure` where the page came over https", async () => {
    const at = consoleSite({ token: TOKEN, names: { host: "0.0.0.0", publicUrl: "https://c.example" } });
    const answer = await signIn(TOKEN, at, { host: "c.example", origin: "https://c.example" });
    expect(answer.headers.get("set-cookie")).toMatch(/Secure/);
  });

  test.each(["", "wrong", `${TOKEN}x`, TOKEN.slice(1)])("%j is not the token", async (token) => {
    const answer = await signIn(token);
    expect(answer.status).toBe(403);
    expect(cookieOf(answer)).toBe("");
  });

  test("a cookie made of another token, or made up, opens nothing", async () => {
    const cookie = cookieOf(await signIn(TOKEN));
    for (const one of [cookie.slice(0, -2), "console=", "console=x", cookie.replace("console=", "other=")]) {
      expect((await open().get("/", { cookie: one })).status).toBe(303);
    }
    expect((await consoleSite({ token: "another" }).get("/", { cookie })).status).toBe(303);
  });

  test("another site cannot sign anybody in or out", async () => {
    expect((await signIn(TOKEN, undefined, { origin: "https://evil.example" })).status).toBe(403);
    expect((await open().post("/logout", { ...GOOD, origin: "https://evil.example" })).status).toBe(403);
  });

  test("after ten wrong ones nobody signs in for a minute, and who is in stays in", async () => {
    const at = open();
    const cookie = cookieOf(await signIn(TOKEN, at));
    for (let i = 0; i < 10; i++) await signIn("wrong", at);
    expect((await signIn(TOKEN, at)).status).toBe(429);
    expect((await at.get("/", { cookie })).status).toBe(200);
  });
});

describe("streams", () => {
  test("their number is bounded, and one that is gone makes room", async () => {
    const { get } = consoleSite();
    const open = () => get("/live?as=ann&thread=m12345678");
    const [one, two, three] = [await open(), await open(), await open()];
    expect([one.status, two.status, three.status]).toEqual([200, 200, 503]);
    await one.body?.cancel();
    const again = await open();
    expect(again.status).toBe(200);
    await Promise.all([two.body?.cancel(), again.body?.cancel()]);
  });

  test("nothing follows an unknown thread, and a HEAD holds none", async () => {
    const { get } = consoleSite();
    expect((await get("/live?thread=m99999999")).status).toBe(404);
    for (let i = 0; i < 5; i++) expect((await get("/live?thread=m12345678", {}, "HEAD")).status).toBe(404);
  });
});
