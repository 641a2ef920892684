import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withNames } from "../../../adapters/slack/named.ts";
import type { View } from "../../../src/core/view.ts";
import { wordsOf } from "../../rigs/slack.ts";
import { type Connected, connected, slot } from "./connected.ts";

const NAMES: Record<string, string> = { U0ANN: "Ann", U0EVE: "Eve*_ <!channel>\n[x](y)" };
it.each([
  ["an id is a name", "For slack:U0ANN.", "For @Ann."],
  ["an id behind its name is left out", "✅ Approved by Ann (slack:U0ANN), today", "✅ Approved by Ann, today"],
  ["one behind another name is shown", "by Anna (slack:U0ANN)", "by Anna (@Ann)"],
  ["several, with those that nobody names", "slack:U0ANN, slack:U9XXX or the owners", "@Ann, slack:U9XXX or the owners"],
  ["a name brings no markup", "slack:U0EVE?", "@Eve !channel x y?"],
  ["groups and other platforms stay", "slack:group:S1 discord:123 slack:C0ANN", "slack:group:S1 discord:123 slack:C0ANN"],
])("%s", (_name, text, shown) => {
  expect(withNames(text, (id) => NAMES[id])).toBe(shown);
});

describe("what people see", () => {
  let on: Connected;
  beforeAll(async () => {
    on = await connected();
  });
  afterAll(() => on.close());
  const place = { platform: "slack", team: "T1", channel: "C1", thread: null };
  const card: View = {
    title: "May I run deploy?",
    parts: [
      { kind: "code", text: "to: slack:U2BEN" },
      { kind: "quoted", text: "It is about this message of Ben (slack:U2BEN), or slack:U1ANN:\n> `slack:U2BEN` in code" },
      { kind: "note", text: "Who may decide: slack:U1ANN or slack:U2BEN." },
    ],
    buttons: [],
  };
  it("P10: names people without calling them, also in what is quoted, and leaves code and what runs as it is", async () => {
    await on.adapter.post(place, slot(card, "card"), "a", false);
    const [message] = on.rig.space.said("C1");
    expect(message && wordsOf(message)).toContain("Who may decide: @Ann or @Ben.");
    expect(message && wordsOf(message)).toContain("to: slack:U2BEN");
    expect(message && wordsOf(message)).toContain("It is about this message of Ben, or @Ann:");
    expect(message && wordsOf(message)).toContain("`slack:U2BEN` in code");
    expect(JSON.stringify(message)).not.toContain("<@");
    expect(message?.text).toContain("@Ann or @Ben");
  });
  it("a whisper too", async () => {
    await on.adapter.whisper(place, "slack:U2BEN", { parts: [{ kind: "text", text: "Who may: slack:U1ANN." }], buttons: [] });
    expect(on.rig.space.whispered("U2BEN").map(wordsOf)).toEqual(["Who may: @Ann."]);
  });
  it("the list of work begins with a bold line, a card with a header", async () => {
    const work: View = { title: "Working *hard*", parts: [{ kind: "note", text: "…" }], buttons: [] };
    const posted = await on.adapter.post({ ...place, channel: "C2" }, slot(work, "progress", false), "b", false);
    const first = () => on.rig.space.said("C2")[0]?.blocks[0];
    const bold = {
      type: "rich_text",
      elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "Working *hard*", style: { bold: true } }] }],
    };
    expect(first()).toMatchObject(bold);
    if (posted.ok) await on.adapter.edit(place, posted.ref, slot(work, "progress"));
    expect(first()).toMatchObject(bold);
    expect(on.rig.space.said("C1")[0]?.blocks[0]).toMatchObject({ type: "header" });
  });
});
