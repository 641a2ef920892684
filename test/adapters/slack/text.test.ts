import { describe, expect, it } from "vitest";
import { heard, mentions, micros, millis, mrkdwn, named, toOthers } from "../../../adapters/slack/text.ts";
import { type MessageEvent, told } from "../../../adapters/slack/told.ts";

const names = (id: string) => ({ U1ANN: "Ann", UBOT: "denizen" })[id];

describe("what the model reads of a message", () => {
  it.each([
    ["<@UBOT> hello", "hello"],
    ["  <@UBOT|denizen>, hello", "hello"],
    ["<@UBOT>", ""],
    ["ask <@UBOT> too", "ask @denizen (slack:UBOT) too"],
    ["<@U1ANN> and <@U2BEN|ben> and <@U3GIL>", "@Ann (slack:U1ANN) and @ben (slack:U2BEN) and @U3GIL (slack:U3GIL)"],
    ["in <#C1|general> or <#C2>", "in #general (slack:C1) or #C2"],
    ["<!here> <!subteam^S1|@ops> <!date^1^{date}|today>", "@here @ops today"],
    ["<https://a.b/?x=1&amp;y=2|the page> <https://a.b> <mailto:a@b.c|a@b.c>", "the page (https://a.b/?x=1&y=2) https://a.b a@b.c"],
    ["1 &lt; 2 &amp;&amp; 3 &gt; 2", "1 < 2 && 3 > 2"],
    ["written as &amp;lt;, not as &lt;@U1ANN&gt;", "written as &lt;, not as <@U1ANN>"],
    ["a <b> c", "a <b> c"],
  ])("%j is %j", (raw, expected) => {
    expect(heard(raw, "UBOT", names)).toBe(expected);
  });
  it("knows whom a message names and whom it is for", () => {
    expect(named("<@U1ANN> <@U2BEN|ben> <@U1ANN>")).toEqual(["U1ANN", "U2BEN"]);
    expect([mentions("x <@UBOT> y", "UBOT"), mentions("x <@UBOTHER> y", "UBOT")]).toEqual([true, false]);
    expect([toOthers("<@U2BEN> look", "UBOT"), toOthers("<@UBOT> look", "UBOT"), toOthers("look <@U2BEN>", "UBOT")]).toEqual([
      true,
      false,
      false,
    ]);
  });
  it("counts revisions in whole microseconds", () => {
    expect(micros("1712345678.000200")).toBe(1712345678000200);
    expect(millis("1712345678.001900")).toBe(1712345678001);
  });
});

it("P10: mrkdwn holds no markup and calls nobody", () => {
  expect(mrkdwn("<!channel> & <@U1> @here")).toBe("&lt;!channel&gt; &amp; &lt;@U1&gt; @\u2060here");
});

describe("what Slack told", () => {
  const self = { team: "T1", bot: "UBOT", botId: "B1" };
  const event = (fields: Partial<MessageEvent>): MessageEvent => ({
    type: "message",
    channel: "C1",
    channel_type: "channel",
    ts: "10.000001",
    ...fields,
  });
  const edit = (message: object, before: object) =>
    event({
      subtype: "message_changed",
      message: { type: "message", ts: "9.000001", user: "U1", ...message },
      previous_message: { type: "message", ts: "9.000001", ...before },
    });
  const table: [string, MessageEvent, object][] = [
    ["a message", event({ user: "U1", text: "hi" }), { kind: "message", thread: null, own: false }],
    ["a reply", event({ user: "U1", text: "hi", thread_ts: "9.000001" }), { kind: "message", thread: "9.000001" }],
    [
      "a reply shown in the channel",
      event({ user: "U1", text: "hi", subtype: "thread_broadcast", thread_ts: "9.000001" }),
      { kind: "message", thread: "9.000001" },
    ],
    ["a root in a DM", event({ user: "U1", text: "hi", channel: "D1", channel_type: "im" }), { kind: "message", thread: "10.000001" }],
    [
      "a bot's message",
      event({ bot_id: "B2", username: "alerts", text: "hi", subtype: "bot_message" }),
      { kind: "message", author: { id: "B2", bot: true, name: "alerts" } },
    ],
    [
      "an alert without words",
      event({ bot_id: "B2", text: "", attachments: [{ fallback: "disk full" }] }),
      { kind: "message", raw: "disk full" },
    ],
    [
      "an alert that says more than its fallback",
      event({
        bot_id: "B2",
        text: "",
        attachments: [
          { fallback: "[no preview available]", blocks: [{ type: "section", text: { type: "mrkdwn", text: "<@UBOT> disk full" } }] },
          { fallback: "x", pretext: "On db1", title: "Disk", text: "95 %", fields: [{ title: "Host", value: "db1" }, { value: "page" }] },
        ],
      }),
      { kind: "message", raw: "<@UBOT> disk full\nOn db1\nDisk\n95 %\nHost: db1\npage" },
    ],
    [
      "a message of blocks only",
      event({ bot_id: "B2", text: "", blocks: [{ type: "header", text: { type: "plain_text", text: "Deployed" } }, { type: "divider" }] }),
      { kind: "message", raw: "Deployed" },
    ],
    ["our own message", event({ user: "UBOT", bot_id: "B1", text: "hi" }), { kind: "message", own: true }],
    ["somebody of another workspace", event({ user: "U1", user_team: "T9", text: "hi" }), { kind: "message", author: { external: true } }],
    [
      "only files",
      event({ user: "U1", text: "", subtype: "file_share", files: [{ name: "a.txt" }, {}] }),
      { kind: "message", raw: "[file: a.txt]\n[file: without a name]" },
    ],
    ["nothing at all", event({ user: "U1", text: " " }), { kind: "ignored" }],
    ["nobody", event({ text: "hi" }), { kind: "ignored" }],
    ["a notice", event({ user: "U1", text: "joined", subtype: "channel_join" }), { kind: "ignored" }],
    ...[undefined, null, 10.000001, "", "soon", "1e9.1", "-1.000001", `${"9".repeat(30)}.000001`].map(
      (ts): [string, MessageEvent, object] => [
        `what has no time of a message (${JSON.stringify(ts)})`,
        { ...event({ user: "U1", text: "hi" }), ts } as MessageEvent,
        { kind: "ignored" },
      ],
    ),
    ["what was said nowhere", { type: "message", ts: "10.000001", user: "U1", text: "hi" } as MessageEvent, { kind: "ignored" }],
    [
      "nothing where there may be something",
      event({ user: "U1", text: "hi", files: null, blocks: [null], attachments: [null] } as unknown as Partial<MessageEvent>),
      { kind: "message", raw: "hi", files: [] },
    ],
    [
      "nothing but holes",
      event({ user: "U1", text: null, files: [null], blocks: [null], attachments: [null] } as unknown as Partial<MessageEvent>),
      { kind: "ignored" },
    ],
    [
      "a person of whom nothing more is said",
      event({
        user: "U1",
        text: "hi",
        bot_id: null,
        user_team: null,
        source_team: null,
        username: null,
      } as unknown as Partial<MessageEvent>),
      { kind: "message", author: { id: "U1", bot: false, external: false, name: undefined } },
    ],
    [
      "a file of which Slack says next to nothing",
      event({
        user: "U1",
        text: "",
        files: [{ id: "F1", name: null, mimetype: null, size: null }, { id: null }],
      } as unknown as Partial<MessageEvent>),
      { kind: "message", raw: "[file: without a name]", files: [{ id: "F1", name: "without a name", mime: "", size: 0 }] },
    ],
    ["a thread that is none", event({ user: "U1", text: "hi", thread_ts: "x" }), { kind: "message", thread: null }],
    ["an edit of nothing", event({ subtype: "message_changed", message: {} } as unknown as Partial<MessageEvent>), { kind: "ignored" }],
    ["an edit at no time", edit({ text: "new", edited: {} } as unknown as Partial<MessageEvent>, { text: "old" }), { kind: "ignored" }],
    ["a deletion of nothing", event({ subtype: "message_deleted", deleted_ts: "x" }), { kind: "ignored" }],
    [
      "an edit",
      edit({ text: "new", edited: { ts: "11.000002" } }, { text: "old" }),
      { kind: "edited", ts: "9.000001", rev: 11000002, raw: "new" },
    ],
    [
      "an edit in a thread",
      edit({ text: "new", edited: { ts: "11.000002" }, thread_ts: "8.000001" }, { text: "old" }),
      { kind: "edited", thread: "8.000001" },
    ],
    [
      "an edit of a root with replies",
      edit({ text: "new", edited: { ts: "11.000002" }, thread_ts: "9.000001" }, { text: "old" }),
      { kind: "edited", thread: null },
    ],
    ["a preview", edit({ text: "same" }, { text: "same" }), { kind: "ignored" }],
    ["an edit that changes no word", edit({ text: "same", edited: { ts: "11.000002" } }, { text: "same" }), { kind: "ignored" }],
    ["our own edit", edit({ user: "UBOT", text: "new", edited: { ts: "11.000002" } }, { text: "old" }), { kind: "ignored" }],
    [
      "a root taken away below its replies",
      edit({ subtype: "tombstone", text: "This message was deleted." }, { text: "old" }),
      { kind: "deleted", ts: "9.000001" },
    ],
    [
      "a deletion",
      event({
        subtype: "message_deleted",
        deleted_ts: "9.000001",
        previous_message: { type: "message", ts: "9.000001", user: "U1", thread_ts: "8.000001" },
      }),
      { kind: "deleted", ts: "9.000001", thread: "8.000001" },
    ],
    [
      "our own deletion",
      event({ subtype: "message_deleted", deleted_ts: "9.000001", previous_message: { type: "message", ts: "9.000001", user: "UBOT" } }),
      { kind: "ignored" },
    ],
  ];
  it.each(table)("%s", (_name, given, expected) => {
    expect(told(given, self)).toMatchObject(expected);
  });
});
