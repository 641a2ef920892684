/**
 * A hook of people's own, held to what it may give: what has another form is thrown, so that the rules for hooks that throw take care of it.
 *
 * H1. Nothing that a hook gives reaches the conversation, the prompt or a verdict unchecked; what it leaves out stays left out.
 * H2. One that never comes back is given up after a minute, as if it had thrown.
 * H3. A tool is offered only if every provider takes its name and its schema: another would make each request be refused.
 */
import { z } from "zod";
import { type Hook, RANKS } from "../core/ports.ts";

const LONGEST = 60_000;
export const POINTS = ["preCall", "preReasoning", "preActing", "postActing", "postCall"] as const;

const act = z.custom((value) => typeof value === "function", "is not a function");
const texts = z.array(z.string()).optional();
const Tool = z.looseObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "is not made of at most 64 letters, digits, _ and -"),
  label: z.string().min(1),
  digest: z.string().min(1),
  description: z.string(),
  schema: z.looseObject({ type: z.literal("object") }),
  repeatable: z.boolean(),
  parse: act,
  risk: act,
  subject: act,
  run: act,
});
const GIVEN = {
  preCall: z.looseObject({ notes: texts }),
  preReasoning: z.looseObject({
    system: z.array(z.looseObject({ rank: z.enum(RANKS), text: z.string() })).optional(),
    tools: z.array(Tool).optional(),
    untold: z.array(Tool).optional(),
    keeps: act.optional(),
    model: z.string().min(1).optional(),
    steps: z.int().min(1).optional(),
    warnings: texts,
    asks: texts,
  }),
  // What it gives becomes part of the verdict: a field that is not of a gate could stand for another of it.
  preActing: z.strictObject({
    verdict: z.enum(["allow", "ask", "deny"]),
    reason: z.string().optional(),
    quorum: z.int().min(1).optional(),
    expires: z.int().nullish(),
    offers: z.array(z.enum(["approve", "edit", "deny", "thread", "always"])).optional(),
    level: z.enum(["approve", "admin", "asker"]).optional(),
    consent: z.object({ by: z.string().min(1), also: texts }).optional(),
    notBy: z.string().nullish(),
    deciders: z.string().optional(),
    besides: z.string().optional(),
    named: texts,
    risky: z.boolean().optional(),
  }),
  postActing: z.looseObject({ content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]), failed: z.boolean() }),
  postCall: z.looseObject({ notes: texts }),
};

export function held(hook: Hook, longest = LONGEST): Hook {
  const { preCall, preReasoning, preActing, postActing, postCall } = hook;
  const at = async <T>(point: (typeof POINTS)[number], given: Promise<T>): Promise<T | undefined> =>
    fitting(point, await within(longest, point, given));
  return {
    name: hook.name,
    ...(preCall ? { preCall: async (moment) => at("preCall", preCall.call(hook, moment)) } : {}),
    ...(preReasoning ? { preReasoning: async (moment) => at("preReasoning", preReasoning.call(hook, moment)) } : {}),
    ...(preActing ? { preActing: async (...given) => at("preActing", preActing.apply(hook, given)) } : {}),
    ...(postActing ? { postActing: async (...given) => at("postActing", postActing.apply(hook, given)) } : {}),
    ...(postCall ? { postCall: async (moment) => at("postCall", postCall.call(hook, moment)) } : {}),
  };
}

async function within<T>(ms: number, point: string, given: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, refuse) => {
    timer = setTimeout(() => refuse(new Error(`its ${point} did not come back within ${ms / 1_000} s`)), ms);
  });
  try {
    return await Promise.race([given, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What was given, as it was given, if it has the form. */
function fitting<T>(point: (typeof POINTS)[number], given: T): T | undefined {
  if (given === undefined || given === null) return undefined;
  const { error } = GIVEN[point].safeParse(given);
  if (!error) return given;
  const faults = error.issues.slice(0, 3).map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "));
  throw new TypeError(`its ${point} gave what is not expected: ${faults.join("; ")}`);
}
