/** The local Messages API is only worth something if it refuses what the real one refuses. */
import { expect, it } from "vitest";
import { check, Issued } from "../rigs/anthropic-check.ts";
import type { Block, Body } from "../rigs/anthropic-turn.ts";

const user = (...content: Block[]) => ({ role: "user", content });
const assistant = (...content: Block[]) => ({ role: "assistant", content });
const text = (words: string): Block => ({ type: "text", text: words });
const use = (id: string): Block => ({ type: "tool_use", id, name: "ls", input: {} });
const result = (id: string, more = {}): Block => ({ type: "tool_result", tool_use_id: id, content: "ok", ...more });
const TOOLS = [{ name: "ls", description: "", input_schema: { type: "object" } }];
const body = (messages: object[], more: object = {}): Body =>
  ({ model: "m", max_tokens: 1, tools: TOOLS, messages, ...more }) as unknown as Body;
const mark = { cache_control: { type: "ephemeral" } };

it("a good request passes", () => {
  const messages = [user(text("a")), assistant(text("b"), use("1"), use("2")), user(result("2"), result("1"), text("c"))];
  expect(check(body(messages), new Issued())).toBeUndefined();
});

it.each<[string, Body, RegExp]>([
  ["two users in a row", body([user(text("a")), user(text("b"))]), /alternate/],
  ["an assistant first", body([assistant(text("a"))]), /first message/],
  ["no content", body([user()]), /non-empty content/],
  ["empty text", body([user(text(""))]), /non-empty/],
  ["blank text", body([user(text(" \n"))]), /non-whitespace/],
  ["a call without result", body([user(text("a")), assistant(use("1")), user(text("b"))]), /without `tool_result`/],
  ["a call at the end", body([user(text("a")), assistant(use("1"))]), /without `tool_result`/],
  ["a result without call", body([user(result("1"))]), /unexpected `tool_use_id`/],
  ["two results", body([user(text("a")), assistant(use("1")), user(result("1"), result("1"))]), /single result/],
  ["a result after text", body([user(text("a")), assistant(use("1")), user(text("b"), result("1"))]), /must come first/],
  ["an id twice", body([user(text("a")), assistant(use("1")), user(result("1")), assistant(use("1")), user(result("1"))]), /unique/],
  ["an empty error", body([user(text("a")), assistant(use("1")), user(result("1", { is_error: true, content: "" }))]), /is_error/],
  ["an unknown role", body([user(text("a")), { role: "system", content: "x" }]), /'user' or 'assistant'/],
  ["a field of ours", body([user({ ...text("a"), at: 1 })]), /Extra inputs/],
  ["a key of ours", body([user(text("a"))], { session: 1 }), /Extra inputs/],
  [
    "five breakpoints",
    body([user({ ...text("a"), ...mark })], { system: [1, 2, 3, 4].map(() => ({ ...text("s"), ...mark })) }),
    /maximum of 4/,
  ],
  ["a tool's odd name", body([user(text("a"))], { tools: [{ ...TOOLS[0], name: "a/b" }] }), /match pattern/],
  ["two tools of one name", body([user(text("a"))], { tools: [...TOOLS, ...TOOLS] }), /unique/],
  [
    "a schema with alternatives",
    body([user(text("a"))], { tools: [{ name: "x", input_schema: { type: "object", anyOf: [] } }] }),
    /top level/,
  ],
  ["no max_tokens", body([user(text("a"))], { max_tokens: 0 }), /max_tokens/],
  ["calls without tools", body([user(text("a")), assistant(use("1")), user(result("1"))], { tools: [] }), /must define tools/],
  ["thinking it never sent", body([user(text("a")), assistant({ type: "thinking", thinking: "x", signature: "y" })]), /cannot be modified/],
])("%s is refused", (_what, request, problem) => {
  expect(check(request, new Issued())).toMatch(problem);
});

it("thinking is known again by its signature, and missed where it belongs", () => {
  const issued = new Issued();
  const thought: Block = { type: "thinking", thinking: "x", signature: "s" };
  issued.add([thought, text("a"), use("toolu_1")]);
  const back = (...content: Block[]) => check(body([user(text("a")), assistant(...content), user(result("c_1"))]), issued);
  expect(back(thought, text("a"), use("c_1"))).toBeUndefined();
  expect(back({ ...thought, thinking: "y" }, text("a"), use("c_1"))).toMatch(/cannot be modified/);
  expect(back(text("a"), use("c_1"))).toMatch(/unchanged and in order/);
  expect(back(text("a"), thought, use("c_1"))).toMatch(/unchanged and in order/);
});
