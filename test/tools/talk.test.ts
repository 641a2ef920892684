import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../src/core/event.ts";
import { estimateTokens } from "../../src/core/tokens.ts";
import { stateFiles } from "../../src/files/state.ts";
import { homeMemory } from "../../src/memory/memory.ts";
import { openJournal } from "../../src/store/journal.ts";
import { folder } from "../files/folder.ts";
import { context, NOW, run, tools } from "./context.ts";

const all = tools(stateFiles());

describe("write_todos", () => {
  const write = (todos: JsonObject[string], others: string[] = []) =>
    run(all.get("write_todos"), { todos }, context({ tool: "write_todos", others }));
  const one = { content: "Look", status: "pending" };

  it("replaces the list; an empty one clears it", async () => {
    expect(await write([one, { content: " Do ", status: "completed" }])).toMatchObject({
      failed: false,
      text: "The plan has 2 todos, 1 of them open.",
      events: [{ type: "todos.written", at: NOW, todos: [one, { content: "Do", status: "completed" }] }],
    });
    expect((await write([])).events).toEqual([{ type: "todos.written", at: NOW, todos: [] }]);
  });

  it("takes none of two lists of the same step", async () => {
    const result = await write([one], ["write_todos"]);
    expect(result).toMatchObject({ failed: true });
    expect(result.events).toBeUndefined();
    expect(await write([one], ["ls", "read_file"])).toMatchObject({ failed: false });
  });

  it.each([
    [[{ content: "x", status: "done" }]],
    [[{ content: " ", status: "pending" }]],
    [[{ status: "pending" }]],
    ["x"],
    [[...Array(51)].map(() => one)],
  ])("refuses %j", async (todos) => expect(await write(todos as JsonObject[string])).toMatchObject({ failed: true }));

  it("accepts a list sent as text", async () => {
    expect(await write(JSON.stringify([one]))).toMatchObject({ failed: false });
  });
});

describe("ask", () => {
  const parse = (input: JsonObject) => all.get("ask")?.parse(input);

  it("is a question with or without options, and never runs", async () => {
    const parsed = parse({ question: " Which? ", options: ["Blue", "Green"] });
    expect(parsed).toEqual({ ok: true, input: { question: "Which?", options: ["Blue", "Green"] } });
    if (parsed?.ok) expect(all.get("ask")?.question?.(parsed.input)).toEqual({ text: "Which?", options: ["Blue", "Green"] });
    expect(all.get("ask")?.question?.({ question: "Which?" })).toEqual({ text: "Which?", options: [] });
    expect(await run(all.get("ask"), { question: "Which?" })).toMatchObject({ failed: true });
  });

  it.each([
    "Approve",
    "approve!",
    "✅ Approve",
    "A p p r o v e",
    "Ａｐｐｒｏｖｅ",
    "Аpprove",
    "Ap\u200bprove",
    "\u202eevorppA",
    "Deny",
    "EDIT",
    "Allow in this thread",
    "always-allow",
    "Stop",
    "Withdraw",
    "Undo",
    "",
    "  ",
    "x".repeat(76),
    "two\nlines",
  ])("P10 refuses the option %j", (option) => expect(parse({ question: "Q?", options: [option, "Other"] })).toMatchObject({ ok: false }));

  it.each(["Yes", "Stop the server", "👩‍💻 Deploy", "Ja, löschen", "はい", "x".repeat(75)])("accepts the option %j", (option) =>
    expect(parse({ question: "Q?", options: [option] })).toMatchObject({ ok: true }),
  );

  it("refuses six options, two alike, and no question", () => {
    expect(parse({ question: "Q?", options: ["a", "b", "c", "d", "e", "f"] })).toMatchObject({ ok: false });
    expect(parse({ question: "Q?", options: ["a", "A"] })).toMatchObject({ ok: false });
    expect(parse({ question: " " })).toMatchObject({ ok: false });
    expect(parse({})).toMatchObject({ ok: false });
  });
});

describe("remember", () => {
  it("P6 keeps a fact where it was said, with who, when and where, and once", async () => {
    const home = await folder();
    const journal = openJournal(join(home, "journal.db"));
    onTestFinished(() => journal.close());
    const tool = tools(
      stateFiles(),
      homeMemory(home, async () => journal),
    ).get("remember");
    const given = context({ scope: "person:console:ann", call: "1.1.0" });
    expect(await run(tool, { text: "Ann likes\ntea." }, given)).toMatchObject({
      failed: false,
      text: "Remembered for this person's direct messages only: Ann likes tea.",
    });
    await run(tool, { text: "Ann likes\ntea." }, given);
    const kept = await readFile(join(home, "memory/people/console_ann/MEMORY.md"), "utf8");
    expect(kept.match(/Ann likes tea/g)).toHaveLength(1);
    expect(kept).toMatch(
      /^- Ann likes tea\. <!-- id:[0-9a-f]{8} by:console:ann at:2026-11-30 in:console:general session:console:h:1 -->$/m,
    );
  });

  it("says why something is not kept", async () => {
    expect(await run(all.get("remember"), { text: "The password is hunter2!" })).toMatchObject({
      failed: true,
      text: expect.stringContaining("Secrets"),
    });
    expect(await run(all.get("remember"), { text: "" })).toMatchObject({ failed: true });
  });
});

describe("all tools", () => {
  it("cost the context little", () => {
    const sent = [...all.values()].map(({ name, description, schema }) => JSON.stringify({ name, description, input_schema: schema }));
    expect(estimateTokens(sent.join())).toBeLessThan(1_800);
  });

  it("have names, labels and digests of their own, and parse what they parsed to the same", () => {
    expect([...all.keys()].sort()).toEqual([
      "ask",
      "delete",
      "edit_file",
      "forget",
      "glob",
      "grep",
      "ls",
      "propose_skill",
      "read_file",
      "remember",
      "send_file",
      "share",
      "update",
      "write_file",
      "write_todos",
    ]);
    expect(new Set([...all.values()].map((tool) => tool.digest)).size).toBe(all.size);
    for (const tool of all.values()) {
      expect(tool.label).toBe(tool.name);
      expect(tool.schema).toMatchObject({ type: "object" });
      const parsed = tool.parse({
        path: "a//b",
        pattern: "x",
        content: "x",
        old_string: "a",
        new_string: "b",
        text: "t",
        todos: [],
        question: "q",
        id: "3f2a",
        name: "x",
        description: "x",
        instructions: "x",
      });
      if (!parsed.ok) throw new Error(`${tool.name}: ${parsed.error}`);
      expect(tool.parse(parsed.input)).toEqual(parsed);
      if (tool.name === "propose_skill") continue;
      expect(tool.subject(parsed.input)).toEqual(tool.name === "share" ? null : expect.any(String));
      expect(tool.risk(parsed.input, "team")).toBe("none");
    }
  });
});
