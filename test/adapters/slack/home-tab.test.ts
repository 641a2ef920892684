import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Form, View } from "../../../src/core/view.ts";
import { until } from "../../help/until.ts";
import { buttonsIn, type Fields, wordsIn, wordsOf } from "../../rigs/slack.ts";
import { type Connected, connected, FakeInbox, SECRET, slot } from "./connected.ts";

let on: Connected;
beforeAll(async () => {
  on = await connected();
});
afterAll(() => on.close());
beforeEach(() => {
  Object.assign(on.inbox, new FakeInbox());
  on.inbox.onCommand = ({ by }) => ({ to: "asker", view: tabOf(by.name) });
});
const tabOf = (name: string): View => ({
  title: "Denizen",
  parts: [
    { kind: "text", text: "**Waiting for you** [the thread](https://team.slack.com/archives/C1/p1)" },
    { kind: "code", text: `for ${name} ${SECRET}` },
    {
      kind: "buttons",
      buttons: [
        { word: "Approve", act: "approve", code: "k1", style: "primary" },
        { word: "Deny", act: "deny", code: "k1", style: "danger" },
      ],
    },
    { kind: "quoted", text: "a fact <!channel> of **ours**" },
    { kind: "todos", todos: [{ content: "Look", status: "pending" }] },
    { kind: "fields", rows: [["You", "12 tokens"]] },
  ],
  buttons: [],
});
const ann = () => on.rig.as("U1ANN");
const opened = async () => {
  await ann().opens("home");
  return ann().home();
};
const lastModal = (): Fields => [...on.rig.space.views.values()].at(-1)?.view ?? {};

describe("the Home tab", () => {
  it("P6: is made of what the inbox says for this person alone, as in their direct messages", async () => {
    const { view } = await opened();
    expect(on.inbox.heard.commands).toMatchObject([
      { text: "home", channel: "dm", shared: false, by: { id: "slack:U1ANN" }, place: { platform: "slack", team: "T1", thread: null } },
    ]);
    expect(wordsIn(view)).toContain("for Ann [masked]");
    await on.rig.as("U2BEN").opens("home");
    expect(wordsIn(on.rig.as("U2BEN").home().view)).toContain("for Ben");
    expect(wordsIn(ann().home().view)).not.toContain("Ben");
  });
  it("P10: shows bold words and links of the product, and nothing that calls anybody", async () => {
    const { view } = await opened();
    expect(wordsIn(view)).toContain("*Waiting for you* <https://team.slack.com/archives/C1/p1|the thread>");
    expect(wordsIn(view)).toContain("> a fact &lt;!channel&gt; of **ours**");
    expect(JSON.stringify(view)).not.toContain("<!channel>");
    expect(buttonsIn(view).map(({ word, element }) => [word, element.action_id])).toEqual([
      ["Approve", "approve:k1"],
      ["Deny", "deny:k1"],
    ]);
  });
  it("keeps Slack's limit of a hundred blocks, and says that there is more", async () => {
    const many: View["parts"] = Array.from({ length: 150 }, (_, n) => ({ kind: "note", text: `n${n}` }));
    on.inbox.onCommand = () => ({ to: "asker", view: { parts: many, buttons: [] } });
    const { view } = await opened();
    expect((view.blocks as Fields[]).length).toBe(100);
    expect(wordsIn(view)).toContain("The rest does not fit here.");
  });
  it("a press there decides, and the tab is made anew", async () => {
    const tab = await opened();
    on.inbox.onCommand = () => ({ to: "asker", view: { parts: [{ kind: "note", text: "Nothing waits." }], buttons: [] } });
    expect((await ann().pressIn(tab, "Approve")).acked).toBe(true);
    expect(on.inbox.heard.clicks).toMatchObject([{ act: "approve", code: "k1", by: { id: "slack:U1ANN" }, place: { team: "T1" } }]);
    await until(() => wordsIn(ann().home().view) === "Nothing waits.", "the new tab");
  });
  it("a refusal there is shown over it, to that person only, and names who may", async () => {
    const tab = await opened();
    on.inbox.onClick = () => ({ to: "asker", view: { parts: [{ kind: "text", text: "Who may: slack:U4OLA." }], buttons: [] } });
    await ann().pressIn(tab, "Approve");
    await until(() => wordsIn(lastModal()).includes("Who may: @Ola."), "the refusal");
    expect(on.rig.space.whispered("U1ANN")).toEqual([]);
  });
  it("Deny asks for the reason there; what is wrong with it is said in the form, and then the tab is made anew", async () => {
    const form: Form = {
      title: "Deny",
      submit: "Deny",
      fields: [{ id: "reason", label: "Reason", value: "", multiline: true, optional: true }],
    };
    const tab = await opened();
    on.inbox.onClick = ({ values }) =>
      values === undefined
        ? { to: "asker", form, act: "deny", code: "k1" }
        : values.reason === "x"
          ? { to: "asker", view: { parts: [{ kind: "text", text: "This has been approved already." }], buttons: [] } }
          : { to: "nobody" };
    await ann().pressIn(tab, "Deny");
    const { id } = await until(() => [...on.rig.space.views.values()].findLast(({ view }) => view.submit), "the form");
    expect((await ann().submit(id, { reason: "x" })).answer).toMatchObject({ response_action: "errors" });
    const times = on.rig.space.homes.get("U1ANN")?.times ?? 0;
    expect((await ann().submit(id, { reason: "not today" })).answer).toEqual({});
    await until(() => (on.rig.space.homes.get("U1ANN")?.times ?? 0) > times, "the new tab");
  });
  it("is made anew for those who looked lately when a card comes or is settled anywhere", async () => {
    await opened();
    const times = () => on.rig.space.homes.get("U1ANN")?.times ?? 0;
    const before = times();
    const card: View = { title: "May I?", parts: [], buttons: [] };
    for (const key of ["a", "b", "c"])
      await on.adapter.post({ platform: "slack", team: "T1", channel: "C1", thread: null }, slot(card, "card", false), key, false);
    await until(() => times() === before + 1, "the new tab");
    expect(on.rig.space.homes.has("U4OLA")).toBe(false);
  });
  it("that cannot be published costs nothing else", async () => {
    on.rig.fault({ method: "views.publish", body: { ok: false, error: "not_enabled" } });
    await ann().opens("home");
    expect(on.log.join()).toContain("A Home tab could not be shown");
    expect((await ann().mention("C1", "hello").told).every(({ acked }) => acked)).toBe(true);
  });
});

describe("See all", () => {
  const input = Array.from({ length: 1500 }, (_, n) => `line ${n} of a long input that people want to read whole`).join("\n");
  const card: View = {
    title: "May I run execute?",
    parts: [{ kind: "code", text: input }],
    buttons: [{ word: "Approve", act: "approve", code: "k7" }],
  };
  const whole = () => ({ to: "asker" as const, view: { title: "execute", parts: [{ kind: "code" as const, text: input }], buttons: [] } });

  it("P3: stands on a card whose input had to be cut, and shows all of it, page by page, in a window", async () => {
    on.inbox.onClick = whole;
    const posted = await on.adapter.post(
      { platform: "slack", team: "T1", channel: "C1", thread: null },
      slot(card, "card", false),
      "w",
      false,
    );
    const message = posted.ok ? on.rig.space.message("C1", posted.ref.message) : undefined;
    if (!message) throw new Error("The card was not shown.");
    expect(wordsOf(message)).toContain("more characters are not shown here");
    await ann().press(message, "See all");
    const modal = await until(
      () => [...on.rig.space.views.values()].findLast(({ view }) => wordsIn(view).includes("line 0 ")),
      "the window",
    );
    expect(on.inbox.heard.clicks.at(-1)).toMatchObject({ act: "show", code: "k7" });
    let read = "";
    for (let page = 1; ; page++) {
      read += wordsIn(modal.view);
      if (!buttonsIn(modal.view).some(({ word }) => word === "Next")) break;
      await ann().pressIn(modal, "Next");
      await until(() => wordsIn(modal.view).includes(`Page ${page + 1} of`), "the next page");
    }
    const lines = new Set(read.split("\n"));
    expect(input.split("\n").filter((line) => !lines.has(line)).length).toBeLessThan(40); // lines that a border of blocks cut in two
    expect(read.replace(/\n/g, "")).toContain("line 1499 of a long input");
    await ann().pressIn(modal, "Previous");
    await until(() => !wordsIn(modal.view).includes("line 1499 "), "the page before");
  });
  it("is not there where nothing was cut, nor where nothing is to be decided", async () => {
    const short: View = { ...card, parts: [{ kind: "code", text: "ls" }] };
    const settled: View = { ...card, buttons: [] };
    for (const [key, view] of [
      ["s", short],
      ["t", settled],
    ] as const) {
      const posted = await on.adapter.post({ platform: "slack", team: "T1", channel: "C2", thread: null }, slot(view, "card"), key, false);
      const message = posted.ok ? on.rig.space.message("C2", posted.ref.message) : undefined;
      expect(message && buttonsIn(message).some(({ word }) => word === "See all")).toBe(false);
    }
  });
  it("of what was settled meanwhile says so", async () => {
    on.inbox.onClick = () => ({ to: "asker", view: { parts: [{ kind: "text", text: "This has been denied already." }], buttons: [] } });
    const posted = await on.adapter.post(
      { platform: "slack", team: "T1", channel: "C1", thread: null },
      slot(card, "card", false),
      "x",
      false,
    );
    const message = posted.ok ? on.rig.space.message("C1", posted.ref.message) : undefined;
    if (message) await ann().press(message, "See all");
    await until(() => wordsIn(lastModal()).includes("This has been denied already."), "the sentence");
  });
});
