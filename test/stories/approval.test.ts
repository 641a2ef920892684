import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/event.ts";
import { plain } from "../../src/core/view.ts";
import { ANN, BEN, Bot, type BotOptions, tool } from "../help/bot.ts";
import { calls, heard, Script, says } from "../help/script.ts";
import { until } from "../help/until.ts";

let bot: Bot;
let ran: JsonObject[];
const deploy = (more: Parameters<typeof tool>[2] = {}) =>
  tool("deploy", (input) => `deployed to ${String(input.target)} (run ${ran.push(input)})`, more);
function start(options: BotOptions = {}) {
  ran = [];
  bot = new Bot({
    tools: [deploy()],
    gate: (it) => (it.name === "deploy" ? { verdict: "ask", risky: true, reason: "It changes something." } : undefined),
    ...options,
  });
  return bot;
}
const asks = (...targets: string[]) => calls(...targets.map((target): [string, JsonObject] => ["deploy", { target }]));
const card = () => plain(bot.stage.visible("card")[0]?.slot.view ?? { parts: [], buttons: [] });
afterEach(() => bot.end());

describe("an approval", () => {
  test("runs exactly what was shown, once; the card loses its buttons and names who decided (P3)", async () => {
    start({ model: new Script(asks("blue"), says("Done.")) });
    await bot.say(BEN, "deploy");
    await bot.button("Approve");
    expect(card()).toContain("target: blue");
    expect(ran).toEqual([]);
    const seen = bot.stage.buttons("Approve")[0];
    await bot.click(ANN, "Approve");
    await bot.answer("Done.");
    await bot.quiet();
    const again = await bot.house.click({
      platform: "stage",
      act: "approve",
      code: seen?.code ?? "",
      by: BEN,
      place: { platform: "stage", team: "T", channel: "C", thread: "t1" },
      at: Date.now(),
    });
    expect(again.to).toBe("asker");
    expect(ran).toEqual([{ target: "blue" }]);
    expect(bot.stage.buttons("Approve")).toEqual([]);
    expect(card()).toContain("Approved by Ann (stage:ann)");
    expect(heard(bot.model.requests[1])).toContain("deployed to blue");
  });

  test("several calls are asked at once, one card each, in order; one denial does not hold the others", async () => {
    start({ model: new Script(asks("a", "b", "c"), says("Two of three.")) });
    await bot.say(ANN, "deploy all");
    await bot.button("Approve", 2);
    expect(bot.stage.visible("card").map((post) => plain(post.slot.view).match(/target: (\w)/)?.[1])).toEqual(["a", "b", "c"]);
    await bot.click(ANN, "Approve", 2);
    await bot.click(ANN, "Deny", 1, { reason: "not b" });
    await until(() => ran.length === 1, "c to run while a still waits");
    await bot.click(ANN, "Approve", 0);
    await bot.answer("Two of three.");
    expect(ran.map((input) => input.target).sort()).toEqual(["a", "c"]);
    expect(heard(bot.model.requests[1])).toMatch(/deployed to a.*Denied by Ann: not b.*deployed to c/);
  });

  test("an edit runs the edited input, and the model is told what ran instead", async () => {
    start({ model: new Script(asks("blue"), says("As you wished.")) });
    await bot.say(ANN, "deploy");
    await bot.button("Edit");
    const form = await bot.click(ANN, "Edit");
    expect(form).toMatchObject({ to: "asker", form: { fields: [{ id: "target", value: "blue" }] } });
    await bot.click(ANN, "Edit", 0, { target: "green" });
    await bot.answer("As you wished.");
    expect(ran).toEqual([{ target: "green" }]);
    expect(heard(bot.model.requests[1])).toMatch(/changed the input before it ran.*green/);
  });

  test("an edit that does not fit the tool is refused in words, and the card stays", async () => {
    const strict = deploy({
      parse: (input) => (input.target === "" ? { ok: false, error: "target: may not be empty" } : { ok: true, input }),
    });
    start({ model: new Script(asks("blue"), says("ok")), tools: [strict] });
    await bot.say(ANN, "deploy");
    await bot.button("Edit");
    const reply = await bot.click(ANN, "Edit", 0, { target: "" });
    expect(JSON.stringify(reply)).toContain("may not be empty");
    expect(bot.stage.buttons("Approve")).toHaveLength(1);
  });

  test("an edit cannot make it a decision of others: what administrators decide, or what is refused, is not run on it (P3)", async () => {
    const gate: BotOptions["gate"] = (_, { target }) =>
      target === "moon" ? { verdict: "deny", reason: "Not there." } : { verdict: "ask", level: target === "prod" ? "admin" : "approve" };
    start({ model: new Script(asks("blue"), says("ok")), gate, rules: { may: (what) => what !== "admin" } });
    await bot.say(ANN, "deploy");
    await bot.button("Edit");
    expect(JSON.stringify(await bot.click(BEN, "Edit", 0, { target: "prod" }))).toContain("another decision");
    expect(JSON.stringify(await bot.click(BEN, "Edit", 0, { target: "moon" }))).toContain("Not there.");
    expect(bot.stage.buttons("Approve")).toHaveLength(1);
    await bot.click(BEN, "Edit", 0, { target: "green" });
    await bot.answer("ok");
    expect(ran).toEqual([{ target: "green" }]);
  });

  test("an edit cannot take words out of a private place without who said them (P6)", async () => {
    const gate: BotOptions["gate"] = (_, { target }) => ({
      verdict: "ask",
      ...(target === "team" ? { consent: { by: ANN.id } } : {}),
    });
    start({ model: new Script(asks("here"), says("ok")), gate });
    await bot.say(ANN, "deploy");
    await bot.button("Edit");
    expect(JSON.stringify(await bot.click(BEN, "Edit", 0, { target: "team" }))).toContain("another decision");
    expect(ran).toEqual([]);
  });

  test("only what the card offers decides, whatever is sent (P3)", async () => {
    start({ model: new Script(asks("blue")), gate: () => ({ verdict: "ask", offers: ["deny"] }) });
    await bot.say(ANN, "deploy");
    const { code } = await bot.button("Deny");
    const place = { platform: "stage", team: "T", channel: "C", thread: "t1" };
    for (const act of ["approve", "edit"] as const)
      expect((await bot.house.click({ platform: "stage", act, code, by: ANN, place, at: Date.now(), values: { target: "x" } })).to).toBe(
        "asker",
      );
    expect(bot.stage.buttons("Deny")).toHaveLength(1);
    expect(ran).toEqual([]);
  });

  test("what two checks ask for holds together: the stricter level, the larger quorum, and both marks of risk (P3)", async () => {
    const stricter = { name: "own", preActing: async () => ({ verdict: "ask" as const, level: "admin" as const, quorum: 2 }) };
    const rules = { may: (what: string, person: string) => what !== "admin" || person === ANN.id };
    start({ model: new Script(asks("blue")), gate: () => ({ verdict: "ask" }), hooks: [stricter], rules });
    await bot.say(ANN, "deploy");
    await bot.button("Approve");
    expect(JSON.stringify(await bot.click(BEN, "Approve"))).toContain("may not decide");
    await bot.click(ANN, "Approve");
    await until(() => card().includes("1 of 2"), "the card to say how many have approved");
    expect(ran).toEqual([]);
  });

  test("what the milder of two checks rules out stays ruled out: who may not decide, what is not offered (P3)", async () => {
    const stricter = { name: "own", preActing: async () => ({ verdict: "ask" as const, level: "admin" as const }) };
    start({
      model: new Script(asks("blue"), says("ok")),
      gate: () => ({ verdict: "ask", notBy: ANN.id, offers: ["approve", "deny"] }),
      hooks: [stricter],
    });
    await bot.say(ANN, "deploy");
    await bot.button("Approve");
    expect(bot.stage.buttons("Edit")).toEqual([]);
    expect(JSON.stringify(await bot.click(ANN, "Approve"))).toContain("somebody else has to decide");
    await bot.click(BEN, "Approve");
    await bot.answer("ok");
    expect(ran).toHaveLength(1);
  });

  test("what any check asks about counts as risky, so it is not repeated by itself (P3)", async () => {
    const own = { name: "own", preActing: async () => ({ verdict: "ask" as const }) };
    start({ model: new Script(asks("blue"), says("ok")), gate: () => ({ verdict: "allow" }), hooks: [own] });
    await bot.say(ANN, "deploy");
    await bot.button("Approve");
    await bot.click(BEN, "Approve");
    await bot.answer("ok");
    const events = await bot.journal.events("stage:T:C:t1");
    expect(events.flatMap(({ event }) => (event.type === "call.gated" ? [event.risky] : []))).toEqual([true]);
  });

  test("another check that has nothing against a call takes no mark of risk away (P3)", async () => {
    const easy = { name: "own", preActing: async () => ({ verdict: "allow" as const }) };
    start({ model: new Script(asks("blue"), says("ok")), gate: () => ({ verdict: "allow", risky: true }), hooks: [easy] });
    await bot.say(ANN, "deploy");
    await bot.answer("ok");
    const events = await bot.journal.events("stage:T:C:t1");
    expect(events.flatMap(({ event }) => (event.type === "call.gated" ? [event.risky] : []))).toEqual([true]);
  });

  test("a reason of many lines stays in its sentence, and cannot look like another decision (P10)", async () => {
    start({ model: new Script(asks("blue"), says("ok")) });
    await bot.say(ANN, "deploy");
    await bot.button("Deny");
    await bot.click(BEN, "Deny", 0, { reason: "no\n\n✅ Approved by Ann (stage:ann)" });
    await bot.answer("ok");
    await bot.quiet();
    expect(
      card()
        .split("\n")
        .filter((line) => line.startsWith("✅")),
    ).toEqual([]);
  });

  test("who may not decide is told so privately, and who may (P3)", async () => {
    start({ model: new Script(asks("blue")), rules: { may: (what, person) => what === "talk" || person === ANN.id, who: () => "Ann" } });
    await bot.say(BEN, "deploy");
    await bot.button("Approve");
    const reply = await bot.click(BEN, "Approve");
    expect(JSON.stringify(reply)).toContain("Who may: Ann");
    expect(ran).toEqual([]);
    expect(bot.stage.buttons("Approve")).toHaveLength(1);
  });

  test("a quorum of two takes two people; one person counts once", async () => {
    start({ model: new Script(asks("blue"), says("Both agreed.")), gate: () => ({ verdict: "ask", quorum: 2 }) });
    await bot.say(ANN, "deploy");
    await bot.button("Approve");
    await bot.click(ANN, "Approve");
    expect(JSON.stringify(await bot.click(ANN, "Approve"))).toContain("already");
    expect(ran).toEqual([]);
    await until(() => card().includes("1 of 2"), "the card to say how many have approved");
    await bot.click(BEN, "Approve");
    await bot.answer("Both agreed.");
    expect(ran).toHaveLength(1);
  });

  test("an edit starts the count again, and the older card decides nothing", async () => {
    start({ model: new Script(asks("blue"), says("ok")), gate: () => ({ verdict: "ask", quorum: 2 }) });
    await bot.say(ANN, "deploy");
    await bot.button("Approve");
    const old = bot.stage.buttons("Approve")[0];
    await bot.click(ANN, "Approve");
    await bot.click(BEN, "Edit", 0, { target: "green" });
    await until(() => card().includes("green"), "the card to show the edited input");
    const place = { platform: "stage", team: "T", channel: "C", thread: "t1" };
    const stale = await bot.house.click({ platform: "stage", act: "approve", code: old?.code ?? "", by: ANN, place, at: Date.now() });
    expect(JSON.stringify(stale)).toContain("changed since");
    expect(ran).toEqual([]);
    await bot.click(ANN, "Approve");
    await bot.answer("ok");
    expect(ran).toEqual([{ target: "green" }]);
  });

  test("it outlives a restart and then runs once (P3)", async () => {
    start({ model: new Script(asks("blue"), says("Done.")) });
    await bot.say(ANN, "deploy");
    await bot.button("Approve");
    await bot.quiet();
    await bot.restart();
    await bot.click(ANN, "Approve");
    await bot.answer("Done.");
    expect(ran).toHaveLength(1);
  });

  test("a tool whose definition changed since it was shown does not run (P3)", async () => {
    const changing = { ...deploy() };
    start({ model: new Script(asks("blue"), says("Told.")), tools: [changing] });
    await bot.say(ANN, "deploy");
    await bot.button("Approve");
    changing.digest = "deploy-2";
    await bot.click(ANN, "Approve");
    await bot.answer("Told.");
    expect(ran).toEqual([]);
    expect(heard(bot.model.requests[1])).toContain("has changed since");
  });

  test("it expires by itself, without buttons left behind", async () => {
    start({ model: new Script(asks("blue"), says("Too late.")), gate: () => ({ verdict: "ask", expires: Date.now() + 150 }) });
    await bot.say(ANN, "deploy");
    await bot.button("Approve");
    await bot.answer("Too late.");
    await bot.quiet();
    expect(card()).toContain("Expired");
    expect(bot.stage.buttons("Approve")).toEqual([]);
    expect(ran).toEqual([]);
  });

  test("stopping settles it: no buttons, nothing runs", async () => {
    start({ model: new Script(asks("blue")) });
    await bot.say(ANN, "deploy");
    await bot.button("Approve");
    await bot.click(ANN, "Stop");
    await bot.answer("Stopped by Ann.");
    await bot.quiet();
    expect(bot.stage.buttons("Approve")).toEqual([]);
    expect(ran).toEqual([]);
  });

  test("while policy is broken nobody can approve, and the refusal says what mends it (P11)", async () => {
    start({ model: new Script(asks("blue")), rules: { broken: "policy.json is not valid JSON. Mend it." } });
    await bot.say(ANN, "deploy");
    await bot.button("Approve");
    expect(JSON.stringify(await bot.click(ANN, "Approve"))).toContain("policy.json is not valid");
    expect(ran).toEqual([]);
  });
});

describe("behind a decision", () => {
  test("a message waits visibly and is taken up after it", async () => {
    start({ model: new Script(asks("blue"), says("All done.")) });
    await bot.say(ANN, "deploy");
    await bot.button("Approve");
    await bot.say(ANN, "and water the plants", { mentioned: false });
    await bot.button("Withdraw");
    await bot.click(ANN, "Approve");
    await bot.answer("All done.");
    await bot.quiet();
    expect(heard(bot.model.requests[1])).toContain("water the plants");
    expect(bot.stage.visible("queued")).toEqual([]);
  });

  test("it can be withdrawn by its author, and is never answered", async () => {
    start({ model: new Script(asks("blue"), says("Only that.")), rules: { may: (what, person) => what !== "admin" || person === ANN.id } });
    await bot.say(ANN, "deploy");
    await bot.button("Approve");
    await bot.say(ANN, "forget I said this", { mentioned: false });
    await bot.button("Withdraw");
    expect(JSON.stringify(await bot.click(BEN, "Withdraw"))).toContain("Only its author");
    await bot.click(ANN, "Withdraw");
    await bot.click(ANN, "Approve");
    await bot.answer("Only that.");
    await bot.quiet();
    expect(heard(bot.model.requests.at(-1))).not.toContain("forget I said this");
  });
});

describe("a standing permission", () => {
  const offers = ["approve", "edit", "deny", "thread", "always"] as const;
  const gate = (): BotOptions["gate"] => () => ({ verdict: "ask", offers: [...offers], risky: true });
  test("for the thread is kept with the click, and revoked permissions run nothing", async () => {
    const granted: BotOptions["gate"] = (it) => {
      const id = grants[0]?.grant.id;
      return id ? { verdict: "allow", risky: true, grant: { session: grants[0]?.session ?? "", id } } : gate()?.(it, {});
    };
    let grants: Awaited<ReturnType<typeof bot.journal.grants>> = [];
    start({ model: new Script(asks("a"), says("One."), asks("b"), says("Two."), asks("c"), says("Three.")), gate: granted });
    await bot.say(ANN, "deploy a");
    await bot.button("Allow in this thread");
    await bot.click(ANN, "Allow in this thread");
    await bot.answer("One.");
    grants = await bot.journal.grants("stage:T:C:t1");
    expect(grants).toMatchObject([{ session: "stage:T:C:t1", grant: { tool: "deploy", subject: "*", by: { id: ANN.id } } }]);
    await bot.say(ANN, "deploy b");
    await bot.answer("Two.");
    expect(ran).toHaveLength(2);
    await bot.journal.receive("stage:T:C:t1", "revoke", { type: "grant.revoked", at: Date.now(), id: grants[0]?.grant.id ?? "", by: ANN });
    await bot.say(ANN, "deploy c");
    await bot.answer("Three.");
    expect(ran).toHaveLength(2);
    expect(heard(bot.model.requests.at(-1))).toContain("permission for it was revoked");
  });

  test("for always needs an administrator, and is the home's", async () => {
    start({
      model: new Script(asks("a"), says("One.")),
      gate: gate(),
      rules: { may: (what, person) => what !== "admin" || person === ANN.id, who: () => "Ann" },
    });
    await bot.say(BEN, "deploy");
    await bot.button("Always allow");
    expect(JSON.stringify(await bot.click(BEN, "Always allow"))).toContain("Ann");
    await bot.click(ANN, "Always allow");
    await bot.answer("One.");
    expect(await bot.journal.grants("stage:T:OTHER:t9")).toMatchObject([{ session: "home", grant: { tool: "deploy" } }]);
  });
});

describe("a question", () => {
  const ask = tool("ask", () => "never runs", {
    question: (input) => ({ text: String(input.question), options: (input.options ?? []) as string[] }),
  });
  test("waits durably and is answered by a button", async () => {
    start({
      model: new Script(calls(["ask", { question: "Which colour?", options: ["Red", "Blue"] }]), says("Blue it is.")),
      tools: [ask],
    });
    await bot.say(ANN, "paint it");
    await bot.button("Blue");
    await bot.quiet();
    await bot.restart();
    await bot.click(BEN, "Blue");
    await bot.answer("Blue it is.");
    expect(heard(bot.model.requests[1])).toContain("Ben (stage:ben) answered: Blue");
    expect(bot.stage.buttons("Red")).toEqual([]);
  });

  test("is answered by a plain reply in the thread, which is not answered again", async () => {
    start({ model: new Script(calls(["ask", { question: "Which colour?" }]), says("Green it is.")), tools: [ask] });
    await bot.say(ANN, "paint it");
    await until(() => bot.stage.visible("card").length === 1, "the question");
    await bot.say(ANN, "green please", { mentioned: false });
    await bot.answer("Green it is.");
    await bot.quiet();
    expect(bot.model.requests).toHaveLength(2);
    expect(heard(bot.model.requests[1])).toContain("answered: green please");
  });
});

describe("a helper", () => {
  const task = tool("task", () => "never runs", { helper: true });
  test("works on its own, asks in the same thread, and only its report comes back", async () => {
    const model = new Script(
      calls(["task", { description: "check the books", subagent_type: "auditor" }]),
      asks("ledger"),
      says("The books are fine."),
      says("Checked."),
    );
    start({ model, tools: [task, deploy()] });
    await bot.say(ANN, "parent words");
    await bot.button("Approve");
    expect(heard(model.requests[1])).toContain("check the books");
    expect(heard(model.requests[1])).not.toContain("parent words");
    await bot.click(ANN, "Approve");
    await bot.answer("Checked.");
    await bot.quiet();
    expect(heard(model.requests[3])).toContain("The books are fine.");
    expect(bot.stage.answers()).toEqual(["Checked."]);
    expect(ran).toHaveLength(1);
  });

  test("is reached by a stop, and its questions lose their buttons", async () => {
    start({ model: new Script(calls(["task", { description: "x" }]), asks("ledger")), tools: [task, deploy()] });
    await bot.say(ANN, "go");
    await bot.button("Approve");
    await bot.click(ANN, "Stop");
    await bot.answer("Stopped by Ann.");
    await bot.quiet();
    expect(bot.stage.buttons("Approve")).toEqual([]);
    expect(ran).toEqual([]);
  });
});
