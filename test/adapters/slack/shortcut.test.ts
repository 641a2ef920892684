import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { say } from "../../../src/core/view.ts";
import { until } from "../../help/until.ts";
import { type Fields, wordsIn } from "../../rigs/slack.ts";
import { type Connected, connected, FakeInbox } from "./connected.ts";

let on: Connected;
beforeAll(async () => {
  on = await connected();
  on.rig.space.facts.channels.push(
    { id: "C7", name: "without", kind: "channel", members: ["U1ANN"] },
    { id: "G7", name: "closed", kind: "group", members: ["U1ANN", "U2BEN"] },
  );
});
afterAll(() => on.close());
beforeEach(() => {
  Object.assign(on.inbox, new FakeInbox());
});
const ann = () => on.rig.as("U1ANN");
const form = (): { id: string; view: Fields } => {
  const found = [...on.rig.space.views.values()].at(-1);
  if (!found) throw new Error("No form.");
  return found;
};

it("opens a form before anything else is asked, and then acts as a mention by that person in the message's thread", async () => {
  const root = on.rig.as("U2BEN").say("C1", "the build is <@U4OLA>'s to mend");
  const reply = on.rig.as("U2BEN").say("C1", "it is red &amp; stays red", { thread: root.ts });
  await Promise.all([root.told, reply.told]);
  const before = on.rig.calls.length;
  expect((await ann().shortcut(reply.message, "ask")).acked).toBe(true);
  expect(on.rig.calls.slice(before)[0]?.method).toBe("views.open");
  const heard = on.inbox.heard.messages.length;
  expect((await ann().submit(form().id, { words: "Why?" })).answer).toEqual({});
  expect(on.inbox.heard.messages.slice(heard)).toMatchObject([
    {
      place: { platform: "slack", team: "T1", channel: "C1", thread: root.ts },
      channel: "public",
      mentioned: true,
      unseen: true,
      own: false,
      by: { id: "slack:U1ANN", name: "Ann", kind: "member" },
      text: "Why?\n\nIt is about this message of Ben (slack:U2BEN):\n> it is red & stays red",
      background: [{ text: "the build is @Ola (slack:U4OLA)'s to mend" }, { text: "it is red & stays red" }],
    },
  ]);
});

it("without words asks to look at the message; a message that begins no thread yet begins one", async () => {
  const root = on.rig.as("U2BEN").say("C1", "alert!");
  await root.told;
  await ann().shortcut(root.message, "ask");
  await ann().submit(form().id, {});
  expect(on.inbox.heard.messages.at(-1)).toMatchObject({
    place: { thread: root.ts },
    text: "Please look at this message.\n\nIt is about this message of Ben (slack:U2BEN):\n> alert!",
  });
});

it("P2: a form that is sent twice is the same message", async () => {
  const root = on.rig.as("U2BEN").say("C1", "twice");
  await root.told;
  await ann().shortcut(root.message, "ask");
  const { id } = form();
  await ann().submit(id, { words: "once" });
  await ann().submit(id, { words: "once" });
  const [one, two] = on.inbox.heard.messages.slice(-2);
  expect([one?.id, two?.id]).toEqual([id, id]);
});

it.each(["C7", "G7"])("where the bot is no member (%s) the form says what to do, and nothing is begun", async (channel) => {
  const root = ann().say(channel, "look at this");
  await ann().shortcut(root.message, "ask");
  await until(() => wordsIn(form().view).includes("/invite @Denizen"), "the sentence");
  expect(form().view.submit).toBeUndefined();
  expect(on.inbox.heard.messages.filter(({ mentioned }) => mentioned)).toEqual([]);
});

it("who may not talk is told so in the form, and nobody else is", async () => {
  const root = on.rig.as("U2BEN").say("C1", "hm");
  await root.told;
  await on.rig.as("U3GIL").shortcut(root.message, "ask");
  on.inbox.onMessage = async () => ({ to: "asker", view: say("I may not talk with you here.") });
  const done = await on.rig.as("U3GIL").submit(form().id, { words: "please" });
  expect(done.answer).toMatchObject({ response_action: "update" });
  expect(wordsIn(done.answer.view as Fields)).toContain("I may not talk with you here.");
  expect(on.rig.space.whispered("U3GIL")).toEqual([]);
});

it("a form that could not be opened costs nothing", async () => {
  on.rig.fault({ method: "views.open", body: { ok: false, error: "expired_trigger_id" } });
  const root = on.rig.as("U2BEN").say("C1", "late");
  await root.told;
  expect((await ann().shortcut(root.message, "ask")).acked).toBe(true);
});
