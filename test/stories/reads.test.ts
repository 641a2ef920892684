/** Tools that only read: begun while their start is being written, and recorded with what called them. */
import { afterEach, expect, test } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { ANN, Bot, type BotOptions, tool } from "../help/bot.ts";
import { calls, Script, says } from "../help/script.ts";
import { until } from "../help/until.ts";

let bot: Bot;
afterEach(() => bot.end());
const ROOT = "stage:T:C:t1";

/** The types of each record, as they were asked for. */
function recorded(): Event["type"][][] {
  const all: Event["type"][][] = [];
  const record = bot.journal.record.bind(bot.journal);
  bot.journal.record = (lease, writes) => {
    all.push(writes.flatMap(([, events]) => events.map(({ type }) => type)));
    return record(lease, writes);
  };
  return all;
}
const looking = (run: () => string | Promise<string>) => tool("look", run, { repeatable: true, reads: true });
const start = (options: BotOptions) => {
  bot = new Bot(options);
};

test("what was read at once costs its step no commit of its own", async () => {
  let ran = 0;
  start({ model: new Script(calls(["look"], ["look"]), says("Done.")), tools: [looking(() => `seen ${++ran}`)] });
  const all = recorded();
  await bot.say(ANN, "look twice");
  await bot.answer("Done.");
  expect(ran).toBe(2);
  const whole = [
    "model.answered",
    "call.gated",
    "call.gated",
    "call.started",
    "call.started",
    "call.finished",
    "call.finished",
    "step.opened",
  ];
  expect(all).toContainEqual(whole);
});

test("what takes longer is not waited for with the record of its start, and runs once", async () => {
  let ran = 0;
  let finish = (_: string): void => {};
  const slow = looking(() => {
    ran++;
    return new Promise<string>((done) => (finish = done));
  });
  start({ model: new Script(calls(["look"]), says("Done.")), tools: [slow] });
  await bot.say(ANN, "look");
  await until(async () => (await bot.journal.state(ROOT)).calls.byId["1.1.0"]?.status === "started" || undefined, "the start");
  finish("seen");
  await bot.answer("Done.");
  expect(ran).toBe(1);
});

test("what changes something does not run before its start is recorded (P1)", async () => {
  const seen: (string | undefined)[] = [];
  const deploy = tool("deploy", async () => {
    seen.push((await bot.journal.state(ROOT)).calls.byId["1.1.1"]?.status);
    return "deployed";
  });
  start({ model: new Script(calls(["look"], ["deploy"]), says("Done.")), tools: [looking(() => "seen"), deploy] });
  await bot.say(ANN, "look and deploy");
  await bot.answer("Done.");
  expect(seen).toEqual(["started"]);
});

test("what people have to approve first waits for them, also if it only reads (P3)", async () => {
  let ran = 0;
  start({
    model: new Script(calls(["look"]), says("Done.")),
    tools: [looking(() => `seen ${++ran}`)],
    gate: ({ name }) => (name === "look" ? { verdict: "ask" } : undefined),
  });
  await bot.say(ANN, "look");
  await bot.button("Approve");
  expect(ran).toBe(0);
  await bot.click(ANN, "Approve");
  await bot.answer("Done.");
  expect(ran).toBe(1);
});

test("the step after it is judged by what the answer before it used", async () => {
  const budget = { tokensPerDay: 100, tokensPerPersonPerDay: 100, botRepliesPerThread: 5 };
  start({ model: new Script(calls(["look"]), says("never said")), tools: [looking(() => "seen")], rules: { budget } });
  await bot.say(ANN, "look");
  await bot.answer("budget");
  expect(bot.model.requests).toHaveLength(1);
});

test("a record of it that breaks loses nothing: it is read again", async () => {
  let ran = 0;
  start({ model: new Script(calls(["look"]), says("Done.")), tools: [looking(() => `seen ${++ran}`)] });
  const record = bot.journal.record.bind(bot.journal);
  let left = 1;
  bot.journal.record = async (lease, writes) => {
    if (writes.some(([, events]) => events.some(({ type }) => type === "call.finished")) && left-- > 0) throw new Error("the record broke");
    return record(lease, writes);
  };
  await bot.say(ANN, "look");
  await bot.answer("Done.");
  expect(ran).toBe(2);
  expect(bot.model.requests).toHaveLength(2);
});

test("what was stopped while it read is not told to the model", async () => {
  let finish = (_: string): void => {};
  let given: AbortSignal | undefined;
  const slow = tool(
    "look",
    (_, signal) => {
      given = signal;
      return new Promise<string>((done) => (finish = done));
    },
    { repeatable: true, reads: true },
  );
  start({ model: new Script(calls(["look"]), says("never said")), tools: [slow] });
  await bot.say(ANN, "look");
  await bot.button("Stop");
  await bot.click(ANN, "Stop");
  await bot.answer("Stopped by Ann.");
  await until(() => given?.aborted || undefined, "the tool to be told");
  finish("too late");
  await bot.quiet();
  expect(bot.model.requests).toHaveLength(1);
});

test("what was begun and could not be recorded is given up, and read again", async () => {
  const given: AbortSignal[] = [];
  let ran = 0;
  const slow = tool(
    "look",
    (_, signal) => {
      given.push(signal);
      return ++ran === 1 ? new Promise<string>(() => {}) : "seen";
    },
    { repeatable: true, reads: true },
  );
  start({ model: new Script(calls(["look"]), says("Done.")), tools: [slow] });
  const record = bot.journal.record.bind(bot.journal);
  let left = 1;
  bot.journal.record = async (lease, writes) => {
    if (writes.some(([, events]) => events.some(({ type }) => type === "call.started")) && left-- > 0) throw new Error("the record broke");
    return record(lease, writes);
  };
  await bot.say(ANN, "look");
  await bot.answer("Done.");
  expect(given.map(({ aborted }) => aborted)).toEqual([true, false]);
});
