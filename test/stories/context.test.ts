import { afterEach, describe, expect, test } from "vitest";
import { hasHistory, history } from "../../src/core/conversation.ts";
import type { Answer, Request, ToolContext } from "../../src/core/ports.ts";
import { estimateTokens } from "../../src/core/tokens.ts";
import { compositeFiles } from "../../src/files/composite.ts";
import { stateFiles } from "../../src/files/state.ts";
import { parted } from "../../src/harness/compact.ts";
import { remembering } from "../../src/memory/keep.ts";
import { homeMemory } from "../../src/memory/memory.ts";
import { readFile } from "../../src/tools/read-files.ts";
import { writeTodos } from "../../src/tools/todos.ts";
import { ANN, Bot, type BotOptions, tool } from "../help/bot.ts";
import { calls, fails, heard, type Line, Script, says } from "../help/script.ts";
import { transcriptFaults } from "../help/transcript-rules.ts";
import { until } from "../help/until.ts";

let bot: Bot;
afterEach(() => bot.end());
const files = ({ state }: ToolContext) =>
  compositeFiles({ "/": stateFiles({}), ...(hasHistory(state) ? { "/history": stateFiles(history(state)) } : {}) });
const start = (model: Script, more: BotOptions = {}) => {
  bot = new Bot({
    model,
    tools: [
      tool("look", ({ n }) => `row ${n}: ${"value ".repeat(100)}`),
      tool("write_file", () => "Wrote it."),
      writeTodos(),
      readFile(files),
    ],
    ...more,
  });
};
const size = (request: Request): number => estimateTokens(JSON.stringify([request.system, request.messages, request.tools]));
/** What a request really cost, as a provider tells it. */
const priced =
  (line: Line): Line =>
  async (request, signal) => {
    const answer: Answer = typeof line === "function" ? await line(request, signal) : line;
    return answer.ok
      ? { ...answer, usage: { ...answer.usage, input: size(request), output: estimateTokens(JSON.stringify(answer.content)) } }
      : answer;
  };
/** Keeps of what it is given only what is marked. */
const honest: Line = (request) => says(["Summary.", ...new Set(heard(request).match(/(?:GOAL|FACT): [\w -]+\./g) ?? [])].join("\n"));

describe("a context that never ends", () => {
  test("P4: 400 steps in a window of 20,000 tokens keep the goal, the plan and a fact of the first message", {
    timeout: 120_000,
  }, async () => {
    const model = new Script();
    model.side = honest;
    const todo = (step: number) => calls(["write_todos", { todos: [{ content: `Part ${step} of the audit`, status: "in_progress" }] }]);
    model.lines = Array.from({ length: 400 }, (_, step) => priced(step % 90 === 1 ? todo(step) : calls(["look", { n: step }])));
    model.lines.push(priced(says("The audit is done.")));
    start(model, { window: 20_000, rules: { stepsPerTurn: 500 } });
    await bot.say(ANN, "GOAL: audit all rows. FACT: the code word is pelican-5. Begin.");
    await until(
      () => bot.stage.answers().length > 0 || undefined,
      () => `the end; ${model.requests.length} requests`,
      100_000,
    );
    expect(bot.stage.answers()).toEqual(["The audit is done."]);
    const turns = model.requests.filter((request) => request.tools.length);
    const summaries = model.requests.filter((request) => !request.tools.length);
    expect(turns).toHaveLength(401);
    expect(summaries.length).toBeGreaterThan(5);
    expect(Math.max(...model.requests.map(size))).toBeLessThan(20_000);
    for (const request of turns.slice(90)) {
      const text = heard(request);
      expect(text).toMatch(/GOAL: audit all rows\./);
      expect(text).toContain("FACT: the code word is pelican-5.");
      expect(text).toMatch(/Part \d+ of the audit/);
    }
    expect(heard(turns.at(-1))).toContain("Part 361 of the audit");
    expect(turns.flatMap(({ messages }) => transcriptFaults(messages, true))).toEqual([]);
  });

  test("a second summary is made on top of the first, and the whole can still be read", async () => {
    const model = new Script();
    model.side = honest;
    const rows = Array.from({ length: 40 }, (_, n) => priced(calls(["look", { n }])));
    model.lines = [...rows, priced(calls(["read_file", { file_path: "/history/conversation.md", limit: 3 }])), priced(says("Done."))];
    start(model, { window: 5_000 });
    await bot.say(ANN, "FACT: blue is green. Go.");
    await bot.answer("Done.");
    const summaries = model.requests.filter((request) => !request.tools.length).map(heard);
    expect(summaries.length).toBeGreaterThan(1);
    expect(summaries[1]).toMatch(/Summary of what came before.*FACT: blue is green/);
    expect(summaries[1]).not.toContain("row 0:");
    expect(heard(model.requests.at(-1))).toContain("(stage:ann) [m:m1]: FACT: blue is green. Go.");
  });

  test("what the turn was asked stands beside each summary in its own words, once, whatever the summariser wrote", async () => {
    const model = new Script();
    model.side = says("Rows were looked at.");
    model.lines = Array.from({ length: 60 }, (_, n) => priced(calls(["look", { n }])));
    model.lines.push(priced(says("Done.")), priced(says("Other.")));
    start(model, { window: 5_000, rules: { stepsPerTurn: 100 } });
    await bot.say(ANN, "Find the row with the heron in it, <summary>but tell</summary> nobody.");
    await bot.answer("Done.");
    await bot.quiet();
    const last = heard(model.requests.filter(({ tools }) => tools.length).at(-1));
    expect(model.requests.filter(({ tools }) => !tools.length).length).toBeGreaterThan(2);
    expect(last).not.toContain("row 0:");
    expect(last.match(/the row with the heron/g)).toHaveLength(1);
    expect(last).toMatch(/Rows were looked at\.\\n\\n## Asked in this turn, in their own words\\n\\nAnn \(stage:ann\) \[m:m1\]: Find/);
    expect(last).toContain("&lt;summary>but tell&lt;/summary>");
  });

  test("an overflow in the middle of a turn keeps its question and what nobody has answered yet", async () => {
    const model = new Script(says("One."), calls(["look", { n: 1 }]), calls(["look", { n: 2 }]), fails("overflow"), says("Two."));
    model.side = says("Nothing of note.");
    start(model, { window: 5_000 });
    await bot.say(ANN, "first");
    await bot.answer("One.");
    await bot.quiet();
    await bot.say(ANN, "compare rows 1 and 2");
    await bot.answer("Two.");
    const last = model.requests.at(-1);
    expect(heard(last)).toMatch(/Nothing of note.*compare rows 1 and 2.*row 2:/);
    expect(transcriptFaults(last?.messages ?? [], true)).toEqual([]);
  });

  test("a question too long to stand beside a summary stands there with its beginning and end", async () => {
    const model = new Script(says("One."), calls(["look", { n: 1 }]), calls(["look", { n: 2 }]), fails("overflow"), says("Two."));
    start(model, { window: 20_000 });
    await bot.say(ANN, "first");
    await bot.answer("One.");
    await bot.quiet();
    await bot.say(ANN, `BEGIN ${"😀 ".repeat(9_000)} END`);
    await bot.answer("Two.");
    const last = model.requests.at(-1);
    expect(heard(last)).toMatch(/BEGIN 😀.*the middle is left out.*😀 {1,2}END/);
    expect(size(last as Request)).toBeLessThan(12_000);
  });

  test("what is too long for the summariser is summarised piece by piece", async () => {
    const model = new Script(says("One."), fails("overflow"), says("Two."));
    model.side = honest;
    start(model, { window: 20_000 });
    await bot.say(ANN, `FACT: first things. ${"word ".repeat(9_000)} FACT: middle things. ${"word ".repeat(9_000)} FACT: last things.`);
    await bot.answer("One.");
    await bot.quiet();
    await bot.say(ANN, "and now?");
    await bot.answer("Two.");
    const summaries = model.requests.filter((request) => !request.tools.length);
    expect(summaries.length).toBeGreaterThan(1);
    expect(Math.max(...summaries.map(size))).toBeLessThan(20_000);
    expect(heard(model.requests.at(-1))).toMatch(
      /FACT: first things\.\\\\nFACT: middle things\.\\\\nFACT: last things\.|first things[\s\S]*middle things[\s\S]*last things/,
    );
    expect(heard(model.requests.at(-1))).toContain("and now?");
  });

  test("a stop while it is being summarised is no failure of the summary", async () => {
    const model = new Script(says("One."), fails("overflow"), says("Two."));
    model.side = (_, signal) => new Promise((done) => signal.addEventListener("abort", () => done(fails("aborted"))));
    start(model);
    await bot.say(ANN, "first");
    await bot.answer("One.");
    await bot.quiet();
    await bot.say(ANN, "second");
    await until(() => model.requests.some((request) => !request.tools.length) || undefined, "the summariser");
    const { opened } = await bot.journal.state("stage:T:C:t1");
    await bot.house.click({
      platform: "stage",
      act: "stop",
      code: opened?.code ?? "",
      by: ANN,
      place: { platform: "stage", team: "T", channel: "C", thread: "t1" },
      at: Date.now(),
    });
    await bot.answer("Stopped by Ann.");
    await bot.quiet();
    expect((await bot.journal.events("stage:T:C:t1")).map(({ event }) => event.type)).not.toContain("context.kept");
  });
});

describe("before history is summarised", () => {
  test("the inputs of old calls that wrote files are cut, and the newest is whole", async () => {
    const write = (n: number) =>
      priced(calls(["write_file", { file_path: `/f${n}.md`, content: `file ${n} ${"content ".repeat(1_500)}` }]));
    const model = new Script(write(1), write(2), write(3), write(4), priced(says("Done.")));
    start(model, { window: 16_000 });
    await bot.say(ANN, "write four files");
    await bot.answer("Done.");
    expect(model.requests.filter((request) => !request.tools.length)).toEqual([]);
    const last = heard(model.requests.at(-1));
    expect(last).toMatch(/file 1 content .{0,300}characters left out; read the file/);
    expect(last.match(/characters left out/g)?.length).toBeGreaterThanOrEqual(2);
    expect(last).toContain(`file 4 ${"content ".repeat(1_000)}`);
    expect(model.requests.map(size).every((tokens) => tokens < 16_000)).toBe(true);
    expect((await bot.journal.events("stage:T:C:t1")).map(({ event }) => event.type)).toContain("context.trimmed");
  });
});

describe("a request that is too large with nothing to summarise", () => {
  test("has its newest results cut to a share, each with a path to the whole, and is asked once more", async () => {
    const big = tool("dump", ({ n }) => `dump ${n} begins ${"data ".repeat(12_000)} dump ${n} ends`, { paging: true });
    const model = new Script(
      calls(["dump", { n: 1 }], ["dump", { n: 2 }]),
      fails("overflow"),
      (request) => calls(["read_file", { file_path: /\/history\/results\/[\d.]+txt/.exec(heard(request))?.[0] ?? "", offset: 0 }]),
      says("Read."),
    );
    start(model, { window: 20_000, tools: [big, readFile(files)] });
    await bot.say(ANN, "dump both");
    await bot.answer("Read.");
    const again = model.requests.filter((request) => request.tools.length)[2];
    expect(size(again as Request)).toBeLessThan(20_000);
    expect(heard(again)).toMatch(
      /dump both.*dump 1 begins.*characters left out; the whole can be read in pages at \/history\/results\/1\.1\.0\.txt.*dump 1 ends.*dump 2 begins/,
    );
    expect(heard(model.requests.at(-1))).toMatch(/dump 1 begins data .*dump 1 ends/);
    expect(heard(model.requests.at(-1))).not.toContain("characters left out");
    expect(transcriptFaults(model.requests.at(-1)?.messages ?? [], true)).toEqual([]);
  });

  test("a second overflow after a summary cuts what is left; a third is said in words", async () => {
    const model = new Script(says("One."), fails("overflow"), fails("overflow"), fails("overflow"), says("never"));
    start(model, { window: 20_000 });
    await bot.say(ANN, "first");
    await bot.answer("One.");
    await bot.quiet();
    await bot.say(ANN, `second ${"word ".repeat(10_000)}`);
    await bot.answer("does not fit");
    const types = (await bot.journal.events("stage:T:C:t1")).map(({ event }) => event.type);
    expect(types.filter((type) => type.startsWith("context."))).toEqual(["context.compacted", "context.clipped"]);
    expect(heard(model.requests.at(-1))).toContain("/history/messages/");
  });
});

describe("a message of a person over 50,000 tokens", () => {
  test("is sent as a preview with a path, and can be read whole", async () => {
    const text = Array.from({ length: 9_000 }, (_, n) => `line ${n} of the pasted log`).join("\n");
    const model = new Script(
      (request) =>
        calls(["read_file", { file_path: /\/history\/messages\/\w+\.txt/.exec(heard(request))?.[0] ?? "", offset: 4_000, limit: 2 }]),
      says("Found."),
    );
    start(model);
    await bot.say(ANN, text);
    await bot.answer("Found.");
    const first = heard(model.requests[0]);
    expect(size(model.requests[0] as Request)).toBeLessThan(5_000);
    expect(first).toMatch(/too long for the conversation.*line 0 of the pasted log.*8,990 lines left out.*line 8999 of the pasted log/);
    expect(heard(model.requests[1])).toContain("line 4000 of the pasted log");
  });
});

describe("key facts of what is summarised", () => {
  test("P6: go to the memory of the conversation's own scope, if people said them, and once; the summary keeps no list of them", async () => {
    const model = new Script();
    model.side = (request) => {
      const [, id = ""] = /\[m:(\w+)\]: The code word is pelican/.exec(heard(request)) ?? [];
      return says(
        `## Goal\nAudit.\n\n## Keep\n- The code word is pelican-5 [m:${id}]\n- The vault is in room 99 [m:${id}]\n- Row 1 has 100 values [m:c_1_1_0]\n\n## Open\nAll rows.`,
      );
    };
    model.lines = Array.from({ length: 60 }, (_, step) => priced(calls(["look", { n: step }])));
    model.lines.push(priced(says("The audit is done.")));
    start(model, {
      window: 12_000,
      rules: { stepsPerTurn: 100 },
      memory: (dir, journal) => remembering(() => homeMemory(dir, journal), Date.now),
    });
    await bot.say(ANN, "The code word is pelican-5. Audit all rows.", { channel: "private" });
    await until(() => bot.stage.answers().length > 0 || undefined, "the end", 30_000);
    const memory = homeMemory(bot.dir, async () => bot.journal);
    expect((await memory.list(["place:stage:C"])).map(({ text, fact }) => [text, fact?.by])).toEqual([
      ["The code word is pelican-5", ANN.id],
    ]);
    expect(await memory.list(["team"])).toEqual([]);
    const { context } = await bot.journal.state("stage:T:C:t1");
    expect(context.summary).toContain("All rows.");
    expect(context.summary?.split("## Asked in this turn")[0]).not.toMatch(/pelican|vault/);
  });

  test("of a message that was deleted while the summary was made are not kept", async () => {
    const model = new Script();
    let deleted = "";
    model.side = async (request) => {
      const [, id = ""] = /\[m:(\w+)\]: The code word is pelican/.exec(heard(request)) ?? [];
      if (id && !deleted) await bot.house.deleted(bot.incoming(ANN, "").place, id, Date.now());
      deleted ||= id;
      return says(`## Goal\nAudit.\n\n## Keep\n- The code word is pelican-5 [m:${deleted}]`);
    };
    model.lines = Array.from({ length: 60 }, (_, step) => priced(calls(["look", { n: step }])));
    model.lines.push(priced(says("The audit is done.")));
    start(model, {
      window: 12_000,
      rules: { stepsPerTurn: 100 },
      memory: (dir, journal) => remembering(() => homeMemory(dir, journal), Date.now),
    });
    await bot.say(ANN, "The code word is pelican-5. Audit all rows.", { channel: "private" });
    await until(() => bot.stage.answers().length > 0 || undefined, "the end", 30_000);
    expect(deleted).not.toBe("");
    const memory = homeMemory(bot.dir, async () => bot.journal);
    expect(await memory.list(["place:stage:C"])).toEqual([]);
  });

  test("and of one that is deleted later, what was kept goes with it", async () => {
    start(new Script(says("Noted.")), { memory: (dir, journal) => remembering(() => homeMemory(dir, journal), Date.now) });
    const place = { ...bot.incoming(ANN, "").place, thread: "t1" };
    await bot.say(ANN, "The code word is pelican-5.", { channel: "private" });
    await until(() => bot.stage.answers().length > 0 || undefined, "the answer");
    const [row] = await bot.journal.sessions();
    const { talk } = await bot.journal.state(row?.session ?? "");
    const said = talk.entries.find((entry) => entry.as === "said");
    const id = said?.as === "said" ? said.id : "";
    const memory = homeMemory(bot.dir, async () => bot.journal);
    await memory.remember("The code word is pelican-5", {
      scope: "place:stage:C",
      session: row?.session ?? "",
      call: "1.1.0",
      by: ANN.id,
      channel: "stage:C",
      messages: [id],
      now: Date.now(),
    });
    expect(await memory.list(["place:stage:C"])).toHaveLength(1);
    await bot.house.deleted(place, id, Date.now());
    await until(async () => (await memory.list(["place:stage:C"])).length === 0 || undefined, "the fact to go");
  });

  test.each([
    ["Goal: x\nOpen: y", "Goal: x\nOpen: y", []],
    ["## Goal\nx\n\n**Keep:**\n* tea at noon [m:1] [m:2].\n- no evidence\n", "## Goal\nx", [{ text: "tea at noon", evidence: ["1", "2"] }]],
    ["Keep\n- a b [m:1]\nOpen:\nz", "Open:\nz", [{ text: "a b", evidence: ["1"] }]],
    ["Keep going with the plan", "Keep going with the plan", []],
  ])("are told apart from the summary: %j", (text, summary, kept) => expect(parted(text)).toEqual({ summary, kept }));
});
