import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { scopeOf } from "../../../src/core/scope.ts";
import { until } from "../../help/until.ts";
import { type Connected, connected, FakeInbox } from "./connected.ts";

let on: Connected;
beforeAll(async () => {
  on = await connected();
});
afterAll(() => on.close());
beforeEach(() => {
  Object.assign(on.inbox, new FakeInbox());
});
const as = (person: string) => on.rig.as(person);

describe("a message to the bot", () => {
  it("reaches the inbox as said, without the bot's name, and is acknowledged after that", async () => {
    const said = as("U1ANN").mention("C1", "ship &lt;it&gt; &amp; tell <@U2BEN>");
    await said.told;
    expect(on.inbox.heard.messages[0]).toMatchObject({
      place: { platform: "slack", team: "T1", channel: "C1", thread: null },
      channel: "public",
      shared: false,
      id: said.ts,
      by: { id: "slack:U1ANN", name: "Ann", kind: "member" },
      text: "ship <it> & tell @Ben (slack:U2BEN)",
      mentioned: true,
      toOthers: false,
      own: false,
    });
  });
  it("P2: gives the same facts as message and as app_mention", async () => {
    await as("U1ANN").mention("C1", "twice told").told;
    expect(on.inbox.heard.messages).toHaveLength(2);
    expect(on.inbox.heard.messages[0]).toEqual(on.inbox.heard.messages[1]);
  });
  it("P2: that comes only as app_mention says the same, its channel looked up", async () => {
    await as("U1ANN").say("G1", "<@UBOT> psst", { only: "app_mention" }).told;
    expect(on.inbox.heard.messages[0]).toMatchObject({ channel: "private", mentioned: true, text: "psst" });
  });
  it("P6: says what kind of place it is in as soon as either of its events does, however slow Slack is with look-ups", async () => {
    on.rig.space.facts.channels.push({ id: "C8SLOW", name: "slow", kind: "channel", members: ["U1ANN", "UBOT"] });
    on.rig.fault({ method: "conversations.info", delay: 2200 });
    const alone = as("U1ANN").say("C8SLOW", "<@UBOT> psst", { only: "app_mention" });
    await as("U1ANN").say("C8SLOW", "beside it").told;
    await alone.told;
    expect(on.inbox.heard.messages.map(({ channel }) => channel)).toEqual(["public", "public"]);
  });
  it("in a thread carries its thread, and in a DM a thread of its own", async () => {
    const root = as("U1ANN").say("C1", "a root");
    await root.told;
    await as("U2BEN").say("C1", "a reply", { thread: root.ts }).told;
    const dm = as("U1ANN").dm("hello there");
    await dm.told;
    const below = as("U1ANN").dm("and more", dm.ts);
    await below.told;
    const [first, reply, direct, more] = on.inbox.heard.messages;
    expect(first?.place.thread).toBeNull();
    expect(reply).toMatchObject({ place: { thread: root.ts }, mentioned: false });
    expect(direct).toMatchObject({ channel: "dm", place: { thread: dm.ts } });
    expect(more).toMatchObject({ channel: "dm", place: { thread: dm.ts } });
  });
  it("says who speaks: guests, people of other workspaces, bots, and ourselves", async () => {
    await as("U3GIL").say("C1", "a guest").told;
    await as("U5XEN").say("C3", "a partner").told;
    await as("U6ROB").say("C1", "a robot").told;
    await as("UBOT").say("C1", "myself").told;
    expect(on.inbox.heard.messages.map((m) => [m.by.kind, m.own, m.shared])).toEqual([
      ["guest", false, false],
      ["external", false, true],
      ["bot", false, false],
      ["bot", true, false],
    ]);
  });
  it("P6: in a group DM is said in a private place of its own, whether its kind is told or looked up", async () => {
    on.rig.space.facts.channels.push({ id: "G9", name: "mpdm-ann-ben", kind: "mpim", members: ["U1ANN", "U2BEN", "UBOT"] });
    await as("U1ANN").say("G9", "<@UBOT> between us", { only: "app_mention" }).told;
    await as("U1ANN").say("G9", "<@UBOT> between us", { only: "message" }).told;
    const scopes = on.inbox.heard.messages.map(({ channel, shared, place, by }) => [
      channel,
      scopeOf(channel, shared, `slack:${place.channel}`, by.id),
    ]);
    expect(scopes).toEqual(Array(2).fill(["group", "place:slack:G9"]));
  });
  it("that is only attachments or only a file is heard too, and may name the bot there", async () => {
    await as("U6ROB").say("C1", "", { attachments: [{ fallback: "-", text: "<@UBOT> disk full" }] }).told;
    await as("U1ANN").say("C1", "", { files: [{ name: "plan.pdf" }] }).told;
    expect(on.inbox.heard.messages).toMatchObject([
      { text: "disk full", mentioned: true, by: { kind: "bot" } },
      { text: "[file: plan.pdf]", mentioned: false },
    ]);
  });
  it("names files, and leaves Slack's notices out", async () => {
    await as("U1ANN").say("C1", "look", { files: [{ name: "plan.pdf" }] }).told;
    await as("U1ANN").say("C1", "Ann joined", { subtype: "channel_join" }).told;
    expect(on.inbox.heard.messages.map((m) => m.text)).toEqual(["look\n[file: plan.pdf]"]);
  });
  it("that begins with another's name is marked as such", async () => {
    await as("U1ANN").say("C1", "<@U2BEN> what do you think?").told;
    expect(on.inbox.heard.messages[0]).toMatchObject({ toOthers: true, mentioned: false });
  });
  it("keeps the order in which a channel was told", async () => {
    const said = ["one", "two", "three", "four"].map((words) => as("U1ANN").say("C1", words));
    await Promise.all(said.map((each) => each.told));
    expect(on.inbox.heard.messages.map((m) => m.text)).toEqual(["one", "two", "three", "four"]);
  });
});

describe("a mention in a thread that is under way", () => {
  const thread = async () => {
    const root = as("U6ROB").say("C1", "ALERT: the build is red");
    await root.told;
    await as("U1ANN").say("C1", "since noon, <@U2BEN>", { thread: root.ts }).told;
    return root;
  };
  it("brings what was said before it, the oldest first, without our own words", async () => {
    const root = await thread();
    await as("UBOT").say("C1", "my own", { thread: root.ts }).told;
    await as("U2BEN").mention("C1", "what is wrong?", root.ts).told;
    const [said] = on.inbox.heard.messages.filter(({ mentioned }) => mentioned);
    expect(said?.background).toMatchObject([
      { id: root.ts, by: { id: "slack:U6ROB", kind: "bot" }, text: "ALERT: the build is red" },
      { by: { id: "slack:U1ANN", name: "Ann" }, text: "since noon, @Ben (slack:U2BEN)" },
    ]);
  });
  it("keeps to a budget: the root, and the newest of the rest", async () => {
    const root = await thread();
    for (let n = 0; n < 6; n++) await as("U1ANN").say("C1", `${n} ${"x".repeat(2900)}`, { thread: root.ts }).told;
    await as("U2BEN").mention("C1", "well?", root.ts).told;
    const said = on.inbox.heard.messages.find(({ mentioned }) => mentioned);
    expect(said?.background?.map(({ text }) => text.slice(0, 5))).toEqual(["ALERT", "2 xxx", "3 xxx", "4 xxx", "5 xxx"]);
  });
  it("is told without it where Slack does not give it, and where a conversation is known", async () => {
    const root = await thread();
    on.rig.fault({ method: "conversations.replies", status: 500, body: "", times: 2 });
    on.inbox.session = () => "s";
    await as("U2BEN").mention("C1", "what is wrong?", root.ts).told;
    await as("U2BEN").mention("C1", "and now?", root.ts).told;
    on.rig.clearFaults();
    expect(on.inbox.heard.messages.filter(({ mentioned }) => mentioned).map(({ background }) => background)).toEqual(
      Array(4).fill(undefined),
    );
  });
});

describe("an edit", () => {
  it("of the words carries the new words and a growing revision", async () => {
    const said = as("U1ANN").mention("C1", "frist");
    await said.told;
    await as("U1ANN").edit(said.message, "<@UBOT> first");
    await as("U1ANN").edit(said.message, "<@UBOT> the first");
    const [one, two] = on.inbox.heard.edits;
    expect([one, two]).toMatchObject([
      { id: said.ts, text: "first", thread: null },
      { id: said.ts, text: "the first" },
    ]);
    expect(two?.rev).toBeGreaterThan(one?.rev ?? 0);
    expect(Number.isSafeInteger(two?.rev)).toBe(true);
  });
  it("is none when Slack adds a preview, or when the bot edits its own", async () => {
    const said = as("U1ANN").say("C1", "see https://example.org");
    await said.told;
    await as("U1ANN").unfurl(said.message);
    const own = as("UBOT").say("C1", "working");
    await own.told;
    await as("UBOT").edit(own.message, "done");
    await as("UBOT").remove(own.message);
    expect([on.inbox.heard.edits, on.inbox.heard.deletions]).toEqual([[], []]);
  });
});

it("a deletion names the message and its thread", async () => {
  const root = as("U1ANN").say("C1", "a root");
  const reply = as("U1ANN").say("C1", "never mind", { thread: root.ts });
  await Promise.all([root.told, reply.told]);
  await as("U1ANN").remove(reply.message);
  expect(on.inbox.heard.deletions).toEqual([{ id: reply.ts, thread: root.ts }]);
});

describe("P1: what the inbox does not take", () => {
  it("is not acknowledged, and Slack's repeat is taken", async () => {
    const short = await connected({ ackWithin: 150, repeatAfter: [20, 50, 50] });
    let left = 2;
    short.inbox.onMessage = async () => {
      if (left-- > 0) throw new Error("the disk is full");
      return undefined;
    };
    const [delivery] = await short.rig.as("U1ANN").say("C1", "keep this").told;
    expect(delivery).toMatchObject({ acked: true, attempts: 3 });
    expect(short.log.join()).toContain("the disk is full");
    await short.close();
  });
  it("waits for the inbox, however long it takes within Slack's patience", async () => {
    let open: () => void = () => {};
    on.inbox.onMessage = () => new Promise((done) => (open = () => done(undefined)));
    const said = as("U1ANN").say("C1", "slow disk");
    await until(() => on.inbox.heard.messages.length === 1, "the message");
    expect(on.rig.deliveries.at(-1)?.acked).toBe(false);
    open();
    const [delivery] = await said.told;
    expect(delivery?.acked).toBe(true);
  });
  it("events of other kinds are acknowledged and left", async () => {
    const delivery = await on.rig.event({ type: "pin_added", user: "U1ANN", item: { type: "message", channel: "C1" } });
    expect(delivery.acked).toBe(true);
  });
});

describe("a command in words", () => {
  it("P2: is run once for both events of its message, answered to who asked, in the thread, and never a message", async () => {
    on.inbox.onCommand = () => ({ to: "asker", view: { parts: [{ kind: "text", text: "Nothing to do." }], buttons: [] } });
    const root = as("U1ANN").say("C1", "a root");
    await root.told;
    on.inbox.heard.messages.length = 0;
    await as("U2BEN").mention("C1", "/memory search cats", root.ts).told;
    await until(() => on.rig.space.whispered("U2BEN").length === 1, "the private answer");
    expect(on.inbox.heard.commands).toMatchObject([{ text: "memory search cats", by: { id: "slack:U2BEN" }, place: { thread: root.ts } }]);
    expect(on.inbox.heard.messages).toEqual([]);
    expect(on.rig.space.whispered("U2BEN")[0]?.thread_ts).toBe(root.ts);
  });
  it("is only what looks like one and was said to the bot", async () => {
    await as("U1ANN").mention("C1", "/etc/hosts looks odd").told;
    await as("U1ANN").say("C1", "/todos").told;
    expect(on.inbox.heard.commands).toEqual([]);
    expect(on.inbox.heard.messages.map((m) => m.text)).toContain("/etc/hosts looks odd");
  });
});
