/** How much of a conversation is kept, by what is known of the model, and what becomes of it where the summary cannot be had. */
import { afterEach, describe, expect, test } from "vitest";
import type { Answer, Request } from "../../src/core/ports.ts";
import { estimateTokens } from "../../src/core/tokens.ts";
import { dynamicSubagents } from "../../src/hooks/dynamic-subagents.ts";
import { writeTodos } from "../../src/tools/todos.ts";
import { ANN, Bot, type BotOptions, tool } from "../help/bot.ts";
import { Folder } from "../help/folder.ts";
import { calls, fails, heard, type Line, Script, says } from "../help/script.ts";
import { transcriptFaults } from "../help/transcript-rules.ts";

let bot: Bot;
afterEach(() => bot.end());
const start = (model: Script, more: BotOptions = {}): void => {
  bot = new Bot({ model, tools: [tool("look", ({ n }) => `row ${n}`), writeTodos()], ...more });
};
const used = (answer: Answer, input: number, model = "script"): Answer =>
  answer.ok ? { ...answer, usage: { ...answer.usage, input, model } } : answer;
const summaries = () => bot.model.requests.filter((request) => !request.tools.length);
const turns = () => bot.model.requests.filter((request) => request.tools.length);
const contextEvents = async () =>
  (await bot.journal.events("stage:T:C:t1")).map(({ event }) => event.type).filter((type) => type.startsWith("context."));

/** Nobody knows how much this model takes, or only of some. */
class Unknown extends Script {
  readonly known: Record<string, number>;
  constructor(known: Record<string, number>, ...lines: Line[]) {
    super(...lines);
    this.known = known;
  }
  override window(model?: string): number {
    return (model && this.known[model]) as number;
  }
}
const rows = (count: number, input: number): Answer[] =>
  Array.from({ length: count }, (_, n) => used(calls(["look", { n }]), n === count - 1 ? input : 100));

test.each([
  [undefined, 16_000],
  [200_000, 16_000],
  [40_000, 6_000],
  [4_000, 1_000],
])("in a window of %s an answer may have %i tokens: providers add it to the request", async (window, tokens) => {
  start(new Unknown({}, says("Done.")), window === undefined ? {} : { window });
  await bot.say(ANN, "go on");
  await bot.answer("Done.");
  expect(turns()[0]?.maxTokens).toBe(tokens);
});

describe("where nobody knows how much the model takes", () => {
  test.each([
    [169_000, false],
    [170_100, true],
  ])("a request of %i tokens makes room: %s", async (tokens, makes) => {
    start(new Unknown({}, ...rows(8, tokens), says("Done.")));
    await bot.say(ANN, "go on");
    await bot.answer("Done.");
    expect(summaries().length).toBe(makes ? 1 : 0);
  });

  test("six messages stay as they were, and what came before is told by the summary", async () => {
    start(new Unknown({}, ...rows(8, 170_100), says("Done.")));
    await bot.say(ANN, "the first question");
    await bot.answer("Done.");
    const { messages } = turns().at(-1) as Request;
    const said = heard(turns().at(-1));
    // The newest call has not been answered yet; with the two before it that makes six.
    expect([4, 5, 6, 7].map((n) => said.includes(`row ${n}`))).toEqual([false, true, true, true]);
    expect(said).toContain("Summary of what came before.");
    expect(said).toMatch(/Asked in this turn, in their own words[^<]*the first question/);
    expect(messages.filter(({ role }) => role === "assistant")).toHaveLength(3);
    expect(transcriptFaults(messages, true)).toEqual([]);
  });
});

describe("a helper with a model of its own", () => {
  test("has its history summarised by that model, when its own window is nearly full", async () => {
    const folder = new Folder();
    folder.write("subagents/auditor.md", "---\ndescription: Audits\nmodel: small-1\n---\nYou are the auditor.");
    const hook = dynamicSubagents({ homes: { home: () => ({ name: "home", policy: () => Promise.reject(), ...folder.home }) } });
    const page = tool("page", ({ n }) => `page ${n} ${"words ".repeat(700)}`);
    const reads =
      (n: number): Line =>
      (request) =>
        used(calls(["page", { n }]), estimateTokens(JSON.stringify(request)), request.model);
    const model = new Unknown(
      { script: 200_000, "small-1": 9_000 },
      calls(["task", { description: "read it all", subagent_type: "auditor" }]),
      ...Array.from({ length: 8 }, (_, n) => reads(n)),
      says("All read."),
      says("Done."),
    );
    try {
      start(model, { tools: [page], hooks: [hook] });
      await bot.say(ANN, "audit");
      await bot.answer("Done.");
      const helpers = bot.model.requests.filter((request) => request.model === "small-1");
      expect(summaries().length).toBeGreaterThan(0);
      expect(summaries().map((request) => request.model)).toEqual(summaries().map(() => "small-1"));
      expect(Math.max(...helpers.map((request) => estimateTokens(JSON.stringify(request))))).toBeLessThan(9_000);
    } finally {
      folder.end();
    }
  });
});

describe("a summary that cannot be had", () => {
  test.each<[string, Answer]>([
    ["the summariser fails", fails("invalid", "no such luck")],
    ["it says nothing", says("  ")],
  ])("%s: the history stays as it was, and the turn goes on", async (_, side) => {
    const warned: string[] = [];
    const log = { debug() {}, info() {}, error() {}, warn: (_: object, msg: string) => void warned.push(msg) };
    const model = new Script(...rows(4, 180_000), used(calls(["look", { n: 4 }]), 181_000), says("Done."));
    model.side = side;
    start(model, { log });
    await bot.say(ANN, "the first question");
    await bot.answer("Done.");
    expect(await contextEvents()).toEqual(["context.kept"]);
    expect(summaries()).toHaveLength(1);
    expect(warned).toContain("the history could not be summarised and is kept");
    expect(heard(turns().at(-1))).toMatch(/the first question.*row 0.*row 4/);
  });
});

describe("what has no words", () => {
  test("pictures and failures behind the cut come through a summary as they were, and the summariser is sent no picture", async () => {
    const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo".repeat(2_000) } };
    const see = tool("see", () => "");
    const seen = { ...see, run: async () => ({ content: [{ type: "text", text: "a chart" }, picture], failed: false }) };
    const broken = { ...tool("broken", () => ""), run: async () => ({ content: "it broke", failed: true }) };
    const model = new Script(calls(["see"]), ...rows(3, 100), used(calls(["see"], ["broken"]), 180_000), says("Done."));
    start(model, { tools: [tool("look", ({ n }) => `row ${n} ${"value ".repeat(8_000)}`), seen, broken] });
    await bot.say(ANN, "look at it");
    await bot.answer("Done.");
    expect(await contextEvents()).toEqual(["context.compacted"]);
    expect(heard(summaries()[0])).not.toContain("iVBORw0KGgo");
    const last = turns().at(-1) as Request;
    const results = last.messages.flatMap(({ content }) => content).filter(({ type }) => type === "tool_result");
    expect(JSON.stringify(results)).toContain(JSON.stringify(picture));
    expect(results.find((result) => JSON.stringify(result).includes("it broke"))).toMatchObject({ is_error: true });
    expect(transcriptFaults(last.messages, true)).toEqual([]);
  });
});
