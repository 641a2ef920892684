import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Incoming } from "../../../src/core/ports.ts";
import { say } from "../../../src/core/view.ts";
import { until } from "../../help/until.ts";
import { THREAD, wordsOf } from "../../rigs/discord.ts";
import { FORUM, MEDIA, VOICE } from "../../rigs/discord-world.ts";
import { type Connected, connected, FakeInbox } from "./connected.ts";

let on: Connected;
beforeAll(async () => {
  on = await connected();
});
afterAll(() => on.close());
beforeEach(() => {
  Object.assign(on.inbox, new FakeInbox());
  on.inbox.session = (incoming) => `discord:${incoming.id}`;
});
const heardOf = (id: string): Promise<Incoming> =>
  until(
    () => on.inbox.heard.messages.find((one) => one.id === id),
    () => `message ${id}; heard: ${JSON.stringify(on.inbox.heard.messages)}; log: ${on.log}`,
  );

const refusedIn = (direct: { id: string }, times: number) =>
  until(() => on.rig.said(direct.id).filter((one) => wordsOf(one).includes("only of members")).length >= times, `${times} refusals`);

describe("a mention in a channel", () => {
  it("is told with its place, its author and its words, and a thread is opened on it once it is taken", async () => {
    const message = on.rig.as(on.ann).mention(on.channel, "please look at **this** <@1234>");
    expect(await heardOf(message.id)).toMatchObject({
      place: { platform: "discord", team: on.guild.id, channel: on.channel.id, thread: null },
      channel: "public",
      shared: false,
      by: { id: `discord:${on.ann.id}`, name: "Ann", kind: "member" },
      text: "please look at **this** @1234 (discord:1234)",
      mentioned: true,
      toOthers: false,
      own: false,
    });
    const thread = await until(() => on.rig.world.channels.get(message.id), "a thread");
    expect(thread).toMatchObject({ parent_id: on.channel.id, name: "please look at this 1234" });
  });

  it("begins no thread while the inbox has not taken it, and none if it is refused", async () => {
    on.inbox.session = undefined;
    on.inbox.onMessage = async () => ({ to: "asker", view: say("I may not talk with you.") });
    const message = on.rig.as(on.ben).mention(on.channel, "psst");
    await heardOf(message.id);
    const direct = on.rig.world.direct(on.ben);
    await until(() => on.rig.said(direct.id).some((one) => wordsOf(one).includes("I may not talk")), "a private refusal");
    expect(on.rig.callsTo(THREAD).filter(({ path }) => path.includes(message.id))).toEqual([]);
  });

  it("is said where it was asked if direct messages are closed", async () => {
    on.inbox.onMessage = async () => ({ to: "asker", view: say("Not with you, sadly.") });
    on.rig.refuse("POST /users/@me/channels", 403, 50007);
    const message = on.rig.as(on.ben).mention(on.channel, "psst again");
    const refusal = await until(() => on.rig.said(on.channel.id).find((one) => wordsOf(one).includes("sadly")), "a refusal");
    expect(refusal.message_reference?.message_id).toBe(message.id);
    expect(refusal.mentions).toEqual([]);
  });

  it("by the bot's role is one too", async () => {
    const role = on.guild.roles.find(({ tags }) => tags)?.id;
    const message = on.rig.as(on.ann).say(on.channel, `<@&${role}> hello`);
    expect(await heardOf(message.id)).toMatchObject({ mentioned: true, text: "hello" });
  });
});

describe("what is said in a thread", () => {
  it("belongs to the thread and its channel", async () => {
    const root = on.rig.as(on.ann).mention(on.channel, "begin");
    const thread = await until(() => on.rig.world.channels.get(root.id), "a thread");
    const message = on.rig.as(on.ben).say(thread, `<@${on.ann.id}> what do you think?`, { files: ["plan.pdf"] });
    expect(await heardOf(message.id)).toMatchObject({
      place: { channel: on.channel.id, thread: root.id },
      channel: "public",
      mentioned: false,
      toOthers: true,
      text: `@Ann (discord:${on.ann.id}) what do you think?`,
      files: [{ id: message.attachments[0]?.id, name: "plan.pdf", size: 0 }],
    });
  });

  it("to somebody else by a reply is not for the bot; a reply to the bot is", async () => {
    const thread = on.rig.world.thread(on.channel, "talk", on.ann, on.rig.as(on.ann).say(on.channel, "root").id);
    const first = on.rig.as(on.ann).say(thread, "a thought");
    const toAnn = on.rig.as(on.ben).say(thread, "indeed", { replyTo: first });
    const own = on.rig.world.create(thread, on.rig.world.bot, { content: "An answer" });
    const toBot = on.rig.as(on.ben).say(thread, "thanks", { replyTo: own });
    expect(await heardOf(toAnn.id)).toMatchObject({ toOthers: true, mentioned: false });
    expect(await heardOf(toBot.id)).toMatchObject({ toOthers: false, mentioned: true });
    expect(on.inbox.heard.messages.some(({ id }) => id === own.id)).toBe(false);
  });

  it("of a private thread stands in a place of its own: what is learned there is not its channel's, nor another thread's (P6)", async () => {
    const PRIVATE_THREAD = 12;
    const archive = { archived: false, locked: false, auto_archive_duration: 1440, archive_timestamp: new Date().toISOString() };
    const more = { parent_id: on.channel.id, owner_id: on.ann.id, thread_metadata: archive };
    const thread = on.rig.world.channel(on.guild, "quietly", PRIVATE_THREAD, more);
    on.rig.world.tell("THREAD_CREATE", thread, on.guild.id);
    const message = on.rig.as(on.ann).mention(thread, "between us");
    expect(await heardOf(message.id)).toMatchObject({ place: { channel: thread.id, thread: thread.id }, channel: "private" });
    const slot = { key: "a", kind: "answer", view: say("Understood."), digest: "d", final: true } as const;
    const posted = await on.adapter.post({ ...on.place(thread.id), channel: thread.id }, slot, "private 1", false);
    expect(posted).toMatchObject({ ok: true, ref: { channel: thread.id } });
  });

  it.each([
    ["forum", FORUM],
    ["media channel", MEDIA],
  ])("of a %s is a thread of it, also its first message, whose files and signs are found in it", async (name, type) => {
    const forum = on.rig.world.channel(on.guild, name, type);
    on.rig.world.tell("CHANNEL_CREATE", forum, on.guild.id);
    const { post, first } = on.rig
      .as(on.ann)
      .post(forum, "Look", `<@${on.rig.world.bot.id}> what is this?`, [{ name: "a.txt", text: "words" }]);
    const incoming = await heardOf(first.id);
    expect(incoming).toMatchObject({ place: { channel: forum.id, thread: post.id }, channel: "public", mentioned: true });
    const place = on.place(post.id, forum);
    const [file] = incoming.files ?? [];
    const fetched = await on.adapter.fetch?.(place, first.id, file?.id ?? "", 1000, new AbortController().signal);
    expect(fetched?.ok && Buffer.from(fetched.bytes).toString()).toBe("words");
    expect(await on.adapter.react?.(place, first.id, "👀")).toEqual({ ok: true });
  });

  it("of a forum is answered in it", async () => {
    const forum = on.rig.world.channel(on.guild, "ideas", FORUM);
    on.rig.world.tell("CHANNEL_CREATE", forum, on.guild.id);
    const post = on.rig.world.thread(forum, "An idea", on.ann);
    const message = on.rig.as(on.ann).mention(post, "what of it?");
    expect(await heardOf(message.id)).toMatchObject({ place: { channel: forum.id, thread: post.id }, channel: "public" });
    const posted = await on.adapter.post(
      on.place(post.id, forum),
      { key: "a", kind: "answer", view: say("Good."), digest: "d", final: true },
      "forum",
      false,
    );
    expect(posted).toMatchObject({ ok: true, ref: { channel: post.id } });
  });
});

describe("what was said before a call", () => {
  it("in a thread that nobody talked with it in comes with the call, the root first, its own words and notices left out", async () => {
    const root = on.rig.as(on.ben).say(on.channel, "the importer fails since noon", { files: [{ name: "log.txt", text: "boom" }] });
    const thread = on.rig.world.thread(on.channel, "importer", on.ben, root.id);
    const first = on.rig.as(on.ann).say(thread, `<@${on.ben.id}> which version?`);
    on.rig.world.create(thread, on.rig.world.bot, { content: "a word of ours" });
    const second = on.rig.as(on.ben).say(thread, "4f2c91e");
    on.inbox.session = ({ mentioned, place }) => (mentioned || place.thread === "known" ? `discord:${place.thread}` : undefined);
    const call = on.rig.as(on.ann).mention(thread, "please look");
    const { background = [] } = await heardOf(call.id);
    expect(background.map(({ id, by, text }) => [id, by.name, text])).toEqual([
      [root.id, "Ben", "the importer fails since noon"],
      [first.id, "Ann", `@Ben (discord:${on.ben.id}) which version?`],
      [second.id, "Ben", "4f2c91e"],
    ]);
    expect(background[0]?.files).toMatchObject([{ name: "log.txt" }]);
    const again = on.rig.as(on.ann).mention(thread, "and now?");
    expect((await heardOf(again.id)).background).toBeUndefined();
  });

  it("is no more than fits: the root, and the newest", async () => {
    on.inbox.session = undefined;
    const root = on.rig.as(on.ben).say(on.channel, "root of a long talk");
    const thread = on.rig.world.thread(on.channel, "long", on.ben, root.id);
    for (let n = 0; n < 120; n++) on.rig.as(on.ben).say(thread, `${n} ${"word ".repeat(150)}`);
    const call = on.rig.as(on.ann).mention(thread, "in short?");
    const { background = [] } = await heardOf(call.id);
    expect(background[0]?.text).toBe("root of a long talk");
    expect(background.at(-1)?.text).toMatch(/^119 /);
    expect(background.reduce((all, { text }) => all + text.length, 0)).toBeLessThanOrEqual(12_000);
    expect(background.length).toBeGreaterThan(10);
  });

  it("is the message that the call replies to", async () => {
    const said = on.rig.as(on.ben).say(on.channel, "shall we ship it?");
    const call = on.rig.as(on.ann).mention(on.channel, "what do you think?", { replyTo: said });
    expect((await heardOf(call.id)).background).toMatchObject([{ id: said.id, by: { name: "Ben" }, text: "shall we ship it?" }]);
  });
});

describe("where there are no threads", () => {
  it("a conversation is a root and the replies to it, found again by them alone", async () => {
    const voice = on.rig.world.channel(on.guild, "voice", VOICE);
    on.rig.world.tell("CHANNEL_CREATE", voice, on.guild.id);
    const root = on.rig.as(on.ann).mention(voice, "who is here?");
    expect(await heardOf(root.id)).toMatchObject({ place: { channel: voice.id, thread: null } });
    const place = on.place(root.id, voice);
    const posted = await on.adapter.post(
      place,
      { key: "a", kind: "answer", view: say("All of us."), digest: "d", final: true },
      "v1",
      false,
    );
    if (!posted.ok) throw new Error(posted.reason);
    const answer = on.rig.world.message(voice.id, posted.ref.message);
    expect(answer.message_reference?.message_id).toBe(root.id);
    const followUp = on.rig.as(on.ann).say(voice, "really?", { replyTo: answer });
    expect(await heardOf(followUp.id)).toMatchObject({ place: { channel: voice.id, thread: root.id } });
    const toFollowUp = on.rig.as(on.ben).say(voice, "yes", { replyTo: followUp });
    expect(await heardOf(toFollowUp.id)).toMatchObject({ place: { thread: root.id } });
    on.rig.as(on.ann).edit(followUp, "truly?");
    on.rig.as(on.ann).remove(toFollowUp);
    await until(() => on.inbox.heard.deletions.length === 1, "a deletion");
    expect(on.inbox.heard.edits).toMatchObject([{ id: followUp.id, thread: root.id, text: "truly?" }]);
    expect(on.inbox.heard.deletions).toEqual([{ id: toFollowUp.id, thread: root.id }]);
  });

  it("a direct message's channel is one conversation, served by the only guild's home", async () => {
    const direct = on.rig.world.direct(on.ann);
    const message = on.rig.as(on.ann).say(direct, "between us");
    expect(await heardOf(message.id)).toMatchObject({
      place: { team: on.guild.id, channel: direct.id, thread: direct.id },
      channel: "dm",
      by: { kind: "member" },
    });
  });

  it("a direct message of somebody outside the guild is refused in words, whatever policy would say, and so are commands", async () => {
    const eve = on.rig.world.person("eve");
    const direct = on.rig.world.direct(eve);
    const message = on.rig.as(eve).say(direct, "hello there");
    await refusedIn(direct, 1);
    on.rig.as(eve).say(direct, "/memory");
    await refusedIn(direct, 2);
    const asked = on.rig.as(eve).slash("memory", direct);
    await until(() => asked.answeredAt, "an answer");
    expect(JSON.stringify(asked.answer)).toContain("I do not serve this place.");
    expect(on.inbox.heard.messages.some(({ id }) => id === message.id)).toBe(false);
    expect(on.inbox.heard.commands.some(({ by }) => by.id === `discord:${eve.id}`)).toBe(false);
    expect(await on.adapter.standing(on.place(null), `discord:${eve.id}`)).toMatchObject({ member: false, external: true });
  });

  it("a direct message is heard only while its author is a member of the guild", async () => {
    const kim = on.rig.world.person("kim", { guild: on.guild });
    const direct = on.rig.world.direct(kim);
    expect(await heardOf(on.rig.as(kim).say(direct, "I am in").id)).toMatchObject({ by: { kind: "member" } });
    on.guild.members.delete(kim.id);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 6000 });
    try {
      const message = on.rig.as(kim).say(direct, "I am out");
      await refusedIn(direct, 1);
      expect(on.inbox.heard.messages.some(({ id }) => id === message.id)).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("privacy (P6)", () => {
  it("a channel that @everyone cannot view is private, and so are its threads", async () => {
    const role = on.guild.roles[1]?.id ?? "";
    const hidden = on.rig.world.hidden(on.guild, "board", role);
    on.rig.world.tell("CHANNEL_CREATE", hidden, on.guild.id);
    const root = on.rig.as(on.ann).mention(hidden, "secretly");
    expect(await heardOf(root.id)).toMatchObject({ channel: "private" });
    const thread = await until(() => on.rig.world.channels.get(root.id), "a thread");
    const message = on.rig.as(on.ann).say(thread, "more");
    expect(await heardOf(message.id)).toMatchObject({ channel: "private", place: { channel: hidden.id, thread: root.id } });
  });
});

describe("changes", () => {
  it("an edit of the words is told once with its revision; a preview, a thread or our own edit is none", async () => {
    const message = on.rig.as(on.ann).say(on.channel, "frist");
    on.rig.world.tell("MESSAGE_UPDATE", message, on.guild.id);
    on.rig.as(on.ann).edit(message, "first");
    await until(() => on.inbox.heard.edits.length > 0, "an edit");
    expect(on.inbox.heard.edits).toEqual([
      { thread: null, id: message.id, rev: Date.parse(message.edited_timestamp ?? ""), text: "first" },
    ]);
  });

  it("what bots, webhooks and Discord itself say is told as theirs, or not at all", async () => {
    const bot = on.rig.world.person("alerts", { bot: true });
    const alert = on.rig.world.create(on.channel, bot, { embeds: [{ title: "Disk full", description: "on db1" }] });
    const hook = on.rig.world.create(on.channel, on.ann, { content: "as Ann, by a webhook" }, { webhook: "77" });
    expect(await heardOf(alert.id)).toMatchObject({ by: { kind: "bot" }, text: "Disk full\non db1" });
    expect(await heardOf(hook.id)).toMatchObject({ by: { kind: "bot" } });
    const pin = on.rig.as(on.ann).say(on.channel, "x");
    await heardOf(pin.id);
    const before = on.inbox.heard.messages.length;
    on.rig.world.tell("MESSAGE_CREATE", { ...pin, id: on.rig.world.id(), type: 6 }, on.guild.id);
    const last = on.rig.as(on.ann).say(on.channel, "last");
    await heardOf(last.id);
    expect(on.inbox.heard.messages.length).toBe(before + 1);
  });
});

describe("words that are commands", () => {
  it("never reach the model, and are answered in private", async () => {
    on.inbox.onCommand = () => ({ to: "asker", view: say("No plan yet.") });
    on.rig.as(on.ann).mention(on.channel, "/todos now");
    await until(() => on.inbox.heard.commands.length > 0, "a command");
    expect(on.inbox.heard.commands).toMatchObject([{ text: "todos now", place: { channel: on.channel.id, thread: null } }]);
    await until(() => on.rig.said(on.rig.world.direct(on.ann).id).some((one) => wordsOf(one).includes("No plan yet")), "a private answer");
    expect(on.inbox.heard.messages).toEqual([]);
  });
});

describe("guilds", () => {
  it("that are not allowed do not exist; direct messages go to a home of their own among several", async () => {
    const allowed: string[] = [];
    const other = await connected({
      with: { guilds: allowed },
      furnish({ rig, ann }) {
        for (const name of ["One", "Two"]) {
          const guild = rig.world.guild(name);
          allowed.push(guild.id);
          rig.world.join(guild, ann);
        }
      },
    });
    try {
      const message = other.rig.as(other.ann).mention(other.channel, "hello?");
      const direct = other.rig.as(other.ann).say(other.rig.world.direct(other.ann), "and here?");
      const heard = await until(() => other.inbox.heard.messages.find(({ id }) => id === direct.id), "the direct message");
      expect(heard).toMatchObject({ place: { team: "dm" }, by: { kind: "member" } });
      const stranger = other.rig.world.direct(other.ben);
      other.rig.as(other.ben).say(stranger, "and me?");
      await until(() => other.rig.said(stranger.id).some((one) => wordsOf(one).includes("only of members")), "a refusal");
      expect(other.inbox.heard.messages.map(({ id }) => id)).toEqual([direct.id]);
      expect(other.inbox.heard.messages.some(({ id }) => id === message.id)).toBe(false);
    } finally {
      await other.close();
    }
  });
});
