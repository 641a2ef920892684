/** The operator's pages over HTTP, with the real rooms behind them: who sees what, and what an act really does. */
import { afterEach, describe, expect, test } from "vitest";
import { BOB, type OperatedHouse, type OperatedOptions, operated, TEAM } from "../../help/operated.ts";
import { calls, says } from "../../help/script.ts";
import { until } from "../../help/until.ts";

const TOKEN = "a long random value";
const DM = { channel: "dm", place: { platform: "slack", team: "T1", channel: "D9", thread: null } } as const;

let house: OperatedHouse;
let cookie = "";
afterEach(() => house.end());

async function open(options: OperatedOptions = { token: TOKEN }): Promise<void> {
  house = await operated(options);
  cookie = "";
  if (!options.token) return;
  const answer = await fetch(`${house.url}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: house.url, "content-type": "application/x-www-form-urlencoded" },
    body: `token=${encodeURIComponent(options.token)}`,
  });
  cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}
const get = (path: string) => fetch(house.url + path, { redirect: "manual", headers: { cookie, accept: "text/html" } });
const text = async (path: string) => (await get(path)).text();
const act = async (name: string, body: object): Promise<{ error?: string; ok?: boolean; problem?: string; diff?: string; form?: string }> =>
  (await house.post(`/acts/${name}`, { home: TEAM, ...body }, { cookie })).json() as never;
const at = (path: string, more: Record<string, string> = {}) => `${path}?${new URLSearchParams({ home: TEAM, ...more })}`;

async function asksToDeploy(more: object = {}): Promise<string> {
  house.model.lines = [calls(["ops__deploy", { target: "blue" }]), says("Deployed.")];
  const session = await house.say("please deploy to blue", more);
  await house.card();
  return session;
}

test("what is wrong with a home's files is on the overview, each in a sentence (P11)", async () => {
  await open();
  house.write(TEAM, "tools.json", "{");
  house.write(TEAM, "subagents/finder.md", "no head");
  const overview = await text("/overview");
  expect(overview).toContain("tools.json is not valid");
  expect(overview).toContain("subagents/finder.md is not used");
});

describe("who sees what", () => {
  test("without a token there is only the home of the console, on every page and for every act", async () => {
    await open({});
    await asksToDeploy();
    for (const path of ["/overview", "/approvals", "/homes", "/usage", at("/sessions"), at("/files"), at("/todos"), at("/grants")]) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(await answer.text()).not.toContain(TEAM);
    }
    const [row] = await (await house.journal(TEAM)).sessions();
    expect((await get(at("/session", { id: row?.session ?? "" }))).status).toBe(404);
    expect((await get(at("/step", { id: row?.session ?? "", turn: "1", step: "1" }))).status).toBe(404);
    for (const name of ["press", "check", "save", "remove", "revoke", "undo"])
      expect((await act(name, { act: "approve", code: "x", path: "AGENTS.md" })).error).toBe("There is no such home.");
    expect(house.read(TEAM, "AGENTS.md")).toContain("Denizen");
  });

  test("with a token nothing of it is there before signing in, and all homes after", async () => {
    await open();
    const mine = cookie;
    cookie = "";
    for (const path of ["/overview", "/approvals", "/waiting", "/metrics", at("/files", { path: "AGENTS.md" })])
      expect((await get(path)).status).not.toBe(200);
    expect((await house.post("/acts/save", { home: TEAM, path: "AGENTS.md", text: "x", version: "" })).status).toBe(401);
    cookie = mine;
    expect(await text("/homes")).toContain(TEAM);
  });

  test("P6 what was said in private is on no page until it is opened, and opening it is a line in the log that names who opened what", async () => {
    await open();
    const session = await asksToDeploy(DM);
    const secret = "please deploy to blue";
    const opened = () => house.logged.filter(({ msg }) => msg.includes("opened what was said in private")).map(({ facts }) => facts);
    const pages = [
      "/overview",
      "/approvals",
      at("/sessions"),
      at("/session", { id: session }),
      at("/step", { id: session, turn: "1", step: "1" }),
      at("/why"),
      at("/todos"),
    ];
    for (const path of [...pages, at("/memory", { scope: `person:${BOB.id}` })]) {
      const page = await text(path);
      expect(page).not.toContain(secret);
      expect(page).not.toContain("target: blue");
    }
    expect(await text(at("/sessions", { words: "deploy" }))).toContain("No session has these words");
    expect(opened()).toEqual([]);
    expect(await text(at("/session", { id: session, open: "1" }))).toContain(secret);
    expect(await text("/approvals?open=1")).toContain("target: blue");
    expect(await text(at("/memory", { scope: `person:${BOB.id}`, open: "1" }))).toContain("Nothing is remembered here");
    expect(opened()).toMatchObject([
      { by: "console:operator", home: TEAM, scope: `person:${BOB.id}`, session },
      { by: "console:operator", what: "approvals of all homes" },
      { by: "console:operator", home: TEAM, scope: `person:${BOB.id}` },
    ]);
  });

  test("what is the team's is shown without asking, and nothing is logged for it", async () => {
    await open();
    const session = await asksToDeploy();
    expect(await text(at("/session", { id: session, open: "1" }))).toContain("please deploy to blue");
    expect(house.logged.some(({ msg }) => msg.includes("private"))).toBe(false);
  });
});

describe("approvals", () => {
  test("P3 a card of a chat team is approved from the console, runs once, and says who decided", async () => {
    await open();
    await asksToDeploy();
    const page = await text("/approvals");
    const code = /data-act="approve" data-code="([^"]+)"/.exec(page)?.[1] ?? "";
    expect(await act("press", { act: "approve", code })).toEqual({});
    await house.answer("Deployed.");
    expect(house.ran).toEqual([{ target: "blue" }]);
    await act("press", { act: "approve", code });
    await house.quiet();
    expect(house.ran).toHaveLength(1);
    expect(JSON.stringify(house.stage.visible("card"))).toContain("Approved by Operator (console:operator)");
    expect(await text("/approvals")).toContain("Nothing waits for a decision");
  });

  test("Deny asks for a reason first, and the reason is told", async () => {
    await open();
    await asksToDeploy();
    const code = house.stage.buttons("Deny")[0]?.code ?? "";
    expect((await act("press", { act: "deny", code })).form).toContain("Reason");
    expect(await act("press", { act: "deny", code, values: { reason: "Not on a Friday" } })).toEqual({});
    await house.quiet();
    expect(house.ran).toEqual([]);
    expect(JSON.stringify(house.stage.visible("card"))).toContain("Not on a Friday");
  });

  test("where policy names other people the operator is told who may decide", async () => {
    await open();
    house.write(TEAM, "policy.json", JSON.stringify({ people: { approve: ["slack:UANN"] } }));
    await asksToDeploy();
    const code = house.stage.buttons("Approve")[0]?.code ?? "";
    expect(JSON.stringify(await act("press", { act: "approve", code }))).toContain("You may not decide this");
    expect(house.ran).toEqual([]);
  });

  test("a card of another home's code pressed under a wrong home decides nothing", async () => {
    await open();
    await asksToDeploy();
    const code = house.stage.buttons("Approve")[0]?.code ?? "";
    expect(JSON.stringify(await act("press", { home: "console", act: "approve", code }))).toContain("do not know this button");
    expect(house.ran).toEqual([]);
  });
});

describe("a session, step by step", () => {
  test("what was said, asked, decided, used and shown is there, with the tokens of each step; and what the model was sent", async () => {
    await open();
    const session = await asksToDeploy();
    await act("press", { act: "approve", code: house.stage.buttons("Approve")[0]?.code });
    await house.answer("Deployed.");
    await house.quiet();
    const page = await text(at("/session", { id: session }));
    for (const words of [
      "Bob",
      "please deploy to blue",
      "ops__deploy",
      "target: blue",
      "asked",
      "Operator",
      "approved",
      "deployed 1",
      "100 tokens in",
      "20 out",
      "Turn 1, step 2",
      "Turn 1 ended: answered",
      "https://chat.example/C1/",
    ])
      expect(page).toContain(words);
    const first = await text(at("/step", { id: session, turn: "1", step: "1" }));
    expect(first).toContain("please deploy to blue");
    expect(first).not.toContain("tool_result");
    expect(await text(at("/step", { id: session, turn: "1", step: "2" }))).toContain("deployed 1");
    expect((await get(at("/step", { id: session, turn: "7", step: "1" }))).status).toBe(404);
  });

  test("P6 what its author deleted is in no line of the log, nor in what a step was sent", async () => {
    await open();
    house.model.lines = [says("Noted.")];
    const session = await house.say("my password is hunter2-hunter2");
    await house.answer("Noted.");
    const place = { platform: "slack", team: "T1", channel: "C1", thread: null };
    const id = session.split(":").at(-1) ?? "";
    await house.harness.deleted({ ...place, thread: id }, id, Date.now());
    await house.quiet();
    expect(await text(at("/session", { id: session }))).not.toContain("hunter2");
    expect(await text(at("/step", { id: session, turn: "1", step: "1" }))).not.toContain("hunter2");
  });

  test("lists page: 60 sessions on three pages, filtered by words of their titles", async () => {
    await open();
    house.model.lines = Array.from({ length: 60 }, () => says("Yes."));
    for (let i = 0; i < 60; i++) await house.say(`question number ${i}`);
    await house.quiet();
    const rowsOf = (page: string) => page.match(/class="row"/g)?.length ?? 0;
    const pages = await Promise.all(["0", "1", "2"].map((page) => text(at("/sessions", { page }))));
    expect(pages.map(rowsOf)).toEqual([25, 25, 10]);
    expect(pages.map((page) => page.includes(">Older<"))).toEqual([true, true, false]);
    expect(rowsOf(await text(at("/sessions", { words: "NUMBER 5" })))).toBe(11);
    expect(await text(at("/sessions", { words: "%" }))).toContain("No session has these words");
  });
});

describe("grants, usage, reasons", () => {
  test("P3 a standing permission is listed with who gave it, and once revoked the next call asks again", async () => {
    await open();
    await asksToDeploy();
    await act("press", { act: "always", code: house.stage.buttons("Always allow")[0]?.code });
    await house.answer("Deployed.");
    const page = await text(at("/grants"));
    expect(page).toContain("console:operator");
    const [, session, id] = /data-session="([^"]+)" data-id="([^"]+)"/.exec(page) ?? [];
    expect(await act("revoke", { session, id })).toEqual({ ok: true });
    expect((await act("revoke", { session, id })).error).toContain("revoked already");
    await asksToDeploy();
    expect(house.ran).toHaveLength(1);
  });

  test("tokens and an estimate of their cost are told by model, person, channel and home", async () => {
    await open();
    house.model.lines = [
      { ...says("Hello."), usage: { model: "claude-sonnet-5-5", input: 1_000_000, output: 100_000, cacheRead: 0, cacheWrite: 0 } } as never,
    ];
    await house.say("hello");
    await house.answer("Hello.");
    for (const [by, name] of [
      ["model", "claude-sonnet-5-5"],
      ["person", BOB.id],
      ["channel", "slack:C1"],
      ["home", TEAM],
    ]) {
      const page = await text(`/usage?by=${by}&days=7`);
      for (const words of [name ?? "", "1,000,000", "100,000", "$4.50", "<svg", "estimate"]) expect(page).toContain(words);
    }
  });

  test("why a message was not answered is told", async () => {
    await open();
    await house.harness.message({
      place: { platform: "slack", team: "T1", channel: "C7", thread: "9.9" },
      channel: "public",
      shared: false,
      id: "9.9",
      by: BOB,
      text: "talking to nobody",
      mentioned: false,
      toOthers: false,
      own: false,
      at: Date.now(),
    });
    expect(await text(at("/why"))).toContain("talking to nobody");
  });
});

describe("metrics", () => {
  test("are for whoever shows the token, and for nobody else", async () => {
    await open({ token: TOKEN, metrics: () => "denizen_turns_total 1\n" });
    const asked = (headers: Record<string, string>) => fetch(`${house.url}/metrics`, { headers });
    expect((await asked({})).status).toBe(401);
    expect((await asked({ authorization: "Bearer wrong" })).status).toBe(401);
    const told = await asked({ authorization: `Bearer ${TOKEN}` });
    expect([told.status, await told.text()]).toEqual([200, "denizen_turns_total 1\n"]);
    expect((await fetch(`${house.url}/overview`, { redirect: "manual", headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(401);
    for (let i = 0; i < 10; i++) await asked({ authorization: "Bearer wrong" });
    expect((await asked({ authorization: `Bearer ${TOKEN}` })).status).toBe(401);
  });
});

describe("a home that is ill", () => {
  test("P11 a broken policy is told in words on the overview, with what mends it, and takes no other home's page down", async () => {
    await open();
    house.write(TEAM, "policy.json", '{ "peple": {} }');
    const page = await text("/overview");
    expect(page).toContain("peple");
    expect(page).toContain("nobody can approve");
    expect((await get(at("/files", { path: "policy.json" }))).status).toBe(200);
    await until(async () => (await get("/homes")).ok, "the homes");
  });
});
