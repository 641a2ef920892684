/** A tool that asks people while it runs: its card and form, who may answer, and what is left of it wherever the process dies. */
import { afterEach, describe, expect, test } from "vitest";
import type { Decided } from "../../src/core/calls.ts";
import type { Question } from "../../src/core/event.ts";
import type { Outcome, Tool } from "../../src/core/ports.ts";
import { transcript } from "../../src/core/transcript.ts";
import { plain } from "../../src/core/view.ts";
import { ANN, BEN, Bot, type BotOptions, tool } from "../help/bot.ts";
import { calls, heard, type Line, Script, says } from "../help/script.ts";
import { until } from "../help/until.ts";

const QUESTION: Question = {
  text: "Which colour?",
  options: [],
  from: "shop",
  fields: [
    { id: "colour", label: "Colour", kind: "choice", required: true, choices: ["red", "blue"].map((value) => ({ value, label: value })) },
  ],
};

/** Like a server's tool: what waits for an answer is in this memory only. */
function shop(question: Question = QUESTION) {
  const held = new Set<string>();
  const began: string[] = [];
  const ended: (Decided | "lost")[] = [];
  const order: Tool = tool("order", () => "", {
    label: "shop/order",
    async run(_input, { call, answer }): Promise<Outcome> {
      if (!answer) {
        began.push(call);
        held.add(call);
        return { content: "", failed: false, asks: question };
      }
      ended.push(held.delete(call) ? answer : "lost");
      return ended.at(-1) === "lost"
        ? { content: "outcome unknown", failed: true }
        : { content: `${answer.how} ${JSON.stringify(answer.values ?? {})}`, failed: false };
    },
  });
  return { held, began, ended, order };
}

let bot: Bot;
afterEach(() => bot.end());
const start = (more: BotOptions & { order: Tool }) => {
  const { order, ...options } = more;
  bot = new Bot({ tools: [order], ...options });
};
const script = () => new Script(calls(["order"]), says("Done."));
const card = () => plain(bot.stage.visible("card").at(-1)?.slot.view ?? { parts: [], buttons: [] });

describe("a running call's question", () => {
  test("is a card with a form; what is written into it goes back to the call", async () => {
    const { order, ended } = shop();
    const model = script();
    start({ order, model });
    await bot.say(ANN, "order");
    await bot.button("Answer");
    expect(card()).toMatch(/^shop asks\nWhich colour\?\nIt asks for: Colour\. .*Ann answers this, or who may approve/s);
    const form = await bot.click(ANN, "Answer");
    expect(form).toMatchObject({
      to: "asker",
      form: { title: "shop asks", submit: "Send", fields: [{ id: "f0", label: "Colour" }] },
      act: "answer",
    });
    expect(await bot.click(ANN, "Answer", 0, { f0: "green" })).toMatchObject({
      to: "asker",
      view: { parts: [{ text: "“Colour” is one of red, blue." }] },
    });
    await bot.click(ANN, "Answer", 0, { f0: "Blue" });
    await bot.answer("Done.");
    expect(ended).toMatchObject([{ how: "answered", values: { colour: "blue" } }]);
    expect(heard(model.requests[1])).toContain('answered {\\\\\\"colour\\\\\\":\\\\\\"blue\\\\\\"}'.replaceAll("\\\\\\", "\\"));
    await until(() => bot.stage.buttons("Answer").length === 0, "the card without buttons");
    expect(card()).toMatch(/💬 Ann \(stage:ann\), .*: Colour: blue/);
  });

  test("can be declined, and is answered once", async () => {
    const { order, ended } = shop();
    start({ order, model: script() });
    await bot.say(ANN, "order");
    const { code, act } = await bot.button("Decline");
    const press = () => bot.house.click({ platform: "stage", act, code, by: ANN, place: bot.incoming(ANN, "").place, at: Date.now() });
    await press();
    await bot.answer("Done.");
    expect(JSON.stringify(await press())).toMatch(/settled|denied already/);
    expect(ended).toMatchObject([{ how: "denied" }]);
  });

  test("is answered by the person it is done for or who may approve, and by nobody else", async () => {
    const { order, ended } = shop();
    start({ order, model: script(), rules: { may: (what) => what === "talk", who: () => "Cleo" } });
    await bot.say(ANN, "order");
    await bot.button("Decline");
    expect(JSON.stringify(await bot.click(BEN, "Decline"))).toContain(
      "Only the person this is done for can answer it, or who may approve: Cleo.",
    );
    expect(ended).toEqual([]);
    await bot.click(ANN, "Decline");
    await bot.answer("Done.");
  });

  test("is not answered any more by a person who may not even talk by now", async () => {
    const { order, ended } = shop();
    let talks = true;
    start({ order, model: script(), rules: { may: (what) => what === "talk" && talks, who: () => "Cleo" } });
    await bot.say(ANN, "order");
    await bot.button("Decline");
    talks = false;
    expect(await bot.click(ANN, "Decline")).toMatchObject({ to: "asker" });
    expect(ended).toEqual([]);
    talks = true;
    await bot.click(ANN, "Decline");
    await bot.answer("Done.");
  });

  test("P9: what is written is scrubbed before it is kept", async () => {
    const fields: Question["fields"] = [{ id: "note", label: "Note", kind: "text", required: true }];
    const { order, ended } = shop({ ...QUESTION, fields });
    start({ order, model: script() });
    await bot.say(ANN, "order");
    await bot.button("Answer");
    await bot.click(ANN, "Answer", 0, { f0: "it is xoxb-secret" });
    await bot.answer("Done.");
    expect(ended).toMatchObject([{ values: { note: "it is [masked]" } }]);
  });

  test("ends with a stop: the call may have run, and its card says so", async () => {
    const { order } = shop();
    const model = new Script(calls(["order"]), says("Begun anew."));
    const released: string[] = [];
    start({ order, model, hooks: [{ name: "servers", postCall: async ({ session }) => void released.push(session) }] });
    await bot.say(ANN, "order");
    await bot.button("Answer");
    await bot.click(ANN, "Stop");
    await bot.answer("Stopped by Ann.");
    await bot.quiet();
    expect(bot.stage.buttons("Answer")).toEqual([]);
    expect(card()).toContain("⏹ Stopped by Ann");
    expect(released).toEqual(["stage:T:C:t1"]);
    await bot.say(ANN, "again");
    await bot.answer("Begun anew.");
    expect(heard(model.requests[1])).toContain("outcome unknown");
  });

  test("P1: what is said meanwhile waits visibly, and is answered", async () => {
    const { order } = shop();
    const model = script();
    start({ order, model });
    await bot.say(ANN, "order");
    await bot.button("Answer");
    await bot.say(BEN, "and a cake");
    await bot.button("Withdraw");
    await bot.click(ANN, "Decline");
    await bot.answer("Done.");
    expect(heard(model.requests[1])).toContain("and a cake");
  });

  test("a helper's is a card in the same thread, for the person its root works for", async () => {
    const { order, ended } = shop();
    const task = tool("task", () => "", { helper: true });
    const model = new Script(calls(["task", { description: "order" }]), calls(["order"]), says("Ordered."), says("Done."));
    bot = new Bot({ tools: [order, task], model, rules: { may: (what) => what === "talk", who: () => "Cleo" } });
    await bot.say(ANN, "order");
    await bot.button("Answer");
    expect(card()).toMatch(/^shop asks for the helper general-purpose/);
    await bot.click(ANN, "Answer", 0, { f0: "red" });
    await bot.answer("Done.");
    expect(ended).toMatchObject([{ values: { colour: "red" } }]);
  });
});

/** Answers depend on what is asked, not on how often. */
const replies = (...lines: Line[]) => {
  const model = new Script();
  model.answer = async (request, onDelta, signal) => {
    model.requests.push(request);
    const line = lines[request.messages.filter(({ role }) => role === "assistant").length] ?? says("Past the end.");
    onDelta({ kind: "text", text: "…" });
    return typeof line === "function" ? line(request, signal) : line;
  };
  return model;
};

async function play(killAt: number) {
  const { order, held, began, ended } = shop();
  const bot = new Bot({ tools: [order], model: replies(calls(["order"]), says("Done.")), killAt });
  const restartIfDead = async () => {
    if (!bot.fuse.blown) return;
    held.clear();
    await bot.restart();
  };
  const acts = [
    () => bot.house.message(bot.incoming(ANN, "order", { id: "m1" })),
    async () => {
      await until(() => bot.stage.buttons("Answer").length > 0 || bot.stage.answers().length > 0, "Answer");
      return bot.stage.buttons("Answer").length ? bot.click(ANN, "Answer", 0, { f0: "red" }) : undefined;
    },
  ];
  for (const act of acts) {
    const died = until(() => bot.fuse.blown || undefined, "never", 60_000).then(
      () => "died" as const,
      () => "died" as const,
    );
    if ((await Promise.race([act().then(() => "taken" as const), died])) === "taken") continue;
    await restartIfDead();
    await act();
  }
  await until(() => bot.stage.answers().some((text) => text.includes("Done.")) || bot.fuse.blown, "the end");
  await restartIfDead();
  await bot.answer("Done.");
  await until(
    async () => bot.fuse.blown || (await Promise.race([bot.quiet().then(() => true), until(() => bot.fuse.blown, "dead", 20_000)])),
    "quiet",
  );
  await restartIfDead();
  await bot.quiet();
  return { bot, began, ended };
}

test("P1 P3 P4 P5: killed at every boundary it runs once, goes on at most once, and never without its answer", {
  timeout: 120_000,
}, async () => {
  const calm = await play(0);
  expect(calm.ended).toMatchObject([{ how: "answered", values: { colour: "red" } }]);
  const boundaries = calm.bot.fuse.passed;
  bot = calm.bot;
  expect(boundaries).toBeGreaterThan(20);
  const lives = Array.from({ length: boundaries }, (_, index) => index + 1);
  for (let at = 0; at < lives.length; at += 4) await Promise.all(lives.slice(at, at + 4).map((killAt) => check(killAt, boundaries)));
});

async function check(killAt: number, boundaries: number): Promise<void> {
  const { bot: own, began, ended } = await play(killAt);
  const where = `killed at ${killAt} of ${boundaries}`;
  expect(began.length, `${where}: the call was begun (P3)`).toBeLessThanOrEqual(1);
  expect(ended.filter((one) => one !== "lost").length, `${where}: it went on`).toBeLessThanOrEqual(1);
  expect(own.stage.buttons("Answer"), `${where}: an answered card has buttons`).toEqual([]);
  const told = JSON.stringify(transcript(await own.journal.state("stage:T:C:t1")));
  expect(told.includes("answered {") || /outcome unknown/.test(told), `${where}: the model knows`).toBe(true);
  await own.end();
}
