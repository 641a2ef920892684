/**
 * What every model keeps, whoever answers. A model is brought as a bench: requests that make it talk, call, and do side work.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Block } from "../../src/core/event.ts";
import type { Answer, Delta, Message, Model, Request } from "../../src/core/ports.ts";

export interface ModelBench {
  model: Model;
  /** Is answered in words of more than 60 characters, slowly enough to be stopped in the middle. */
  talk: Request;
  /** Is answered by calling an offered tool. */
  call: Request;
  /** Side work: no tools, words wanted. */
  side: Request;
  /** Side work with a JSON schema. */
  json: Request;
  stop(): Promise<void>;
}

type Whole = Extract<Answer, { ok: true }>;

export function modelContract(name: string, open: () => Promise<ModelBench>): void {
  describe(`the model contract: ${name}`, () => {
    let bench: ModelBench;
    beforeAll(async () => {
      bench = await open();
    });
    afterAll(() => bench.stop());

    const answer = async (request: Request): Promise<{ whole: Whole; deltas: Delta[] }> => {
      const deltas: Delta[] = [];
      const whole = await bench.model.answer(request, (delta) => deltas.push(delta), new AbortController().signal);
      if (!whole.ok) throw new Error(whole.detail);
      return { whole, deltas };
    };
    const textOf = (content: Block[]) => content.map((block) => (block.type === "text" ? String(block.text) : "")).join("");

    it("streams its words in several pieces which together are its text", async () => {
      const { whole, deltas } = await answer(bench.talk);
      const pieces = deltas.flatMap((delta) => (delta.kind === "text" ? [delta.text] : []));
      expect(pieces.length).toBeGreaterThan(2);
      expect(pieces.join("")).toBe(textOf(whole.content));
      expect(whole).toMatchObject({ stop: "end", calls: [] });
    });

    it("calls only offered tools, told in the order of its blocks and announced while it streams", async () => {
      const { whole, deltas } = await answer(bench.call);
      const uses = whole.content.filter((block) => block.type === "tool_use");
      expect(whole.stop).toBe("calls");
      expect(whole.calls.length).toBeGreaterThan(0);
      expect(whole.calls.map(({ tool, input }) => [tool, input])).toEqual(uses.map((block) => [block.name, block.input]));
      for (const { tool } of whole.calls) expect(bench.call.tools.map((offered) => offered.name)).toContain(tool);
      expect(deltas.flatMap((delta) => (delta.kind === "tool" ? [delta.name] : []))).toEqual(whole.calls.map(({ tool }) => tool));
    });

    it("goes on from the result of its call", async () => {
      const { whole } = await answer(bench.call);
      const content = whole.content.map((block) => (block.type === "tool_use" ? { ...block, id: "c_1_1_0" } : block));
      const result: Block = { type: "tool_result", tool_use_id: "c_1_1_0", content: [{ type: "text", text: "it went well" }] };
      const messages: Message[] = [...bench.call.messages, { role: "assistant", content }, { role: "user", content: [result] }];
      const next = await answer({ ...bench.call, messages });
      expect(next.whole.content.length).toBeGreaterThan(0);
    });

    it("gives nothing but solid blocks and whole numbers of tokens", async () => {
      for (const request of [bench.talk, bench.call, bench.side]) {
        const { whole } = await answer(request);
        for (const block of whole.content) if (block.type === "text") expect(String(block.text).trim()).not.toBe("");
        const { model, ...counts } = whole.usage;
        expect(model).not.toBe("");
        for (const count of Object.values(counts)) expect(Number.isInteger(count) && count >= 0).toBe(true);
        expect(() => JSON.stringify(whole)).not.toThrow();
      }
    });

    it("does side work without tools, and as JSON where a schema is given", async () => {
      expect((await answer(bench.side)).whole).toMatchObject({ stop: "end", calls: [] });
      const { whole } = await answer(bench.json);
      expect(JSON.parse(textOf(whole.content))).toEqual({ operations: [] });
    });

    it("changes nothing of the request", async () => {
      const before = structuredClone(bench.call);
      await answer(bench.call);
      expect(bench.call).toEqual(before);
    });

    it("can be stopped before and in the middle, and then gives no part of an answer", async () => {
      const early = await bench.model.answer(bench.talk, () => undefined, AbortSignal.abort());
      expect(early).toMatchObject({ ok: false, kind: "aborted" });
      const control = new AbortController();
      let after = 0;
      const late = await bench.model.answer(
        bench.talk,
        () => {
          if (control.signal.aborted) after++;
          control.abort();
        },
        control.signal,
      );
      expect(late).toMatchObject({ ok: false, kind: "aborted" });
      expect(after).toBe(0);
    });
  });
}

/** Requests for a bench. */
export const asking = (text: string, more: Partial<Request> = {}): Request => ({
  model: "claude-test-1",
  system: [{ text: "You are a teammate.", cache: true }],
  messages: [
    { role: "user", content: [{ type: "text", text: `<message from="console:ann" name="Ann" id="1" at="now">${text}</message>` }] },
  ],
  tools: [
    {
      name: "write_file",
      description: "Writes a file",
      schema: { type: "object", properties: { file_path: { type: "string" }, content: { type: "string" } } },
    },
    { name: "ops__deploy", description: "Deploys", schema: { type: "object", properties: { target: { type: "string" } } } },
  ],
  maxTokens: 1000,
  ...more,
});

export const OPERATIONS = {
  type: "object",
  properties: { operations: { type: "array", items: { type: "object" } } },
  required: ["operations"],
};
