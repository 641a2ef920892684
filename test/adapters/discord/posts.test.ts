import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MARK } from "../../../adapters/shared/noted.ts";
import type { Place } from "../../../src/core/event.ts";
import type { View } from "../../../src/core/view.ts";
import { say } from "../../../src/core/view.ts";
import { until } from "../../help/until.ts";
import { buttonsOf, DELETE, EDIT, type Message, POST, THREAD, wordsOf } from "../../rigs/discord.ts";
import { type Connected, connected, FakeInbox, SECRET, slot } from "./connected.ts";

let on: Connected;
const wide = { limit: 1000, per: 1000 };
beforeAll(async () => {
  on = await connected({ buckets: { [POST]: wide, [EDIT]: wide, [DELETE]: wide } });
});
afterAll(() => on.close());
beforeEach(() => {
  Object.assign(on.inbox, new FakeInbox());
  on.inbox.label = undefined;
});

const root = (text = "please"): Place => on.place(on.rig.as(on.ann).say(on.channel, text).id);
async function shown(
  place: Place,
  view: View,
  kind: "answer" | "card" | "progress" = "answer",
  key = `k${Math.random()}`,
): Promise<Message> {
  // All tests here together are more than the client sends in a second.
  const posted = await until(async () => {
    const one = await on.adapter.post(place, slot(view, kind, kind === "answer"), key, false);
    return (one.ok || one.unsure || one.retryIn === null) && one;
  }, "a post");
  if (!posted.ok) throw new Error(posted.reason);
  return on.rig.world.message(posted.ref.channel, posted.ref.message);
}
const refOf = (message: Message) => ({ channel: message.channel_id, message: message.id });
const card: View = {
  title: "May I run deploy?",
  parts: [{ kind: "code", text: "target: blue" }],
  buttons: [
    { word: "Approve", act: "approve", code: "k1", style: "primary" },
    { word: "Deny", act: "deny", code: "k1", style: "danger" },
  ],
};

describe("a post", () => {
  it("opens the thread of its root, named by the root's words, once", async () => {
    const place = root("draw up the plan, please");
    const [first, second] = await Promise.all([shown(place, say("One")), shown(place, say("Two"))]);
    expect([first.channel_id, second.channel_id]).toEqual([place.thread, place.thread]);
    expect(on.rig.world.channels.get(place.thread ?? "")?.name).toBe("draw up the plan, please");
    expect(on.rig.callsTo(THREAD).filter(({ path }) => path.includes(place.thread ?? "-")).length).toBe(1);
  });

  it("names its thread without a secret (P9)", async () => {
    const place = root(`deploy with ${SECRET} please`);
    await shown(place, say("One"));
    expect(on.rig.world.channels.get(place.thread ?? "")?.name).toBe("deploy with [masked] please");
  });

  it("goes into the thread that is there already (160004)", async () => {
    const place = root();
    on.rig.refuse(THREAD, 400, 160004);
    on.rig.world.tell = () => {};
    const thread = on.rig.world.thread(on.rig.world.at(place.channel), "by somebody", on.ann, place.thread ?? "");
    on.rig.world.tell = (t, d, guild) => on.rig.gateway.tell(t, d, guild);
    expect((await shown(place, say("Here"))).channel_id).toBe(thread.id);
  });

  it("is a reply where no thread can be opened, for want of a right or of room", async () => {
    for (const code of [50013, 160006]) {
      const place = root();
      on.rig.refuse(THREAD, 403, code);
      const message = await shown(place, say("Then here"));
      expect(message).toMatchObject({ channel_id: on.channel.id, message_reference: { message_id: place.thread } });
    }
  });

  it("is an answer in its own words without embeds, and a card in an embed whose buttons carry act and code only", async () => {
    const place = root();
    const answer = await shown(place, { parts: [{ kind: "quoted", text: "See https://example.com" }], buttons: [] });
    expect(answer).toMatchObject({ content: "See https://example.com", embeds: [], flags: 4 });
    const asked = await shown(place, card, "card");
    expect(asked.content).toBe("");
    expect(buttonsOf(asked).map(({ label, custom_id: id }) => [label, id])).toEqual([
      ["Approve", "approve:k1"],
      ["Deny", "deny:k1"],
    ]);
  });

  it("bears the label and the mark below its words, and no secret", async () => {
    on.inbox.label = "Offline model.";
    const place = root();
    const posted = await on.adapter.post(place, slot(say(`it is ${SECRET}`)), "k-label", true);
    if (!posted.ok) throw new Error(posted.reason);
    const { content } = on.rig.world.message(posted.ref.channel, posted.ref.message);
    expect(content).toBe(`it is [masked]\n-# ${MARK}\n-# Offline model.`);
  });
});

describe("nobody is called (P10)", () => {
  it("on any path: post, edit, card, whisper, refusal, answers to commands and buttons, and names of threads", async () => {
    const shout = `@everyone @here <@${on.ben.id}> <@&${on.guild.roles[1]?.id}>`;
    const view: View = { title: shout, parts: [{ kind: "quoted", text: shout }], buttons: [{ word: shout, act: "answer", code: "c.0" }] };
    const place = root(shout);
    for (const kind of ["answer", "card", "progress"] as const) {
      const message = await shown(place, view, kind);
      await on.adapter.edit(place, refOf(message), slot(view, kind, true));
    }
    await on.adapter.whisper(place, `discord:${on.ann.id}`, view);
    on.inbox.onCommand = () => ({ to: "all", view });
    on.inbox.onClick = () => ({ to: "asker", view });
    on.inbox.onMessage = async () => ({ to: "asker", view });
    const called = on.rig.as(on.ann).slash("denizen", on.channel, { word: "stop" });
    const pressed = on.rig.as(on.ann).press(await shown(place, card, "card"), "Approve");
    on.rig.as(on.ann).mention(on.channel, shout);
    await until(() => called.answeredAt && pressed.answeredAt, "answers");
    await until(() => on.inbox.heard.messages.length > 0, "the mention");
    const direct = on.rig.world.direct(on.ann).id;
    await until(() => on.rig.said(direct).length >= 2, "a whisper and a refusal");
    expect(on.rig.pings()).toEqual([]);
    const bodies = on.rig.calls.flatMap(({ route, body }) => {
      const data = "content" in body ? body : (body.data as object | undefined);
      return data && "content" in data ? [{ route, allowed: (data as { allowed_mentions?: unknown }).allowed_mentions }] : [];
    });
    expect(bodies.length).toBeGreaterThan(8);
    expect(bodies.filter(({ allowed }) => JSON.stringify(allowed) !== '{"parse":[]}')).toEqual([]);
  });
});

describe("a post in doubt (P5)", () => {
  it("that arrived before the connection broke is found by its key", async () => {
    const place = root();
    await shown(place, say("first"));
    on.rig.fault({ route: POST, drop: "after" });
    const lost = await on.adapter.post(place, slot(say("only once")), "k-lost", false);
    expect(lost).toMatchObject({ ok: false, unsure: true });
    const found = await until(async () => {
      const looked = await on.adapter.find(place, "k-lost");
      return typeof looked === "object" && looked;
    }, "the post");
    expect(on.rig.world.message(found.found.channel, found.found.message).content).toBe("only once");
  });

  it("of an earlier process is given back by its nonce, not sent twice, and bears no mark", async () => {
    const place = root();
    await shown(place, say("first"));
    on.rig.fault({ route: POST, drop: "after" });
    await on.adapter.post(place, slot(say("just one")), "k-restart", false);
    const { adapter } = await on.again();
    expect(await adapter.find(place, "k-restart")).toBe("absent");
    const posted = await adapter.post(place, slot(say("just one")), "k-restart", true);
    expect(posted.ok).toBe(true);
    const all = on.rig.said(place.thread ?? "").filter(({ content }) => content.includes("just one"));
    expect(all.map(({ content }) => content)).toEqual(["just one"]);
    await adapter.stop();
  });

  it("that never left is certain, and so is a rate limit; what Discord's servers stumble over is not", async () => {
    const place = root();
    await shown(place, say("first"));
    on.rig.rateLimit(POST, 0.3);
    expect(await on.adapter.post(place, slot(say("a")), "k-429", false)).toMatchObject({
      ok: false,
      unsure: false,
      retryIn: expect.any(Number),
    });
    await until(async () => (await on.adapter.post(place, slot(say("a")), "k-429", false)).ok, "the limit to pass");
    on.rig.fault({ route: POST, status: 502, body: "<html>bad gateway</html>" });
    expect(await on.adapter.post(place, slot(say("b")), "k-502", false)).toMatchObject({ ok: false, unsure: true });
    on.rig.refuse(POST, 403, 50013);
    expect(await on.adapter.post(place, slot(say("c")), "k-no", false)).toMatchObject({ ok: false, unsure: false, retryIn: null });
    on.rig.fault({ route: POST, drop: "before" });
    expect(await on.adapter.post(place, slot(say("d")), "k-cut", false)).toMatchObject({ ok: false, unsure: true });
  });
});

describe("a message that stands", () => {
  it("in an archived thread is edited and taken away all the same (50083)", async () => {
    const place = root();
    const message = await shown(place, card, "card");
    const archive = on.rig.world.at(place.thread ?? "").thread_metadata;
    if (!archive) throw new Error("It is no thread.");
    archive.archived = true;
    expect(await on.adapter.edit(place, refOf(message), slot({ ...card, buttons: [] }, "card", true))).toMatchObject({ ok: true });
    expect(buttonsOf(message)).toEqual([]);
    archive.archived = true;
    expect((await shown(place, say("awake"))).channel_id).toBe(place.thread);
  });

  it("in an archived thread that cannot be woken yet waits for that", async () => {
    const place = root();
    const message = await shown(place, card, "card");
    on.rig.refuse(EDIT, 400, 50083);
    on.rig.fault({
      route: "PATCH /channels/:c",
      status: 429,
      headers: { "retry-after": "1", "x-ratelimit-scope": "user", "x-ratelimit-bucket": "wake" },
      body: { message: "You are being rate limited.", retry_after: 0.3, global: false },
    });
    const edited = await on.adapter.edit(place, refOf(message), slot({ ...card, buttons: [] }, "card", true));
    expect(edited).toMatchObject({ ok: false, unsure: false, retryIn: expect.any(Number) });
    expect(await on.adapter.edit(place, refOf(message), slot({ ...card, buttons: [] }, "card", true))).toMatchObject({ ok: true });
  });

  it("and can be edited no more is taken away, and said to be gone, so that it is posted anew (30046)", async () => {
    const place = root();
    const message = await shown(place, card, "card");
    on.rig.refuse(EDIT, 400, 30046);
    const edited = await on.adapter.edit(place, refOf(message), slot({ ...card, buttons: [] }, "card", true));
    expect(edited).toMatchObject({ ok: false, unsure: false, gone: true });
    expect(on.rig.world.messages.has(message.id)).toBe(false);
  });

  it("and was taken away is said to be gone, and need not be taken away again (10008)", async () => {
    const place = root();
    const message = await shown(place, card, "card");
    on.rig.world.remove(on.rig.world.at(message.channel_id), message.id);
    expect(await on.adapter.edit(place, refOf(message), slot(card, "card", false))).toMatchObject({ ok: false, unsure: false, gone: true });
    expect(await on.adapter.hide(place, refOf(message))).toMatchObject({ ok: true });
  });

  it("waits, and is not given up, while the guild is away", async () => {
    const place = { ...root(), team: "12345" };
    on.rig.refuse(POST, 403, 50001);
    await shown(on.place(null), say("elsewhere")).catch(() => undefined);
    on.rig.refuse(POST, 403, 50001);
    expect(await on.adapter.post({ ...place, thread: null }, slot(say("later")), "k-away", false)).toMatchObject({
      ok: false,
      unsure: false,
      retryIn: 600_000,
    });
  });
});

describe("progress", () => {
  it("is typed and edited at a bearable rate, and never after its last edit", async () => {
    const place = root();
    const view = (text: string): View => ({
      title: "Working",
      parts: [{ kind: "note", text }],
      buttons: [{ word: "Stop", act: "stop", code: "s" }],
    });
    const message = await shown(place, view("start"), "progress");
    const edits = () => on.rig.callsTo(EDIT).filter(({ path }) => path.includes(message.id)).length;
    for (let step = 0; step < 30; step++)
      on.adapter.live("s", place, { phase: "working", draft: "", progress: { view: view(`${step}`), ref: refOf(message) } });
    await until(() => on.rig.typing.some(({ channel }) => channel === place.thread), "typing");
    await on.adapter.edit(place, refOf(message), slot({ title: "Work done", parts: [], buttons: [] }, "progress", true));
    on.adapter.live("s", place, { phase: "idle", draft: "", progress: { view: view("late"), ref: refOf(message) } });
    expect(edits()).toBeLessThanOrEqual(2);
    expect(wordsOf(message)).toContain("Work done");
    expect(buttonsOf(message)).toEqual([]);
  });
});

describe("links", () => {
  it("name the guild, the channel and the message", async () => {
    const place = root();
    const message = await shown(place, say("here"));
    const here = `https://discord.com/channels/${on.guild.id}`;
    expect(on.adapter.link({ ...place, channel: message.channel_id }, message.id)).toBe(`${here}/${message.channel_id}/${message.id}`);
    expect(on.adapter.link(place, message.id)).toBe(`${here}/${message.channel_id}/${message.id}`);
    expect(on.adapter.link(place, place.thread ?? "")).toBe(`${here}/${place.channel}/${place.thread}`);
    const direct = on.rig.world.direct(on.ann);
    const dm = { ...place, channel: direct.id, thread: direct.id };
    expect(on.adapter.link(dm, direct.id)).toBe(`https://discord.com/channels/@me/${direct.id}`);
  });
});
