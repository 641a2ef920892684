import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/event.ts";
import { HOME_SESSION } from "../../src/core/id.ts";
import type { Gate, Incoming } from "../../src/core/ports.ts";
import { plain } from "../../src/core/view.ts";
import { ANN, BEN, Bot, type BotOptions, tool } from "../help/bot.ts";
import { calls, Script, says } from "../help/script.ts";
import { until } from "../help/until.ts";

let bot: Bot;
let ran: JsonObject[];
afterEach(() => bot.end());
const HERE: Partial<Incoming> = { channel: "private" };

function start(gate: NonNullable<BotOptions["gate"]>, more: BotOptions = {}) {
  ran = [];
  bot = new Bot({
    model: new Script(calls(["share", { text: "tea" }]), says("Done.")),
    tools: [tool("share", (input) => `${ran.push(input)}`)],
    gate,
    ...more,
  });
}
const card = () => plain(bot.stage.visible("card")[0]?.slot.view ?? { parts: [], buttons: [] });
const text = (reply: Awaited<ReturnType<Bot["click"]>>) => (reply.to === "asker" && "view" in reply ? plain(reply.view) : reply.to);

describe("what would leave a private place", () => {
  test("P6 is decided by whose turn it is, and by nobody else", async () => {
    start(() => ({ verdict: "ask", level: "asker", consent: { by: ANN.id }, offers: ["approve", "edit", "deny"] }));
    await bot.say(ANN, "tell the team", HERE);
    await bot.button("Approve");
    expect(text(await bot.click(BEN, "Approve"))).toMatch(/only the person who asked/);
    expect(text(await bot.click(BEN, "Deny", 0, { reason: "no" }))).toMatch(/only the person who asked/);
    expect(ran).toEqual([]);
    await bot.click(ANN, "Approve");
    await bot.answer("Done.");
    expect(ran).toEqual([{ text: "tea" }]);
  });

  test("P6 with approvers asked as well, both have to approve, in whatever order", async () => {
    const rules: BotOptions["rules"] = { may: (what, person) => what === "talk" || person !== ANN.id };
    for (const [nth, order] of [
      [ANN, BEN],
      [BEN, ANN],
    ].entries()) {
      if (nth > 0) await bot.end();
      start(() => ({ verdict: "ask", risky: true, consent: { by: ANN.id } }), { rules });
      await bot.say(ANN, "tell the team", HERE);
      for (const who of order) {
        await bot.button("Approve");
        expect(ran).toEqual([]);
        await bot.click(who, "Approve");
      }
      await bot.answer("Done.");
      expect(ran).toHaveLength(1);
    }
  });

  test("P6 the only approver, whose words it carries too, does both with one word", async () => {
    const rules: BotOptions["rules"] = { may: (what, person) => what === "talk" || person === BEN.id };
    const consent = { by: ANN.id, also: [BEN.id] };
    start(() => ({ verdict: "ask", risky: true, consent }), { rules });
    await bot.say(ANN, "tell the team", HERE);
    await bot.button("Approve");
    await bot.click(BEN, "Approve");
    expect(ran).toEqual([]);
    await bot.click(ANN, "Approve");
    await bot.answer("Done.");
    expect(ran).toHaveLength(1);
  });

  test("P6 P3 with another check that wants approvers, who asked and is the only one of them does both with one word", async () => {
    const rules: BotOptions["rules"] = { may: (what, person) => what === "talk" || person === ANN.id };
    const leaves: Gate = { verdict: "ask", level: "asker", consent: { by: ANN.id }, besides: "Ann has to agree as well." };
    start(() => leaves, { rules, hooks: [{ name: "own", preActing: async () => ({ verdict: "ask", quorum: 1 }) }] });
    await bot.say(ANN, "tell the team", HERE);
    await bot.button("Approve");
    expect(card()).toContain("Who may decide: everybody may approve. Ann has to agree as well.");
    expect(text(await bot.click(BEN, "Approve"))).toMatch(/may not decide/);
    await bot.click(ANN, "Approve");
    await bot.answer("Done.");
    expect(ran).toHaveLength(1);
  });

  test("P6 who only agrees counts for no quorum, and the card tells the two apart", async () => {
    const cy = { ...BEN, id: "stage:cy", name: "Cy" };
    const rules: BotOptions["rules"] = { may: (what, person) => what === "talk" || person !== ANN.id };
    start(() => ({ verdict: "ask", quorum: 2, consent: { by: ANN.id } }), { rules });
    await bot.say(ANN, "tell the team", HERE);
    await bot.button("Approve");
    await bot.click(ANN, "Approve");
    await bot.click(BEN, "Approve");
    await until(() => card().includes("1 of 2 have approved: Ben. Agreed: Ann."), "the card to say who agreed and who decided");
    expect(ran).toEqual([]);
    await bot.click(cy, "Approve");
    await bot.answer("Done.");
    expect(ran).toHaveLength(1);
    await until(() => /Approved by Ben .*, Cy .* UTC\. Agreed: Ann\./.test(card()), "the card to tell the two apart when it is decided");
  });

  test("P3 who only agrees allows nothing for later, and vouches for no tool", async () => {
    const rules: BotOptions["rules"] = { may: (what, person) => what === "talk" || person !== ANN.id };
    const share = tool("share", (input) => `${ran.push(input)}`, { subject: () => "*", pin: "a.b.c" });
    start(() => ({ verdict: "ask", consent: { by: ANN.id }, offers: ["approve", "deny", "thread", "always"] }), { rules, tools: [share] });
    await bot.say(ANN, "tell the team", HERE);
    await bot.button("Approve");
    for (const word of ["Allow in this thread", "Always allow"]) expect(text(await bot.click(ANN, word))).toMatch(/may not decide/);
    await bot.click(ANN, "Approve");
    expect((await bot.journal.state(HOME_SESSION)).pins).toEqual({});
    await bot.click(BEN, "Approve");
    await bot.answer("Done.");
    expect(await bot.journal.grants("stage:T:C:t1")).toEqual([]);
    expect((await bot.journal.state(HOME_SESSION)).pins).toMatchObject({ share: expect.anything() });
  });

  test("P6 P3 with another check that wants administrators, those whose words it carries agree and an administrator decides", async () => {
    const cy = { ...BEN, id: "stage:cy", name: "Cy" };
    const rules: BotOptions["rules"] = { may: (what, person) => what === "talk" || person === cy.id };
    const consent = { by: ANN.id, also: [BEN.id] };
    for (const [nth, level] of [
      [0, "admin"],
      [1, "admin"],
      [0, undefined],
      [1, undefined],
    ] as const) {
      if (nth > 0 || !level) await bot.end();
      const leaves: Gate = { verdict: "ask", level: "asker", consent, offers: ["approve", "deny"] };
      const admins: Gate = { verdict: "ask", ...(level ? { level } : {}), quorum: 1, offers: ["approve", "deny"] };
      const [first, second] = nth === 0 ? [leaves, admins] : [admins, leaves];
      start(() => first, { rules, hooks: [{ name: "own", preActing: async () => second }] });
      await bot.say(ANN, "tell the team what Ben said", HERE);
      for (const who of [ANN, BEN, cy]) {
        await bot.button("Approve");
        await bot.click(who, "Approve");
        const { calls: now } = await bot.journal.state("stage:T:C:t1");
        expect(now.byId["1.1.0"]?.votes.length, who.name).toBe([ANN, BEN, cy].indexOf(who) + 1);
        expect(now.byId["1.1.0"]?.status === "asked", who.name).toBe(who !== cy);
      }
      await bot.answer("Done.");
      expect(ran).toHaveLength(1);
    }
  });

  test("P6 is decided by everybody whose words it carries, and not before the last of them agrees", async () => {
    const cy = { ...BEN, id: "stage:cy", name: "Cy" };
    const consent = { by: ANN.id, also: [BEN.id] };
    start(() => ({ verdict: "ask", level: "asker", consent, offers: ["approve", "edit", "deny"] }));
    await bot.say(ANN, "tell the team what Ben said", HERE);
    await bot.button("Approve");
    expect(text(await bot.click(cy, "Approve"))).toMatch(/only those who said them/);
    await bot.click(ANN, "Approve");
    await bot.click(ANN, "Approve");
    expect(ran).toEqual([]);
    await bot.click(BEN, "Approve");
    await bot.answer("Done.");
    expect(ran).toHaveLength(1);
  });

  test("P6 an approver's word alone is not enough, however many they are", async () => {
    start(() => ({ verdict: "ask", risky: true, quorum: 1, consent: { by: ANN.id } }));
    await bot.say(ANN, "tell the team", HERE);
    await bot.button("Approve");
    await bot.click(BEN, "Approve");
    await bot.click({ ...BEN, id: "stage:cy", name: "Cy" }, "Approve");
    expect(ran).toEqual([]);
    await bot.click(ANN, "Approve");
    await bot.answer("Done.");
    expect(ran).toHaveLength(1);
  });
});

describe("a thread whose place has changed", () => {
  test.each<[string, Partial<Incoming>, Partial<Incoming>, RegExp]>([
    ["turned private", {}, { channel: "private" }, /Please begin a new one/],
    ["was shared with others", {}, { shared: true }, /Please begin a new one/],
    ["turned public", { channel: "private" }, {}, /Please begin a new one/],
    ["cannot be looked at", {}, { channel: "unknown" }, /say it again/],
  ])("P6 P1 takes nothing more once it %s, and says why", async (_, before, after, why) => {
    start(() => undefined, { model: new Script(says("First."), says("Second.")) });
    await bot.say(ANN, "first", before);
    await bot.answer("First.");
    const taken = await bot.house.message(bot.incoming(ANN, "second", after));
    expect(taken).toMatchObject({ taken: false, reply: { to: "asker" } });
    expect(taken.reason).toMatch(why);
    const state = await bot.journal.state("stage:T:C:t1");
    expect(state.talk.received).toBe(1);
  });
});
