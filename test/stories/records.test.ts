import { afterEach, expect, test } from "vitest";
import type { Journal } from "../../src/core/ports.ts";
import { ANN, Bot, tool } from "../help/bot.ts";
import { calls, Script, says } from "../help/script.ts";
import { until } from "../help/until.ts";

let bot: Bot;
afterEach(() => bot.end());

/** The types of what was recorded for the turn's work, record by record: without what is shown. */
function watched(journal: Journal): string[][] {
  const records: string[][] = [];
  const record = journal.record.bind(journal);
  journal.record = async (lease, writes) => {
    const taken = await record(lease, writes);
    const types = writes.flatMap(([, events]) => events.map(({ type }) => type)).filter((type) => !type.startsWith("post."));
    if (taken && types.length) records.push(types);
    return taken;
  };
  return records;
}

test("a step costs two records: its answer with the start of its call, and the result with the next step", async () => {
  bot = new Bot({ model: new Script(calls(["look"]), calls(["look"]), says("Done.")), tools: [tool("look", () => "seen")] });
  const records = watched(bot.journal);
  await bot.say(ANN, "look twice");
  await bot.answer("Done.");
  await bot.quiet();
  expect(records).toEqual([
    ["step.opened"],
    ["model.answered", "call.gated", "call.started"],
    ["call.finished", "step.opened"],
    ["model.answered", "call.gated", "call.started"],
    ["call.finished", "step.opened"],
    ["model.answered", "turn.ended"],
    ["turn.closed"],
  ]);
});

test("calls side by side are started together, and the last result opens the next step", async () => {
  let release = (): void => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  const slow = { ...tool("slow", () => ""), run: () => held.then(() => ({ content: "slow", failed: false })) };
  bot = new Bot({ model: new Script(calls(["slow"], ["look"]), says("Done.")), tools: [tool("look", () => "seen"), slow] });
  const records = watched(bot.journal);
  await bot.say(ANN, "look twice");
  await until(() => records.length === 3, "the first result");
  release();
  await bot.answer("Done.");
  await bot.quiet();
  expect(records.slice(1, 4)).toEqual([
    ["model.answered", "call.gated", "call.gated", "call.started", "call.started"],
    ["call.finished"],
    ["call.finished", "step.opened"],
  ]);
});
