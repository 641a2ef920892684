/**
 * A tool from its zod schema: what the model is told, what it sent brought into shape, and a digest over both.
 *
 * Models write numbers as strings, `null` or nothing between quotes for what they leave out, and a neighbouring product's names: all that
 * is accepted.
 * What is still wrong is said in a sentence for the model.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { JsonObject } from "../core/event.ts";
import type { Outcome, Tool, ToolContext } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";

export interface Definition<S extends z.ZodObject> {
  name: string;
  description: string;
  input: S;
  /** Other names under which a field is accepted. */
  aliases?: Readonly<Record<string, keyof z.output<S> & string>>;
  repeatable: boolean;
  reads?: boolean;
  paging?: boolean;
  risk?(input: z.output<S>, scope: Scope): "none" | "ask" | "admin";
  leaves?(input: z.output<S>): boolean;
  subject?(input: z.output<S>): string | null;
  question?(input: z.output<S>): { text: string; options: string[] };
  preview?(input: z.output<S>, context: ToolContext): Promise<string | undefined>;
  run(input: z.output<S>, context: ToolContext): Promise<Outcome>;
}

export function define<S extends z.ZodObject>(definition: Definition<S>): Tool {
  const { name, description, input: shape, repeatable, risk, leaves, subject, question, preview } = definition;
  const schema = describe(shape);
  const read = (input: JsonObject): z.output<S> => shape.parse(input);
  return {
    name,
    label: name,
    description,
    schema,
    digest: createHash("sha256")
      .update(JSON.stringify([name, description, schema]))
      .digest("hex"),
    repeatable,
    ...(definition.reads ? { reads: true } : {}),
    ...(definition.paging ? { paging: true } : {}),
    parse(input) {
      const result = shape.safeParse(shaped(input, schema, definition.aliases ?? {}));
      return result.success ? { ok: true, input: result.data as JsonObject } : { ok: false, error: sentence(result.error) };
    },
    risk: (input, scope) => risk?.(read(input), scope) ?? "none",
    ...(leaves ? { leaves: (input: JsonObject) => leaves(read(input)) } : {}),
    subject: (input) => (subject ? subject(read(input)) : "*"),
    ...(question ? { question: (input: JsonObject) => question(read(input)) } : {}),
    ...(preview ? { preview: (input: JsonObject, context: ToolContext) => preview(read(input), context) } : {}),
    run: (input, context) => definition.run(read(input), context),
  };
}

export const done = (content: string): Outcome => ({ content, failed: false });
export const failed = (content: string): Outcome => ({ content, failed: true });

/** The JSON schema without what only costs tokens: limits of texts are told when one is broken. */
function describe(shape: z.ZodObject): JsonObject {
  const schema = z.toJSONSchema(shape, {
    io: "input",
    override: ({ jsonSchema }) => {
      for (const limit of ["minLength", "maxLength", "pattern", "format", "propertyNames"] as const) delete jsonSchema[limit];
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  delete schema.$schema;
  return schema as JsonObject;
}

function shaped(input: JsonObject, schema: JsonObject, aliases: Readonly<Record<string, string>>): JsonObject {
  const types = (schema.properties ?? {}) as Record<string, { type?: string }>;
  const needed = new Set(Array.isArray(schema.required) ? schema.required : []);
  const isLeftOut = (key: string, value: unknown): boolean =>
    value === null || (value === "" && !(types[key]?.type === "string" && needed.has(key)));
  const entries = Object.entries(input)
    .map(([key, value]) => [types[key] ? key : (aliases[key] ?? key), value] as const)
    .filter(([key, value]) => !isLeftOut(key, value))
    .map(([key, value]) => [key, typeof value === "string" ? fromText(value, types[key]?.type) : value] as const);
  return Object.fromEntries(entries);
}

function fromText(value: string, type: string | undefined): JsonObject[string] {
  const text = value.trim();
  if ((type === "integer" || type === "number") && /^[+-]?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (type === "boolean" && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  if (type === "array" && text.startsWith("[")) return listFrom(text) ?? value;
  return value;
}

function listFrom(text: string): JsonObject[string] | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sentence(error: z.ZodError): string {
  const issues = error.issues
    .slice(0, 5)
    .map((issue) => (issue.path.length > 0 ? `${issue.path.join(".")}: ${issue.message}` : issue.message));
  return `The input does not fit. ${issues.join("; ")}.`;
}
