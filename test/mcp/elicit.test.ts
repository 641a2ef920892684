import { describe, expect, it } from "vitest";
import { wished } from "../../src/mcp/elicit.ts";

const form = (properties: object, required: string[] = [], message = "Tell me") => ({
  message,
  requestedSchema: { type: "object", properties, required },
});
const fieldOf = (schema: object, required = false) => {
  const wish = wished("shop", form({ x: schema }, required ? ["x"] : []));
  return wish.ok ? wish.questions[0]?.fields?.[0] : wish.why;
};

describe("what a form may ask for", () => {
  it.each<[string, object, object]>([
    [
      "text with its bounds",
      { type: "string", title: "Name", description: "Yours", minLength: 2, maxLength: 9, default: "Al" },
      { label: "Name", hint: "Yours", kind: "text", min: 2, max: 9, value: "Al" },
    ],
    ["an e-mail address", { type: "string", format: "email" }, { kind: "text", format: "email" }],
    ["a format nobody knows as text", { type: "string", format: "iban" }, { kind: "text" }],
    ["a number", { type: "number", minimum: 0.5, maximum: 2 }, { kind: "number", min: 0.5, max: 2 }],
    ["a whole number", { type: "integer", default: 3 }, { kind: "integer", value: "3" }],
    ["yes or no", { type: "boolean", default: false }, { kind: "boolean", value: "no" }],
    [
      "a choice",
      { type: "string", enum: ["a", "b"] },
      {
        kind: "choice",
        choices: [
          { value: "a", label: "a" },
          { value: "b", label: "b" },
        ],
      },
    ],
    [
      "a choice with names",
      { type: "string", oneOf: [{ const: "a", title: "A." }] },
      { kind: "choice", choices: [{ value: "a", label: "A." }] },
    ],
    [
      "a choice with names as they were once given",
      { type: "string", enum: ["a"], enumNames: ["A."] },
      { kind: "choice", choices: [{ value: "a", label: "A." }] },
    ],
    [
      "several choices",
      { type: "array", items: { anyOf: [{ const: "a", title: "A." }] }, minItems: 1, maxItems: 2, default: ["a"] },
      { kind: "choices", choices: [{ value: "a", label: "A." }], min: 1, max: 2, value: "a" },
    ],
  ])("%s", (_what, schema, field) => expect(fieldOf(schema)).toEqual({ id: "x", label: "x", required: false, ...field }));

  it.each<[string, object]>([
    ["an object", { type: "object", properties: {} }],
    ["a list of anything", { type: "array", items: { type: "string" } }],
    ["nothing known", { type: "file" }],
    ["no type", {}],
    ["more choices than anybody reads", { type: "string", enum: Array.from({ length: 60 }, (_, n) => `${n}`) }],
  ])("but not %s", (_what, schema) => expect(fieldOf(schema)).toMatch(/no form can hold/));

  it("in forms of five, what is needed first", () => {
    const wish = wished("shop", form(Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((id) => [id, { type: "string" }])), ["f"]));
    expect(wish.ok && wish.questions.map(({ text, fields }) => [text, fields?.map(({ id }) => id).join("")])).toEqual([
      ["Tell me (1 of 2)", "fabcd"],
      ["Tell me (2 of 2)", "e"],
    ]);
  });

  it("or for nothing but a yes", () => {
    expect(wished("shop", form({}))).toEqual({ ok: true, questions: [{ text: "Tell me", options: [], from: "shop", fields: [] }] });
  });

  it.each<[string, object]>([
    ["by its name", form({ password: { type: "string" } })],
    ["by its title", form({ x: { type: "string", title: "API key" } })],
    ["by its description", form({ x: { type: "string", description: "Your access-token for the shop" } })],
    ["by the message", form({ x: { type: "string" } }, [], "Please enter your GitHub password")],
    ["behind a warning", form({ x: { type: "string", description: "Do not share this: your password" } })],
    ["behind a warning in the message", form({ x: { type: "string" } }, [], "Never send it by mail. Enter your password")],
    ["as a number", form({ x: { type: "integer", description: "Your PIN" } })],
    ["as a card's number", form({ card_number: { type: "string" } })],
    ["as a bare token", form({ token: { type: "string" } })],
  ])("P9: never a secret, %s", (_what, params) =>
    expect(wished("shop", params)).toMatchObject({ ok: false, why: expect.stringMatching(/password, key or other secret/) as string }),
  );

  it.each<[string, object]>([
    ["a warning of secrets", { x: { type: "integer", description: "Any number (do not give us your phone number, pin, or the like)" } }],
    ["a choice among words for them", { x: { type: "string", title: "Which credentials?", enum: ["old", "new"] } }],
  ])("but %s is no request for one", (_what, properties) => expect(wished("shop", form(properties)).ok).toBe(true));

  it("but things whose names only look a little like one", () => {
    expect(
      wished(
        "shop",
        form(
          { keyboard: { type: "string" }, tokens_used: { type: "integer" }, pinned: { type: "boolean" } },
          [],
          "Rotate the password policy?",
        ),
      ).ok,
    ).toBe(true);
  });

  it.each([undefined, null, 3, {}, { message: "x" }, { message: 1, requestedSchema: {} }])(
    "and what is not understood is declined: %j",
    (params) => expect(wished("shop", params).ok).toBe(false),
  );
});

describe("a page to open", () => {
  const page = (url: string) => wished("shop", { mode: "url", message: "Sign", url, elicitationId: "e" });
  it("is shown with the whole address, as browsers read it", () => {
    expect(page("https://аpple.com/a b")).toEqual({
      ok: true,
      questions: [{ text: "Sign", options: [], from: "shop", url: "https://xn--pple-43d.com/a%20b" }],
    });
    expect(page("http://127.0.0.1:9/x").ok).toBe(true);
  });
  it.each(["http://example.com", "javascript:alert(1)", "https://me:pw@example.com", "file:///etc/passwd", "nonsense", "data:text/html,x"])(
    "but not %s",
    (url) => expect(page(url)).toEqual({ ok: false, why: "it asked people to open an address that is not safe to open" }),
  );
});
