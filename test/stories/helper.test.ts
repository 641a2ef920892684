import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Answer, Hook, Live, Request } from "../../src/core/ports.ts";
import { plain } from "../../src/core/view.ts";
import { dynamicSubagents } from "../../src/hooks/dynamic-subagents.ts";
import { writeTodos } from "../../src/tools/todos.ts";
import { ANN, Bot, type BotOptions, tool } from "../help/bot.ts";
import { Folder } from "../help/folder.ts";
import { calls, fails, heard, Script, says } from "../help/script.ts";
import { until } from "../help/until.ts";

let bot: Bot;
let folder: Folder;
beforeEach(() => {
  folder = new Folder();
  folder.write(
    "subagents/auditor.md",
    "---\ndescription: Audits ledgers\ntools: look, deploy\nmodel: small-1\nsteps: 3\n---\nYou are the auditor. Umbrella.",
  );
});
afterEach(async () => {
  await bot.end();
  folder.end();
});
const hook = () => dynamicSubagents({ homes: { home: () => ({ name: "home", policy: () => Promise.reject(), ...folder.home }) } });
const character = { name: "character", preReasoning: async () => ({ system: [{ rank: "character" as const, text: "You are Marvin." }] }) };
const start = (options: BotOptions = {}) => {
  const tools = [tool("look", () => "seen"), tool("deploy", () => "deployed"), tool("write_file", () => "written")];
  bot = new Bot({ tools, hooks: [character, hook()], ...options });
  return bot;
};
const ask = (agent: string, description = "check the books") =>
  ["task", { description, subagent_type: agent }] as [string, { description: string; subagent_type: string }];
const talking = (text: string): Answer => {
  const answer = calls(["look"]);
  return answer.ok ? { ...answer, content: [{ type: "text", text }, ...answer.content] } : answer;
};
const offered = (index: number) => bot.model.requests[index]?.tools.map(({ name }) => name);

describe("a helper of the home", () => {
  test("is described to the model, works with its own prompt, tools and model, and only its report comes back", async () => {
    start({ model: new Script(calls(ask("auditor")), says("The books are fine."), says("Checked.")) });
    await bot.say(ANN, "parent words");
    await bot.answer("Checked.");
    const [parent, child, after] = bot.model.requests;
    expect(heard(parent)).toMatch(/You are Marvin.*- general-purpose: .*- auditor: Audits ledgers/);
    expect(JSON.stringify(parent?.tools)).toContain("auditor (Audits ledgers)");
    expect(heard(child)).toMatch(/Umbrella.*You are the helper auditor.*check the books/);
    expect(heard(child)).not.toMatch(/Marvin|parent words/);
    expect(child?.model).toBe("small-1");
    expect(offered(1)).toEqual(["deploy", "look"]);
    expect(heard(after)).toContain("The books are fine.");
    expect(bot.stage.answers()).toEqual(["Checked."]);
  });

  test("that is new in the folder can be called at the next step; one that is gone cannot", async () => {
    const writes = () => {
      folder.write("subagents/reader.md", "---\ndescription: Reads\n---\nYou are the reader.");
      folder.remove("subagents/auditor.md");
      return calls(["look"]);
    };
    start({ model: new Script(writes, calls(ask("auditor"), ask("reader")), says("Read."), says("Done.")) });
    await bot.say(ANN, "go");
    await bot.answer("Done.");
    expect(heard(bot.model.requests.at(-1))).toMatch(/there is no helper “auditor”. There are: general-purpose, reader.*Read\./);
  });

  test("the general one keeps the home's character and all tools", async () => {
    start({ model: new Script(calls(ask("general-purpose")), says("Report."), says("Done.")) });
    await bot.say(ANN, "go");
    await bot.answer("Done.");
    expect(heard(bot.model.requests[1])).toMatch(/You are Marvin.*You are the helper general-purpose/);
    expect(offered(1)).toEqual(["deploy", "look", "task", "write_file"]);
  });

  test("of very many the first are told, and each can be called", async () => {
    for (let n = 0; n < 120; n++)
      folder.write(`subagents/h${n}.md`, `---\ndescription: ${"long words ".repeat(150)}\n---\nYou are number ${n}.`);
    start({ model: new Script(calls(ask("h99")), says("Report of 99."), says("Done.")) });
    await bot.say(ANN, "go");
    await bot.answer("Done.");
    const [first, child, last] = bot.model.requests;
    expect(JSON.stringify([first?.system, first?.tools]).length).toBeLessThan(50_000);
    expect(heard(first)).toContain("and 72 more, one file each in /home/subagents");
    expect(heard(child)).toContain("You are number 99.");
    expect(heard(last)).toContain("Report of 99.");
  });

  test("a file of that name takes its place", async () => {
    folder.write("subagents/general-purpose.md", "---\ndescription: Looks only\ntools: look\n---\nYou only look. Periscope.");
    start({ model: new Script(calls(ask("general-purpose")), says("Report."), says("Done.")) });
    await bot.say(ANN, "go");
    await bot.answer("Done.");
    expect(heard(bot.model.requests[0]).match(/- general-purpose: /g)).toHaveLength(1);
    expect(heard(bot.model.requests[0])).toContain("- general-purpose: Looks only");
    expect(heard(bot.model.requests[1])).toContain("Periscope");
    expect(offered(1)).toEqual(["look"]);
  });

  test("a stop reaches the tools that helpers, and theirs, are running", async () => {
    const stopped: string[] = [];
    const wait = tool(
      "wait",
      ({ n }, signal) =>
        new Promise((done) => {
          stopped.push(`began ${n}`);
          signal.addEventListener("abort", () => {
            stopped.push(`ended ${n}`);
            done("aborted");
          });
        }),
    );
    const lines = (request: Request): Answer => {
      if (heard(request).includes("inner task")) return calls(["wait", { n: 2 }]);
      if (heard(request).includes("outer task")) return calls(["wait", { n: 1 }], ask("general-purpose", "inner task"));
      return calls(ask("general-purpose", "outer task"));
    };
    start({ tools: [wait], model: new Script(lines, lines, lines, says("never"), says("never")) });
    await bot.say(ANN, "go");
    await until(() => stopped.length === 2 || undefined, "both tools to run");
    await bot.say(ANN, "stop");
    await bot.answer("Stopped by Ann.");
    await bot.quiet();
    expect(stopped.sort()).toEqual(["began 1", "began 2", "ended 1", "ended 2"]);
    expect(bot.model.requests).toHaveLength(3);
  });

  test("its plan is its own: its parent's stands as it was, and neither sees the other's", async () => {
    const plan = (content: string): [string, { todos: { content: string; status: string }[] }] => [
      "write_todos",
      { todos: [{ content, status: "in_progress" }] },
    ];
    const model = new Script(
      calls(plan("Parent part")),
      calls(ask("general-purpose")),
      calls(plan("Child part")),
      says("Reported."),
      says("Done."),
    );
    start({ model, tools: [writeTodos()] });
    await bot.say(ANN, "go");
    await bot.answer("Done.");
    expect((await bot.journal.state("stage:T:C:t1")).todos.map(({ content }) => content)).toEqual(["Parent part"]);
    const [, , first, second, after] = bot.model.requests;
    expect(heard(first) + heard(second)).not.toContain("Parent part");
    expect(heard(after)).not.toContain("Child part");
  });

  test("a tool that its file does not name is not there for it", async () => {
    start({ model: new Script(calls(ask("auditor")), calls(["write_file"]), says("Could not."), says("Done.")) });
    await bot.say(ANN, "go");
    await bot.answer("Done.");
    expect(heard(bot.model.requests[2])).toContain("There is no tool write_file");
  });

  test("is the one that was meant, also where the model used another name of the field: with its tools and no others (P3)", async () => {
    start({ model: new Script(calls(["task", { prompt: "check the books", agent: "auditor" }]), says("Fine."), says("Done.")) });
    await bot.say(ANN, "go");
    await bot.answer("Done.");
    expect(heard(bot.model.requests[1])).toMatch(/You are the helper auditor.*check the books/);
    expect(offered(1)).toEqual(["deploy", "look"]);
  });

  test("P11: whose file breaks while it works has no more tools than before, but none", async () => {
    const breaks = () => {
      folder.write("subagents/auditor.md", "---\nname: [\n---\nx");
      return calls(["look"]);
    };
    const tools = ["look", "write_todos", "write_file"].map((name) => tool(name, () => "done"));
    start({ tools, model: new Script(calls(ask("auditor")), breaks, calls(["write_file"]), says("Half."), says("Done.")) });
    await bot.say(ANN, "go");
    await bot.answer("Done.");
    expect(offered(2)).toEqual(["write_todos"]);
    expect(heard(bot.model.requests[3])).toContain("There is no tool write_file");
  });

  test("P11: a broken file is told to people once and costs only itself", async () => {
    folder.write("subagents/broken.md", "---\nname: [\n---\nx");
    start({ model: new Script(calls(ask("auditor")), says("Fine."), says("One."), says("Two.")) });
    await bot.say(ANN, "go");
    await bot.answer("One.");
    await bot.quiet();
    await bot.say(ANN, "again");
    await bot.answer("Two.");
    expect(bot.stage.whispers.filter(({ text }) => text.includes("subagents/broken.md"))).toHaveLength(1);
    expect(bot.stage.whispers.every(({ person }) => person === ANN.id)).toBe(true);
  });
});

describe("however a helper ends, its parent goes on with a text", () => {
  test.each([
    ["an empty answer", [says("")], /helper auditor ended without a report: .*empty answer/],
    [
      "an empty answer after good words",
      [talking("Half of it is fine."), says("")],
      /empty answer.*What it said last:.*Half of it is fine/,
    ],
    ["a model that refuses", [fails("invalid")], /ended without a report: .*invalid/],
    ["its steps used up", [calls(["look"]), calls(["look"]), calls(["look"])], /ended without a report: it used up its steps/],
  ])("%s", async (_, lines, text) => {
    start({ model: new Script(calls(ask("auditor")), ...lines, says("Went on.")) });
    await bot.say(ANN, "go");
    await bot.answer("Went on.");
    expect(heard(bot.model.requests.at(-1))).toMatch(text);
  });

  test("an unknown kind is answered with those there are", async () => {
    start({ model: new Script(calls(ask("wizard")), says("Went on.")) });
    await bot.say(ANN, "go");
    await bot.answer("Went on.");
    expect(heard(bot.model.requests[1])).toContain("there is no helper “wizard”. There are: general-purpose, auditor");
  });
});

describe("bounds", () => {
  test("helpers have helpers, theirs have none", async () => {
    start({
      model: new Script(
        calls(ask("general-purpose", "one")),
        calls(ask("general-purpose", "two")),
        says("Two."),
        says("One."),
        says("Done."),
      ),
    });
    await bot.say(ANN, "go");
    await bot.answer("Done.");
    expect([0, 1, 2].map((index) => offered(index)?.includes("task"))).toEqual([true, true, false]);
    expect(heard(bot.model.requests[2])).not.toContain("# Helpers");
  });

  test("at most four work at the same time, and all report", async () => {
    let now = 0;
    let most = 0;
    const child = async () => {
      most = Math.max(most, ++now);
      await new Promise((done) => setTimeout(done, 30));
      now--;
      return says("Report.");
    };
    const tasks = Array.from({ length: 6 }, (_, index) => ask("general-purpose", `part ${index}`));
    start({ model: new Script(calls(...tasks), ...tasks.map(() => child), says("All.")) });
    await bot.say(ANN, "go");
    await bot.answer("All.");
    expect(most).toBe(4);
    expect(heard(bot.model.requests.at(-1)).match(/Report\./g)).toHaveLength(6);
  });

  test("a turn calls only so many", async () => {
    start({ model: new Script(calls(...Array.from({ length: 21 }, () => ask("auditor"))), says("Too many.")) });
    await bot.say(ANN, "go");
    await bot.answer("Too many.");
    expect(heard(bot.model.requests[1])).toContain("A turn calls at most 20 helpers");
  });

  test("helpers work for the person their root's turn is for, also those of helpers", async () => {
    const seen: string[] = [];
    const watch: Hook = {
      name: "watch",
      preReasoning: async ({ session, by }) => {
        seen.push(`${session.split("/").length} ${by.id}`);
        return undefined;
      },
    };
    start({
      model: new Script(
        calls(ask("general-purpose", "one")),
        calls(ask("general-purpose", "two")),
        says("Two."),
        says("One."),
        says("Done."),
      ),
      hooks: [hook(), watch],
    });
    await bot.say(ANN, "go");
    await bot.answer("Done.");
    expect(new Set(seen)).toEqual(new Set(["1 stage:ann", "2 stage:ann", "3 stage:ann"]));
  });
});

describe("what people see of a helper", () => {
  test("its cards name it, and its progress stands in the thread", async () => {
    const gate: BotOptions["gate"] = (it) => (it.name === "deploy" ? { verdict: "ask" } : undefined);
    start({ model: new Script(calls(ask("auditor")), calls(["look"]), calls(["deploy"]), says("Report."), says("Done.")), gate });
    await bot.say(ANN, "go");
    await bot.button("Approve");
    expect(bot.stage.visible("card")[0]?.slot.view.title).toBe("May I run deploy for the helper auditor?");
    const steps = (live: Live | undefined) => (live?.progress ? plain(live.progress.view) : "");
    await until(
      () => steps(bot.stage.lives.at(-1)).includes("auditor: step 2, deploy") || undefined,
      () => steps(bot.stage.lives.at(-1)),
    );
    await bot.click(ANN, "Approve");
    await bot.answer("Done.");
    await bot.quiet();
    expect(bot.stage.visible("card")[0]?.slot.view.title).toBe("Approved: deploy for the helper auditor");
    expect(plain(bot.stage.visible("progress")[0]?.slot.view ?? { parts: [], buttons: [] })).toContain("✓ auditor");
  });
});
