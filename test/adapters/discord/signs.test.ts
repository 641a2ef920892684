import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withNames } from "../../../adapters/discord/named.ts";
import { render } from "../../../adapters/discord/render.ts";
import { say, type View } from "../../../src/core/view.ts";
import { wordsOf } from "../../rigs/discord.ts";
import { type Connected, connected, slot } from "./connected.ts";

describe("signs", () => {
  let on: Connected;
  beforeAll(async () => {
    on = await connected();
  });
  afterAll(() => on.close());
  it("stand on the message: on the root in its channel, on others in their thread; set twice they are one", async () => {
    const root = on.rig.as(on.ann).say(on.channel, "thanks");
    for (let n = 0; n < 2; n++) expect(await on.adapter.react?.(on.place(root.id), root.id, "🎉")).toEqual({ ok: true });
    expect(on.rig.world.message(on.channel.id, root.id).signs).toEqual(["🎉"]);
    await on.adapter.post(on.place(root.id), slot(say("Hello."), "answer"), "t", false);
    const reply = on.rig.as(on.ann).say(on.rig.world.at(root.id), "and thanks again");
    expect(await on.adapter.react?.(on.place(root.id), reply.id, "👍")).toEqual({ ok: true });
    expect(on.rig.world.message(root.id, reply.id).signs).toEqual(["👍"]);
  });
  it("that cannot be set are a refusal, in words", async () => {
    const root = on.rig.as(on.ann).say(on.channel, "x");
    expect(await on.adapter.react?.(on.place(root.id), "999", "👍")).toMatchObject({ ok: false, reason: expect.any(String) });
  });
  it("P10: only people whom the product itself calls are called; a role that policy names is shown by name", async () => {
    const view: View = {
      parts: [{ kind: "text", text: `This still waits. @everyone <@${on.ann.id}>` }],
      buttons: [],
      calls: [`discord:${on.ann.id}`],
    };
    const root = on.rig.as(on.ann).say(on.channel, "deploy");
    const posted = await on.adapter.post(on.place(root.id), slot(view, "notice", false), "r", false);
    if (!posted.ok) throw new Error(posted.reason);
    const sent = on.rig.calls.findLast(({ body }) => JSON.stringify(body ?? "").includes("still waits"));
    expect(sent?.body).toMatchObject({ content: `<@${on.ann.id}>`, allowed_mentions: { parse: [], users: [on.ann.id] } });
    expect(wordsOf(on.rig.world.message(posted.ref.channel, posted.ref.message))).toContain("This still waits.");
  });
});

it.each([
  ["the role discord:role:77", "the role Ops"],
  ["discord:role:88 or the owners", "discord:role:88 or the owners"],
  ["✅ Approved by Ann (discord:12), today", "✅ Approved by Ann, today"],
  ["for discord:12", "for @Ann"],
])("%s is shown as: %s", (text, shown) => {
  const names = { person: (id: string) => (id === "12" ? "Ann" : undefined), role: (id: string) => (id === "77" ? "Ops" : undefined) };
  expect(withNames(text, names)).toBe(shown);
});

it("buttons about several things bear the number of their thing, since Discord keeps them together", () => {
  const one = (code: string): View["parts"] => [
    { kind: "text", text: code },
    { kind: "buttons", buttons: [{ word: "Approve", act: "approve", code }] },
  ];
  const { components, embeds } = render({ parts: [...one("a"), ...one("b")], buttons: [] }, "card");
  expect(embeds[0]?.description).toBe("a\n-# Buttons: 1\nb\n-# Buttons: 2");
  expect(components.flatMap((row) => row.components.map((button) => ("label" in button ? [button.label, button.custom_id] : [])))).toEqual([
    ["Approve 1", "approve:a"],
    ["Approve 2", "approve:b"],
  ]);
});
