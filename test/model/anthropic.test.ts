import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../src/core/event.ts";
import type { Answer, Delta, Message, Request } from "../../src/core/ports.ts";
import { anthropic } from "../../src/model/anthropic.ts";
import { asking, modelContract, OPERATIONS } from "../contract/model.ts";
import { AnthropicRig, type Body } from "../rigs/anthropic.ts";

const model = (rig: AnthropicRig, more: { idleMs?: number; apiKey?: string } = {}) =>
  anthropic({ apiKey: "key", baseURL: rig.url, model: "claude-test-1", scrub: (text) => text.replaceAll("s3cret", "•••"), ...more });

modelContract("Anthropic", async () => {
  const rig = await new AnthropicRig().start();
  const said = (body: Body) => JSON.stringify(body.messages);
  rig.fallback = (body) => {
    if (body.output_config) return { text: '{"operations":[]}' };
    if (!body.tools) return { text: "A summary." };
    if (said(body).includes("deploy") && !said(body).includes("it went well"))
      return { thinking: "Hm.", calls: [["ops__deploy", { target: "x" }]] };
    return { text: "A long answer, which comes in many small pieces, one after the other, until it is whole.", chunk: 9, delay: 3 };
  };
  return {
    model: model(rig),
    talk: asking("hello"),
    call: asking("deploy x"),
    side: asking("sum up", { tools: [] }),
    json: asking("tidy", { tools: [], format: OPERATIONS }),
    async stop() {
      await rig.stop();
      expect(rig.problems).toEqual([]);
    },
  };
});

let rig: AnthropicRig;
beforeEach(async () => {
  rig = await new AnthropicRig().start();
});
afterEach(() => rig.stop());

const ask = (request: Request = asking("hi"), options = {}, deltas: Delta[] = []): Promise<Answer> =>
  model(rig, options).answer(request, (delta) => deltas.push(delta), new AbortController().signal);
const whole = async (request?: Request) => {
  const answer = await ask(request);
  if (!answer.ok) throw new Error(answer.detail);
  return answer;
};

describe("answers", () => {
  it("P4: thinking comes back as it was sent, and goes back unchanged with results", async () => {
    rig.next({
      thinking: ["First.", "", "Second."],
      words: "I look.",
      calls: [
        ["ops__deploy", { target: "a" }],
        ["ops__deploy", {}],
      ],
    });
    const request = asking("go");
    const first = await whole(request);
    expect(first.content.map(({ type }) => type)).toEqual(["thinking", "redacted_thinking", "thinking", "text", "tool_use", "tool_use"]);
    let index = 0;
    const content = first.content.map((block) => (block.type === "tool_use" ? { ...block, id: `c_1_1_${index++}` } : block));
    const results = ["c_1_1_0", "c_1_1_1"].map((id) => ({ type: "tool_result", tool_use_id: id, content: [{ type: "text", text: "ok" }] }));
    const messages: Message[] = [...request.messages, { role: "assistant", content }, { role: "user", content: results }];
    await whole({ ...request, messages });
    await ask({ ...request, messages: messages.map((message, at) => (at === 1 ? { ...message, content: content.slice(1) } : message)) });
    expect(rig.problems).toEqual([
      "messages.1: the thinking of this answer must be passed back unchanged and in order with its tool results",
    ]);
  });

  it("blocks without a word and empty fields are left out, unknown blocks are kept", async () => {
    const odd = { type: "compaction", content: "x", extra: { deep: [1] } };
    rig.next({ words: " \n", text: "Words.", blocks: [odd, { type: "text", text: "" }] });
    expect((await whole()).content).toEqual([{ type: "text", text: "Words." }, odd]);
  });

  it("usage is recorded, with what the cache did", async () => {
    rig.next({ text: "x", usage: { input_tokens: 7, output_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 } });
    expect((await whole()).usage).toEqual({ model: "claude-test-1", input: 7, output: 5, cacheRead: 100, cacheWrite: 20 });
  });

  it.each([
    ["end_turn", "end"],
    ["stop_sequence", "end"],
    ["max_tokens", "length"],
    ["refusal", "refusal"],
    ["model_context_window_exceeded", "overflow"],
    ["pause_turn", "paused"],
    ["something_new", "other"],
  ])("a stop by %s is told as %s", async (reason, stop) => {
    rig.next({ text: "x", stop: reason });
    expect(await ask()).toMatchObject({ ok: true, stop });
  });

  it("a refusal carries the provider's words", async () => {
    rig.next({ text: "No.", stop: "refusal", why: "This is not allowed." });
    expect(await ask()).toMatchObject({ ok: true, stop: "refusal", why: "This is not allowed." });
  });

  it("calls count as calls, whatever reason is named for the end", async () => {
    rig.next({ calls: [["ops__deploy", {}]], stop: "end_turn" }, { text: "x", stop: "tool_use" });
    expect(await ask()).toMatchObject({ stop: "calls" });
    expect(await ask()).toMatchObject({ stop: "end", calls: [] });
  });

  const use = (rawInput: string): { type: string } & JsonObject => ({
    type: "tool_use",
    id: `toolu_${rawInput.length}`,
    name: "ops__deploy",
    input: {},
    rawInput,
  });

  it("P3: a call cut off inside its input is broken and has no input; one that was followed by another is whole", async () => {
    rig.next({ blocks: [use('{"target":"a"}'), use('{"target":"b and mo')], stop: "max_tokens" });
    const { calls, content } = await whole();
    expect(calls).toEqual([
      { tool: "ops__deploy", input: { target: "a" } },
      { tool: "ops__deploy", input: {}, broken: expect.stringMatching(/length limit.*not run/) as string },
    ]);
    expect(content.map(({ input }) => input)).toEqual([{ target: "a" }, {}]);
  });

  it("P3: the last call is broken even if what arrived of it happens to be valid", async () => {
    for (const raw of ["", "{}", '{"target":"a"}']) {
      rig.next({ blocks: [use(raw)], stop: "max_tokens" });
      expect((await whole()).calls[0]).toMatchObject({ input: {}, broken: expect.any(String) as string });
    }
  });

  it.each(["[1]", '"text"', "null", '{"a":', "not json"])("an input of %s is broken, with a sentence for the model", async (raw) => {
    rig.next({ blocks: [use(raw)] });
    expect((await whole()).calls).toEqual([{ tool: "ops__deploy", input: {}, broken: expect.stringMatching(/JSON object/) as string }]);
  });

  it("calls of an answer that was refused in the middle are broken", async () => {
    rig.next({ blocks: [use('{"target":"a"}')], stop: "refusal" });
    expect((await whole()).calls[0]?.broken).toMatch(/broken off/);
  });
});

describe("failures", () => {
  it.each<[error: string, message: string, status: number | undefined, kind: string]>([
    ["overloaded_error", "Overloaded", undefined, "retry"],
    ["rate_limit_error", "slow down", undefined, "retry"],
    ["api_error", "oops", undefined, "retry"],
    ["api_error", "prompt is too long, says a broken gateway", 502, "retry"],
    ["timeout_error", "late", 408, "retry"],
    ["conflict_error", "again", 409, "retry"],
    ["authentication_error", "invalid x-api-key", undefined, "auth"],
    ["permission_error", "not yours", undefined, "auth"],
    ["billing_error", "pay", undefined, "billing"],
    ["invalid_request_error", "Your credit balance is too low to access the API", undefined, "billing"],
    ["request_too_large", "too large", undefined, "too_large"],
    ["invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", undefined, "overflow"],
    ["invalid_request_error", "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000", undefined, "overflow"],
    ["invalid_request_error", "prompt is too long", 413, "overflow"],
    ["invalid_request_error", "messages.3: something is wrong", undefined, "invalid"],
    ["not_found_error", "model: claude-none", undefined, "invalid"],
    ["invalid_request_error", "no", 422, "invalid"],
  ])("%s “%s” (%s) is %s", async (error, message, status, kind) => {
    rig.next({ error, message, ...(status && { status }) });
    const answer = await ask();
    expect(answer).toMatchObject({ ok: false, kind });
    expect(answer.ok ? "" : answer.detail).toContain(message);
    expect(rig.calls).toHaveLength(1);
  });

  it.each([
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after-ms": "120", "retry-after": "7" }, 120],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ])("the provider's wish to wait, %j, is told as %s ms", async (headers: Record<string, string>, ms) => {
    rig.next({ error: "rate_limit_error", headers });
    const answer = await ask();
    expect(answer.ok ? "" : answer.retryAfter).toBe(ms);
  });

  it.each<[string, { after: number; kind: "cut" | "short" | "error"; type?: string; message?: string }, string]>([
    ["a cut connection", { after: 5, kind: "cut" }, "retry"],
    ["an end too early", { after: 6, kind: "short" }, "retry"],
    ["overload in the middle", { after: 5, kind: "error" }, "retry"],
    ["an error of the server in the middle", { after: 5, kind: "error", type: "api_error" }, "retry"],
    [
      "too long a prompt, told in the stream",
      { after: 1, kind: "error", type: "invalid_request_error", message: "prompt is too long: 9 > 8" },
      "overflow",
    ],
    ["no right, told in the stream", { after: 1, kind: "error", type: "authentication_error" }, "auth"],
  ])("P1: %s gives no part of an answer", async (_what, fault, kind) => {
    rig.next({ text: "Half of an answer that never gets whole.", fault });
    expect(await ask()).toMatchObject({ ok: false, kind });
  });

  it("a connection that dies before any answer is worth another try", async () => {
    rig.next({ error: "cut" });
    expect(await ask()).toMatchObject({ ok: false, kind: "retry" });
    await rig.stop();
    expect(await ask()).toMatchObject({ ok: false, kind: "retry" });
    await rig.start();
  });

  it.each([
    ["says nothing at all", { error: "hang" }],
    ["falls silent", { text: "Half of it", fault: { after: 4, kind: "hang" as const } }],
    ["only pings", { text: "Half of it", fault: { after: 4, kind: "hang" as const }, ping: 20 }],
  ])("P1: a stream that %s is given up", async (_what, turn) => {
    rig.next(turn);
    const answer = await ask(asking("hi"), { idleMs: 150 });
    expect(answer).toEqual({ ok: false, kind: "retry", detail: "The model's stream was silent for 0.15 s and was given up." });
    await vi.waitFor(() => expect(rig.calls[0]?.aborted).toBe(true));
  });

  it("a slow stream is not given up as long as something comes", async () => {
    rig.next({ text: "Slowly, slowly, one word after the other.", chunk: 4, delay: 40 });
    expect(await ask(asking("hi"), { idleMs: 250 })).toMatchObject({ ok: true });
  });

  it("P9: what is told of a failure is scrubbed and short", async () => {
    rig.next({ error: "invalid_request_error", message: `bad key s3cret ${"x".repeat(5000)}` });
    const answer = await ask();
    const detail = answer.ok ? "" : answer.detail;
    expect(detail).toContain("bad key •••");
    expect(detail.length).toBeLessThan(700);
  });
});

it("knows the window of Claude models only", () => {
  expect(model(rig).window("claude-sonnet-5-5")).toBe(200_000);
  expect(model(rig).window("llama-4")).toBeUndefined();
});

it("is loaded without its SDK, which comes with the first request", () => {
  const script = `
    import { register } from "node:module";
    const hook = "export const resolve = (name, at, next) => (name.startsWith('@anthropic-ai') && process._rawDebug('SDK'), next(name, at));";
    register("data:text/javascript," + encodeURIComponent(hook));
    const { anthropic } = await import("./src/model/anthropic.ts");
    const model = anthropic({ apiKey: "k", baseURL: "http://127.0.0.1:9", model: "m", scrub: (text) => text });
    process._rawDebug("made");
    await model.answer({ model: "m", system: [], messages: [], tools: [], maxTokens: 1 }, () => {}, new AbortController().signal);
  `;
  const { stderr } = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], { encoding: "utf8" });
  expect(stderr.trim().split("\n")).toEqual(["made", "SDK"]);
});
