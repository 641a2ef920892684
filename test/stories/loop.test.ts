/** What the loop does when the disk fails it, when things end in the same moment, and when the home is paused beside it. */
import { afterEach, describe, expect, test } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { HOME_SESSION } from "../../src/core/id.ts";
import type { Hook, Write } from "../../src/core/ports.ts";
import { ANN, BEN, Bot, type BotOptions, slowTool, tool } from "../help/bot.ts";
import { calls, Script, says } from "../help/script.ts";
import { Stage } from "../help/stage.ts";
import { until } from "../help/until.ts";

let bot: Bot;
afterEach(() => bot.end());
const ROOT = "stage:T:C:t1";
const holds = (writes: readonly Write[], type: Event["type"]): boolean =>
  writes.some(([, events]) => events.some((event) => event.type === type));

/** The journal refuses to write the first records that hold an event of this type. */
function failing(type: Event["type"], times: number): void {
  const record = bot.journal.record.bind(bot.journal);
  let left = times;
  bot.journal.record = async (lease, writes) => {
    if (holds(writes, type) && left-- > 0) throw new Error("the record broke");
    return record(lease, writes);
  };
}

describe("an outcome that cannot be written", () => {
  test("closes the turn as failed, and the model is not asked again for it", async () => {
    bot = new Bot({ model: new Script(says("One."), says("Two."), says("Three.")), tools: [tool("look", () => "seen")] });
    failing("model.answered", 3);
    await bot.say(ANN, "hello");
    await bot.answer("Something went wrong inside me");
    await bot.quiet();
    expect(bot.model.requests).toHaveLength(1);
  });

  test("of a call is told as failed, in its own words, and the call is not run again", async () => {
    const ran: unknown[] = [];
    bot = new Bot({
      model: new Script(calls(["look"]), says("Done.")),
      tools: [tool("look", (input) => `${ran.push(input)}`, { repeatable: true })],
    });
    const record = bot.journal.record.bind(bot.journal);
    let left = 2;
    bot.journal.record = async (lease, writes) => {
      if (holds(writes, "call.finished") && left-- > 0) throw new Error("the record broke");
      return record(lease, writes);
    };
    await bot.say(ANN, "look");
    await bot.answer("Done.");
    expect(ran).toHaveLength(1);
  });
});

test("what comes after its turn was stopped and everything shown is still noted, and the session is given free", async () => {
  const { slow, finish } = slowTool();
  bot = new Bot({ model: new Script(calls(["slow"]), says("I see.")), tools: [slow] });
  await bot.say(ANN, "go");
  await bot.button("Stop");
  await until(async () => (await bot.journal.state(ROOT)).calls.byId["1.1.0"]?.status === "started" || undefined, "the call to run");
  await bot.click(ANN, "Stop");
  await bot.answer("Stopped by Ann.");
  await bot.quiet();
  await new Promise((done) => setTimeout(done, 50));
  finish("the gate is open");
  await until(
    async () => (await bot.journal.state(ROOT)).talk.queue.some((item) => item.text.includes("the gate is open")) || undefined,
    "the note",
  );
});

test("calls that end in the moment in which another is approved start it once (P3)", async () => {
  for (let steps = 0; steps < 12; steps++) {
    const ends: ((text: string) => void)[] = [];
    const held = (name: string) => tool(name, () => new Promise<string>((done) => ends.push(done)));
    let ran = 0;
    bot = new Bot({
      model: new Script(calls(["a"], ["b"], ["deploy"]), says("Done.")),
      tools: [held("a"), held("b"), tool("deploy", () => `${++ran}`)],
      gate: ({ name }) => (name === "deploy" ? { verdict: "ask" } : undefined),
    });
    const receive = bot.journal.receive.bind(bot.journal);
    bot.journal.receive = async (...given) => {
      const receipt = await receive(...given);
      if (given[2].type !== "approval.decided") return receipt;
      void (async () => {
        for (let step = 0; step < steps; step++) await null;
        for (const end of ends) end("ok");
      })();
      return receipt;
    };
    await bot.say(ANN, "deploy");
    await bot.button("Approve");
    await until(() => ends.length === 2, "both to run");
    await bot.click(ANN, "Approve");
    await bot.answer("Done.");
    expect(ran).toBe(1);
    if (steps < 11) await bot.end();
  }
});

test("what becomes due while the loop looks is not slept through (P1)", async () => {
  for (let rest = 1; rest <= 40; rest++) {
    // A slow machine: between two looks at the clock some time has always passed.
    let looks = 0;
    bot = new Bot({ model: new Script(says("Here.")), tools: [tool("look", () => "seen")], now: () => Date.now() + 3 * looks++ });
    const post = bot.stage.post.bind(bot.stage);
    let refused = false;
    bot.stage.post = async (...given) => {
      if (refused) return post(...given);
      refused = true;
      return { ok: false, unsure: false, retryIn: rest, reason: "rate limited" };
    };
    await bot.say(ANN, "hello");
    await bot.answer("Here.");
    if (rest < 40) await bot.end();
  }
});

test("what was overtaken fails for itself: what runs beside it goes on", async () => {
  const { slow, finish } = slowTool();
  const stage = new Stage();
  let failing = (_: Error): void => {};
  let began = false;
  stage.fetch = () => {
    began = true;
    return new Promise((_, fail) => {
      failing = fail;
    });
  };
  const errors: unknown[] = [];
  const log = { debug() {}, info() {}, warn() {}, error: (...words: unknown[]) => void errors.push(words) };
  bot = new Bot({ stage, log, model: new Script(calls(["slow"]), says("Done.")), tools: [slow] });
  const id = await bot.say(ANN, "look at this", { files: [{ id: "F1", name: "a.txt", mime: "text/plain", size: 3 }] });
  await until(() => began, "the fetch");
  const message = bot.incoming(ANN, "and do it");
  await bot.house.message(message);
  await bot.house.deleted(message.place, id, Date.now());
  await until(async () => (await bot.journal.state(ROOT)).calls.byId["1.1.0"]?.status === "started" || undefined, "the call to run");
  failing(new Error("aborted"));
  await until(() => errors.length > 0, "the failure in the log");
  await new Promise((done) => setTimeout(done, 20));
  finish("ok");
  await bot.answer("Done.");
  expect(JSON.stringify(errors)).not.toContain("could not be advanced");
});

test("a pause that another process wrote holds while a call runs: no step comes after it", async () => {
  const { slow, finish } = slowTool();
  bot = new Bot({ model: new Script(calls(["slow"]), says("Done.")), tools: [slow] });
  await bot.say(ANN, "go");
  await until(async () => (await bot.journal.state(ROOT)).calls.byId["1.1.0"]?.status === "started" || undefined, "the call to run");
  await until(() => bot.stage.buttons("Stop").length > 0, "progress");
  await new Promise((done) => setTimeout(done, 50));
  // Not through this process' inbox: nobody here is woken.
  await bot.journal.receive(HOME_SESSION, "p", { type: "home.paused", at: Date.now(), by: BEN });
  finish("ok");
  await until(async () => (await bot.journal.state(ROOT)).calls.byId["1.1.0"]?.status === "done" || undefined, "the call to end");
  await new Promise((done) => setTimeout(done, 50));
  expect(bot.model.requests).toHaveLength(1);
  const { talk } = await bot.journal.state(ROOT);
  expect([talk.phase, talk.step]).toEqual(["acting", 1]);
});

test("what a call used is charged also where a stop overtook its question, and what was still waiting when the turn closed", async () => {
  const usage = { model: "script", input: 500, output: 0, cacheRead: 0, cacheWrite: 0 };
  let asks: () => void = () => undefined;
  const order = tool("order", () => "", {
    run: async () => {
      await new Promise<void>((done) => (asks = done));
      const events = [{ type: "tokens.spent" as const, at: Date.now(), call: "1.1.0", usage }];
      return { content: "", failed: false, asks: { text: "Sure?", options: [] }, events };
    },
  });
  const hook: Hook = { name: "late", postCall: async () => ({ spent: [{ session: ROOT, call: "1.1.0", usage }] }) };
  bot = new Bot({ model: new Script(calls(["order"])), tools: [order], hooks: [hook] });
  await bot.say(ANN, "go");
  await bot.button("Stop");
  await bot.click(ANN, "Stop");
  asks();
  await bot.quiet();
  const spent = async () => (await bot.journal.events(ROOT)).filter(({ event }) => event.type === "tokens.spent").length;
  await until(async () => (await spent()) === 2 || undefined, "both to be charged");
});

test("what a call used by itself counts before the next step: nothing is begun on a used up budget", async () => {
  const spend: BotOptions["tools"] = [
    tool("sample", () => "", {
      run: async () => ({
        content: "ok",
        failed: false,
        events: [
          {
            type: "tokens.spent",
            at: Date.now(),
            call: "1.1.0",
            usage: { model: "script", input: 5_000, output: 0, cacheRead: 0, cacheWrite: 0 },
          },
        ],
      }),
    }),
  ];
  bot = new Bot({
    model: new Script(calls(["sample"]), says("Done.")),
    tools: spend,
    rules: { budget: { tokensPerDay: 3_000, tokensPerPersonPerDay: 3_000, botRepliesPerThread: 5 } },
  });
  await bot.say(ANN, "go");
  await bot.answer("used up");
  expect(bot.model.requests).toHaveLength(1);
});
