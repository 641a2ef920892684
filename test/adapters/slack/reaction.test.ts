import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { say } from "../../../src/core/view.ts";
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
const talk = async () => {
  const root = as("U1ANN").mention("C1", "count to a million");
  await root.told;
  const reply = as("U2BEN").say("C1", "me too", { thread: root.ts });
  await reply.told;
  return { root, reply };
};

it("🛑 on any message of a thread asks to stop what runs there, for whoever set it", async () => {
  const { root, reply } = await talk();
  await as("U1ANN").react(root.message, "octagonal_sign");
  await as("U2BEN").react(reply.message, "octagonal_sign");
  const place = { platform: "slack", team: "T1", channel: "C1", thread: root.ts };
  expect(on.inbox.heard.commands).toMatchObject([
    { text: "stop", place, channel: "public", by: { id: "slack:U1ANN" } },
    { text: "stop", place, channel: "public", by: { id: "slack:U2BEN" } },
  ]);
  const [one, two] = on.inbox.heard.commands.map(({ message }) => message);
  expect(one).not.toBe(two);
});

it("other signs, those of bots and those of the bot itself stop nothing", async () => {
  const { root } = await talk();
  await as("U1ANN").react(root.message, "thumbsup");
  await as("U6ROB").react(root.message, "octagonal_sign");
  await as("UBOT").react(root.message, "octagonal_sign");
  expect(on.inbox.heard.commands).toEqual([]);
});

it("who may not stop it is told so, in the thread, and nobody else is", async () => {
  const { root } = await talk();
  on.inbox.onCommand = () => ({ to: "asker", view: say("Only who asked can stop this.") });
  await as("U2BEN").react(root.message, "octagonal_sign");
  await until(() => on.rig.space.whispered("U2BEN").length === 1, "the refusal");
  expect(on.rig.space.whispered("U2BEN")[0]).toMatchObject({ thread_ts: root.ts });
});

it("nothing is answered in a thread where nobody talked to the bot", async () => {
  const root = as("U1ANN").say("C1", "do not deploy today");
  await root.told;
  on.inbox.onCommand = () => ({ to: "asker", view: say("Nothing is running here.") });
  await as("U4OLA").react(root.message, "octagonal_sign");
  await until(() => on.rig.callsTo("conversations.replies").some(({ args }) => args.ts === root.ts && args.limit === "200"), "the look");
  expect(on.rig.space.whispered("U4OLA")).toEqual([]);
});

it("a message that is gone stops nothing", async () => {
  const { reply } = await talk();
  reply.message.removed = true;
  expect((await as("U1ANN").react(reply.message, "octagonal_sign")).acked).toBe(true);
  expect(on.inbox.heard.commands).toEqual([]);
});
