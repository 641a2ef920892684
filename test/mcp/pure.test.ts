import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digest } from "../../src/mcp/digest.ts";
import { toolName } from "../../src/mcp/name.ts";
import { resultOf } from "../../src/mcp/result.ts";
import { fitter, offered } from "../../src/mcp/schema.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("names of tools", () => {
  it.each([
    ["ops", "deploy", "ops__deploy"],
    ["log-server", "query_log", "log-server__query_log"],
  ])("%s/%s is %s", (server, tool, name) => expect(toolName(server, tool)).toBe(name));

  it("are valid and different for different labels, and never without two underscores", () => {
    const part = fc.string({ unit: fc.constantFrom("a", "_", "-", ".", "é", "B"), minLength: 1, maxLength: 40 });
    const seen = new Map<string, string>();
    fc.assert(
      fc.property(part, part, (server, tool) => {
        const name = toolName(server, tool);
        const label = JSON.stringify([server, tool]);
        expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(seen.get(name) ?? label).toBe(label);
        seen.set(name, label);
      }),
    );
  });
});

describe("digests", () => {
  it("do not depend on the order of keys, and on all else", () => {
    expect(digest({ a: 1, b: [1, { c: 2, d: undefined }] })).toBe(digest({ b: [1, { c: 2 }], a: 1 }));
    expect(digest([1, 2])).not.toBe(digest([2, 1]));
    expect(digest({ a: "1" })).not.toBe(digest({ a: 1 }));
  });
});

describe("schemas for the model", () => {
  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["no type", { properties: { a: { type: "string" } } }],
    ["alternatives at the top", { oneOf: [{ properties: { a: {} }, required: ["a"] }, { properties: { b: {} } }] }],
    [
      "a draft-07 tuple",
      { $schema: "http://json-schema.org/draft-07/schema#", type: "object", properties: { t: { items: [{ type: "string" }] } } },
    ],
    ["a wrong bound", { type: "object", properties: { n: { type: "number", exclusiveMinimum: true } } }],
    ["odd keys", { type: "object", properties: { "a b": {}, "ok.1": { type: "string", description: "fine" } } }],
    ["an unknown kind", { type: "object", properties: { a: { type: "datetime" } } }],
  ])("%s becomes an object schema of draft 2020-12", (_what, given) => {
    const schema = offered(given);
    expect(schema.type).toBe("object");
    expect(Object.keys(schema).filter((key) => ["anyOf", "oneOf", "allOf", "$schema", "$id"].includes(key))).toEqual([]);
    expect(new Ajv2020({ strict: false }).validateSchema(schema)).toBe(true);
    for (const key of Object.keys(schema.properties ?? {})) expect(key).toMatch(/^[\w.-]{1,64}$/);
  });

  it("keeps what the provider can take as it is", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "array", items: { $ref: "#/$defs/x" } } },
      required: ["a"],
      $defs: { x: { type: "string" } },
    };
    expect(offered(schema)).toEqual(schema);
  });
});

describe("inputs", () => {
  const schema = {
    type: "object",
    properties: {
      n: { type: "integer" },
      f: { type: "number" },
      b: { type: "boolean" },
      s: { type: "string" },
      list: { type: "array", items: { type: "number" } },
    },
    required: ["n"],
    additionalProperties: false,
  };
  const check = fitter(schema);

  it.each([
    [{ n: "5" }, { n: 5 }],
    [
      { n: 1, f: " 2.5 ", b: "true", list: ["1", 2] },
      { n: 1, f: 2.5, b: true, list: [1, 2] },
    ],
    [
      { n: 1, s: "7" },
      { n: 1, s: "7" },
    ],
  ])("%j is taken as %j", (input, taken) => {
    const before = structuredClone(input);
    expect(check(input)).toEqual({ ok: true, input: taken });
    expect(input).toEqual(before);
  });

  it.each([
    [{}, /must have required property 'n'/],
    [{ n: "5.5" }, /\/n must be integer/],
    [{ n: "five" }, /\/n must be integer/],
    [{ n: 1, s: 7 }, /\/s must be string/],
    [{ n: 1, x: 1 }, /additional properties \(x\)/],
  ])("%j is refused in a sentence", (input, words) => {
    const fit = check(input);
    expect(fit.ok ? "" : fit.error).toMatch(words);
  });

  it("are not held back by a schema that makes no sense", () => {
    for (const odd of [{ $ref: "#/nowhere" }, { type: "nonsense" }, { properties: { a: { pattern: "(" } } }, 5]) {
      expect(fitter(odd)({ a: 1 })).toEqual({ ok: true, input: { a: 1 } });
    }
  });

  it("are checked by the draft that the schema names", () => {
    const draft7 = {
      $schema: "http://json-schema.org/draft-07/schema#",
      properties: { t: { type: "array", items: [{ type: "string" }, { type: "number" }] } },
    };
    expect(fitter(draft7)({ t: ["a", "b"] }).ok).toBe(false);
    expect(fitter(draft7)({ t: ["a", 1] }).ok).toBe(true);
  });
});

describe("results", () => {
  const data = "aGk=";
  it.each<[string, unknown, unknown]>([
    [
      "texts",
      {
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      { content: "a\nb", failed: false },
    ],
    ["nothing", { content: [] }, { content: "(no output)", failed: false }],
    ["blank text", { content: [{ type: "text", text: " " }] }, { content: "(no output)", failed: false }],
    ["no answer at all", null, { content: "(no output)", failed: false }],
    ["a silent failure", { content: [], isError: true }, { content: "The tool failed without a word.", failed: true }],
    ["data only", { structuredContent: { a: 1 } }, { content: '{"a":1}', failed: false }],
    [
      "sound",
      { content: [{ type: "audio", data, mimeType: "audio/wav" }] },
      { content: "[audio of type audio/wav, 3 bytes, cannot be heard]", failed: false },
    ],
    ["a link", { content: [{ type: "resource_link", name: "log", uri: "file:///log" }] }, { content: "[log: file:///log]", failed: false }],
    [
      "a resource",
      { content: [{ type: "resource", resource: { uri: "x:1", text: "words" } }] },
      { content: "[x:1]\nwords", failed: false },
    ],
    [
      "an odd picture",
      { content: [{ type: "image", data, mimeType: "image/tiff" }] },
      { content: "[an image of type image/tiff, 3 bytes, not shown]", failed: false },
    ],
  ])("%s", (_what, given, result) => expect(resultOf(given)).toEqual(result));

  it("keep pictures as pictures, as what they are", () => {
    const given = {
      content: [
        { type: "text", text: "a" },
        { type: "image", data: PIXEL, mimeType: "image/jpeg" },
      ],
    };
    expect(resultOf(given).content).toEqual([
      { type: "text", text: "a" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
    ]);
  });

  it.each([
    ["is none", { data: "aGVsbG8gd29ybGQh", mimeType: "image/png" }],
    ["is no base64", { data: `${PIXEL.slice(0, -5)}%%%%`, mimeType: "image/png" }],
    ["is cut off", { data: PIXEL.slice(0, -3), mimeType: "image/png" }],
    ["is too large", { data: PIXEL + "A".repeat(5_000_000), mimeType: "image/png" }],
  ])("name a picture that %s", (_how, picture) => {
    expect(resultOf({ content: [{ type: "image", ...picture }] }).content).toMatch(
      /^\[an image of type image\/png, \d+ bytes, not shown\]$/,
    );
  });

  it("hold as many pictures as a request can, and name the others", () => {
    const { content } = resultOf({ content: Array.from({ length: 12 }, () => ({ type: "image", data: PIXEL, mimeType: "image/png" })) });
    const blocks = typeof content === "string" ? [] : content;
    expect(blocks.filter(({ type }) => type === "image")).toHaveLength(10);
    expect(JSON.stringify(blocks)).toContain("one more image of type image/png");
  });

  it("never break, whatever comes", () => {
    const part = fc.record(
      {
        type: fc.constantFrom("text", "image", "resource", "resource_link", "audio", "else"),
        text: fc.jsonValue(),
        data: fc.jsonValue(),
        mimeType: fc.constantFrom("image/png", 5),
        resource: fc.jsonValue(),
        uri: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.array(fc.oneof(part, fc.jsonValue())), fc.jsonValue()), (content) => {
        const { content: made } = resultOf({ content });
        const texts = typeof made === "string" ? [made] : made.filter(({ type }) => type === "text").map(({ text }) => String(text));
        for (const text of texts) expect(text.trim()).not.toBe("");
      }),
    );
  });
});
