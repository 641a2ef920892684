import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { problems } from "../../../adapters/slack/limits.ts";
import type { Form, View } from "../../../src/core/view.ts";
import { until } from "../../help/until.ts";
import { type Fields, type Message, wordsOf } from "../../rigs/slack.ts";
import { type Connected, connected, FakeInbox, SECRET, slot } from "./connected.ts";

let on: Connected;
beforeAll(async () => {
  on = await connected();
});
afterAll(() => on.close());
beforeEach(() => {
  Object.assign(on.inbox, new FakeInbox());
});

const card: View = {
  title: "Deploy?",
  parts: [{ kind: "code", text: '{"target":"blue"}' }],
  buttons: [
    { word: "Approve", act: "approve", code: "k1", style: "primary" },
    { word: "Edit", act: "edit", code: "k1" },
    { word: "Deny", act: "deny", code: "k1", style: "danger" },
  ],
};
const editForm: Form = {
  title: "Edit the input",
  submit: "Approve",
  intro: "What stands here runs.",
  fields: [{ id: "input", label: "Input", value: '{"target":"blue"}', multiline: true, optional: false }],
};
const refusal = (text: string) => ({ to: "asker" as const, view: { parts: [{ kind: "text" as const, text }], buttons: [] } });

async function shownCard(): Promise<Message> {
  const root = on.rig.as("U1ANN").say("C1", "please deploy");
  await root.told;
  const posted = await on.adapter.post(
    { platform: "slack", team: "T1", channel: "C1", thread: root.ts },
    slot(card, "card", false),
    "k",
    false,
  );
  if (!posted.ok) throw new Error(posted.reason);
  const message = on.rig.space.message("C1", posted.ref.message);
  if (!message) throw new Error("The card was not shown.");
  return message;
}
const openView = (): Promise<{ id: string; view: Fields }> => until(() => [...on.rig.space.views.values()].at(-1), "a form");
const inputOf = (view: Fields): Fields | undefined => (view.blocks as Fields[]).find((block) => block.type === "input");
const wordsIn = (view: Fields): string => JSON.stringify(view.blocks);

describe("a press", () => {
  it("carries act, code, person and place, and is acknowledged once it was taken", async () => {
    const message = await shownCard();
    const delivery = await on.rig.as("U2BEN").press(message, "Approve");
    expect(delivery.acked).toBe(true);
    expect(on.inbox.heard.clicks).toMatchObject([
      {
        platform: "slack",
        act: "approve",
        code: "k1",
        by: { id: "slack:U2BEN", name: "Ben" },
        place: { channel: "C1", thread: message.thread_ts },
      },
    ]);
  });
  it("by who may not is refused to that person only, in the thread, scrubbed, and the card stays", async () => {
    const message = await shownCard();
    on.inbox.onClick = () => refusal(`You may not approve this ${SECRET}.`);
    await on.rig.as("U2BEN").press(message, "Approve");
    const whisper = await until(() => on.rig.space.whispered("U2BEN").at(-1), "the refusal");
    expect(wordsOf(whisper)).toBe("You may not approve this [masked].");
    expect(whisper.thread_ts).toBe(message.thread_ts);
    expect(on.rig.space.message("C1", message.ts)?.edits).toBe(0);
  });
  it("that the inbox does not take is not acknowledged", async () => {
    const impatient = await connected({ ackWithin: 200 });
    impatient.inbox.onClick = () => Promise.reject(new Error("no disk"));
    const root = impatient.rig.as("U1ANN").say("C1", "x");
    await impatient.adapter.post({ platform: "slack", team: "T1", channel: "C1", thread: root.ts }, slot(card, "card"), "k", false);
    const [message] = impatient.rig.space.said("C1", root.ts);
    const delivery = message && (await impatient.rig.as("U1ANN").press(message, "Approve"));
    expect(delivery?.acked).toBe(false);
    await impatient.close();
  });
});

describe("a press on what one person alone was shown", () => {
  it("is answered in the thread it stands in", async () => {
    const root = on.rig.as("U1ANN").mention("C1", "hello");
    await root.told;
    const undo: View = { parts: [{ kind: "text", text: "Remembered." }], buttons: [{ word: "Undo", act: "undo", code: "k1.1" }] };
    await on.adapter.whisper({ platform: "slack", team: "T1", channel: "C1", thread: root.ts }, "slack:U1ANN", undo);
    const [shown] = on.rig.space.whispered("U1ANN");
    if (!shown) throw new Error("Nothing was shown.");
    on.inbox.onClick = () => refusal("Taken back.");
    await on.rig.as("U1ANN").press(shown, "Undo");
    expect(on.inbox.heard.clicks.at(-1)).toMatchObject({ act: "undo", place: { channel: "C1", thread: root.ts } });
    await until(
      () => on.rig.space.whispered("U1ANN").some((one) => one.thread_ts === root.ts && wordsOf(one) === "Taken back."),
      "the answer",
    );
  });
});

describe("Edit and Deny", () => {
  it("open a form before anything else is done, then show what the inbox wants asked", async () => {
    const message = await shownCard();
    const before = on.rig.calls.length;
    on.inbox.onClick = async () => {
      await until(() => on.rig.callsTo("views.open").length > 0, "the waiting form");
      return { to: "asker", form: editForm, act: "edit", code: "k1" };
    };
    await on.rig.as("U1ANN").press(message, "Edit");
    const { view } = await openView();
    await until(() => inputOf(view) ?? inputOf([...on.rig.space.views.values()].at(-1)?.view ?? {}), "the field");
    expect(
      on.rig.calls
        .slice(before)
        .map((call) => call.method)
        .filter((method) => method.startsWith("views.")),
    ).toEqual(["views.open", "views.update"]);
    const shown = (await openView()).view;
    expect(inputOf(shown)).toMatchObject({ block_id: "input", element: { initial_value: '{"target":"blue"}', multiline: true } });
    expect(JSON.parse(String(shown.private_metadata))).toEqual({ act: "edit", code: "k1", channel: "C1", thread: message.thread_ts });
  });
  it("submitted, give the values with act and code, and the form closes", async () => {
    on.inbox.onClick = ({ values }) => (values ? { to: "nobody" } : { to: "asker", form: editForm, act: "edit", code: "k1" });
    await on.rig.as("U1ANN").press(await shownCard(), "Edit");
    const { id } = await openView();
    await until(() => inputOf([...on.rig.space.views.values()].at(-1)?.view ?? {}), "the field");
    const done = await on.rig.as("U1ANN").submit(id, { input: '{"target":"green"}' });
    expect(done).toMatchObject({ acked: true, answer: {} });
    expect(on.inbox.heard.clicks.at(-1)).toMatchObject({
      act: "edit",
      code: "k1",
      values: { input: '{"target":"green"}' },
      place: { channel: "C1" },
    });
  });
  it("keep what was typed when the values are wrong, and say what is wrong at the field", async () => {
    on.inbox.onClick = ({ values }) =>
      values ? refusal("target must be a colour") : { to: "asker", form: editForm, act: "edit", code: "k1" };
    await on.rig.as("U1ANN").press(await shownCard(), "Edit");
    const { id } = await openView();
    await until(() => inputOf([...on.rig.space.views.values()].at(-1)?.view ?? {}), "the field");
    const done = await on.rig.as("U1ANN").submit(id, { input: "7" });
    expect(done.answer).toEqual({ response_action: "errors", errors: { input: "target must be a colour" } });
  });
  it("what has choices is chosen from a menu, and what was chosen comes back a line each", async () => {
    const options = [
      { value: "c0", label: "Red" },
      { value: "c1", label: "x".repeat(200) },
    ];
    const plain = { multiline: false, optional: false };
    const form: Form = {
      title: "shop asks",
      submit: "Send",
      fields: [
        { id: "f0", label: "Colour", value: "c1", ...plain, menu: { options, most: 1 } },
        { id: "f1", label: "Extras", value: "", ...plain, optional: true, menu: { options, most: 2 } },
      ],
    };
    on.inbox.onClick = ({ values }) => (values ? { to: "nobody" } : { to: "asker", form, act: "answer", code: "k1.0" });
    await on.rig.as("U1ANN").press(await shownCard(), "Edit");
    const { id } = await openView();
    const inputs = await until(() => {
      const blocks = ([...on.rig.space.views.values()].at(-1)?.view.blocks ?? []) as { type: string }[];
      return blocks.filter(({ type }) => type === "input").length === 2 && blocks;
    }, "both menus");
    expect(inputs.filter(({ type }) => type === "input")).toMatchObject([
      { element: { type: "static_select", initial_option: { value: "c1" } } },
      { optional: true, element: { type: "multi_static_select", max_selected_items: 2 } },
    ]);
    expect(problems(inputs, "modal")).toEqual([]);
    await on.rig.as("U1ANN").submit(id, { f1: "c0\nc1" });
    expect(on.inbox.heard.clicks.at(-1)?.values).toEqual({ f0: "c1", f1: "c0\nc1" });
    await on.rig.as("U1ANN").submit(id, { f0: "c0" });
    expect(on.inbox.heard.clicks.at(-1)?.values).toEqual({ f0: "c0", f1: "" });
  });
  it("an optional reason may be left empty", async () => {
    const form: Form = {
      title: "Deny",
      submit: "Deny",
      fields: [{ id: "reason", label: "Reason", value: "", multiline: true, optional: true }],
    };
    on.inbox.onClick = ({ values }) => (values ? { to: "nobody" } : { to: "asker", form, act: "deny", code: "k1" });
    await on.rig.as("U1ANN").press(await shownCard(), "Deny");
    const { id } = await openView();
    await until(() => inputOf([...on.rig.space.views.values()].at(-1)?.view ?? {}), "the field");
    await on.rig.as("U1ANN").submit(id, {});
    expect(on.inbox.heard.clicks.at(-1)).toMatchObject({ act: "deny", values: { reason: "" } });
  });
  it("refused, say why in the form that waits", async () => {
    on.inbox.onClick = () => refusal("Only approvers may edit this.");
    await on.rig.as("U2BEN").press(await shownCard(), "Edit");
    await until(() => wordsIn([...on.rig.space.views.values()].at(-1)?.view ?? {}).includes("Only approvers"), "the refusal in the form");
  });
  it("without a form to be had, say so to who pressed", async () => {
    on.rig.fault({ method: "views.open", body: { ok: false, error: "expired_trigger_id" } });
    on.inbox.onClick = () => ({ to: "asker", form: editForm, act: "edit", code: "k1" });
    await on.rig.as("U1ANN").press(await shownCard(), "Edit");
    await until(() => on.rig.space.whispered("U1ANN").some((m) => wordsOf(m).includes("press the button once more")), "a private word");
  });
  it("an input too long for a field of Slack's is not cut: the form says what to do instead", async () => {
    const long: Form = { ...editForm, fields: [{ ...(editForm.fields[0] as Form["fields"][0]), value: "x".repeat(3001) }] };
    on.inbox.onClick = () => ({ to: "asker", form: long, act: "edit", code: "k1" });
    await on.rig.as("U1ANN").press(await shownCard(), "Edit");
    await until(() => wordsIn([...on.rig.space.views.values()].at(-1)?.view ?? {}).includes("too long"), "the sentence");
    expect(inputOf((await openView()).view)).toBeUndefined();
  });
});

describe("slash commands", () => {
  it("are answered to the caller only, on the acknowledgement", async () => {
    on.inbox.onCommand = ({ text }) => refusal(`asked: ${text}`);
    const answers = [];
    for (const [command, words] of [
      ["/todos", ""],
      ["/memory", "search cats"],
      ["/denizen", "usage"],
      ["/denizen", ""],
    ] as const) {
      answers.push((await on.rig.as("U2BEN").slash("C1", command, words)).answer);
    }
    expect(answers.map((answer) => [answer.response_type, answer.text])).toEqual([
      ["ephemeral", "asked: todos"],
      ["ephemeral", "asked: memory search cats"],
      ["ephemeral", "asked: usage"],
      ["ephemeral", "asked: help"],
    ]);
    expect(on.inbox.heard.commands[0]).toMatchObject({
      place: { channel: "C1", thread: null },
      channel: "public",
      by: { id: "slack:U2BEN" },
    });
  });
  it("that all may see are seen by all", async () => {
    on.inbox.onCommand = () => ({ to: "all", view: { parts: [{ kind: "text", text: "Paused." }], buttons: [] } });
    expect((await on.rig.as("U4OLA").slash("C1", "/denizen", "pause")).answer.response_type).toBe("in_channel");
  });
  it("whose address takes nothing are answered in the channel, to that person only", async () => {
    let finish: () => void = () => {};
    on.inbox.onCommand = () => new Promise((done) => (finish = () => done(refusal("after all"))));
    on.rig.responsesClosed = true;
    await on.rig.as("U2BEN").slash("C1", "/memory", "export");
    finish();
    await until(() => on.rig.space.whispered("U2BEN").some((one) => wordsOf(one) === "after all"), "the answer");
    on.rig.responsesClosed = false;
  });
  it("whose answer may have arrived are not answered twice", async () => {
    let finish: () => void = () => {};
    on.inbox.onCommand = () => new Promise((done) => (finish = () => done(refusal("once only"))));
    on.rig.responsesCut = true;
    await on.rig.as("U2BEN").slash("C1", "/memory", "export");
    finish();
    await until(() => on.log.some((line) => line.includes("did not go through its address: The connection to Slack broke")), "the log");
    on.rig.responsesCut = false;
    on.inbox.onCommand = () => refusal("and on");
    await on.rig.as("U2BEN").slash("C1", "/memory", "export");
    expect(on.rig.space.whispered("U2BEN").filter((one) => wordsOf(one) === "once only")).toEqual([]);
  });
  it("that take long are acknowledged in time and answered later", async () => {
    let finish: () => void = () => {};
    on.inbox.onCommand = () => new Promise((done) => (finish = () => done(refusal("at last"))));
    const delivery = await on.rig.as("U2BEN").slash("C1", "/memory", "export");
    expect(delivery).toMatchObject({ acked: true, answer: {} });
    finish();
    await until(
      () => on.rig.responses.some((response) => response.text === "at last" && response.response_type === "ephemeral"),
      "the answer",
    );
  });
});
