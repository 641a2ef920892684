/** Names and schemas of servers' tools, of any draft and of none, made fit for every provider. */
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/event.ts";
import { modern } from "../../src/mcp/draft.ts";
import { toolName } from "../../src/mcp/name.ts";
import { fitter, misfit, offered, unusable } from "../../src/mcp/schema.ts";
import { FIND_TOOLS } from "../../src/tools/find-tools.ts";

describe("names towards the model", () => {
  const BUILT_IN = ["read_file", "execute", "ask", "task", "propose_server", "list_resources", FIND_TOOLS];
  const part = fc.oneof(
    fc.string({ minLength: 1, maxLength: 90 }),
    fc.string({ unit: fc.constantFrom("a", "_", "-", ".", "/", "漢"), minLength: 1, maxLength: 90 }),
    fc.constantFrom(...BUILT_IN),
  );
  const server = fc.stringMatching(/^[A-Za-z0-9][\w.-]{0,63}$/);

  it("are valid, at most 64 characters, and those of two tools are never one", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(server, part), { selector: ([a, b]) => `${a}/${b}`, minLength: 2, maxLength: 30 }), (labels) => {
        const names = labels.map(([a, b]) => toolName(a, b));
        for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });

  it("are never a built-in tool's", () => {
    fc.assert(fc.property(server, part, (a, b) => !BUILT_IN.includes(toolName(a, b))));
  });
});

const judge = new Ajv2020({ strict: false, logger: false });
const QUIET = { strict: false, validateFormats: false, validateSchema: false, logger: false } as const;
const fits = (schema: unknown, value: unknown) => new Ajv2020(QUIET).compile(schema as object)(value);

describe("schemas of older drafts mean the same in 2020-12", () => {
  it.each<[string, object, unknown[], unknown[]]>([
    [
      "draft-04: a strict bound",
      { type: "object", properties: { n: { minimum: 3, exclusiveMinimum: true } } },
      [{ n: 4 }, {}],
      [{ n: 3 }, { n: 2 }],
    ],
    [
      "draft-04: an id and definitions",
      { id: "http://x/y#", definitions: { a: { type: "string" } }, properties: { a: { $ref: "#/definitions/a" } } },
      [{ a: "x" }],
      [{ a: 1 }],
    ],
    [
      "draft-06: tuples",
      { properties: { t: { items: [{ type: "string" }, { type: "number" }], additionalItems: false } } },
      [{ t: ["a", 1] }, { t: [] }],
      [{ t: [1] }, { t: ["a", 1, 2] }],
    ],
    [
      "draft-07: what goes with what",
      { dependencies: { a: ["b"], c: { required: ["d"] } } },
      [{ a: 1, b: 2 }, { b: 1 }, { c: 1, d: 1 }],
      [{ a: 1 }, { c: 1 }],
    ],
    [
      "2019-09: a recursion",
      { type: "object", $recursiveAnchor: true, properties: { child: { $recursiveRef: "#" }, n: { type: "number" } } },
      [{ child: { child: { n: 1 } } }],
      [{ child: { n: "x" } }],
    ],
    ["true and false for schemas", { properties: { any: true, none: false } }, [{ any: [1] }, {}], [{ none: 1 }]],
    [
      "a reference at the top",
      { $ref: "#/$defs/in", $defs: { in: { type: "object", required: ["a"], properties: { a: { type: "string" } } } } },
      [{ a: "x" }],
      [{}, { a: 1 }],
    ],
    [
      "a property that is called like a keyword",
      { properties: { id: { type: "string" }, $ref: { type: "string" }, items: { type: "array" } } },
      [{ id: "a", $ref: "b", items: [] }],
      [{ id: 1 }, { $ref: 1 }, { items: 1 }],
    ],
  ])("%s", (_what, given, good, bad) => {
    const schema = modern(given);
    for (const value of good) expect([value, fits(schema, value)]).toEqual([value, true]);
    for (const value of bad) expect([value, fits(schema, value)]).toEqual([value, false]);
    const check = fitter(given);
    expect([check(good[0] as never).ok, check(bad[0] as never).ok]).toEqual([true, false]);
  });

  it.each([
    ["to elsewhere", { properties: { a: { $ref: "https://example.com/schema.json" } } }],
    ["to nowhere", { properties: { a: { $ref: "#/$defs/none" } } }],
    ["to itself for ever", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } }],
  ])("a reference %s holds nothing back and breaks nothing", (_what, given) => {
    expect(fitter(given)({ a: 1 }).ok).toBe(true);
    expect(judge.validateSchema(offered(given))).toBe(true);
  });

  it("of draft-07, generated, take and refuse what they took and refused", () => {
    const leaf = fc.constantFrom({ type: "string" }, { type: "integer", minimum: 2 }, { enum: ["a", 1] }, true, {
      type: ["null", "boolean"],
    });
    const node = fc.oneof(
      leaf,
      fc.array(leaf, { minLength: 1, maxLength: 2 }).map((items) => ({ type: "array", items })),
      leaf.map((items) => ({ type: "array", items })),
    );
    const value = fc.oneof(fc.constantFrom("a", 1, 3, null, true), fc.array(fc.constantFrom("a", 1, 3, null), { maxLength: 3 }));
    fc.assert(
      fc.property(fc.record({ a: node, b: node }), fc.record({ a: value, b: value }, { requiredKeys: [] }), (properties, input) => {
        const given = { $schema: "http://json-schema.org/draft-07/schema#", type: "object", properties };
        expect(fits(modern(given), input)).toBe(new Ajv(QUIET).compile({ type: "object", properties })(input));
      }),
    );
  });
});

describe("a schema of any kind", () => {
  it("is offered as one that every provider takes, whatever it is", () => {
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom<unknown>("object", "string", true, false, null, 1, "#", "#/$defs/a", []),
        fc.dictionary(
          fc.constantFrom(
            "type",
            "properties",
            "items",
            "anyOf",
            "$ref",
            "required",
            "enum",
            "const",
            "a b",
            "$defs",
            "a",
            "not",
            "minimum",
            "format",
          ),
          tie("value"),
          { maxKeys: 4 },
        ),
        fc.array(tie("value"), { maxLength: 2 }),
      ),
    })).value;
    fc.assert(
      fc.property(json, (given) => {
        const schema = offered(given);
        expect(schema.type).toBe("object");
        expect(Object.keys(schema).filter((key) => ["anyOf", "oneOf", "allOf", "$ref"].includes(key) && schema[key] !== "#")).toEqual([]);
        expect(judge.validateSchema(schema)).toBe(true);
        fitter(given)({ a: 1 });
        unusable(given);
      }),
      { numRuns: 300 },
    );
  });

  it("too deep or too large is told by its names and kinds", () => {
    let deep: object = { type: "string" };
    for (let level = 0; level < 500; level++) deep = { type: "object", properties: { a: deep } };
    expect(offered(deep)).toEqual({ type: "object", properties: { a: { type: "object" } } });
    const wide = {
      properties: Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`p${n}`, { type: "string", pattern: "x".repeat(100) }])),
    };
    expect(JSON.stringify(offered(wide)).length).toBeLessThan(40_000);
  });

  it.each<[string, unknown, string | undefined]>([
    ["none", undefined, undefined],
    ["one that takes nothing", false, "its schema takes no input at all"],
    ["one for a list", { type: "array" }, "its schema does not take an object"],
    ["one that may be an object", { type: ["null", "object"] }, undefined],
    [
      "one that needs an odd name",
      { required: ["a b"], properties: { "a b": {} } },
      "it needs a value named “a b”, and no model takes such a name",
    ],
    ["one that has an odd name", { properties: { "a b": {} } }, undefined],
  ])("%s is refused in words where no input can be written", (_what, given, why) => expect(unusable(given)).toBe(why));

  it("is held against what came, in words", () => {
    expect(misfit({ type: "object", required: ["n"] }, {})).toBe("it must have required property 'n'");
    expect(misfit({ type: "object" }, {})).toBeUndefined();
    expect(misfit("nonsense", {})).toBeUndefined();
  });
});

it("a schema that goes round in circles holds nothing back, and ends", () => {
  for (const given of [{ $ref: "#" }, { allOf: [{ $ref: "#" }] }, { anyOf: [{ type: "string" }, { $ref: "#" }] }])
    expect(fitter(given)({ a: 1 }).ok).toBe(true);
});

describe("P11: a schema that is made to take for ever", () => {
  const chain: Record<string, object> = { d30: { type: "string" } };
  for (let n = 0; n < 30; n++) chain[`d${n}`] = { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] };
  const text = "a".repeat(40);
  it.each<[string, object, object]>([
    ["a pattern that goes back and forth", { properties: { a: { type: "string", pattern: "^(a+)+$" } } }, { a: `${text}X` }],
    ["references that multiply", { $defs: chain, properties: { a: { $ref: "#/$defs/d0" } } }, { a: "x" }],
    ["a reference to itself", { properties: { a: { $ref: "#/properties/a" } } }, { a: 1 }],
  ])("%s holds nothing back, and nobody for long", (_what, schema, input) => {
    const began = performance.now();
    expect(fitter({ type: "object", ...schema })(input as JsonObject)).toEqual({ ok: true, input });
    expect(performance.now() - began).toBeLessThan(2000);
  });

  it("also where a server's result is held to what it promised", () => {
    const many = { a: Array.from({ length: 30_000 }, (_, n) => ({ n })) };
    const began = performance.now();
    expect(misfit({ type: "object", properties: { a: { type: "array", uniqueItems: true } } }, many)).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(2000);
  });

  it.each<[string, object]>([
    ["words", { properties: { a: { type: "string", description: "x".repeat(1_000_000) } } }],
    [
      "names",
      { properties: Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`p${n}`, { type: "string" }])), required: ["p49999"] },
    ],
  ])("one of a million %s is told in bounds, what is needed first", (_what, schema) => {
    const told = offered({ type: "object", ...schema });
    expect(JSON.stringify(told).length).toBeLessThan(50_000);
    if ("required" in schema) expect(Object.keys(told.properties ?? {})[0]).toBe("p49999");
  });
});
