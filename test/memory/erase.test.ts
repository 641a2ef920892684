import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { INITIAL, reduce } from "../../src/core/state.ts";
import { safeName } from "../../src/files/safe-name.ts";
import { openHistory } from "../../src/workspace/history.ts";
import { ANN, add, BEN, Home, NOON, sessionOf } from "./place.ts";

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.end());

const SECRETS = ["zebra-4711", "giraffe-12", "okapi-99", "UANN"];
const DM = `person:${ANN.id}` as const;

/** The agent answers with what it was told, once by a tool. */
async function answered(words: string, turn: number, upTo: number, scope: Parameters<typeof sessionOf>[0] = "team"): Promise<void> {
  const session = sessionOf(scope);
  const lease = await home.journal.lease(session);
  if (!lease) throw new Error("no lease");
  const usage = { model: "script", input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  const call = `${turn}.1.0`;
  const gate = {
    label: "look",
    digest: "d",
    reason: `for ${words}`,
    risky: false,
    helper: false,
    quorum: 1,
    expires: null,
    code: `c${turn}${scope}`,
  };
  const rest = { offers: [], level: "approve" as const, notBy: null, deciders: "", subject: null };
  const events: Event[] = [
    { type: "step.opened", at: 1, turn, step: 1, upTo },
    {
      type: "model.answered",
      at: 1,
      turn,
      step: 1,
      content: [
        { type: "thinking", thinking: words, signature: "s" },
        { type: "text", text: words },
        { type: "tool_use", id: "x", name: "look", input: { words } },
      ],
      calls: [{ tool: "look", input: { words } }],
      usage,
    },
    { type: "call.gated", at: 1, call, verdict: "allow", ...gate, ...rest },
    { type: "call.started", at: 1, call, digest: "d" },
    { type: "call.finished", at: 1, call, content: words, failed: false },
    { type: "todos.written", at: 1, todos: [{ content: words, status: "pending" }] },
    { type: "step.opened", at: 1, turn, step: 2, upTo },
    { type: "model.answered", at: 1, turn, step: 2, content: [{ type: "text", text: words }], calls: [], usage },
    { type: "turn.ended", at: 1, turn, how: "answered", text: words, cuts: [words.length] },
    { type: "turn.closed", at: 1, turn },
  ];
  expect(await home.journal.record(lease, [[session, events]])).toBe(true);
  await home.journal.release(lease);
}

function erase(...args: string[]): Promise<{ code: number | null; out: string }> {
  const script = new URL("../../src/scripts/erase.ts", import.meta.url).pathname;
  const env = { ...process.env, WORKSPACES_DIR: home.root, DATA_DIR: join(home.root, ".data") };
  const child = spawn(process.execPath, ["--import", "tsx", script, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (out += chunk.toString()));
  return new Promise((done) => child.on("close", (code) => done({ code, out })));
}

/** Files of the home and of the operator's folder that hold a text, objects of git inflated. */
const filesWith = (needle: string): string[] =>
  readdirSync(home.root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => file.includes(needle) || bytesOf(file).includes(needle));

function bytesOf(file: string): Buffer {
  const bytes = readFileSync(file);
  if (!/\/objects\/[0-9a-f]{2}\/[0-9a-f]{38}$/.test(file)) return bytes;
  return inflateSync(bytes);
}

const gitdir = () => join(home.root, ".data", "history", "home.git");
/** What the history holds, packs included, as git itself reads it. */
const inGit = (): string => spawnSync("git", ["cat-file", "--batch-all-objects", "--batch"], { cwd: gitdir(), encoding: "utf8" }).stdout;

/** The agent wrote down what Ann said, twice, and one of it is packed; the console has it on its board. */
async function written(): Promise<void> {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const history = openHistory({ dir: home.dir, gitdir: gitdir(), log, now: () => NOON });
  const by = { id: ANN.id, name: "Ann of the okapi-99" };
  put("AGENTS.md", "# Denizen\n\nBe kind.\n");
  put("files/plan.md", "The plan is called zebra-4711, the cat Momo-5.\n");
  await history.look({
    kind: "agent",
    text: "For Ann: our code name is zebra-4711",
    by,
    at: NOON,
    session: sessionOf("team"),
    call: "2.1.0",
  });
  expect(spawnSync("git", ["gc", "-q"], { cwd: gitdir() }).status).toBe(0);
  put("files/plan.md", "It is zebra-4711 still, the cat Momo-5.\n");
  put("files/zebra-4711.bin", "\0\u0001zebra-4711");
  await history.look({ kind: "agent", text: "Once more", by, at: NOON, session: sessionOf("team") });
  await history.undo([(await history.commits()).commits[0]?.id ?? ""], by);
  put("files/zebra-4711.txt", "okapi-99");
  mkdirSync(join(home.root, ".data", "console"), { recursive: true });
  const lines = [
    { kind: "message", id: "c1", thread: "t1", person: ANN.id, text: "my secret zebra-4711", at: 1, taken: true },
    {
      kind: "post",
      id: "p1",
      thread: "t2",
      key: "k",
      mark: false,
      at: 1,
      hidden: false,
      slot: { view: { parts: [{ kind: "quoted", text: "zebra-4711" }] } },
    },
    { kind: "message", id: "c2", thread: "t2", person: BEN.id, text: "Momo-5 purrs", at: 1, taken: true },
  ];
  writeFileSync(join(home.root, ".data", "console", "board.jsonl"), `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
}

function put(path: string, text: string): void {
  mkdirSync(join(home.dir, path, ".."), { recursive: true });
  writeFileSync(join(home.dir, path), text);
}

/** Ann spoke in a channel and to the agent alone, Ben in the channel before and after her. */
async function lived(): Promise<void> {
  await home.say(BEN, "the office cat is called Momo-5");
  await answered("Momo-5 is a good name", 1, 1);
  await home.say(ANN, "our code name is zebra-4711");
  await answered("Noted: zebra-4711", 2, 2);
  await home.say(BEN, "who can repeat it?");
  await answered("Ann said zebra-4711", 3, 3);
  await home.say(ANN, "my own animal is the giraffe-12", DM);
  await answered("giraffe-12 it is", 1, 1, DM);
  home.brain = (request) =>
    JSON.stringify(request.messages).includes("giraffe")
      ? [add("my own animal is the giraffe-12", "m4")]
      : [add("The office cat is called Momo-5", "m1"), add("our code name is zebra-4711", "m2")];
  await home.night();
  await home.memory().remember("Ann keeps an okapi-99", {
    scope: "team",
    session: sessionOf("team"),
    call: "9.1.0",
    by: BEN.id,
    about: ANN.id,
    channel: "slack:C1",
    now: 1,
  });
  put(`agents/main/evicted/${safeName(sessionOf("team"))}/2.1.0.txt`, "all of zebra-4711");
  put(`agents/main/context/scratch/${safeName(sessionOf(DM))}/x.md`, "giraffe-12");
  for (const tail of ["", "-wal"]) put(`agents/main/context/journal.db.damaged-2026${tail}`, "zebra-4711 gira\0ffe-12");
  put(`memory/people/${safeName(ANN.id)}/notes/n.md`, "giraffe-12");
  put(`agents/main/sessions/${safeName(sessionOf("team"))}/2026-11-30.jsonl`, '{"seq":1}\nzebra-4711');
  await home.journal.search("zebra", ["team"], 5);
}

it("P6 erases a person: afterwards no file of the home holds their words, and what others said stands", { timeout: 60_000 }, async () => {
  await lived();
  await written();
  for (const secret of SECRETS) expect(filesWith(secret), secret).not.toEqual([]);
  expect(inGit()).toContain("zebra-4711");
  expect(filesWith("").some((file) => file.endsWith(".pack"))).toBe(true);
  await home.journal.close();
  const { code, out } = await erase("--home", "home", "--person", ANN.id);
  expect(out).toMatch(/^Erased slack:UANN from home\.\n- .*journal\.db: \d+ events and \d+ changes of memory rewritten/);
  expect(code).toBe(0);
  expect(filesWith("gira\0ffe")).toEqual([]);
  for (const secret of SECRETS) expect(filesWith(secret), secret).toEqual([]);
  expect(filesWith("").filter((file) => file.endsWith(".pack"))).toEqual([]);
  expect(inGit()).not.toMatch(/zebra|okapi|UANN|Ann of/);
  expect(spawnSync("git", ["fsck", "--strict"], { cwd: gitdir() }).status).toBe(0);
  expect(spawnSync("git", ["log", "--format=%an", "main"], { cwd: gitdir(), encoding: "utf8" }).stdout).toContain("Somebody");
  expect(readFileSync(join(home.dir, "files/plan.md"), "utf8")).toBe("The plan is called [erased], the cat Momo-5.\n");
  expect(readFileSync(join(home.dir, "AGENTS.md"), "utf8")).toBe("# Denizen\n\nBe kind.\n");
  expect(readFileSync(join(home.root, ".data", "console", "board.jsonl"), "utf8")).toMatch(/\[erased\].*\n.*\[erased\].*\n.*Momo-5 purrs/);
  expect(out).toMatch(/history of the home: made anew, \d changes?|made anew, \d+ of its changes rewritten/);
  home.journal = home.open();
  expect(home.texts()).toEqual(["The office cat is called Momo-5"]);
  const state = await home.journal.state(sessionOf("team"));
  const events = (await home.journal.events(sessionOf("team"))).map(({ event }) => event);
  expect(state).toEqual(events.reduce(reduce, INITIAL));
  expect(state.talk.phase).toBe("idle");
  expect(JSON.stringify(state)).toContain("Momo-5 is a good name");
  expect(JSON.stringify(state.talk.entries)).toContain("who can repeat it?");
  expect((await home.journal.search("Momo", ["team"], 5)).length).toBeGreaterThan(0);
});

it("what was erased is not learned again, and no undo brings it back", { timeout: 60_000 }, async () => {
  await lived();
  await home.journal.close();
  expect((await erase("--home", "home", "--person", ANN.id)).code).toBe(0);
  home.journal = home.open();
  const memory = home.memory();
  const history = await memory.history(["team"], 50);
  expect(JSON.stringify(history)).not.toMatch(/zebra|okapi|UANN/);
  for (const { n } of history) await memory.undo(n, null, ["team"], { id: BEN.id, admin: true }, 5);
  expect(home.file()).not.toMatch(/zebra|okapi/);
  const occasion = { scope: "team", session: "s", call: "1", by: BEN.id, channel: "c", now: 1 } as const;
  expect(await memory.remember("The okapi-99 Ann keeps an", occasion)).toMatchObject({
    ok: false,
    error: expect.stringContaining("forgotten"),
  });
});

it("somebody with ids on two platforms goes by both", { timeout: 60_000 }, async () => {
  await home.say(ANN, "my locker is zebra-4711");
  await home.say({ id: "discord:8877665544", name: "ann", kind: "member" }, "my shelf is giraffe-12", "place:discord:55");
  await home.say(BEN, "lunch is at noon");
  home.brain = () => [add("my locker is zebra-4711", "m1"), add("my shelf is giraffe-12", "m2"), add("lunch is at noon", "m3")];
  await home.night();
  await home.journal.close();
  const { code, out } = await erase("--home", "home", "--person", `${ANN.id},discord:8877665544`);
  expect(out).toMatch(/Erased slack:UANN from home[\s\S]*Erased discord:8877665544 from home/);
  expect(code).toBe(0);
  const bytes = readdirSync(home.dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("");
  expect(bytes).not.toMatch(/zebra-4711|giraffe-12|UANN|8877665544/);
  expect(bytes).toContain("lunch is at noon");
  home.journal = home.open();
});

it("is refused in words while the product has the home open, and changes nothing", { timeout: 60_000 }, async () => {
  await lived();
  const before = home.file();
  const { code, out } = await erase("--home", "home", "--person", ANN.id);
  expect([code, out]).toEqual([1, expect.stringContaining("The product is running on this home")]);
  expect(home.file()).toBe(before);
  expect(filesWith("zebra-4711").length).toBeGreaterThan(3);
});

it.each([
  [[], /Say it like this: --home HOME --person PERSON/],
  [["--home", "home", "--person", "Ann"], /A person is named with their platform/],
  [["--home", "nowhere", "--person", "slack:U1"], /There is no home nowhere/],
])("says what is missing (%j)", async (args, text) => {
  const { code, out } = await erase(...args);
  expect([code, out]).toEqual([1, expect.stringMatching(text)]);
});
