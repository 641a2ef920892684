/**
 * What every adapter promises to the harness, whatever its platform: the same stories on each, with the platform's own server behind it.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Place } from "../../src/core/event.ts";
import type { Adapter, Slot } from "../../src/core/ports.ts";
import { say, type View } from "../../src/core/view.ts";
import { FakeInbox, slot } from "../help/fake-inbox.ts";
import { until } from "../help/until.ts";

export const MASKED = "a-secret-of-the-contract";
const MARK = "may be a repeat";

/** A platform with a person on it, and the adapter connected to it. */
export interface Ground {
  adapter: Adapter;
  inbox: FakeInbox;
  /** A conversation that a person begins; resolves once it is there. */
  begin(words: string): Promise<Place>;
  /** What everybody sees of ours in a conversation, message by message. */
  shown(place: Place): Promise<string[]> | string[];
  /** The words of the buttons that can be pressed there. */
  buttons(place: Place): Promise<string[]> | string[];
  press(place: Place, word: string): Promise<unknown>;
  /** What only that person sees. */
  whispered(): Promise<string[]> | string[];
  /** Platform-qualified. */
  person: string;
  stranger: string;
  /** Words that call everybody, this person and a group, in the platform's own spelling. */
  shout: string;
  /** Our messages that called somebody. */
  calls(): Promise<unknown[]> | unknown[];
  /** The next post arrives, and its answer does not. Undefined: here nothing can be lost on the way. */
  loseAnswer?(): void;
  /** The next post is refused for this many seconds. */
  limit?(seconds: number): void;
  close(): Promise<void>;
}

const card: View = {
  title: "May I run deploy?",
  parts: [{ kind: "code", text: "target: blue" }],
  buttons: [
    { word: "Approve", act: "approve", code: "k1", style: "primary" },
    { word: "Deny", act: "deny", code: "k1", style: "danger" },
  ],
};
const decided: View = { title: "Approved: deploy", parts: [{ kind: "text", text: "Approved by Ann" }], buttons: [] };

export function adapterContract(platform: string, open: () => Promise<Ground>): void {
  describe(`the adapter for ${platform}`, () => {
    let on: Ground;
    let place: Place;
    let key = 0;
    beforeAll(async () => {
      on = await open();
    }, 30_000);
    afterAll(() => on.close());
    beforeEach(async () => {
      Object.assign(on.inbox, new FakeInbox());
      place = await on.begin(`a conversation, number ${++key}`);
    });
    const post = (one: Slot, mark = false) => on.adapter.post(place, one, `contract ${one.key} ${key}`, mark);
    const shows = (words: string) => until(async () => (await on.shown(place)).some((one) => one.includes(words)), `“${words}”`);

    it("says its name, and that it is healthy", () => {
      expect(on.adapter.name).toBe(platform);
      expect(on.adapter.health()).toMatchObject({ ok: true });
    });

    it("tells a person's words with who and where they are", async () => {
      const message = await until(() => on.inbox.heard.messages.find(({ text }) => text.includes(`number ${key}`)), "the words");
      expect(message).toMatchObject({ by: { id: on.person, kind: "member" }, own: false, channel: "public" });
      expect(message.place).toMatchObject({ platform, team: place.team, channel: place.channel });
      expect(place.thread).toBe(message.place.thread ?? message.id);
    });

    it("shows, changes and takes away; taking away twice is no fault", async () => {
      const posted = await post(slot({ title: "Working", parts: [{ kind: "note", text: "first" }], buttons: [] }, "progress", false));
      if (!posted.ok) throw new Error(posted.reason);
      await shows("first");
      expect(await on.adapter.edit(place, posted.ref, slot(say("second"), "progress"))).toMatchObject({ ok: true });
      await shows("second");
      expect((await on.shown(place)).join("\n")).not.toContain("first");
      expect(await on.adapter.hide(place, posted.ref)).toMatchObject({ ok: true });
      expect(await on.shown(place)).toEqual([]);
      const again = await on.adapter.hide(place, posted.ref);
      expect(again.ok || (!again.unsure && again.retryIn === null)).toBe(true);
    });

    it("brings a press back with the card's act and code, and a decided card has no buttons (P3)", async () => {
      const posted = await post(slot(card, "card", false));
      if (!posted.ok) throw new Error(posted.reason);
      expect(await on.buttons(place)).toEqual(["Approve", "Deny"]);
      await on.press(place, "Approve");
      await until(() => on.inbox.heard.clicks.length > 0, "the press");
      expect(on.inbox.heard.clicks).toMatchObject([
        { platform, act: "approve", code: "k1", by: { id: on.person }, place: { team: place.team } },
      ]);
      expect(await on.adapter.edit(place, posted.ref, slot(decided, "card"))).toMatchObject({ ok: true });
      expect(await on.buttons(place)).toEqual([]);
      await shows("Approved by Ann");
    });

    it("refuses a press in private", async () => {
      await post(slot(card, "card", false));
      on.inbox.onClick = () => ({ to: "asker", view: say("You may not decide this here.") });
      await on.press(place, "Approve");
      await until(async () => (await on.whispered()).some((one) => one.includes("You may not decide this here")), "a private refusal");
      expect((await on.shown(place)).join("\n")).not.toContain("You may not");
    });

    it("whispers to one person", async () => {
      await on.adapter.whisper(place, on.person, say(`only you, number ${key}`));
      await until(async () => (await on.whispered()).some((one) => one.includes(`only you, number ${key}`)), "a whisper");
      expect((await on.shown(place)).join("\n")).not.toContain("only you");
    });

    it("takes a part of the length that it names, whole", async () => {
      const words = Array.from({ length: Math.floor(on.adapter.partLimit / 10) }, (_, n) => `w${String(n).padStart(7, "0")}.`);
      const posted = await post(slot({ parts: [{ kind: "quoted", text: words.join(" ") }], buttons: [] }));
      expect(posted).toMatchObject({ ok: true });
      expect((await on.shown(place)).join(" ").match(/w\d{7}/g)).toHaveLength(words.length);
    });

    it("shows no secret on any path (P9)", async () => {
      const secret = say(`the key is ${MASKED}`);
      await post(slot(secret));
      const posted = await post(slot({ ...card, title: MASKED }, "card", false));
      if (posted.ok) await on.adapter.edit(place, posted.ref, slot(secret, "card"));
      await on.adapter.whisper(place, on.person, secret);
      expect([...(await on.shown(place)), ...(await on.whispered())].filter((one) => one.includes(MASKED))).toEqual([]);
      await shows("[masked]");
    });

    it("calls nobody (P10)", async () => {
      const view: View = {
        title: on.shout,
        parts: [
          { kind: "quoted", text: on.shout },
          { kind: "code", text: on.shout },
        ],
        buttons: [],
      };
      await post(slot(view));
      const posted = await post(slot(view, "card", false));
      if (posted.ok) await on.adapter.edit(place, posted.ref, slot(view, "card"));
      await on.adapter.whisper(place, on.person, view);
      expect(await on.calls()).toEqual([]);
    });

    it("never leaves two unmarked copies of what is repeated in doubt (P5)", async () => {
      if (!on.loseAnswer) return;
      await post(slot(say("opens the thread"), "progress"));
      on.loseAnswer();
      const one = slot(say(`just once, number ${key}`));
      expect(await post(one)).toMatchObject({ ok: false, unsure: true });
      const found = await on.adapter.find(place, `contract ${one.key} ${key}`);
      if (typeof found !== "object") expect(await post(one, true)).toMatchObject({ ok: true });
      const copies = (await on.shown(place)).filter((text) => text.includes("just once"));
      expect(copies.filter((text) => !text.includes(MARK))).toHaveLength(1);
    });

    it("takes a rate limit as certain, and says when", async () => {
      if (!on.limit) return;
      await post(slot(say("opens the thread"), "progress"));
      on.limit(0.2);
      const posted = await post(slot(say("later")));
      expect(posted).toMatchObject({ ok: false, unsure: false });
      expect(posted.ok ? 0 : posted.retryIn).toBeGreaterThan(0);
      await until(async () => (await post(slot(say("later")))).ok, "the limit to pass");
    });

    it("knows a member from a stranger", async () => {
      expect(await on.adapter.standing(place, on.person)).toMatchObject({ member: true, bot: false });
      expect(await on.adapter.standing(place, on.stranger)).toMatchObject({ member: false, owner: false });
    });
  });
}
