/** The console as a platform: what is posted stands, what people do reaches the inbox once, what is for one person stays with them. */
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Slot, UserError } from "../../../src/core/ports.ts";
import { say, type View } from "../../../src/core/view.ts";
import { type ConsoleHouse, consoleHouse, type HouseOptions } from "../../help/console-house.ts";
import { until } from "../../help/until.ts";

const open: ConsoleHouse[] = [];
async function house(options?: HouseOptions): Promise<ConsoleHouse> {
  const made = await consoleHouse(options);
  open.push(made);
  return made;
}
afterEach(async () => {
  for (const one of open.splice(0)) await one.end();
});

const place = (thread: string | null) => ({ platform: "console", team: "console", channel: "console", thread });
const slot = (view: View, kind: Slot["kind"] = "card"): Slot => ({ key: `${kind}/1`, kind, view, digest: "d", final: false });
const message = { id: "m00000001", text: "work on it" };
const page = async ({ url }: ConsoleHouse, path: string): Promise<string> =>
  (await fetch(url + path, { headers: { accept: "text/html" } })).text();
const thread = (as = "ann") => `/threads/${message.id}?as=${as}`;

test("a first message begins a thread by its own id, named, in the team's open", async () => {
  const at = await house();
  const answer = await at.post("/messages", { ...message, text: "say hello" });
  expect(await answer.json()).toEqual({ thread: message.id });
  expect(at.script.messages).toMatchObject([
    {
      place: place(null),
      channel: "public",
      shared: false,
      id: message.id,
      by: { id: "console:ann", name: "Ann", kind: "member" },
      mentioned: true,
      own: false,
    },
  ]);
});

test.each([
  ["and then?", false, false],
  ["@denizen and then?", true, false],
  ["Hi @Denizen, and then?", true, false],
  ["@ben look", false, true],
  ["write to a@denizen.example", false, false],
])("a follow-up %j: names the agent %j, names somebody else first %j", async (text, mentioned, toOthers) => {
  const at = await house();
  await at.post("/messages", message);
  await at.post("/messages", { id: "m00000002", thread: message.id, text, as: "cleo" });
  expect(at.script.messages[1]).toMatchObject({
    place: place(message.id),
    id: "m00000002",
    by: { id: "console:cleo", kind: "guest" },
    mentioned,
    toOthers,
  });
});

test("P2 a message that is sent twice, and twice at the same moment, is handed in once", async () => {
  const at = await house();
  await Promise.all([at.post("/messages", message), at.post("/messages", message)]);
  await at.post("/messages", message);
  expect(at.script.messages).toHaveLength(1);
  const again = await at.restart();
  open.push(again);
  await again.post("/messages", message);
  expect(again.script.messages).toEqual([]);
});

test("P2 a command that is sent twice runs once", async () => {
  const at = await house();
  const command = { id: "m00000003", text: "/memory forget 3" };
  const answers = await Promise.all([at.post("/messages", command), at.post("/messages", command)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(at.script.commands).toMatchObject([{ text: "memory forget 3", by: { id: "console:ann" }, place: place(null) }]);
});

test("P1 a message that the inbox could not take is refused, stays on the page, and is handed in at the next start", async () => {
  const at = await house();
  at.script.broken = true;
  const answer = await at.post("/messages", message);
  expect(answer.status).toBe(503);
  expect(await answer.text()).toMatch(/could not take this/);
  expect(at.errors).toHaveLength(1);
  expect(await page(at, thread())).toContain("Not handed over yet");

  const again = await at.restart();
  open.push(again);
  expect(again.script.messages).toMatchObject([{ id: message.id, text: message.text, by: { id: "console:ann" } }]);
  expect(await page(again, thread())).not.toContain("Not handed over yet");
});

test("a post stands after a restart, is found by its key, can be edited and hidden, and is linked to", async () => {
  const at = await house();
  await at.post("/messages", message);
  const posted = await at.console.post(place(message.id), slot(say("first words")), "the key", true);
  if (!posted.ok) throw new Error(posted.reason);
  expect(await page(at, thread())).toContain("may be a repeat");

  const again = await at.restart();
  open.push(again);
  expect(await again.console.find(place(message.id), "the key")).toEqual({ found: posted.ref });
  expect(await again.console.find(place(message.id), "another key")).toBe("absent");
  expect(await again.console.post(place(message.id), slot(say("second words")), "the key", false)).toEqual(posted);
  expect(await again.console.edit(place(message.id), posted.ref, slot(say("later words")))).toEqual(posted);
  expect(await page(again, thread())).toContain("later words");
  expect(again.console.link(place(message.id), posted.ref.message)).toBe(`${again.url}/threads/${message.id}#${posted.ref.message}`);
  await again.console.hide(place(message.id), posted.ref);
  expect(await page(again, thread())).not.toContain("later words");
});

test("what belongs to no conversation stands in a thread of its own, with its buttons, and is edited there", async () => {
  const at = await house();
  await at.post("/messages", message);
  const learned: View = {
    title: "What I learned",
    parts: [{ kind: "quoted", text: "- #1 one" }],
    buttons: [{ word: "Undo", act: "undo", code: "d.1" }],
  };
  const first = await at.console.post(place(null), slot(learned), "k1", false);
  const second = await at.console.post(place(null), slot(say("the second night")), "k2", false);
  if (!first.ok || !second.ok) throw new Error("not posted");
  expect(second.ref.channel).toBe(first.ref.channel);
  expect(await page(at, "/")).toContain("What I learned");
  await at.post("/clicks", { thread: first.ref.channel, act: "undo", code: "d.1" });
  expect(at.script.clicks.at(-1)).toMatchObject({ act: "undo", code: "d.1" });
  await at.console.edit(place(null), first.ref, slot(say("taken back")));
  const shown = await page(at, `/threads/${first.ref.channel}`);
  expect(shown).toContain("taken back");
  expect(shown).toContain("the second night");
});

test("a message is linked to in the thread where it stands; one that is not kept is not linked to", async () => {
  const at = await house();
  await at.post("/messages", message);
  await at.post("/messages", { id: "m00000002", thread: message.id, text: "more" });
  expect(at.console.link(place(null), "m00000002")).toBe(`${at.url}/threads/${message.id}#m00000002`);
  expect(at.console.link(place(null), "m00000003")).toBeUndefined();
});

test("what cannot be posted is said to be so: certain where it is, in doubt where the disk failed", async () => {
  const at = await house();
  await at.post("/messages", message);
  expect(await at.console.edit(place(message.id), { channel: message.id, message: "p0" }, slot(say("x")))).toMatchObject({
    ok: false,
    unsure: false,
    retryIn: null,
  });

  const file = join(at.folder, "board.jsonl");
  await rename(file, `${file}.aside`);
  await mkdir(file);
  expect(await at.console.post(place(message.id), slot(say("x")), "k", false)).toMatchObject({ ok: false, unsure: true });
  expect((await at.post("/messages", { ...message, id: "m00000009" })).status).toBe(503);
  await rm(file, { recursive: true });
  await rename(`${file}.aside`, file);
  expect(await at.console.post(place(message.id), slot(say("x")), "k", false)).toMatchObject({ ok: true });
});

test("P6 what is said to one person is on that person's page only, in the thread it was asked in", async () => {
  const at = await house();
  await at.post("/messages", message);
  await at.post("/messages", { id: "m00000002", thread: message.id, text: "/todos" });
  await at.console.whisper(place(message.id), "console:ben", say("For Ben alone"));
  expect(await page(at, thread("ann"))).toContain("Run the tests");
  expect(await page(at, thread("ann"))).not.toContain("For Ben alone");
  expect(await page(at, thread("ben"))).toContain("For Ben alone");
  expect(await page(at, thread("ben"))).not.toContain("/todos");
  expect(await page(at, "/?as=ann")).not.toContain("/todos");
});

test("an answer to all of them is in the thread for everybody, and still after a restart", async () => {
  const at = await house();
  await at.post("/messages", message);
  await at.post("/messages", { id: "m00000002", thread: message.id, text: "/stop" });
  const again = await at.restart();
  open.push(again);
  expect(await page(again, thread("cleo"))).toContain("Stopped by Ann.");
});

test("the roles can be tried: who owns, who is a member, who is a guest, and who is nobody", async () => {
  const { console } = await house();
  const of = (key: string) => console.standing(place(null), `console:${key}`);
  expect(await of("ann")).toMatchObject({ member: true, owner: true, guest: false });
  expect(await of("ben")).toMatchObject({ member: true, owner: false, guest: false });
  expect(await of("cleo")).toMatchObject({ member: false, owner: false, guest: true });
  expect(await of("mallory")).toEqual({ member: false, owner: false, guest: false, external: false, bot: false, groups: [] });
});

test("a click carries who, what, where and the code; a refusal is for who pressed", async () => {
  const at = await house();
  await at.post("/messages", { ...message, text: "publish" });
  const refused = await at.post("/clicks", { as: "ben", thread: message.id, act: "approve", code: "c1" });
  expect(await refused.text()).toContain("Ann decides");
  expect(await page(at, thread("ben"))).toContain("Ann decides");
  expect(await page(at, thread("ann"))).not.toContain("Ann decides");

  const form = await at.post("/clicks", { thread: message.id, act: "edit", code: "c1" });
  expect(((await form.json()) as { form: string }).form).toContain('name="version" value="2.4.0"');
  await at.post("/clicks", { thread: message.id, act: "edit", code: "c1", values: { version: "2.4.1", notes: "" } });
  expect(at.script.clicks.at(-1)).toMatchObject({
    platform: "console",
    act: "edit",
    code: "c1",
    by: { id: "console:ann" },
    place: place(message.id),
    values: { version: "2.4.1", notes: "" },
  });
});

test("P9 what looks like a secret is masked in everything that is shown or kept", async () => {
  const at = await house({ scrub: (text) => text.replaceAll("hunter2", "[masked]") });
  await at.post("/messages", { ...message, text: "work with hunter2" });
  await at.console.post(
    place(message.id),
    slot({ title: "hunter2", parts: [{ kind: "fields", rows: [["k", "hunter2"]] }], buttons: [] }),
    "k",
    false,
  );
  await at.console.whisper(place(message.id), "console:ann", say("psst hunter2"));
  at.console.live("s", place(message.id), { phase: "thinking", draft: "my hunter2" });
  const shown = await page(at, thread());
  expect(shown.match(/\[masked\]/g)?.length).toBeGreaterThanOrEqual(4);
  expect(shown).not.toContain("hunter2");
});

test("a draft is seen while it grows, gives way to the answer, and progress is seen before its edit", async () => {
  const at = await house();
  await at.post("/messages", message);
  const posted = await at.console.post(place(message.id), slot(say("old progress"), "progress"), "p", false);
  if (!posted.ok) throw new Error(posted.reason);
  at.console.live("s", place(message.id), {
    phase: "thinking",
    draft: "Half an ans",
    progress: { view: say("new progress"), ref: posted.ref },
  });
  const during = await page(at, thread());
  expect(during).toContain("Half an ans");
  expect(during).toContain("new progress");
  expect(during).not.toContain("old progress");
  await at.console.post(place(message.id), slot(say("Whole answer"), "answer"), "a", false);
  const after = await page(at, thread());
  expect(after).not.toContain("Half an ans");
  expect(after).toContain("Whole answer");
});

test("the list has the newest first, in pages, with the harness's titles and states; the label of the model is on every page", async () => {
  const row = {
    session: "console:console:m10000027",
    settled: false,
    wakeAt: null,
    scope: "team" as const,
    place: place("m10000027"),
    todos: [],
    at: 1,
    title: "A title of its own",
  };
  const helper = { ...row, session: "console:console:m10000027/1.1.0", title: "A helper" };
  const at = await house({ sessions: async () => [row, helper] });
  for (let i = 1; i <= 27; i++) await at.post("/messages", { id: `m100000${String(i).padStart(2, "0")}`, text: `work ${i}`, as: "cleo" });
  at.console.live("s", place("m10000026"), { phase: "working", draft: "" });
  const first = await page(at, "/");
  expect(first.indexOf("A title of its own")).toBeGreaterThan(0);
  expect(first.indexOf("A title of its own")).toBeLessThan(first.indexOf("work 26"));
  expect(first).not.toContain("A helper");
  expect(first.match(/state working/g)).toHaveLength(1);
  expect(first).not.toMatch(/>work 2</);
  expect(await page(at, "/?page=1")).toMatch(/>work 2</);
  for (const path of ["/", "/?page=1", "/threads/m10000027"]) expect(await page(at, path)).toContain("offline model");
});

test("a page that follows gets all fragments first, then only what changed, and hears of nothing in other threads", async () => {
  const at = await house();
  await at.post("/messages", message);
  const stop = new AbortController();
  const answer = await fetch(`${at.url}/live?as=ann&thread=${message.id}`, { signal: stop.signal });
  expect(answer.headers.get("content-type")).toContain("text/event-stream");
  let seen = "";
  const reading = (async () => {
    for await (const chunk of answer.body ?? []) seen += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  const changes = (): { log?: { order?: string[]; html: Record<string, string> } }[] =>
    [...seen.matchAll(/event: change\ndata: (.*)\n\n/g)].map(([, data]) => JSON.parse(data ?? ""));
  await until(() => changes().length >= 1, "the first fragments");
  expect(changes()[0]?.log?.order?.[0]).toBe(message.id);

  const before = changes().length;
  await at.console.whisper(place(message.id), "console:ben", say("For Ben alone"));
  await at.console.post(place(message.id), slot(say("a card")), "k", false);
  await until(
    () =>
      changes()
        .slice(before)
        .some(({ log }) => log?.html && Object.values(log.html).some((html) => html.includes("a card"))),
    "the card",
  );
  const sent = changes()
    .slice(before)
    .flatMap(({ log }) => Object.keys(log?.html ?? {}));
  expect(sent).not.toContain(message.id);
  expect(seen).not.toContain("For Ben alone");
  stop.abort();
  await reading;
});

test("stopping ends what is followed, answers what is under way, and takes nothing more", async () => {
  const at = await house();
  await at.post("/messages", message);
  const live = await fetch(`${at.url}/live?as=ann&thread=${message.id}`);
  const ended = live.text();
  expect(at.console.health()).toEqual({ ok: true, detail: at.url });
  await at.console.stop();
  await ended;
  expect(at.console.health().ok).toBe(false);
  await expect(at.post("/messages", { ...message, id: "m00000002" })).rejects.toThrow();
  expect(await at.console.post(place(message.id), slot(say("the rest")), "late", false)).toMatchObject({ ok: true });
});

test("an address that is taken, or open to everybody without a token, is refused in words that say what mends it", async () => {
  const at = await house();
  const port = Number(new URL(at.url).port);
  await expect(consoleHouse({ port })).rejects.toThrow(UserError);
  await expect(consoleHouse({ port })).rejects.toThrow(/CONSOLE_PORT/);
  await expect(consoleHouse({ host: "0.0.0.0" })).rejects.toThrow(/CONSOLE_TOKEN/);
});

test("what came of a form is told in it, and does not stand in the thread as well", async () => {
  const at = await house();
  await at.post("/messages", { ...message, text: "publish it" });
  const wrong = { thread: message.id, act: "edit", code: "c1", values: { version: "soon" } };
  expect(JSON.stringify(await (await at.post("/clicks", wrong)).json())).toContain("has to look like");
  expect(await page(at, thread())).not.toContain("has to look like");
});

test("work that has no progress of its own can be stopped at the head; where a card waits, the head leads to it", async () => {
  const at = await house();
  await at.post("/messages", { ...message, text: "hear this" });
  at.console.live("s", place(message.id), { phase: "thinking", draft: "" });
  expect(await page(at, thread())).toContain('data-say="/stop"');
  const button = { word: "Stop", act: "stop", code: "s1" } as const;
  await at.console.post(place(message.id), slot({ parts: [], buttons: [button] }, "progress"), "p", false);
  expect(await page(at, thread())).not.toContain('data-say="/stop"');
  const posted = await at.console.post(place(message.id), slot(say("May I?")), "c", false);
  if (!posted.ok) throw new Error(posted.reason);
  expect(await page(at, thread())).toContain(`<a class="state waiting" href="#${posted.ref.message}"`);
});

test("a long message is folded behind its beginning, and all of it is there", async () => {
  const at = await house();
  await at.post("/messages", { ...message, text: `say nothing\n${"line\n".repeat(60)}the last` });
  const drawn = await page(at, thread());
  expect(drawn).toMatch(/<details class="rest"><summary>All of it \(\d+ characters\)/);
  expect(drawn.indexOf("the last")).toBeGreaterThan(drawn.indexOf("<details"));
});
