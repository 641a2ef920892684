import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { snowflakeAt } from "../../../adapters/discord/text.ts";
import { PATIENCE, watch } from "../../../adapters/discord/watch.ts";
import { UserError } from "../../../src/core/ports.ts";
import { say } from "../../../src/core/view.ts";
import { until } from "../../help/until.ts";
import { adapterFor, type Connected, connected, FakeInbox, slot, town } from "./connected.ts";

const open: { close(): Promise<void> }[] = [];
const opened = async (...given: Parameters<typeof connected>): Promise<Connected> => {
  const one = await connected(...given);
  open.push(one);
  return one;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});
const texts = ({ inbox }: Pick<Connected, "inbox">): string[] => inbox.heard.messages.map(({ text }) => text);
const heard = (on: Pick<Connected, "inbox">, text: string) =>
  until(
    () => texts(on).includes(text),
    () => `“${text}”; heard: ${texts(on)}`,
    9000,
  );

/** Discord not reachable by REST or gateway counts as closed by these tests, not as a wrong token. */
async function refusedWith(options: Parameters<typeof town>[0], more: { token?: string } = {}) {
  const { rig } = town(options);
  await rig.start();
  const folder = mkdtempSync(join(tmpdir(), "denizen-discord-"));
  const adapter = adapterFor(rig, folder, [], more);
  open.push({
    async close() {
      await adapter.stop();
      await rig.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  });
  const inbox = { heard: [] } as never;
  const first = await adapter.start(inbox).catch((error: unknown) => error);
  return { rig, adapter, first, again: () => adapter.start(inbox).catch((error: unknown) => error) };
}

describe("a connection", () => {
  it("that is cut is resumed, and what was said meanwhile comes once (P2)", async () => {
    const on = await opened();
    on.rig.as(on.ann).mention(on.channel, "before");
    await heard(on, "before");
    on.rig.gateway.cut();
    on.rig.as(on.ann).mention(on.channel, "meanwhile");
    await heard(on, "meanwhile");
    expect(on.rig.gateway).toMatchObject({ identified: 1, resumed: 1 });
    expect(texts(on)).toEqual(["before", "meanwhile"]);
    await until(() => on.adapter.health().ok, "health");
  });

  it("is resumed when Discord asks for it (op 7)", async () => {
    const on = await opened();
    on.rig.gateway.reconnect();
    await until(() => on.rig.gateway.resumed === 1, "a resume");
    on.rig.as(on.ann).mention(on.channel, "still there?");
    await heard(on, "still there?");
  });

  it("whose session is worth nothing any more begins a new one, and catches up on what it missed (op 9)", async () => {
    const on = await opened();
    on.rig.as(on.ann).mention(on.channel, "before");
    await heard(on, "before");
    on.rig.gateway.invalidate();
    on.rig.as(on.ann).mention(on.channel, "missed by everybody");
    await heard(on, "missed by everybody");
    expect(on.rig.gateway.identified).toBe(2);
    expect(texts(on).filter((text) => text === "missed by everybody")).toHaveLength(1);
  });

  it("whose session is only to be taken up again is resumed, and loses nothing (op 9, resumable)", async () => {
    const on = await opened();
    on.rig.gateway.invalidate(true);
    on.rig.as(on.ann).mention(on.channel, "between the two");
    await heard(on, "between the two");
    expect(on.rig.gateway).toMatchObject({ identified: 1, resumed: 1 });
    expect(texts(on)).toEqual(["between the two"]);
  });

  it("on which heartbeats go unanswered is given up and resumed", async () => {
    const on = await opened({ heartbeat: 200 });
    on.rig.gateway.silent = true;
    await until(() => on.rig.gateway.resumed > 0, "a resume");
    on.rig.gateway.silent = false;
    on.rig.as(on.ann).mention(on.channel, "alive?");
    await heard(on, "alive?");
  });

  it("is refused in words, and not tried again at once, while the intent for words is off (4014)", async () => {
    const { rig, first, again, adapter } = await refusedWith({ privileged: 0 });
    expect(first).toBeInstanceOf(UserError);
    expect((first as Error).message).toMatch(/Switch on “Message Content Intent”/);
    expect(await again()).toBe(first);
    expect(rig.gateway.identified).toBe(1);
    expect(adapter.health()).toMatchObject({ ok: false, detail: expect.stringMatching(/Message Content Intent/) });
  });

  it("with a wrong token is refused in words, and never tried again", async () => {
    const { rig, first, again } = await refusedWith({}, { token: "NOT.the.token" });
    expect((first as Error).message).toMatch(/^DISCORD_TOKEN: /);
    const calls = rig.calls.length;
    expect(await again()).toBe(first);
    expect(rig.calls.length).toBe(calls);
  });

  it.each([
    [4014, /Message Content Intent/],
    [4004, /DISCORD_TOKEN/],
  ])("that is taken away for good while it stands (%i) is said in words, once, and not tried again at once", async (code, words) => {
    const on = await opened();
    on.rig.gateway.close(code);
    await until(() => !on.adapter.health().ok && words.test(on.adapter.health().detail), "a sentence");
    await new Promise((done) => setTimeout(done, 200));
    expect(on.log.filter((line) => words.test(line))).toHaveLength(1);
    expect(on.rig.gateway.identified).toBe(1);
  });

  it("says so when messages come without their words", async () => {
    const on = await opened();
    on.rig.world.tell("MESSAGE_CREATE", { ...on.rig.as(on.ann).say(on.channel, "x"), id: on.rig.world.id(), content: "" }, on.guild.id);
    await until(() => on.adapter.health().detail.includes("without their words"), "a word about it");
  });
});

describe("a new process", () => {
  it("takes what was said while there was none, in channels, threads and direct messages, each once (P1)", async () => {
    const on = await opened();
    on.rig.as(on.ann).mention(on.channel, "first");
    const direct = on.rig.world.direct(on.ann);
    on.rig.as(on.ann).say(direct, "between us");
    await heard(on, "first");
    await heard(on, "between us");
    const thread = on.rig.world.thread(on.channel, "talk", on.ann, on.rig.as(on.ann).say(on.channel, "a root").id);
    await heard(on, "a root");
    await on.adapter.stop();
    on.rig.as(on.ann).mention(on.channel, "one");
    on.rig.as(on.ann).mention(on.channel, "two");
    on.rig.as(on.ben).say(thread, "three");
    on.rig.as(on.ann).say(direct, "four");
    on.rig.as(on.ann).mention(on.channel, "/memory forget 1");
    const { inbox } = await on.again();
    await Promise.all(["one", "two", "three", "four"].map((text) => heard({ inbox }, text)));
    on.rig.as(on.ann).mention(on.channel, "five");
    await heard({ inbox }, "five");
    expect(texts({ inbox }).filter((text) => text !== "three" && text !== "four")).toEqual(["one", "two", "five"]);
    expect(inbox.heard.commands).toEqual([]);
  });

  it("asks for nothing at its very first start", async () => {
    const { rig, channel, ann } = town();
    rig.as(ann).mention(channel, "long before");
    await rig.start();
    const folder = mkdtempSync(join(tmpdir(), "denizen-discord-"));
    const adapter = adapterFor(rig, folder, []);
    open.push({ close: () => adapter.stop().then(() => rig.stop()) });
    await adapter.start({ heard: [] } as never);
    expect(rig.callsTo("GET /channels/:c/messages")).toEqual([]);
  });

  it("asks again for a message that the inbox could not take", async () => {
    const on = await opened();
    on.rig.as(on.ann).mention(on.channel, "good");
    await heard(on, "good");
    on.inbox.onMessage = async () => {
      throw new Error("the disk is full");
    };
    on.rig.as(on.ann).mention(on.channel, "bad luck");
    await heard(on, "bad luck");
    on.inbox.onMessage = async () => undefined;
    on.rig.as(on.ann).mention(on.channel, "good again");
    await heard(on, "good again");
    await on.adapter.stop();
    const { inbox } = await on.again();
    await heard({ inbox }, "bad luck");
  });

  it("asks in threads that sleep in the archive too, where it talked", async () => {
    const on = await opened();
    on.inbox.session = () => "s";
    const root = on.rig.as(on.ann).mention(on.channel, "let us talk");
    await heard(on, "let us talk");
    const thread = await until(() => on.rig.world.channels.get(root.id), "a thread");
    const word = on.rig.as(on.ann).say(thread, "a first word");
    await heard(on, "a first word");
    await on.adapter.stop();
    on.rig.as(on.ann).say(thread, "and good night");
    Object.assign(thread.thread_metadata ?? {}, { archived: true });
    const inbox = new FakeInbox();
    inbox.held = [root.id, word.id].map((id) => ({ place: on.place(root.id), id }));
    await on.again(inbox);
    await heard({ inbox }, "and good night");
  });

  it("asks nothing of the conversations of a guild in which nobody spoke: it has no home", async () => {
    const on = await opened({ furnish: ({ rig }) => void rig.world.guild("Silent") });
    on.rig.as(on.ann).mention(on.channel, "hello");
    await heard(on, "hello");
    await on.adapter.stop();
    const inbox = new FakeInbox();
    await on.again(inbox);
    await until(() => inbox.asked.length >= 2, "two questions");
    expect(new Set(inbox.asked)).toEqual(new Set([on.guild.id]));
  });

  it("does not care for what is older than a day", async () => {
    const on = await opened();
    on.rig.as(on.ann).mention(on.channel, "now");
    await heard(on, "now");
    await on.adapter.stop();
    const { writeFileSync } = await import("node:fs");
    writeFileSync(join(on.folder, "seen.json"), JSON.stringify({ last: snowflakeAt(Date.now() - 72 * 3600_000), places: [] }));
    on.rig.as(on.ann).say(on.channel, `<@${on.rig.world.bot.id}> two days old`, { age: 48 * 3600_000 });
    on.channel.last_message_id = on.rig.as(on.ann).mention(on.channel, "fresh").id;
    const { inbox } = await on.again();
    await heard({ inbox }, "fresh");
    expect(texts({ inbox })).not.toContain("two days old");
  });
});

describe("a message", () => {
  it("that the inbox stumbled over is told again after a while (P1)", async () => {
    const on = await opened({ with: { patience: { again: [20] } } });
    on.inbox.onMessage = async () => {
      on.inbox.onMessage = async () => undefined;
      throw new Error("something broke");
    };
    on.rig.as(on.ann).mention(on.channel, "once more");
    await until(() => texts(on).filter((text) => text === "once more").length === 2, "a second time");
  });

  it("that was taken when the adapter was stopped is brought to its end with all that belongs to it", async () => {
    const on = await opened();
    const thread = on.rig.world.thread(on.channel, "talk", on.ann);
    on.inbox.onMessage = () => new Promise<undefined>((done) => setTimeout(() => done(undefined), 150));
    on.rig.as(on.ann).say(thread, "what came before");
    on.rig.as(on.ben).mention(thread, "your view?");
    await heard(on, "what came before");
    await on.adapter.stop();
    const told = on.inbox.heard.messages.find(({ text }) => text === "your view?");
    expect(told?.background?.map(({ text }) => text)).toEqual(["what came before"]);
  });

  it("or anything else that is not as it should be ends nothing", async () => {
    const on = await opened();
    on.rig.world.tell("GUILD_CREATE", { id: on.guild.id }, on.guild.id);
    on.rig.world.tell("MESSAGE_UPDATE", { id: "1", channel_id: on.channel.id }, on.guild.id);
    on.rig.world.tell("INTERACTION_CREATE", { id: "1", token: "t", type: 3, data: { custom_id: "x" } }, on.guild.id);
    await until(() => on.log.includes("an event could not be taken"), "a line in the log");
    on.rig.as(on.ann).mention(on.channel, "still there?");
    await heard(on, "still there?");
  });

  it("that is only forwarded is not taken for one without its words", async () => {
    const on = await opened();
    const message = on.rig.as(on.ann).say(on.channel, "to be forwarded");
    const from = { message_reference: { type: 1, channel_id: on.channel.id, message_id: message.id } };
    const without = { ...message, ...from, content: "", message_snapshots: [{ message: { content: "", embeds: [], attachments: [] } }] };
    on.rig.world.tell("MESSAGE_CREATE", { ...without, id: on.rig.world.id() }, on.guild.id);
    on.rig.as(on.ann).mention(on.channel, "behind it");
    await heard(on, "behind it");
    expect(on.log.filter((line) => line.includes("without their words"))).toEqual([]);
  });
});

describe("a connection that tells nothing", () => {
  const impatient = { echo: 300, quiet: 300, every: 50 };

  it("though its heartbeats are answered is replaced once our own posts do not come back; nothing is lost", async () => {
    const on = await opened({ with: { patience: { ...impatient, quiet: 60_000 } } });
    on.rig.as(on.ann).mention(on.channel, "before");
    await heard(on, "before");
    on.rig.gateway.mute = true;
    on.rig.as(on.ann).mention(on.channel, "nobody hears me");
    await on.adapter.post(on.place(null), slot(say("A word of ours.")), "mute", false);
    await until(() => on.log.some((line) => line.includes("sends no events")), "the alarm");
    on.rig.gateway.mute = false;
    await heard(on, "nobody hears me");
    expect(texts(on).filter((text) => text === "nobody hears me")).toHaveLength(1);
    expect(on.rig.gateway.identified).toBe(2);
  });

  it("is not suspected where a repeat gave back what stood before, of which nothing is told anew", async () => {
    const on = await opened({ with: { patience: impatient } });
    await on.adapter.post(on.place(null), slot(say("Only once.")), "once", false);
    await on.adapter.stop();
    const { adapter } = await on.again();
    expect(await adapter.post(on.place(null), slot(say("Only once.")), "once", true)).toMatchObject({ ok: true });
    const probes = on.rig.gateway.probes;
    await until(() => on.rig.gateway.probes > probes + 1, "more than the time of an echo");
    expect(on.log.filter((line) => line.includes("Connecting anew"))).toEqual([]);
  });

  it("is asked something after a while of silence, and replaced if it answers nothing", async () => {
    const on = await opened({ with: { patience: impatient } });
    const asked = () => on.rig.gateway.probes;
    await until(() => asked() > 1, "two questions");
    expect(on.log.filter((line) => line.includes("answers nothing"))).toEqual([]);
    on.rig.gateway.mute = true;
    on.rig.as(on.ann).mention(on.channel, "hello?");
    await until(() => on.log.some((line) => line.includes("answers nothing")), "the alarm");
    on.rig.gateway.mute = false;
    await heard(on, "hello?");
    expect(on.rig.gateway.identified).toBeGreaterThan(1);
  });

  it("and does not come back by itself is replaced", async () => {
    const said: string[] = [];
    let now = 0;
    const one = watch({ stands: () => false, shards: () => [0], ask: () => true }, (why) => said.push(why), {
      ...PATIENCE,
      now: () => (now += 60_000),
      every: 5,
    });
    await until(() => said.length > 0, "the alarm");
    expect(said).toEqual(["the connection did not come back by itself"]);
    one.stop();
  });
});
