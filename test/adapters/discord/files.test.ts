/** Files in and out at Discord: links that die, bounds, and a post that stands once. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MARK } from "../../../adapters/shared/noted.ts";
import type { Place } from "../../../src/core/event.ts";
import type { Slot } from "../../../src/core/ports.ts";
import { until } from "../../help/until.ts";
import { POST } from "../../rigs/discord.ts";
import { type Connected, connected, FakeInbox } from "./connected.ts";

let on: Connected;
beforeAll(async () => {
  on = await connected({ buckets: { [POST]: { limit: 1000, per: 1000 } } });
});
afterAll(() => on.close());
beforeEach(() => {
  Object.assign(on.inbox, new FakeInbox());
  on.rig.downloads.length = 0;
});
const PLAN = { name: "plan.pdf", text: "the plan", type: "application/pdf" };
const fetched = async (place: Place, message: string, file: string, most = 1000) => {
  const found = await on.adapter.fetch?.(place, message, file, most, new AbortController().signal);
  return found?.ok ? Buffer.from(found.bytes).toString() : found;
};
const heard = (id: string) => until(() => on.inbox.heard.messages.find((message) => message.id === id), "the message");

describe("a file that came", () => {
  it("is told of with its message by Discord's own id, not by a link, also without a word", async () => {
    const message = on.rig.as(on.ann).say(on.channel, `<@${on.rig.world.bot.id}>`, { files: [PLAN] });
    const { text, files } = await heard(message.id);
    expect({ text, files }).toEqual({
      text: "",
      files: [{ id: message.attachments[0]?.id, name: "plan.pdf", mime: "application/pdf", size: 8 }],
    });
    const bare = on.rig.as(on.ann).say(on.channel, "", { files: [PLAN] });
    expect((await heard(bare.id)).files).toHaveLength(1);
    expect(JSON.stringify(on.inbox.heard.messages)).not.toContain("hm=");
  });
  it("is fetched by a link that is new, with nothing of ours: the one it came with has died", async () => {
    const message = on.rig.as(on.ann).mention(on.channel, "begin");
    const thread = on.rig.world.thread(on.channel, "talk", on.rig.world.bot, message.id);
    const below = on.rig.as(on.ben).say(thread, "look", { files: [PLAN] });
    const [file] = below.attachments;
    const old = file?.url ?? "";
    expect(await fetched(on.place(thread.id), below.id, file?.id ?? "")).toBe("the plan");
    expect((await fetch(old)).status).toBe(404);
    expect(on.rig.downloads.map(({ token }) => token)).toEqual([undefined, undefined]);
  });
  it("is found beside the thread that its message began", async () => {
    const message = on.rig.as(on.ann).say(on.channel, `<@${on.rig.world.bot.id}> look`, { files: [PLAN] });
    on.rig.world.thread(on.channel, "talk", on.rig.world.bot, message.id);
    expect(await fetched(on.place(message.id), message.id, message.attachments[0]?.id ?? "")).toBe("the plan");
  });
  it("that is gone, too large, or kept elsewhere cannot be had, and why is said", async () => {
    const message = on.rig.as(on.ann).say(on.channel, "look", { files: [PLAN] });
    const [file] = message.attachments;
    const place = on.place(null);
    expect(await fetched(place, message.id, "1")).toMatchObject({ ok: false, retryIn: null, why: "it is not there any more" });
    expect(await fetched(place, message.id, file?.id ?? "", 4)).toMatchObject({ ok: false, why: expect.stringContaining("too large") });
    const sign = on.rig.world.sign;
    on.rig.world.sign = () => "https://cdn.discordapp.com.evil.example/x";
    expect(await fetched(place, message.id, file?.id ?? "")).toMatchObject({
      ok: false,
      retryIn: null,
      why: expect.stringContaining("outside Discord"),
    });
    on.rig.world.sign = sign;
    on.rig.as(on.ann).remove(message);
    expect(await fetched(place, message.id, file?.id ?? "")).toMatchObject({ ok: false, why: "its message is not there any more" });
  });
});

describe("a file that is posted", () => {
  const slot = (comment?: string): Slot => ({
    key: "file/1.1.0",
    kind: "file",
    view: { parts: comment ? [{ kind: "quoted", text: comment }] : [], buttons: [] },
    digest: "d",
    final: true,
    file: { name: "report.csv", mime: "text/csv", size: 8 },
  });
  const BYTES = Buffer.from("a,b\n1,2\n");
  const root = (): Place => on.place(on.rig.as(on.ann).say(on.channel, "please").id);
  const said = (place: Place) => on.rig.said(place.thread ?? "");

  it("stands with its words, which call nobody, or without any", async () => {
    const place = root();
    await on.adapter.post(place, slot("For @everyone"), "k1", false, BYTES);
    await on.adapter.post(place, slot(), "k2", false, BYTES);
    expect(said(place).map(({ content, attachments }) => [content, attachments[0]?.filename, attachments[0]?.text])).toEqual([
      ["For @everyone", "report.csv", "a,b\n1,2\n"],
      ["", "report.csv", "a,b\n1,2\n"],
    ]);
    expect(on.rig.pings()).toEqual([]);
  });
  it("P5: is one message however often it is sent, and the repeat that came back keeps its file", async () => {
    const place = root();
    const first = await on.adapter.post(place, slot(), "k3", false, BYTES);
    const again = await on.adapter.post(place, slot(), "k3", true, BYTES);
    expect(again).toEqual(first);
    expect(said(place)).toHaveLength(1);
    expect(said(place)[0]).toMatchObject({ content: "", attachments: [{ filename: "report.csv" }] });
  });
  it("P5: bears the mark where it may be a repeat", async () => {
    const place = root();
    await on.adapter.post(place, slot(), "k4", true, BYTES);
    expect(said(place)[0]?.content).toContain(MARK);
  });
  it("that Discord would not take is refused in a sentence, once", async () => {
    const place = root();
    expect(await on.adapter.post(place, slot(), "k5", false, Buffer.alloc(11 * 1024 * 1024))).toEqual({
      ok: false,
      unsure: false,
      retryIn: null,
      reason: "Discord takes files of up to 10 MB.",
    });
    on.rig.refuse(POST, 400, 50013);
    expect(await on.adapter.post(place, slot(), "k6", false, BYTES)).toMatchObject({ ok: false, retryIn: null });
  });
});
