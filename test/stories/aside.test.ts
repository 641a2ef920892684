/** What is said beside the thread: to one person alone, or while a call runs. */
import { afterEach, expect, test } from "vitest";
import type { Hook } from "../../src/core/ports.ts";
import { ANN, BEN, Bot, tool } from "../help/bot.ts";
import { calls, Script, says } from "../help/script.ts";
import { until } from "../help/until.ts";

let bot: Bot;
afterEach(() => bot.end());

test("P6: what only one person can do is told to them alone, once, and stands in no log", async () => {
  const lines: string[] = [];
  const keep = (facts: object, text: string) => void lines.push(`${JSON.stringify(facts)} ${text}`);
  const asking: Hook = {
    name: "asking",
    preReasoning: async ({ by }) => ({ asks: [`${by.name}, sign in: https://sign.in/${by.id}`] }),
  };
  const model = new Script(says("One."), says("Two."), says("Three."));
  const log = { debug: keep, info: keep, warn: keep, error: keep };
  bot = new Bot({ tools: [tool("noop", () => "ok")], hooks: [asking], model, log });
  await bot.say(ANN, "hi");
  await bot.answer("One.");
  await bot.say(ANN, "again");
  await bot.answer("Two.");
  await bot.say(BEN, "and I?");
  await bot.answer("Three.");
  const told = bot.stage.whispers.filter(({ text }) => text.includes("sign in"));
  expect(told).toEqual([
    { person: ANN.id, text: "Ann, sign in: https://sign.in/stage:ann" },
    { person: BEN.id, text: "Ben, sign in: https://sign.in/stage:ben" },
  ]);
  expect(lines.join("\n")).not.toContain("https://sign.in");
});

test("P9: what a running call says it is at stands beside it, short, on one line and without secrets, while it runs", async () => {
  let go = () => {};
  const slow = tool("build", () => "built");
  slow.run = async (_input, { tell }) => {
    tell?.(`compiling\n xoxb-secret ${"x".repeat(200)}`);
    await new Promise<void>((resolve) => {
      go = resolve;
    });
    return { content: "built", failed: false };
  };
  bot = new Bot({ tools: [slow], model: new Script(calls(["build", {}]), says("Done.")) });
  await bot.say(ANN, "build it");
  const labels = () => {
    const views = bot.stage.lives.flatMap(({ progress }) => progress?.view ?? []);
    return views.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "steps" ? part.steps.map(({ label }) => label) : [])));
  };
  const found = await until(() => labels().find((label) => label.startsWith("build: ")), "what the call says it is at");
  expect(found).toMatch(/^build: compiling \[masked\] x{10,70}…$/);
  go();
  await bot.answer("Done.");
  await bot.quiet();
  expect(labels().at(-1)).toBe("build");
});
