import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Place } from "../../../src/core/event.ts";
import { say, type View } from "../../../src/core/view.ts";
import { until } from "../../help/until.ts";
import { buttonsOf, wordsOf } from "../../rigs/slack.ts";
import { type Connected, connected, SECRET, slot } from "./connected.ts";

let on: Connected;
let place: Place;
beforeAll(async () => {
  on = await connected();
});
afterAll(() => on.close());
beforeEach(async () => {
  on.rig.clearFaults();
  const root = on.rig.as("U1ANN").say("C1", "a root");
  await root.told;
  place = { platform: "slack", team: "T1", channel: "C1", thread: root.ts };
});
const shown = () => on.rig.space.said("C1", place.thread ?? undefined);
const post = (view: View = say("Hello."), key = "s answer/1 1", mark = false) => on.adapter.post(place, slot(view), key, mark);

describe("a post", () => {
  it("stands in its thread, unfurls nothing, carries its key, and is scrubbed", async () => {
    const posted = await post(say(`The key is ${SECRET}.`));
    expect(posted).toMatchObject({ ok: true, ref: { channel: "C1", message: shown()[0]?.ts } });
    expect(shown().map(wordsOf)).toEqual(["The key is [masked]."]);
    const [call] = on.rig.callsTo("chat.postMessage").slice(-1);
    expect(call?.args).toMatchObject({
      unfurl_links: "false",
      unfurl_media: "false",
      metadata: { event_payload: { key: "s answer/1 1" } },
    });
    expect(call?.args.link_names).toBeUndefined();
    expect(call?.args.parse).toBeUndefined();
  });
  it("P5: that may be a repeat says so", async () => {
    await post(say("Once more."), "k", true);
    expect(wordsOf(shown()[0] as never)).toBe("Once more.\n(may be a repeat: the connection broke while this was sent)");
  });
  it("bears the label of the offline model while there is one, if it is an answer", async () => {
    on.inbox.label = "offline model";
    await post(say("An answer."));
    await on.adapter.post(place, slot(say("A card."), "card"), "k2", false);
    on.inbox.label = undefined;
    expect(shown().map(wordsOf)).toEqual(["An answer.\noffline model", "A card."]);
  });
  it.each(["invalid_blocks", "msg_blocks_too_long", "msg_too_long"])(
    "that Slack refuses as %s is sent as text, once, with the same key",
    async (error) => {
      on.rig.fault({ method: "chat.postMessage", times: 2, body: { ok: false, error } });
      expect(await post()).toMatchObject({ ok: true });
      expect(shown()).toMatchObject([{ text: "Hello.", blocks: [], metadata: { event_payload: { key: "s answer/1 1" } } }]);
    },
  );
});

describe("what became of a post", () => {
  const table: [string, () => void, object][] = [
    [
      "a refusal is certain and final",
      () => on.rig.fault({ method: "chat.postMessage", body: { ok: false, error: "is_archived" } }),
      { unsure: false, retryIn: null },
    ],
    [
      "trouble at Slack is doubt",
      () => on.rig.fault({ method: "chat.postMessage", body: { ok: false, error: "internal_error" } }),
      { unsure: true },
    ],
    [
      "a status that is no answer is doubt",
      () => on.rig.fault({ method: "chat.postMessage", status: 502, body: "<html>" }),
      { unsure: true },
    ],
    [
      "a page instead of an answer is doubt",
      () => on.rig.fault({ method: "chat.postMessage", status: 200, body: "<html>" }),
      { unsure: true },
    ],
    ["a cut before the answer is doubt", () => on.rig.fault({ method: "chat.postMessage", drop: "before" }), { unsure: true }],
    ["a cut after the work is doubt", () => on.rig.fault({ method: "chat.postMessage", drop: "after" }), { unsure: true }],
  ];
  it.each(table)("%s", async (_name, arrange, expected) => {
    arrange();
    const before = on.rig.callsTo("chat.postMessage").length;
    expect(await post()).toMatchObject({ ok: false, ...expected });
    expect(on.rig.callsTo("chat.postMessage").length - before).toBe(1);
  });
  it("a rate limit is certain and says when; until then nothing is sent to that channel, and to others it is", async () => {
    on.rig.rateLimit("chat.postMessage", 7);
    const root = on.rig.as("U1ANN").say("C2", "a root");
    const limited = { ...place, channel: "C2", thread: root.ts };
    const before = on.rig.callsTo("chat.postMessage").length;
    const first = await on.adapter.post(limited, slot(say("First.")), "k1", false);
    const second = await on.adapter.post(limited, slot(say("Second.")), "k2", false);
    expect(first).toMatchObject({ ok: false, unsure: false, retryIn: 7000 });
    expect(second).toMatchObject({ ok: false, unsure: false });
    expect(!second.ok && second.retryIn).toBeGreaterThan(8000);
    expect(on.rig.callsTo("chat.postMessage")).toHaveLength(before + 1);
    expect(await post()).toMatchObject({ ok: true });
  });
  it("says which scope is missing", async () => {
    on.rig.fault({ method: "chat.postMessage", body: { ok: false, error: "missing_scope", needed: "chat:write" } });
    expect(await post()).toMatchObject({ ok: false, retryIn: null, reason: expect.stringContaining("chat:write") });
  });
  it("nothing listening is certain: it was never sent", async () => {
    const alone = await connected();
    await alone.rig.stop();
    const refused = async () => {
      const posted = await alone.adapter.post(place, slot(say("x")), "k", false);
      // A connection that was kept open and is closed now is doubt; a new one is refused.
      return !posted.ok && !posted.unsure && posted;
    };
    expect(await until(refused, "a certain failure")).toMatchObject({ retryIn: 2000 });
    await alone.close();
  });
  it("a revoked token makes the adapter unhealthy until Slack takes it again", async () => {
    on.rig.fault({ method: "chat.postMessage", body: { ok: false, error: "token_revoked" } });
    expect(await post()).toMatchObject({ ok: false, unsure: false });
    expect(on.adapter.health()).toMatchObject({ ok: false, detail: expect.stringContaining("token_revoked") });
    await post();
    expect(on.adapter.health().ok).toBe(true);
  });
});

describe("P5: a post in doubt", () => {
  it("is found by its key, also behind a page of others, and only if it is ours", async () => {
    on.rig.space.add({
      channel: "C1",
      user: "U2BEN",
      text: "fake",
      thread_ts: place.thread ?? "",
      metadata: { event_type: "denizen_post", event_payload: { key: "k 1" } },
    });
    for (let n = 0; n < 250; n++) on.rig.space.add({ channel: "C1", user: "U1ANN", text: String(n), thread_ts: place.thread ?? "" });
    on.rig.fault({ method: "chat.postMessage", drop: "after" });
    await post(say("Did it arrive?"), "k 1");
    const found = await on.adapter.find(place, "k 1");
    expect(found).toEqual({ found: { channel: "C1", message: shown()[0]?.ts } });
    expect(await on.adapter.find(place, "k 2")).toBe("absent");
  });
  it("is unknown while Slack cannot be asked, and absent where the thread is gone", async () => {
    on.rig.fault({ method: "conversations.replies", status: 500, body: "" });
    expect(await on.adapter.find(place, "k")).toBe("unknown");
    expect(await on.adapter.find({ ...place, thread: "1.000001" }, "k")).toBe("absent");
    expect(await on.adapter.find({ ...place, thread: null }, "k")).toBe("absent");
  });
});

describe("edits and deletes", () => {
  it("change and remove the message; what is gone already is gone", async () => {
    const view: View = { parts: [{ kind: "text", text: "Deploy?" }], buttons: [{ word: "Approve", act: "approve", code: "c" }] };
    const posted = await on.adapter.post(place, slot(view, "card", false), "k", false);
    if (!posted.ok) throw new Error(posted.reason);
    expect(
      shown()
        .flatMap(buttonsOf)
        .map((b) => b.word),
    ).toEqual(["Approve"]);
    expect(await on.adapter.edit(place, posted.ref, slot(say("Approved by Ann."), "card"))).toEqual(posted);
    expect(shown().flatMap(buttonsOf)).toEqual([]);
    expect(shown().map(wordsOf)).toEqual(["Approved by Ann."]);
    expect(await on.adapter.hide(place, posted.ref)).toMatchObject({ ok: true });
    expect(await on.adapter.hide(place, posted.ref)).toMatchObject({ ok: true });
    expect(await on.adapter.edit(place, posted.ref, slot(say("x"), "card"))).toMatchObject({ ok: false, retryIn: null, gone: true });
    expect(shown()).toEqual([]);
  });
  it("a message that may not be edited any more is taken away, so that no button of it is left", async () => {
    const posted = await on.adapter.post(place, slot(say("Deploy?"), "card", false), "k", false);
    if (!posted.ok) throw new Error(posted.reason);
    on.rig.fault({ method: "chat.update", body: { ok: false, error: "edit_window_closed" } });
    expect(await on.adapter.edit(place, posted.ref, slot(say("Approved."), "card"))).toMatchObject({ ok: false, gone: true });
    expect(shown()).toEqual([]);
  });
  it("an edit without blocks that is too long for one is cut", async () => {
    const posted = await on.adapter.post(place, slot(say("Short."), "card", false), "k", false);
    if (!posted.ok) throw new Error(posted.reason);
    on.rig.fault({ method: "chat.update", body: { ok: false, error: "msg_blocks_too_long" } });
    expect(await on.adapter.edit(place, posted.ref, slot(say("word ".repeat(2000)), "card"))).toMatchObject({ ok: true });
    expect(shown()[0]?.text).toMatch(/…$/);
  });
});

describe("private words and standing", () => {
  it("a whisper is seen by one person, in the thread", async () => {
    await on.adapter.whisper(place, "slack:U2BEN", say("Only you."));
    expect(on.rig.space.whispered("U2BEN").at(-1)).toMatchObject({ text: "Only you.", thread_ts: place.thread });
  });
  it("a whisper to somebody outside the channel goes to their DM", async () => {
    await on.adapter.whisper({ ...place, channel: "G1", thread: null }, "slack:U2BEN", say("Not in there."));
    expect(on.rig.space.said("D2BEN").map((m) => m.text)).toEqual(["Not in there."]);
  });
  it("says who is a member, a guest, an owner, of another workspace, a bot, or nobody", async () => {
    const of = async (id: string) =>
      Object.entries(await on.adapter.standing(place, `slack:${id}`))
        .filter(([, value]) => value === true)
        .map(([key]) => key);
    expect(await Promise.all(["U1ANN", "U3GIL", "U4OLA", "U5XEN", "U6ROB", "U9NIL"].map(of))).toEqual([
      ["member"],
      ["guest"],
      ["member", "owner"],
      ["external"],
      ["bot"],
      [],
    ]);
  });
  it("links to a message", () => {
    const place = { platform: "slack", team: "T1", channel: "C1", thread: "1712.000100" };
    expect(on.adapter.link(place, "1712.000100")).toBe("https://team.slack.com/archives/C1/p1712000100");
    expect(on.adapter.link(place, "1713.000200")).toBe("https://team.slack.com/archives/C1/p1713000200?thread_ts=1712.000100&cid=C1");
    expect(on.adapter.link({ ...place, team: "T9" }, "1712.000100")).toBeUndefined();
  });
});
