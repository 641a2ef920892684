import { afterEach, beforeEach, expect, it } from "vitest";
import { until } from "../../help/until.ts";
import { type Connected, connected, SECRET } from "./connected.ts";

let on: Connected;
beforeEach(async () => {
  on = await connected();
  on.inbox.prompts = [
    { title: "weekly report", text: `Use your skill. ${SECRET}` },
    { title: "What can you do?", text: "What can you do?" },
  ];
  on.inbox.session = ({ place, id }) => `${place.channel}:${place.thread ?? id}`;
});
afterEach(() => on.close());
const ann = () => on.rig.as("U1ANN");
const prompts = () => on.rig.space.prompts;
const dm = () => on.rig.space.dm("U1ANN").id;
const started = (type: string, thread: string) =>
  on.rig.event({
    type,
    assistant_thread: { user_id: "U1ANN", channel_id: dm(), thread_ts: thread, context: {} },
    event_ts: on.rig.space.ts(),
  });

it("whoever opens the messages is shown what could be asked, from the home, with nothing secret in it", async () => {
  await ann().opens("messages");
  const [asked] = await until(() => prompts().length > 0 && prompts(), "the suggestions");
  expect(asked).toMatchObject({
    channel_id: dm(),
    prompts: [
      { title: "weekly report", message: "Use your skill. [masked]" },
      { title: "What can you do?", message: "What can you do?" },
    ],
  });
  expect(asked).not.toHaveProperty("thread_ts");
  expect(on.rig.space.homes.size).toBe(0);
});

it.each(["assistant_thread_started", "assistant_thread_context_changed"])(
  "%s: in the thread, where an app still has those",
  async (type) => {
    const root = on.rig.space.add({ channel: dm(), user: "UBOT", bot_id: "B1", text: "New conversation" });
    await started(type, root.ts);
    expect(await until(() => prompts()[0], "the suggestions")).toMatchObject({ thread_ts: root.ts });
  },
);

it("P10: neither a title nor what could be asked calls anybody", async () => {
  on.inbox.prompts = [{ title: "tell `@channel`", text: "<!channel> tell @everyone" }];
  await ann().opens("messages");
  await ann().dm("ask `@here` and <!channel|everybody>").told;
  await until(() => prompts().length > 0 && on.rig.space.titles.length > 0, "both");
  expect(JSON.stringify([prompts(), on.rig.space.titles])).not.toMatch(/@(channel|everyone|here)|<!channel/);
});

it("a conversation in a direct message is titled once, by its first words, also after a restart", async () => {
  const first = ann().dm(`please *count* the sheep\n${SECRET}`);
  await first.told;
  await until(() => on.rig.space.titles.length === 1, "the title");
  expect(on.rig.space.titles[0]).toMatchObject({ channel_id: dm(), thread_ts: first.ts, title: "please *count* the sheep [masked]" });
  await ann().dm("and the goats", first.ts).told;
  await on.away(async () => {});
  await ann().dm("and the cows", first.ts).told;
  const second = ann().dm("something else");
  await second.told;
  await until(() => on.rig.space.titles.length === 2, "the second title");
  expect(on.rig.space.titles.map(({ thread_ts }) => thread_ts)).toEqual([first.ts, second.ts]);
});

it("threads of channels are not titled, nor what began no conversation", async () => {
  await ann().mention("C1", "hello").told;
  on.inbox.session = () => undefined;
  await ann().dm("may I?").told;
  await ann().dm("/todos").told;
  expect(on.rig.callsTo("assistant.threads.setTitle")).toEqual([]);
});

it("an app without that place is not asked again, and talks all the same", async () => {
  for (const method of ["assistant.threads.setTitle", "assistant.threads.setSuggestedPrompts"])
    on.rig.fault({ method, times: 9, body: { ok: false, error: "missing_scope", needed: "assistant:write" } });
  for (const text of ["one", "two", "three"]) await ann().dm(text).told;
  for (let n = 0; n < 3; n++) await ann().opens("messages");
  await until(() => on.rig.callsTo("assistant.threads.setSuggestedPrompts").length > 0, "the call");
  expect(on.inbox.heard.messages).toHaveLength(3);
  expect(on.rig.callsTo("assistant.threads.setTitle").length).toBe(1);
});

it("a sign is set by Slack's name for it, once, and a refusal is a value", async () => {
  const root = ann().mention("C1", "thanks");
  await root.told;
  const place = { platform: "slack", team: "T1", channel: "C1", thread: root.ts };
  for (let n = 0; n < 2; n++) expect(await on.adapter.react?.(place, root.ts, "❤️")).toEqual({ ok: true });
  expect(on.rig.space.signs).toEqual([{ channel: "C1", ts: root.ts, name: "heart" }]);
  expect(await on.adapter.react?.(place, "V123", "👍")).toMatchObject({ ok: false, reason: expect.stringContaining("message_not_found") });
});
