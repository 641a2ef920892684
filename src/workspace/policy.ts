/**
 * policy.json, the people's file: its shape, its defaults, and what is wrong with one that cannot be used.
 *
 * Y1. A key that is not known makes the file invalid: a mistyped rule that was passed over would widen what anyone may do.
 * Y2. Reading never throws, whatever the text.
 */
import { z } from "zod";

const DECISIONS = ["approve", "edit", "deny"] as const;
const WORD = /^(members|guests|external|owners|\*|[a-z]+:\S+)$/;

const words = z.array(
  z.string().regex(WORD, "is none of members, guests, external, owners, *, nor an id such as slack:U1, slack:group:S1 or discord:role:1"),
);
const place = z.string().regex(/^[a-z]+:\S+$/, "is not an id such as slack:C1");
const person = z.string().regex(/^[a-z]+:[^\s:]+$/, "is not the id of a person, such as slack:U1 or discord:123");
const count = z.number().int().positive();
const path = z
  .string()
  .min(1)
  .regex(/^[^?[\]{}!\\]*$/, "is a pattern in which only * and ** are understood")
  .transform((glob) => glob.replace(/^\/?home\//, ""));
const zone = z.string().refine(isZone, "is not a time zone such as Europe/Berlin");
const names = z.array(z.string().min(1));

const Rule = z.union([z.boolean(), z.strictObject({ allow: z.array(z.enum(DECISIONS)).min(1) })], {
  error: 'is neither true nor false nor {"allow": [...]} with some of approve, edit, deny',
});
const Shape = z.strictObject({
  platforms: z.array(place).default([]),
  timezone: zone.default(() => Intl.DateTimeFormat().resolvedOptions().timeZone),
  model: z.string().min(1).optional(),
  people: z
    .strictObject({ talk: words.default(["members"]), approve: words.default(["members"]), admin: words.default(["owners"]) })
    .prefault({}),
  interruptOn: z.record(z.string(), Rule).default({}),
  protected: z.array(path).default([]),
  trust: names.default([]),
  sampling: names.default([]),
  access: z.record(z.string(), z.strictObject({ people: words.optional(), places: z.array(place).optional() })).default({}),
  approvals: z
    .strictObject({
      expireMinutes: count.max(525_600).default(1440),
      quorum: count.max(100).default(1),
      selfApprove: z.boolean().default(true),
      notify: z.array(place).default([]),
    })
    .prefault({}),
  followUps: z.enum(["participants", "mention", "all"]).default("participants"),
  budget: z
    .strictObject({
      stepsPerTurn: count.optional(),
      tokensPerDay: count.default(5_000_000),
      tokensPerPersonPerDay: count.default(1_000_000),
      botRepliesPerThread: z.number().int().nonnegative().default(5),
    })
    .prefault({}),
  secrets: z.array(z.string().regex(/^[A-Z0-9_]+$/, "is not the name of a secret: capitals, digits and _")).default([]),
  safeCommands: names.default([]),
  consolidation: z
    .strictObject({
      cron: z.string().default("0 3 * * *"),
      announce: place.optional(),
      people: words.default([]),
      morning: z
        .string()
        .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "is not a time such as 08:00")
        .default("08:00"),
    })
    .prefault({}),
  retention: z.strictObject({ sessionsDays: count.nullable().default(null) }).prefault({}),
  mentions: z.array(person).default([]),
});

export type Policy = z.output<typeof Shape>;
export type Decision = (typeof DECISIONS)[number];
export type ToolRule = z.output<typeof Rule>;

/** What holds where policy.json says nothing. */
export const defaults = (): Policy => Shape.parse({});

/** The policy a text holds, or what is wrong with it: the rest of a sentence that begins with the file's name. */
export function parsePolicy(text: string): { ok: true; policy: Policy } | { ok: false; wrong: string } {
  try {
    const found = Shape.safeParse(JSON.parse(text.replace(/^\uFEFF/, "")));
    return found.success ? { ok: true, policy: found.data } : { ok: false, wrong: found.error.issues.slice(0, 5).map(inWords).join("; ") };
  } catch (error) {
    return { ok: false, wrong: `it is not valid JSON${placeIn(text, error)}` };
  }
}

function inWords(issue: z.core.$ZodIssue): string {
  const at = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    const keys = issue.keys.map((key) => `"${key}"`).join(", ");
    return `it has ${issue.keys.length > 1 ? "unknown keys" : "an unknown key"} ${keys}${at ? ` in "${at}"` : ""}`;
  }
  return at ? `"${at}" ${says(issue)}` : `it ${says(issue)}`;
}
function says(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return `should be ${article(issue.expected)}`;
  if (issue.code === "invalid_value") return `should be one of ${issue.values.map(String).join(", ")}`;
  if (issue.code === "too_small") return "is too small, or empty";
  return issue.code === "too_big" ? "is too large" : issue.message;
}
const article = (kind: string): string =>
  kind === "record" ? "an object" : kind === "int" ? "a whole number" : `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;

/** JSON.parse names a character's position; people look for a line. */
function placeIn(text: string, error: unknown): string {
  const position = error instanceof SyntaxError ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  if (position === undefined) return error instanceof SyntaxError && /end of JSON/.test(error.message) ? ": it ends too early" : "";
  return ` (line ${text.slice(0, Number(position)).split("\n").length})`;
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
