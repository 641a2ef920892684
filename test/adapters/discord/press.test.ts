import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Form, View } from "../../../src/core/view.ts";
import { say } from "../../../src/core/view.ts";
import { until } from "../../help/until.ts";
import { ANSWER, type Interaction, isPrivate, type Message, wordsOf } from "../../rigs/discord.ts";
import { type Connected, connected, FakeInbox, slot } from "./connected.ts";

let on: Connected;
beforeAll(async () => {
  on = await connected({ buckets: { "POST /channels/:c/messages": { limit: 1000, per: 1000 } } });
});
afterAll(() => on.close());
beforeEach(() => {
  Object.assign(on.inbox, new FakeInbox());
  on.inbox.session = undefined;
});

const card: View = {
  title: "May I run deploy?",
  parts: [{ kind: "code", text: "target: blue" }],
  buttons: [
    { word: "Approve", act: "approve", code: "k1", style: "primary" },
    { word: "Edit", act: "edit", code: "k1" },
    { word: "Deny", act: "deny", code: "k1", style: "danger" },
  ],
};
const field = (id: string, value: string) => ({ id, label: id, value, multiline: true, optional: true });
const form = (fields: Form["fields"]): Form => ({ title: "Edit before it runs", submit: "Approve", fields });

async function shownCard(): Promise<Message> {
  const root = on.rig.as(on.ann).say(on.channel, "deploy");
  const posted = await on.adapter.post(on.place(root.id), slot(card, "card", false), `k${root.id}`, false);
  if (!posted.ok) throw new Error(posted.reason);
  return on.rig.world.message(posted.ref.channel, posted.ref.message);
}
const answered = (one: Interaction): Promise<number> =>
  until(
    () => one.answeredAt,
    () => `an answer; log: ${on.log}`,
  );
const whispers = (one: Interaction): Message[] =>
  [one.original, ...one.followUps].flatMap((id) => on.rig.world.messages.get(id ?? "") ?? []).filter(isPrivate);
const privately = (one: Interaction, words: string): Promise<Message> =>
  until(() => whispers(one).find((message) => wordsOf(message).includes(words)), `a private message with “${words}”`);
const slowly = <T>(ms: number, value: T) => new Promise<T>((done) => setTimeout(() => done(value), ms));

describe("a press", () => {
  it("carries act, code, person and place, and says nothing where the card speaks for itself", async () => {
    const message = await shownCard();
    const pressed = on.rig.as(on.ben).press(message, "Approve");
    await answered(pressed);
    expect(on.inbox.heard.clicks).toMatchObject([
      {
        platform: "discord",
        act: "approve",
        code: "k1",
        by: { id: `discord:${on.ben.id}`, name: "Ben", kind: "member" },
        place: { team: on.guild.id, channel: on.channel.id, thread: message.channel_id },
      },
    ]);
    expect(pressed).toMatchObject({ kind: 6, followUps: [] });
  });

  it("is answered in time however long the inbox takes, and what it says then is private", async () => {
    on.inbox.onClick = () => slowly(2200, { to: "asker" as const, view: say("You may not decide this.") });
    const pressed = on.rig.as(on.ben).press(await shownCard(), "Approve");
    expect((await answered(pressed)) - pressed.at).toBeLessThan(2000);
    await privately(pressed, "You may not");
  });

  it("that the inbox stumbles over is answered too", async () => {
    on.inbox.onClick = async () => {
      throw new Error("the disk is full");
    };
    const pressed = on.rig.as(on.ben).press(await shownCard(), "Approve");
    await privately(pressed, "Something went wrong");
  });

  it("is answered while Discord limits the rate of everything else", async () => {
    const message = await shownCard();
    on.rig.fault({
      route: "POST /channels/:c/messages",
      status: 429,
      headers: { "retry-after": "2", "x-ratelimit-global": "true", "x-ratelimit-scope": "global" },
      body: { message: "You are being rate limited.", retry_after: 2, global: true },
    });
    expect(await on.adapter.post(on.place(null), slot(say("held")), `held${message.id}`, false)).toMatchObject({
      ok: false,
      unsure: false,
    });
    const pressed = on.rig.as(on.ben).press(message, "Approve");
    expect((await answered(pressed)) - pressed.at).toBeLessThan(1500);
    await until(async () => (await on.adapter.post(on.place(null), slot(say("held")), `held${message.id}`, false)).ok, "the limit to pass");
  });

  it("whose interaction is gone (10062) or was answered before (40060) still counts, and ends nothing", async () => {
    for (const code of [10062, 40060]) {
      on.rig.refuse(ANSWER, 400, code);
      on.rig.as(on.ben).press(await shownCard(), "Approve");
    }
    await until(() => on.inbox.heard.clicks.length === 2, "two clicks");
    const next = on.rig.as(on.ben).press(await shownCard(), "Approve");
    await answered(next);
  });

  it("long after its card was posted, and after a restart, works: each is an interaction of its own", async () => {
    const message = await shownCard();
    await on.adapter.stop();
    const { adapter, inbox } = await on.again();
    Object.assign(on, { adapter, inbox });
    const pressed = on.rig.as(on.ben).press(message, "Approve");
    await answered(pressed);
    expect(inbox.heard.clicks.map(({ code }) => code)).toEqual(["k1"]);
  });
});

describe("a form", () => {
  it("opens as the first answer, and what is sent comes with its values by field", async () => {
    on.inbox.onClick = ({ values }) =>
      values ? { to: "nobody" } : { to: "asker", form: form([field("target", "blue"), field("note", "")]), act: "edit", code: "k1" };
    const message = await shownCard();
    const pressed = on.rig.as(on.ann).press(message, "Edit");
    await answered(pressed);
    expect(pressed).toMatchObject({ kind: 9, modal: { custom_id: "edit:k1", title: "Edit before it runs" } });
    const sent = on.rig.as(on.ann).submit(pressed, { target: "green", note: "careful" }, message);
    await answered(sent);
    expect(on.inbox.heard.clicks.at(-1)).toMatchObject({ act: "edit", code: "k1", values: { target: "green", note: "careful" } });
    expect(sent.kind).toBe(6);
  });

  it("lets people choose from a menu where there are choices", async () => {
    const options = [
      { value: "c0", label: "Red" },
      { value: "c1", label: "Blue" },
    ];
    const menus = [
      { ...field("f0", "c1"), optional: false, menu: { options, most: 1 } },
      { ...field("f1", ""), optional: true, menu: { options, most: 2 } },
    ];
    on.inbox.onClick = ({ values }) => (values ? { to: "nobody" } : { to: "asker", form: form(menus), act: "answer", code: "k1.0" });
    const message = await shownCard();
    const pressed = on.rig.as(on.ann).press(message, "Edit");
    await answered(pressed);
    expect(pressed.modal).toMatchObject({
      components: [
        { component: { type: 3, required: true, min_values: 1, max_values: 1, options: [{ default: false }, { default: true }] } },
        { component: { type: 3, required: false, min_values: 0, max_values: 2 } },
      ],
    });
    await answered(on.rig.as(on.ann).submit(pressed, { f0: "c0", f1: "c0\nc1" }, message));
    expect(on.inbox.heard.clicks.at(-1)?.values).toEqual({ f0: "c0", f1: "c0\nc1" });
  });

  it("that is wrong is answered in private", async () => {
    on.inbox.onClick = ({ values }) =>
      values
        ? { to: "asker", view: say("“count” was number: write it as JSON.") }
        : { to: "asker", form: form([field("count", "3")]), act: "edit", code: "k1" };
    const message = await shownCard();
    const pressed = on.rig.as(on.ann).press(message, "Edit");
    await answered(pressed);
    const sent = on.rig.as(on.ann).submit(pressed, { count: "three" }, message);
    await privately(sent, "write it as JSON");
  });

  it("of more than Discord holds shows what it can, and one that holds nothing says why", async () => {
    const fields = Array.from({ length: 8 }, (_, index) => field(`f${index}`, `${index}`));
    on.inbox.onClick = () => ({ to: "asker", form: form(fields), act: "edit", code: "k1" });
    const pressed = on.rig.as(on.ann).press(await shownCard(), "Edit");
    await answered(pressed);
    expect(pressed.modal).toMatchObject({ title: "Edit before it runs (5 of 8 values)" });
    on.inbox.onClick = () => ({ to: "asker", form: form([field("body", "x".repeat(4001))]), act: "edit", code: "k1" });
    await privately(on.rig.as(on.ann).press(await shownCard(), "Edit"), "too long to be edited");
  });

  it("that is ready too late is asked for once more", async () => {
    on.inbox.onClick = () => slowly(1800, { to: "asker" as const, form: form([field("a", "b")]), act: "edit" as const, code: "k1" });
    const pressed = on.rig.as(on.ann).press(await shownCard(), "Edit");
    await privately(pressed, "press the button once more");
  });
});

describe("commands", () => {
  it("are registered once, and not again while they are the same", async () => {
    const names = on.rig.commands.map(({ name }) => name);
    expect(names).toEqual(["todos", "memory", "denizen", "Ask Denizen", "Stop"]);
    const registered = on.rig.callsTo("PUT /applications/:a/commands").length;
    const { adapter } = await on.again();
    expect(on.rig.callsTo("PUT /applications/:a/commands").length).toBe(registered);
    await adapter.stop();
    expect(registered).toBe(1);
  });

  it("are words with their options, answered to the caller only", async () => {
    on.inbox.onCommand = ({ text }) => ({ to: "asker", view: say(`answer to ${text}`) });
    const todos = on.rig.as(on.ann).slash("todos", on.channel);
    const memory = on.rig.as(on.ann).slash("memory", on.channel, { words: "search logs" });
    const denizen = on.rig.as(on.ann).slash("denizen", on.channel, { word: "tools", rest: "connect x" });
    await Promise.all([
      privately(todos, "answer to todos"),
      privately(memory, "answer to memory search logs"),
      privately(denizen, "answer to tools connect x"),
    ]);
  });

  it("may be answered with a file", async () => {
    const view: View = { parts: [{ kind: "file", name: "memory.md", text: "- one" }], buttons: [] };
    on.inbox.onCommand = () => ({ to: "asker", view });
    const asked = on.rig.as(on.ann).slash("memory", on.channel, { words: "export" });
    await answered(asked);
    const said = await until(() => whispers(asked)[0], "the answer");
    expect(said?.attachments).toMatchObject([{ filename: "memory.md", text: "- one" }]);
  });

  it("that take long are promised in time, and what is for all is said to all", async () => {
    on.inbox.onCommand = () => slowly(1800, { to: "all" as const, view: say("Stopped by Ann.") });
    const stop = on.rig.as(on.ann).slash("denizen", on.channel, { word: "stop" });
    expect((await answered(stop)) - stop.at).toBeLessThan(2000);
    await until(() => on.rig.said(on.channel.id).some((message) => wordsOf(message).includes("Stopped by Ann")), "a word to all");
    await privately(stop, "Done.");
  });

  it("suggest what can be said", async () => {
    const words = on.rig.as(on.ann).typing("denizen", on.channel, "word", "st");
    const memory = on.rig.as(on.ann).typing("memory", on.channel, "words", "search inv");
    await Promise.all([answered(words), answered(memory)]);
    expect(words.answer).toEqual({
      choices: [
        { name: "stop", value: "stop" },
        { name: "status", value: "status" },
      ],
    });
    expect(memory.answer).toEqual({ choices: [{ name: "search inv", value: "search inv" }] });
    const long = on.rig.as(on.ann).typing("memory", on.channel, "words", `search ${"so ".repeat(60)}`);
    await answered(long);
    const fits = expect.stringMatching(/^search so .{0,90}$/);
    expect(long.answer).toEqual({ choices: [{ name: fits, value: fits }] });
    const behind = on.rig.as(on.ann).typing("denizen", on.channel, "rest", "", { word: "tools" });
    await answered(behind);
    expect(behind.answer).toEqual({
      choices: [
        { name: "connect …", value: "connect " },
        { name: "disconnect …", value: "disconnect " },
      ],
    });
  });
});

describe("the menu of a message", () => {
  it("asks about the message, in its thread", async () => {
    on.inbox.session = () => "s";
    const message = on.rig.as(on.ben).say(on.channel, "the build is red");
    const asked = on.rig.as(on.ann).menu("Ask Denizen", message);
    await privately(asked, "I answer in the thread");
    expect(on.inbox.heard.messages.find(({ mentioned }) => mentioned)).toMatchObject({
      by: { id: `discord:${on.ann.id}` },
      mentioned: true,
      place: { channel: on.channel.id, thread: message.id },
      text: `Please look at this message of Ben (discord:${on.ben.id}):\n> the build is red`,
      unseen: true,
    });
    await until(() => on.rig.world.channels.has(message.id), "a thread");
  });

  it("brings the message with its files, to be fetched where it stands", async () => {
    on.inbox.session = () => "s";
    const message = on.rig.as(on.ben).say(on.channel, "what does it say?", { files: [{ name: "error.log", text: "E42" }] });
    await answered(on.rig.as(on.ann).menu("Ask Denizen", message));
    const { background = [], place } = await until(() => on.inbox.heard.messages.find((one) => one.background), "the question");
    expect(background).toMatchObject([{ id: message.id, by: { name: "Ben" }, text: "what does it say?", files: [{ name: "error.log" }] }]);
    const file = background[0]?.files?.[0]?.id ?? "";
    const fetched = await on.adapter.fetch?.(place, message.id, file, 1000, new AbortController().signal);
    expect(fetched?.ok && Buffer.from(fetched.bytes).toString()).toBe("E42");
  });

  it("stops what runs in its thread", async () => {
    const message = on.rig.as(on.ben).say(on.channel, "do it");
    await answered(on.rig.as(on.ann).menu("Stop", message));
    expect(on.inbox.heard.commands.at(-1)).toMatchObject({ text: "stop", place: { channel: on.channel.id, thread: message.id } });
  });
});

describe("rights", () => {
  it("come with roles, and who manages the guild owns it", async () => {
    const ops = { id: on.rig.world.id(), name: "ops", permissions: String(1n << 5n) };
    on.guild.roles.push(ops);
    on.rig.world.tell("GUILD_ROLE_CREATE", { guild_id: on.guild.id, role: { ...ops, color: 0, position: 0 } }, on.guild.id);
    const carl = on.rig.world.person("carl");
    on.rig.world.join(on.guild, carl, [ops.id]);
    expect(await on.adapter.standing(on.place(null), `discord:${carl.id}`)).toEqual({
      member: true,
      guest: false,
      external: false,
      owner: true,
      bot: false,
      groups: [`discord:role:${ops.id}`],
    });
    expect(await on.adapter.standing(on.place(null), `discord:${on.ann.id}`)).toMatchObject({ member: true, owner: false, groups: [] });
  });
});
