/** What was changed and taken away while there was no process. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { until } from "../../help/until.ts";
import { VOICE } from "../../rigs/discord-world.ts";
import { type Connected, connected } from "./connected.ts";

let on: Connected;
afterEach(() => on.close());

it("edits and deletions of messages that conversations have are told after a restart, once, and of no others", async () => {
  on = await connected();
  on.inbox.session = ({ mentioned, place }) => (mentioned || place.thread !== null ? "s" : undefined);
  const ann = on.rig.as(on.ann);
  const heard = (id: string) => until(() => on.inbox.heard.messages.some((one) => one.id === id), id);
  const root = ann.mention(on.channel, "draw a plan");
  await heard(root.id);
  const thread = await until(() => on.rig.world.channels.get(root.id), "a thread");
  const kept = ann.say(thread, "with boxes");
  const changed = ann.say(thread, "in red");
  const gone = ann.say(thread, "and quickly");
  const other = ann.say(on.channel, "nothing to do with it");
  for (const { id } of [kept, changed, gone, other]) await heard(id);
  await on.adapter.stop();
  ann.edit(changed, "in blue");
  ann.edit(root, `<@${on.rig.world.bot.id}> draw two plans`);
  ann.edit(other, "still nothing");
  ann.remove(gone);
  const { inbox } = await on.again();
  await until(
    () => inbox.heard.edits.length >= 2 && inbox.heard.deletions.length >= 1,
    () => JSON.stringify([inbox.heard, on.log]),
  );
  expect(inbox.heard.edits.map(({ id, text, thread }) => [id, text, thread])).toEqual(
    expect.arrayContaining([
      [changed.id, "in blue", thread.id],
      [root.id, "draw two plans", null],
    ]),
  );
  expect(inbox.heard.edits).toHaveLength(2);
  expect(inbox.heard.deletions).toEqual([{ id: gone.id, thread: thread.id }]);
});

it("an edit is told also where a kill lost what was taken last", async () => {
  on = await connected();
  on.inbox.session = () => "s";
  const ann = on.rig.as(on.ann);
  const before = ann.say(on.channel, "before");
  await until(() => on.inbox.heard.messages.some(({ id }) => id === before.id), "the first");
  await on.adapter.stop();
  const kept = ["seen.json", "taken.json"].map((name) => [join(on.folder, name), readFileSync(join(on.folder, name))] as const);
  const second = await on.again(on.inbox);
  const root = ann.mention(on.channel, "draw a plan");
  await until(() => second.inbox.heard.messages.some(({ id }) => id === root.id), "the second");
  await second.adapter.stop();
  for (const [file, bytes] of kept) writeFileSync(file, bytes);
  ann.edit(root, `<@${on.rig.world.bot.id}> draw two plans`);
  const third = await on.again(second.inbox);
  await until(() => third.inbox.heard.edits.length > 0, "the edit");
  expect(third.inbox.heard.edits).toMatchObject([{ id: root.id, text: "draw two plans" }]);
});

it("a deletion is told also where a kill lost what was taken last, of messages that conversations have, and of no others", async () => {
  on = await connected();
  on.inbox.session = () => "s";
  const ann = on.rig.as(on.ann);
  const root = ann.mention(on.channel, "draw a plan");
  const thread = await until(() => on.rig.world.channels.get(root.id), "a thread");
  const heard = (id: string) => until(() => on.inbox.heard.messages.some((one) => one.id === id), id);
  await heard(root.id);
  await on.adapter.stop();
  const files = ["seen.json", "taken.json"].map((name) => [join(on.folder, name), readFileSync(join(on.folder, name))] as const);
  const second = await on.again(on.inbox);
  const [gone, kept] = [ann.say(thread, "and quickly"), ann.say(thread, "with boxes")];
  const last = ann.mention(on.channel, "never mind");
  for (const { id } of [gone, kept, last]) await heard(id);
  await second.adapter.stop();
  for (const [file, bytes] of files) writeFileSync(file, bytes);
  for (const message of [gone, last]) ann.remove(message);
  const at = (thread: string | null, id: string) => ({ place: on.place(thread), id });
  on.inbox.held = [at(root.id, root.id), at(root.id, gone.id), at(root.id, kept.id), at(last.id, last.id)];
  const third = await on.again(on.inbox);
  await until(() => third.inbox.heard.deletions.length >= 2, "the deletions");
  await third.adapter.stop();
  expect(third.inbox.heard.deletions).toEqual([
    { id: gone.id, thread: root.id },
    { id: last.id, thread: last.id },
  ]);
});

it("a deletion of what was said before a call is told as well", async () => {
  on = await connected();
  on.inbox.session = ({ mentioned }) => (mentioned ? "s" : undefined);
  const ann = on.rig.as(on.ann);
  const root = ann.say(on.channel, "a root");
  const thread = on.rig.world.thread(on.channel, "talk", on.ann, root.id);
  const before = ann.say(thread, "a secret of mine");
  const call = ann.mention(thread, "what do you think?");
  await until(() => on.inbox.heard.messages.some(({ id }) => id === call.id), "the call");
  await on.adapter.stop();
  ann.remove(before);
  const { inbox } = await on.again();
  await until(() => inbox.heard.deletions.length > 0, "the deletion");
  expect(inbox.heard.deletions).toEqual([{ id: before.id, thread: root.id }]);
});

it("where there are no threads a reply to a reply still finds its conversation after a restart", async () => {
  on = await connected();
  on.inbox.session = () => "s";
  const voice = on.rig.world.channel(on.guild, "voice", VOICE);
  on.rig.world.tell("CHANNEL_CREATE", voice, on.guild.id);
  const root = on.rig.as(on.ann).mention(voice, "who is here?");
  await until(() => on.inbox.heard.messages.some((one) => one.id === root.id), "the root");
  const reply = on.rig.as(on.ben).say(voice, "I am", { replyTo: root });
  await until(() => on.inbox.heard.messages.some((one) => one.id === reply.id), "the reply");
  await on.adapter.stop();
  const { inbox } = await on.again();
  const further = on.rig.as(on.ann).say(voice, "good", { replyTo: reply });
  const found = await until(() => inbox.heard.messages.find((one) => one.id === further.id), "the further one");
  expect(found.place.thread).toBe(root.id);
});

it("a missed message that the inbox stumbled over is told again after a while (P1)", async () => {
  on = await connected({ with: { patience: { again: [20] } } });
  const ann = on.rig.as(on.ann);
  const first = ann.mention(on.channel, "before");
  await until(() => on.inbox.heard.messages.some(({ id }) => id === first.id), "the first");
  await on.adapter.stop();
  const missed = ann.mention(on.channel, "meanwhile");
  const told = () => on.inbox.heard.messages.filter(({ id }) => id === missed.id).length;
  on.inbox.onMessage = async () => {
    on.inbox.onMessage = async () => undefined;
    throw new Error("something broke");
  };
  await on.again(on.inbox);
  await until(() => told() === 2, "a second time");
});
