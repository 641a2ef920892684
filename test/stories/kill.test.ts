/**
 * Every story, killed at every boundary (before and after each append, model call, tool, post, edit and hide) and started again.
 * What people did is done again by them only where they were not told that it was taken.
 */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/event.ts";
import type { Answer, Incoming, Reply, Request } from "../../src/core/ports.ts";
import { transcript } from "../../src/core/transcript.ts";
import { ANN, BEN, Bot, type BotOptions, tool } from "../help/bot.ts";
import { calls, heard, type Line, Script, says } from "../help/script.ts";
import { until } from "../help/until.ts";

interface Story {
  name: string;
  options: (ran: JsonObject[]) => BotOptions;
  /** What people do; each act resolves when it was taken. */
  acts: ((bot: Bot) => Promise<unknown>)[];
  answer: string;
  /** How often the risky tool may have run. */
  runs: number;
  /** How many questions from forms stand in the thread. */
  asked?: number;
}
const risky = (ran: JsonObject[]): BotOptions => ({
  tools: [tool("deploy", (input) => `run ${ran.push(input)}`), tool("look", () => "seen", { repeatable: true, reads: true })],
  gate: (it) => (it.name === "deploy" ? { verdict: "ask", risky: true } : undefined),
});
/** Answers depend on what is asked, not on how often: a request that is repeated after a crash gets the same answer. */
const replies = (...lines: Line[]) => {
  const model = new Script();
  model.answer = async (request, onDelta, signal) => {
    model.requests.push(request);
    const steps = request.messages.filter((message) => message.role === "assistant").length;
    const line = lines[steps] ?? says("Past the end.");
    const answer = typeof line === "function" ? await line(request, signal) : line;
    onDelta({ kind: "text", text: "…" });
    return answer;
  };
  return model;
};
const message =
  (id: string, text: string, by = ANN, more: Partial<Incoming> = {}) =>
  (bot: Bot) =>
    bot.house.message(bot.incoming(by, text, { id, ...more }));
/** Presses what is there at that moment: between a look and a click it may have been decided. */
const pressUnlessDecided =
  (word: string, values?: Record<string, string>) =>
  async (bot: Bot): Promise<Reply | undefined> => {
    await until(() => bot.stage.buttons(word).length > 0 || bot.stage.answers().length > 0, word);
    return bot.stage.buttons(word).length ? bot.click(ANN, word, 0, values) : undefined;
  };

const STORIES: Story[] = [
  { name: "a plain answer", options: () => ({ model: replies(says("Plain.")) }), acts: [message("m1", "hi")], answer: "Plain.", runs: 0 },
  {
    name: "a question from a form",
    options: () => ({ model: replies(says("Plain.")) }),
    acts: [message("m1", "hi", ANN, { unseen: true })],
    answer: "Plain.",
    runs: 0,
    asked: 1,
  },
  {
    name: "a tool and a long answer",
    options: (ran) => ({ ...risky(ran), model: replies(calls(["look"], ["look"]), says(`Long. ${"word ".repeat(900)}End.`)) }),
    acts: [message("m1", "look twice")],
    answer: "End.",
    runs: 0,
  },
  {
    name: "an approval",
    options: (ran) => ({ ...risky(ran), model: replies(calls(["deploy", { target: "blue" }]), says("Deployed.")) }),
    acts: [message("m1", "deploy"), pressUnlessDecided("Approve")],
    answer: "Deployed.",
    runs: 1,
  },
  {
    name: "a denial behind which a message waits",
    options: (ran) => ({ ...risky(ran), model: replies(calls(["deploy", { target: "blue" }]), says("Left it.")) }),
    acts: [
      message("m1", "deploy"),
      (bot) => bot.button("Deny"),
      message("m2", "also this", BEN),
      pressUnlessDecided("Deny", { reason: "no" }),
    ],
    answer: "Left it.",
    runs: 0,
  },
  {
    name: "an edit of the input",
    options: (ran) => ({ ...risky(ran), model: replies(calls(["deploy", { target: "blue" }], ["look"]), says("Edited.")) }),
    acts: [message("m1", "deploy"), pressUnlessDecided("Edit", { target: "green" })],
    answer: "Edited.",
    runs: 1,
  },
  {
    name: "a stop",
    options: (ran) => ({ ...risky(ran), model: replies(calls(["deploy", { target: "blue" }]), says("never")) }),
    acts: [message("m1", "deploy"), pressUnlessDecided("Stop")],
    answer: "Stopped by Ann.",
    runs: 0,
  },
  {
    name: "a helper with an approval",
    options: (ran) => {
      const both = (parent: Answer, helper: Answer) => (request: Request) => (heard(request).includes("the agent") ? helper : parent);
      const task = tool("task", () => "never runs", { helper: true });
      const { tools = [], ...base } = risky(ran);
      const model = replies(
        both(calls(["task", { description: "blue", subagent_type: "auditor" }]), calls(["deploy", { target: "blue" }])),
        both(says("The helper is done."), says("It is deployed.")),
      );
      return { ...base, tools: [...tools, task], model };
    },
    acts: [message("m1", "deploy"), pressUnlessDecided("Approve")],
    answer: "The helper is done.",
    runs: 1,
  },
];

async function play(story: Story, killAt: number): Promise<{ bot: Bot; ran: JsonObject[]; killed: boolean }> {
  const ran: JsonObject[] = [];
  const bot = new Bot({ ...story.options(ran), killAt });
  let killed = false;
  const restartIfDead = async () => {
    if (!bot.fuse.blown) return;
    killed = true;
    await bot.restart();
  };
  for (const act of story.acts) {
    // What was under way when the process died is done again: nobody was told that it was taken.
    if ((await unlessDead(bot, act(bot))) === "done") continue;
    await restartIfDead();
    await act(bot);
  }
  const end = until(
    () => bot.stage.answers().some((answer) => answer.includes(story.answer)) || bot.fuse.blown,
    () => `the end; shown: ${JSON.stringify(bot.stage.answers())}`,
  );
  await end;
  await restartIfDead();
  await bot.answer(story.answer);
  const last = until(async () => bot.fuse.blown || (await quietly(bot)), "quiet");
  await last;
  await restartIfDead();
  await bot.quiet();
  return { bot, ran, killed };
}
const quietly = async (bot: Bot) => (await unlessDead(bot, bot.quiet())) === "done";
/** What is waited for never ends if the process died; nobody goes on looking for that afterwards. */
async function unlessDead(bot: Bot, work: Promise<unknown>): Promise<"done" | "died"> {
  let over = false;
  const done = work.then(() => "done" as const).finally(() => (over = true));
  return Promise.race([done, until(() => bot.fuse.blown || over, "the end or a death", 60_000).then(() => (over ? done : "died"))]);
}

async function check(story: Story, bot: Bot, ran: JsonObject[], where: string): Promise<void> {
  const answers = bot.stage.visible("answer");
  const unmarked = answers.filter((post) => !post.mark).map((post) => post.slot.key);
  expect(new Set(unmarked).size, `${where}: an answer part stands twice unmarked (P5)`).toBe(unmarked.length);
  expect(
    answers.map((post) => post.slot.key),
    `${where}: parts in order`,
  ).toEqual(answers.map((post) => post.slot.key).sort());
  const asked = bot.stage.visible("asked");
  expect(new Set(asked.map((post) => post.slot.key)).size, `${where}: what was asked in a form stands`).toBe(story.asked ?? 0);
  expect(asked.filter((post) => !post.mark).length, `${where}: it stands twice unmarked`).toBeLessThanOrEqual(story.asked ?? 0);
  expect(ran.length, `${where}: the risky call ran (P3)`).toBeLessThanOrEqual(story.runs);
  expect(bot.stage.buttons("Approve"), `${where}: a decided card has buttons`).toEqual([]);
  expect(bot.stage.buttons("Stop"), `${where}: an orphan progress message`).toEqual([]);
  expect(bot.stage.visible("queued"), `${where}: a notice of a queued message`).toEqual([]);
  const told = JSON.stringify(transcript(await bot.journal.state("stage:T:C:t1")));
  expect(
    told.split("deploy<").length + told.split("hi<").length,
    `${where}: the message is in the transcript once (P2)`,
  ).toBeLessThanOrEqual(3);
}

describe("killed at every boundary and started again (P1–P5)", () => {
  test.each(STORIES)("$name", { timeout: 120_000 }, async (story) => {
    const calm = await play(story, 0);
    await check(story, calm.bot, calm.ran, "undisturbed");
    expect(calm.ran).toHaveLength(story.runs);
    const boundaries = calm.bot.fuse.passed;
    await calm.bot.end();
    expect(boundaries).toBeGreaterThan(10);
    const points = Array.from({ length: boundaries }, (_, index) => index + 1);
    const killed = async (): Promise<void> => {
      for (let at = points.shift(); at !== undefined; at = points.shift()) {
        const { bot, ran } = await play(story, at);
        await check(story, bot, ran, `killed at ${at} of ${boundaries}`);
        await bot.end();
      }
    };
    // They mostly wait, each in a world of its own.
    await Promise.all(Array.from({ length: 6 }, killed));
  });
});
