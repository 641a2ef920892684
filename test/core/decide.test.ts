import { describe, expect, it } from "vitest";
import { remindAt, reminderView } from "../../src/core/card.ts";
import { type Decider, onlyAgrees, whyNot } from "../../src/core/decide.ts";
import type { Verdict } from "../../src/core/event.ts";
import { wakeAt } from "../../src/core/next.ts";
import type { Rules, Standing } from "../../src/core/ports.ts";
import { slots } from "../../src/core/slots.ts";
import { type Act, plain } from "../../src/core/view.ts";
import * as m from "./make.ts";
import { AT } from "./make.ts";

const member: Standing = { member: true, guest: false, external: false, owner: false, bot: false, groups: [] };
const rules = (broken?: string): Rules => ({
  may: (what, person) => person === what || what === "talk" || person === "both",
  who: (what) => `those who ${what}`,
  followUps: "participants",
  stepsPerTurn: 50,
  model: undefined,
  timezone: "UTC",
  broken,
});
const who = (id: string, standing: Standing | undefined = member): Decider => ({
  id,
  at: { platform: "stage", team: "T" },
  about: { platform: "stage" },
  standing,
});
function gateOf(over: Partial<Verdict>): Verdict {
  const {
    type: _,
    at: __,
    call: ___,
    ...gate
  } = m.gated("1.1.0", "ask", over) as Extract<ReturnType<typeof m.gated>, { type: "call.gated" }>;
  return gate;
}

const BOTH = { by: "ann", also: ["approve"] };

describe("who may decide", () => {
  it.each<[string, Partial<Verdict>, string, Act, RegExp | undefined, string?]>([
    ["an approver, about what approvers decide", {}, "approve", "approve", undefined],
    ["somebody else may not, and is told who may", {}, "nobody", "approve", /Who may: those who approve/],
    ["an administrator alone is no approver", {}, "admin", "approve", /those who approve/],
    ["an administrator, about what administrators decide", { level: "admin" }, "admin", "approve", undefined],
    ["an approver may not decide that", { level: "admin" }, "approve", "approve", /those who admin/],
    ["an approver may not allow for always", {}, "approve", "always", /those who admin/],
    ["whoever talks, about a question", { level: "talk" }, "nobody", "answer", undefined],
    ["not the one who asked, where policy says so", { notBy: "approve" }, "approve", "approve", /somebody else has to decide/],
    ["P6: whose words leave, alone", { level: "asker", consent: { by: "ann" } }, "ann", "approve", undefined],
    ["P6: nobody else then", { level: "asker", consent: { by: "ann" } }, "both", "approve", /only the person who asked/],
    ["P6: whose words leave, beside those who decide", { consent: { by: "ann" } }, "ann", "approve", undefined],
    ["no more than agree: they allow nothing for later", { consent: { by: "ann" } }, "ann", "thread", /those who approve/],
    ["nor for always", { consent: BOTH }, "approve", "always", /those who admin/],
    ["P6: whose words leave and who decides as well", { consent: BOTH }, "approve", "approve", undefined],
    ["P11: nobody while policy is broken", {}, "both", "approve", /mend it/, "mend it"],
    ["a question is answered also then", { level: "talk" }, "nobody", "answer", undefined, "mend it"],
  ])("%s", (_, gate, id, act, why, broken) => {
    const said = whyNot(gateOf(gate), act, who(id), rules(broken));
    if (why) expect(said).toMatch(why);
    else expect(said).toBeUndefined();
  });
  it.each<[string, Partial<Verdict>, string, boolean]>([
    ["who may not decide", { consent: BOTH }, "ann", true],
    ["not who may decide as well", { consent: BOTH }, "approve", false],
    ["who may decide other calls, but not their own", { consent: BOTH, notBy: "approve" }, "approve", true],
    ["not those who alone are asked", { level: "asker", consent: BOTH }, "ann", false],
    ["not who has no words in it", {}, "nobody", false],
  ])("P6: whose words leave only agrees: %s", (_, gate, id, only) => {
    expect(onlyAgrees(gateOf({ ...gate, apart: true }), "approve", who(id), rules())).toBe(only);
  });
  it("whose words leave counts for a quorum that was made with their votes in it", () => {
    expect(onlyAgrees(gateOf({ consent: BOTH, quorum: 2 }), "approve", who("ann"), rules())).toBe(false);
  });
  it.each<[string, string, string, string[], boolean]>([
    ["members, on their own platform", "anybody", "stage", ["stage:T"], true],
    [
      "members of another team of the home not, on its platform, unless they are named by id",
      "anybody",
      "other",
      ["stage:T", "other:T"],
      false,
    ],
    ["who is named by id, from any platform", "named", "other", ["stage:T", "other:T"], true],
    ["the operator, who comes from none of the home's teams", "anybody", "other", ["other:T"], true],
  ])("%s", (_, id, about, teams, may) => {
    const byMembership: Rules = { ...rules(), teams, may: (_what, person, { member: is }) => person === "named" || is };
    const said = whyNot(gateOf({}), "approve", { ...who(id), about: { platform: about } }, byMembership);
    expect(said === undefined).toBe(may);
  });
  it("who decides from elsewhere is told what would let them", () => {
    const away = { ...who("nobody"), about: { platform: "other" } };
    expect(whyNot(gateOf({}), "approve", away, rules())).toMatch(
      /To decide from here, nobody has to be named in people.approve of policy.json\./,
    );
    expect(whyNot(gateOf({}), "approve", who("nobody"), rules())).not.toContain("policy.json");
  });
  it("nobody whom the platform does not know", () => {
    expect(whyNot(gateOf({}), "approve", { ...who("approve"), standing: undefined }, rules())).toMatch(/may not decide/);
  });
});

describe("a reminder", () => {
  const asked = m.foldFrom(m.calling({ tool: "pay", input: {} }), m.gated("1.1.0", "ask", { expires: AT + 100, named: ["stage:bob"] }));
  const timed = m.foldFrom(asked, { type: "timer.set", at: AT, id: "remind/1.1.0", due: AT + 75, text: "", call: "1.1.0" });
  const reminder = (state: typeof asked) => slots(state).find(({ key }) => key === "reminder/1.1.0");

  it.each([
    [100, 75],
    [60 * 60_000, 45 * 60_000],
    [24 * 60 * 60_000, 22 * 60 * 60_000],
  ])("of what expires in %i ms comes after %i: late, but with time left", (lasts, after) => {
    expect(remindAt(AT, AT + lasts)).toBe(AT + after);
  });
  it("stands once its time has come, calls those named, and wakes no model", () => {
    expect([reminder(timed), m.does(timed, AT + 75).filter((it) => it.startsWith("fire"))]).toEqual([undefined, ["fire remind/1.1.0"]]);
    const now = m.foldFrom(timed, m.fired("remind/1.1.0"));
    expect(reminder(now)).toMatchObject({ kind: "notice", view: { calls: ["stage:bob"], buttons: [] } });
    expect([now.talk.queue, now.talk.timers]).toEqual([[], []]);
  });
  it("goes with the decision, and does not come after it", () => {
    expect(reminder(m.foldFrom(timed, m.fired("remind/1.1.0"), m.approve("1.1.0")))).toBeUndefined();
    const settled = m.foldFrom(timed, m.approve("1.1.0"));
    expect(reminder(m.foldFrom(settled, m.fired("remind/1.1.0")))).toBeUndefined();
    expect([m.does(settled, AT + 75).filter((it) => it.startsWith("fire")), wakeAt(settled, AT)]).toEqual([[], null]);
    const closed = m.foldFrom(settled, m.started("1.1.0"), m.finished("1.1.0"), m.ended(1, "", "silent"), m.closed(1));
    expect(closed.talk.timers).toEqual([]);
  });
  it("of a question says that it waits for an answer", () => {
    expect(plain(reminderView(gateOf({ question: { text: "Tea?", options: [] }, asker: "Ann", expires: 0, deciders: "" })))).toBe(
      "⏰ A question still waits for an answer. For Ann.",
    );
  });
});
