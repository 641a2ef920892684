/** What a request looks like on its way to the Messages API. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Message, Request } from "../../src/core/ports.ts";
import { anthropic } from "../../src/model/anthropic.ts";
import { asking, OPERATIONS } from "../contract/model.ts";
import { AnthropicRig } from "../rigs/anthropic.ts";

let rig: AnthropicRig;
beforeEach(async () => {
  rig = await new AnthropicRig().start();
});
afterEach(() => rig.stop());

const whole = async (request: Request) => {
  const model = anthropic({ apiKey: "key", baseURL: `${rig.url}/`, model: "claude-test-1", scrub: (text) => text });
  const answer = await model.answer(request, () => undefined, new AbortController().signal);
  if (!answer.ok) throw new Error(answer.detail);
  return answer;
};

describe("requests", () => {
  it("carry at most four breakpoints: tools, two parts of the system, the newest message", async () => {
    const system = [{ text: "a", cache: true }, { text: "b", cache: true }, { text: " " }, { text: "c", cache: true }, { text: "d" }];
    await whole(asking("hi", { system }));
    const body = rig.calls[0]?.body as {
      [key: string]: { cache_control?: object; text?: string; content?: { cache_control?: object }[] }[];
    };
    expect(body.system?.map(({ text, cache_control }) => [text, !!cache_control])).toEqual([
      ["a", false],
      ["b", true],
      ["c", true],
      ["d", false],
    ]);
    expect(body.tools?.map(({ cache_control }) => !!cache_control)).toEqual([false, true]);
    expect(body.messages?.at(-1)?.content?.at(-1)?.cache_control).toEqual({ type: "ephemeral" });
    expect(rig.calls[0]?.raw.match(/cache_control/g)).toHaveLength(4);
  });

  it("put no breakpoint on thinking, and none on side work", async () => {
    const request = asking("hi");
    rig.next({ thinking: "Hm.", text: "a", stop: "pause_turn" });
    const { content } = await whole(request);
    const [thought, text] = content;
    if (!thought || !text) throw new Error("no blocks");
    await whole({ ...request, messages: [...request.messages, { role: "assistant", content: [text, thought] }] });
    expect(rig.calls[1]?.raw).toMatch(/"text":"a","cache_control"/);
    await whole(asking("sum up", { tools: [], system: [] }));
    expect(rig.calls[2]?.raw).not.toContain("cache_control");
    expect(rig.problems).toEqual([]);
  });

  it("repeat the earlier messages to the letter, but for the breakpoint", async () => {
    const request = asking("one");
    const messages: Message[] = [...request.messages];
    for (let turn = 0; turn < 4; turn++) {
      const { content } = await whole({ ...request, messages: [...messages] });
      messages.push({ role: "assistant", content }, { role: "user", content: [{ type: "text", text: `more ${turn} "quoted" ünïcode` }] });
    }
    const raw = rig.calls.map((call) => call.raw.replaceAll(',"cache_control":{"type":"ephemeral"}', "").replace(/\]\}$/, ""));
    for (let at = 1; at < raw.length; at++) expect(raw[at]?.startsWith(raw[at - 1] ?? "?")).toBe(true);
    expect(rig.problems).toEqual([]);
  });

  it("hold no half of a character, which providers refuse, and are otherwise what was said", async () => {
    const said = 'a\ud83d b \udc00 c \\ud83d "\\\\ud83d" 😀 \ud83d\ud83d\ude00';
    for (let turn = 0; turn < 2; turn++) await whole(asking(said, { system: [{ text: `half \udfff` }] }));
    for (const { raw } of rig.calls) {
      expect(raw).not.toMatch(/[^\\](?:\\\\)*\\ud[89a-f]/);
      const body = JSON.parse(raw) as { system: { text: string }[]; messages: { content: { text: string }[] }[] };
      expect(body.messages.at(-1)?.content[0]?.text).toContain('>a\ufffd b \ufffd c \\ud83d "\\\\ud83d" 😀 \ufffd😀<');
      expect(body.system[0]?.text).toBe("half \ufffd");
    }
  });

  it("ask for a schema where one is wanted", async () => {
    await whole(asking("tidy", { tools: [], format: OPERATIONS }));
    expect(rig.calls[0]?.body.output_config).toEqual({ format: { type: "json_schema", schema: OPERATIONS } });
  });

  it("print nothing, even for a model that the SDK warns of", async () => {
    const warn = vi.spyOn(console, "warn");
    await whole(asking("hi", { model: "claude-sonnet-4-5" }));
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });
});
