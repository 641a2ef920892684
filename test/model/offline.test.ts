import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Block, JsonObject } from "../../src/core/event.ts";
import type { Answer, Message, Request, ToolSpec } from "../../src/core/ports.ts";
import { offline } from "../../src/model/offline.ts";
import { asked } from "../../src/model/said.ts";
import { wishes } from "../../src/model/wish.ts";
import { asking, modelContract, OPERATIONS } from "../contract/model.ts";

modelContract("offline", async () => ({
  model: offline({ pace: 1 }),
  talk: asking("hello"),
  call: asking("call ops/deploy target=x"),
  side: asking("sum up", { tools: [] }),
  json: asking("tidy", { tools: [], format: OPERATIONS }),
  stop: async () => undefined,
}));

const model = offline({ pace: 0 });
const tool = (name: string, ...properties: string[]): ToolSpec => ({
  name,
  description: name,
  schema: { type: "object", properties: Object.fromEntries(properties.map((key) => [key, { type: "string" }])) },
});
const TOOLS = [
  tool("write_todos", "todos"),
  tool("write_file", "file_path", "content"),
  tool("edit_file", "file_path", "old_string", "new_string"),
  tool("read_file", "file_path"),
  tool("ls", "path"),
  tool("grep", "pattern", "path"),
  tool("remember", "fact"),
  tool("ask", "question", "options"),
  tool("ops__deploy", "target"),
];

const answer = async (request: Request): Promise<Extract<Answer, { ok: true }>> => {
  const given = await model.answer(request, () => undefined, new AbortController().signal);
  if (!given.ok) throw new Error(given.detail);
  return given;
};

/** A conversation: what people say, and what each call gives. */
class Talk {
  readonly messages: Message[] = [];
  readonly calls: [string, JsonObject][] = [];
  readonly tools: ToolSpec[];
  constructor(tools = TOOLS) {
    this.tools = tools;
  }
  say(text: string, id = `m${this.messages.length}`): void {
    this.#user({ type: "text", text: `<message from="console:ann" name="Ann" id="${id}" at="now">${text}</message>` });
  }
  note(text: string): void {
    this.#user({ type: "text", text: `<note>${text}</note>` });
  }
  #user(block: Block): void {
    const last = this.messages.at(-1);
    if (last?.role === "user") this.messages[this.messages.length - 1] = { role: "user", content: [...last.content, block] };
    else this.messages.push({ role: "user", content: [block] });
  }
  /** One step; the text if the turn is over. */
  async step(result: string | Error = "done"): Promise<string | undefined> {
    const { content, calls } = await answer(asking("", { messages: this.messages, tools: this.tools }));
    if (calls.length === 0) {
      this.messages.push({ role: "assistant", content });
      return String(content[0]?.text);
    }
    const id = `c_${this.messages.length}`;
    this.messages.push({ role: "assistant", content: content.map((block) => ({ ...block, id })) });
    const text = typeof result === "string" ? result : result.message;
    const failed = typeof result !== "string";
    this.#user({ type: "tool_result", tool_use_id: id, content: [{ type: "text", text }], ...(failed && { is_error: true }) });
    for (const { tool: name, input } of calls) this.calls.push([name, input]);
    return undefined;
  }
  async all(): Promise<string> {
    for (;;) {
      const text = await this.step();
      if (text !== undefined) return text;
    }
  }
}
const told = async (text: string, tools = TOOLS) => {
  const talk = new Talk(tools);
  talk.say(text);
  return { text: await talk.all(), calls: talk.calls };
};

describe("plain words", () => {
  it.each<[string, [string, JsonObject][]]>([
    ["write hello there to notes.txt", [["write_file", { file_path: "/notes.txt", content: "hello there" }]]],
    ['write "a then b" to AGENTS.md', [["write_file", { file_path: "/home/AGENTS.md", content: "a then b" }]]],
    ["read /memories/a.md", [["read_file", { file_path: "/memories/a.md" }]]],
    ["list", [["ls", { path: "/" }]]],
    ["search blue sky in files", [["grep", { pattern: "blue sky", path: "/home/files" }]]],
    ["replace a b with c in x.txt", [["edit_file", { file_path: "/x.txt", old_string: "a b", new_string: "c" }]]],
    ["@denizen please remember that we ship on Fridays", [["remember", { fact: "we ship on Fridays" }]]],
    ["ask Which one? red, green or blue", [["ask", { question: "Which one?", options: ["red", "green", "blue"] }]]],
    ["ask How are you?", [["ask", { question: "How are you?", options: [] }]]],
    ['call ops/deploy {"target":"a {b}"}', [["ops__deploy", { target: "a {b}" }]]],
    ["call ops/deploy target='two words'", [["ops__deploy", { target: "two words" }]]],
    ["call deploy target=7", [["ops__deploy", { target: "7" }]]],
    ["read a.txt then read b.txt\nread c.txt", ["a", "b", "c"].map((name) => ["read_file", { file_path: `/${name}.txt` }])],
  ])("%s", async (text, calls) => {
    expect((await told(text)).calls).toEqual(calls);
  });

  it("a plan is written, worked through and ticked off", async () => {
    const { calls, text } = await told("plan look around, write hi to a.txt then report");
    const states = calls.map(([name, { todos }]) =>
      name === "write_todos" ? (todos as JsonObject[]).map(({ status }) => String(status)[0]).join("") : name,
    );
    expect(states).toEqual(["ipp", "cip", "write_file", "cci", "ccc"]);
    expect(text).toContain("All 3 steps of the plan are done: look around, write hi to a.txt, report");
  });

  it("the answer mentions what came of each step", async () => {
    const talk = new Talk();
    talk.say("read a.txt then read b.txt");
    await talk.step("first result");
    await talk.step("line 1\n```\nline 2");
    const text = await talk.step();
    expect(text).toContain("Read /a.txt → first result");
    expect(text).toContain("````\nline 1\n```\nline 2\n````");
  });

  it("after a step that failed no further one is tried, and the next message is a new errand", async () => {
    const talk = new Talk();
    talk.say("write x to a.txt then read a.txt then read b.txt");
    await talk.step(new Error("Denied by Bob"));
    const text = await talk.step();
    expect(text).toContain("✗ Without success: Wrote /a.txt → Denied by Bob");
    expect(text).toContain("I stopped there; 2 more to do were not tried.");
    talk.say("read c.txt");
    await talk.step();
    expect(talk.calls.at(-1)).toEqual(["read_file", { file_path: "/c.txt" }]);
  });

  it("a message in the middle is done after what is under way", async () => {
    const talk = new Talk();
    talk.say("read a.txt then read b.txt");
    await talk.step();
    talk.say("read c.txt");
    await talk.all();
    expect(talk.calls.map(([, input]) => input.file_path)).toEqual(["/a.txt", "/b.txt", "/c.txt"]);
  });

  it("what was stopped is not taken up again", async () => {
    const talk = new Talk();
    talk.say("read a.txt then read b.txt");
    await talk.step();
    talk.note("Ann stopped this turn.");
    talk.say("read c.txt");
    await talk.all();
    expect(talk.calls.map(([, input]) => input.file_path)).toEqual(["/a.txt", "/c.txt"]);
  });

  it("a correction takes the place of its message", () => {
    const content = [
      { type: "text", text: '<message from="a" name="A" id="1" at="x">read a</message>' },
      { type: "text", text: '<correction from="a" name="A" id="1" at="x">read b &lt;message</correction>' },
    ];
    expect(asked([{ role: "user", content }]).words).toEqual(["read b <message"]);
  });

  it("what no offered tool can do is said, and the rest is done", async () => {
    const { calls, text } = await told("run ls -la then read a.txt then call nope/nothing");
    expect(calls.map(([name]) => name)).toEqual(["read_file"]);
    expect(text).toContain("`execute` is not offered");
    expect(text).toContain("There is no tool called nope/nothing. Offered are: write_todos,");
    expect(text).toContain("ops/deploy");
  });
});

describe("being the offline model", () => {
  it("it says so, repeats what it heard and lists what can be typed here", async () => {
    const { text, calls } = await told("What is the meaning of life?");
    expect(calls).toEqual([]);
    expect(text).toContain("offline model");
    expect(text).toContain("“What is the meaning of life?”");
    expect(text).toContain("`remember we deploy on Fridays`");
    expect(text).toContain("`ops/deploy`");
    expect(text).not.toContain("`run ls -la`");
    expect((await told("hi", [...TOOLS, tool("execute", "command")])).text).toContain("`run ls -la`");
  });

  it("every example that it lists is understood", async () => {
    const { text } = await told("help", [...TOOLS, tool("execute"), tool("task")]);
    const examples = [...text.matchAll(/^- `(.+)`$/gm)].map(([, example = ""]) => example);
    expect(examples.length).toBe(11);
    for (const example of examples) expect(wishes(example).map(({ want }) => want)).not.toContain("talk");
  });

  it("the same request has the same answer, always", async () => {
    const word = fc.constantFrom(
      "plan",
      "write",
      "to",
      "then",
      "\n",
      "call",
      "ops/deploy",
      '{"target":"x"}',
      '"',
      "{",
      "a.txt",
      "ask",
      "why?",
      "and",
      ",",
      "say",
      "<note>",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 12 }), async (words) => {
        const request = asking(words.join(" "), { tools: TOOLS });
        const [one, two] = [await answer(request), await answer(structuredClone(request))];
        expect(one).toEqual(two);
        for (const call of one.calls) expect(TOOLS.map(({ name }) => name)).toContain(call.tool);
        if (one.stop === "end") expect(String(one.content[0]?.text).trim()).not.toBe("");
      }),
      { numRuns: 200 },
    );
  });

  it("the emptiest JSON that fits is given for a schema", async () => {
    const format: JsonObject = {
      type: "object",
      properties: {
        list: { type: "array" },
        kind: { enum: ["a", "b"] },
        size: { type: "integer", minimum: 3 },
        inner: { $ref: "#/$defs/inner" },
        either: { anyOf: [{ type: "boolean" }, { type: "null" }] },
      },
      $defs: { inner: { type: "object", properties: { text: { type: "string" } } } },
    };
    const { content } = await answer(asking("x", { tools: [], format }));
    expect(JSON.parse(String(content[0]?.text))).toEqual({ list: [], kind: "a", size: 3, inner: { text: "" }, either: false });
  });

  it("a schema that contains itself is not followed for ever", async () => {
    const format: JsonObject = { type: "object", properties: { self: { $ref: "#" } } };
    expect((await answer(asking("x", { tools: [], format }))).content).toHaveLength(1);
  });

  it("a summary is a short extract without marks", async () => {
    const { content } = await answer(asking(`first ${"x ".repeat(2000)} last`, { tools: [] }));
    const text = String(content[0]?.text);
    expect(text.length).toBeLessThan(900);
    expect(text).toMatch(/without a model:\nfirst x[\s\S]*last$/);
  });
});

describe("tools that are told by name only", () => {
  const found = tool("ops__deploy", "target");
  it("are looked up and then called, in words or on the way to a call", async () => {
    for (const words of ["find tools for deploy then call ops/deploy target=x", "call ops/deploy target=x"]) {
      const talk = new Talk([tool("find_tools", "query")]);
      talk.say(words);
      await talk.step("its definition");
      talk.tools.push(found);
      await talk.step("deployed");
      expect(await talk.step()).toContain("Called ops/deploy");
      expect(talk.calls.map(([name]) => name)).toEqual(["find_tools", "ops__deploy"]);
    }
  });

  it("that are not found are said, once", async () => {
    const talk = new Talk([tool("find_tools", "query")]);
    talk.say("call ops/none");
    await talk.step(new Error("No tool fits"));
    expect(await talk.step()).toMatch(/Without success: Looked for ops\/none/);
  });
});
