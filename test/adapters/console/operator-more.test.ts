/** The operator's pages over HTTP: memory with its history, what a step was sent, where a change came from, and following a session. */
import { afterEach, describe, expect, test } from "vitest";
import { BOB, type OperatedHouse, type OperatedOptions, operated, TEAM } from "../../help/operated.ts";
import { calls, says } from "../../help/script.ts";

const TOKEN = "a long random value";
const DM = { channel: "dm", place: { platform: "slack", team: "T1", channel: "D9", thread: null } } as const;
const DMS = `person:${BOB.id}` as const;

let house: OperatedHouse;
let cookie = "";
afterEach(() => house.end());

async function open(options: OperatedOptions = {}): Promise<void> {
  house = await operated({ token: TOKEN, ...options });
  const answer = await fetch(`${house.url}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: house.url, "content-type": "application/x-www-form-urlencoded" },
    body: `token=${encodeURIComponent(TOKEN)}`,
  });
  cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}
const text = async (path: string) => (await fetch(house.url + path, { headers: { cookie, accept: "text/html" } })).text();
const act = async (name: string, body: object): Promise<{ error?: string; ok?: boolean }> =>
  (await house.post(`/acts/${name}`, { home: TEAM, ...body }, { cookie })).json() as never;
const at = (path: string, more: Record<string, string> = {}) => `${path}?${new URLSearchParams({ home: TEAM, ...more })}`;

describe("memory", () => {
  let count = 0;
  const remember = (words: string, scope: "team" | typeof DMS = "team") =>
    house
      .memory(TEAM)
      .remember(words, { scope, session: "slack:T1:C1:1", call: `1.1.${count++}`, by: BOB.id, channel: "slack:C1", now: Date.now() });

  test("lists facts with their origin and people's own lines, and finds them by words and by who said them", async () => {
    await open();
    await remember("Releases are on Thursdays.");
    house.write(TEAM, "MEMORY.md", `${house.read(TEAM, "MEMORY.md")}- The door code is in the safe.\n`);
    const page = await text(at("/memory"));
    for (const words of ["Releases are on Thursdays.", BOB.id, "slack:C1", "The door code is in the safe.", "written by people"])
      expect(page).toContain(words);
    const found = await text(at("/memory", { words: "door SAFE" }));
    expect(found).toContain("The door code");
    expect(found).not.toContain("Thursdays");
    expect(await text(at("/memory", { words: "UBOB" }))).toContain("Thursdays");
    expect(await text(at("/memory", { words: "nowhere" }))).toContain("Nothing here has these words");
  });

  test("people's own lines are changed, added and taken out; facts and everything else in the file stay to the letter", async () => {
    await open();
    await remember("Releases are on Thursdays.");
    const fact =
      house
        .read(TEAM, "MEMORY.md")
        .split("\n")
        .find((line) => line.includes("Thursdays")) ?? "";
    house.write(TEAM, "MEMORY.md", `# Ours\r\n\r\n<!-- - a note -->\r\n- a note\r\n${fact}\r\n  - another\r\n`);
    expect(await act("rewrite", { scope: "team", before: "a note", after: "a better\nnote <!-- id:x -->" })).toEqual({ ok: true });
    expect(await act("rewrite", { scope: "team", before: "another", after: "" })).toEqual({ ok: true });
    expect(await act("rewrite", { scope: "team", before: "", after: "- new" })).toEqual({ ok: true });
    expect(house.read(TEAM, "MEMORY.md")).toBe(`# Ours\r\n\r\n<!-- - a note -->\r\n- a better note id:x\r\n${fact}\r\n- new\r\n`);
    expect((await act("rewrite", { scope: "team", before: "a note", after: "x" })).error).toContain("has changed since");
    expect((await act("rewrite", { scope: "team", before: "Releases are on Thursdays.", after: "x" })).error).toContain(
      "has changed since",
    );
    expect((await act("rewrite", { scope: "team", before: "", after: "  " })).error).toContain("nothing in this line");
    expect((await act("rewrite", { scope: "place:slack:C9", before: "", after: "x" })).error).toBe("There is no such scope.");
  });

  test("P8 every change is listed with what it did, and taken back by itself or as a whole", async () => {
    await open();
    await remember("Releases are on Thursdays.");
    await remember("The office is in Bremen.");
    const facts = await house.memory(TEAM).list(["team"]);
    expect(await act("forget", { scope: "team", id: facts[0]?.fact?.id ?? "" })).toEqual({ ok: true });
    expect(house.read(TEAM, "MEMORY.md")).not.toContain("Thursdays");
    const history = await text(at("/memory/changes"));
    for (const words of ["forgotten", "console:operator", "- Releases are on Thursdays.", "+ The office is in Bremen."])
      expect(history).toContain(words);
    const [forgotten] = await house.memory(TEAM).history(["team"], 1);
    expect(await act("unlearn", { scope: "team", n: String(forgotten?.n), edit: "0" })).toEqual({ ok: true });
    expect(house.read(TEAM, "MEMORY.md")).toContain("Thursdays");
    expect((await act("unlearn", { scope: "team", n: String(forgotten?.n), edit: "0" })).error).toContain("nothing to undo");
    expect((await act("unlearn", { scope: "team", n: "-1" })).error).toContain("no such fact");
  });

  test("P8 a night is one change with all it did, each with its reason", async () => {
    await open();
    await remember("Releases are on Thursdays.");
    await remember("The office is in Bremen.");
    const [one, two] = await house.memory(TEAM).list(["team"]);
    const line = (words = "") =>
      house
        .read(TEAM, "MEMORY.md")
        .split("\n")
        .find((it) => it.startsWith(`- ${words} <!--`)) ?? "";
    const edits = [
      {
        fact: one?.fact?.id ?? "",
        before: line(one?.text),
        after: line(one?.text).replace("Thursdays", "Fridays"),
        why: "Ann said so later.",
      },
      { fact: two?.fact?.id ?? "", before: line(two?.text), after: null, why: "It moved to Kiel." },
    ];
    await house.memory(TEAM).book.change("team", async () => ({ key: "night 1", at: Date.now(), cause: "night", by: "", edits }));
    const page = await text(at("/memory/changes"));
    for (const words of ["tidied at night", "+ Releases are on Fridays.", "Ann said so later.", "It moved to Kiel.", "Take all 2 back"])
      expect(page).toContain(words);
    const [night] = await house.memory(TEAM).history(["team"], 1);
    expect(await act("unlearn", { scope: "team", n: String(night?.n) })).toEqual({ ok: true });
    expect((await house.memory(TEAM).list(["team"])).map(({ text: words }) => words).sort()).toEqual([
      "Releases are on Thursdays.",
      "The office is in Bremen.",
    ]);
  });

  test("P6 what is remembered in private, and what happened to it, is opened by asking and logged", async () => {
    await open();
    house.model.lines = [says("Between us.")];
    await house.say("hello", DM);
    await house.answer("Between us.");
    await remember("I am leaving in May.", DMS);
    for (const path of ["/memory", "/memory/changes"]) {
      expect(await text(at(path, { scope: DMS }))).not.toContain("leaving in May");
      expect(await text(at(path, { scope: DMS, open: "1" }))).toContain("leaving in May");
    }
    const opened = house.logged.filter(({ msg }) => msg.includes("opened what was said in private"));
    expect(opened.map(({ facts }) => facts)).toEqual([
      expect.objectContaining({ by: "console:operator", home: TEAM, scope: DMS, what: "memory" }),
    ]);
  });
});

describe("what a step was sent", () => {
  async function talked(options: OperatedOptions = {}): Promise<string> {
    await open(options);
    house.model.lines = [says("Hello.")];
    const session = await house.say("what is in the news?");
    await house.answer("Hello.");
    await house.quiet();
    return session;
  }
  const step = (id: string) => text(at("/step", { id, turn: "1", step: "1" }));

  test("is shown whole as it was sent: system prompt, tools, messages; also after the home has changed", async () => {
    const session = await talked();
    house.write(TEAM, "AGENTS.md", "# Somebody else now\n");
    const page = await step(session);
    for (const words of [
      "kept as they were sent",
      "You are a teammate",
      "Your character and duties",
      "ops__deploy",
      "what is in the news?",
      "Made again from the log",
    ])
      expect(page).toContain(words);
    expect(page).not.toContain("Somebody else now");
  });

  test("is made again where it is not kept any more, and the page says so", async () => {
    const session = await talked({ keepsSent: 0 });
    house.write(TEAM, "AGENTS.md", "# Somebody else now\n");
    const page = await step(session);
    for (const words of ["not kept any more", "would be sent now", "Somebody else now", "ops__deploy", "what is in the news?"])
      expect(page).toContain(words);
  });
});

describe("following a session", () => {
  test("P3 it shows what waits with its buttons and the way to stop it, and tells how far it has come", async () => {
    await open();
    house.model.lines = [calls(["ops__deploy", { target: "blue" }]), says("Deployed.")];
    const session = await house.say("please deploy to blue");
    await house.card();
    const page = await text(at("/session", { id: session }));
    expect(page).toMatch(/data-act="approve" data-code="[^"]+"/);
    expect(page).toMatch(/data-act="stop" data-code="[^"]+"/);
    const seen = /data-seen="(\d+)"/.exec(page)?.[1] ?? "";
    const news = async () => (await fetch(house.url + at("/session/seen", { id: session, since: seen }), { headers: { cookie } })).json();
    expect(await news()).toEqual({ seen: Number(seen) });
    const code = /data-act="stop" data-code="([^"]+)"/.exec(page)?.[1] ?? "";
    expect(await act("press", { act: "stop", code })).toEqual({});
    await house.quiet();
    expect(((await news()) as { seen: number }).seen).toBeGreaterThan(Number(seen));
    expect(await text(at("/session", { id: session }))).toContain("Operator stopped the turn");
    expect((await fetch(house.url + at("/session/seen", { id: "slack:T1:C1:nowhere" }), { headers: { cookie } })).status).toBe(404);
  });
});

test("P8 a change leads to the step it came from and to the message on its platform", async () => {
  await open();
  house.model.lines = [calls(["ops__deploy", { target: "blue" }]), says("Deployed.")];
  const session = await house.say("please deploy to blue");
  const card = await house.card();
  await act("press", { act: "approve", code: card.code });
  await house.answer("Deployed.");
  await house.quiet();
  house.write(TEAM, "AGENTS.md", "# Changed by a call\n");
  await house.homes
    .history(TEAM)
    .look({ kind: "agent", text: "edit_file for Bob", at: Date.now(), session, call: "1.1.0", scope: "team", by: BOB });
  for (const page of [await text(at("/changes")), await text(at("/change", { id: (await newest()).id }))]) {
    expect(page).toContain(`#call-1.1.0">the step it came from`);
    expect(page).toMatch(/href="https:\/\/chat\.example\/C1\/[^"]+"[^>]*>\s*its message/);
  }
  expect(await text(at("/session", { id: session, call: "1.1.0" }))).toContain('id="call-1.1.0"');
});
const newest = async () => (await house.homes.history(TEAM).commits({ limit: 1 })).commits[0] ?? { id: "" };
