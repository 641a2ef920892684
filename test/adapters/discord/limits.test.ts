/** What Discord limits and refuses, against the real client. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { say } from "../../../src/core/view.ts";
import { until } from "../../help/until.ts";
import { EDIT, POST } from "../../rigs/discord.ts";
import { type Connected, connected, slot } from "./connected.ts";

let on: Connected;
beforeAll(async () => {
  on = await connected({ buckets: { [POST]: { limit: 3, per: 900 } } });
});
afterAll(() => on.close());
const post = (key: string, channel = on.channel) => on.adapter.post(on.place(null, channel), slot(say(key)), key, false);
const room = (name: string) => {
  const made = on.rig.world.channel(on.guild, name);
  on.rig.world.tell("CHANNEL_CREATE", made, on.guild.id);
  return made;
};

describe("a rate limit (429)", () => {
  it.each(["user", "shared"] as const)("of scope %s is certain, names its time in ms, and holds up no other channel", async (scope) => {
    const [here, there] = [room(`a-${scope}`), room(`b-${scope}`)];
    on.rig.fault({
      route: POST,
      status: 429,
      headers: { "retry-after": "1", "x-ratelimit-scope": scope, "x-ratelimit-bucket": "b" },
      body: { message: "You are being rate limited.", retry_after: 0.7, global: false },
    });
    expect(await post(`k1 ${scope}`, here)).toMatchObject({ ok: false, unsure: false, reason: "Discord limits the rate." });
    const again = await post(`k1 ${scope}`, here);
    if (!again.ok) {
      expect(again.unsure).toBe(false);
      expect(again.retryIn).toBeGreaterThanOrEqual(100);
      expect(again.retryIn).toBeLessThanOrEqual(1100);
    }
    expect(await post(`k2 ${scope}`, there)).toMatchObject({ ok: true });
    await until(async () => (await post(`k1 ${scope}`, here)).ok, "the limit to pass");
    expect(on.rig.said(here.id).map(({ content }) => content)).toEqual([`k1 ${scope}`]);
  });

  it("of a channel's bucket is kept without asking Discord for refusals", async () => {
    const here = room("bucket");
    const posted = await Promise.all(["1", "2", "3", "4", "5"].map((n) => post(`n${n}`, here)));
    const refused = posted.filter(({ ok }) => !ok);
    expect(refused.length).toBeGreaterThan(0);
    for (const one of refused) expect(one).toMatchObject({ ok: false, unsure: false, retryIn: expect.any(Number) });
    const told = on.rig.callsTo(POST).filter(({ path, status }) => path.includes(here.id) && status === 429);
    expect(told.length).toBe(0);
  });

  it("of everything holds up everything, for as long as it says", async () => {
    on.rig.fault({
      route: POST,
      status: 429,
      headers: { "retry-after": "1", "x-ratelimit-global": "true", "x-ratelimit-scope": "global" },
      body: { message: "You are being rate limited.", retry_after: 1, global: true },
    });
    const [here, there] = [room("c"), room("d")];
    expect(await post("g1", here)).toMatchObject({ ok: false, unsure: false });
    const before = on.rig.calls.length;
    const held = await post("g2", there);
    expect(held).toMatchObject({ ok: false, unsure: false });
    if (!held.ok) expect(held.retryIn).toBeLessThanOrEqual(1100);
    expect(on.rig.calls.length).toBe(before);
    await until(async () => (await post("g2", there)).ok, "the limit to pass");
  });
});

describe("a refusal", () => {
  it.each([
    [50001, "View Channels"],
    [50013, "Send Messages in Threads"],
  ])("for want of a right (%i) says which, once and for all", async (code, words) => {
    on.rig.refuse(POST, 403, code);
    const refused = await post(`r${code}`, room(`r${code}`));
    expect(refused).toMatchObject({ ok: false, unsure: false, retryIn: null });
    expect(!refused.ok && refused.reason).toContain(words);
  });
  it("to edit or take away what is not there any more ends there (10008)", async () => {
    const place = on.place(null, room("gone"));
    const posted = await on.adapter.post(place, slot(say("soon gone")), "gone", false);
    if (!posted.ok) throw new Error(posted.reason);
    on.rig.world.remove(on.rig.world.at(posted.ref.channel), posted.ref.message);
    expect(await on.adapter.edit(place, posted.ref, slot(say("never")))).toMatchObject({ ok: false, unsure: false, gone: true });
    expect(await on.adapter.hide(place, posted.ref)).toMatchObject({ ok: true });
    expect(on.rig.callsTo(EDIT).length).toBe(1);
  });
});

it("P1: a guild that the bot has left loses nothing: what was to be said there waits, and what is said after it came back is heard", async () => {
  const { rig, guild } = on;
  rig.world.tell("GUILD_DELETE", { id: guild.id }, guild.id);
  rig.refuse(POST, 403, 50001);
  await until(async () => {
    const held = await post("kept for later");
    return !held.ok && held.retryIn === 600_000;
  }, "a wait");
  rig.world.tell("GUILD_CREATE", rig.gateway.guildData(guild.id), guild.id);
  await until(async () => (await post("kept for later")).ok, "the post");
  rig.as(on.ann).mention(on.channel, "welcome back");
  await until(() => on.inbox.heard.messages.some(({ text }) => text === "welcome back"), "the mention");
});
