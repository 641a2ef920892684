/**
 * A server's tool as one of ours.
 *
 * L1. It asks before it runs, unless it says that it only reads and the policy trusts its server to say so.
 * L2. Its digest covers the server's entry and the whole definition: a server that describes a tool anew has another tool.
 * L4. What it is told leaves the place it was said in, unless it only reads and is trusted.
 * L3. A grant binds the tool as a whole, because nothing is known of its inputs; and what it says of itself, so that it asks again when
 *     that changes.
 */
import { z } from "zod";
import { rootOf } from "../core/id.ts";
import { plainName } from "../core/name.ts";
import type { Outcome, Tool, ToolContext } from "../core/ports.ts";
import type { Given } from "./called.ts";
import type { Connection } from "./connection.ts";
import { digest } from "./digest.ts";
import { labelOf, toolName } from "./name.ts";
import { resultOf } from "./result.ts";
import type { Sampler } from "./sample.ts";
import { fitter, offered, unusable } from "./schema.ts";
import { type Held, type Ran, Talk } from "./talk.ts";

const definition = z.looseObject({
  name: z.string(),
  // What is not in the protocol's form counts as not said.
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().optional(),
  outputSchema: z.unknown().optional(),
  annotations: z.looseObject({ readOnlyHint: z.boolean().optional(), title: z.string().optional() }).optional().catch(undefined),
  execution: z.looseObject({ taskSupport: z.string().optional() }).optional().catch(undefined),
});

const LONGEST_DESCRIPTION = 4000;
const LONGEST_NAME = 200;
/** Characters. */
const LARGEST = 200_000;

export interface Source {
  server: string;
  /** Of the server's entry, secrets not filled in. */
  entryDigest: string;
  trusted: boolean;
  connection: Connection;
  /** Calls that wait for people. */
  held: Held;
  /** Words of the model, where policy lets the server ask for them. */
  sampler: Sampler | undefined;
}
export type Fit = Tool | { unfit: { label: string; why: string } };

export function toolOf(given: unknown, source: Source): Fit {
  const { server, entryDigest, trusted } = source;
  const parsed = definition.safeParse(given);
  if (!parsed.success) return { unfit: { label: labelOf(server, "?"), why: "what the server lists there has no name" } };
  const { name, title, description, inputSchema, outputSchema, annotations } = parsed.data;
  const why = whyUnfit(parsed.data, JSON.stringify(given).length);
  if (why) return { unfit: { label: labelOf(server, plainName(name) || "?"), why } };
  const label = labelOf(server, name);
  const reads = trusted && annotations?.readOnlyHint === true;
  const words = description?.trim() || title?.trim() || annotations?.title?.trim() || `The tool ${name} of the server ${server}.`;
  return {
    name: toolName(server, name),
    label,
    description: words.slice(0, LONGEST_DESCRIPTION),
    schema: offered(inputSchema),
    digest: digest([entryDigest, given]),
    pin: pinOf(entryDigest, [title, description, annotations], [inputSchema, outputSchema]),
    parse: fitter(inputSchema),
    repeatable: reads,
    reads,
    risk: () => (reads ? "none" : "ask"),
    leaves: () => !reads,
    subject: () => "*",
    run: (input, context) => run({ ...source, label, given: given as Given, reads, outputSchema }, input, context),
  };
}

function whyUnfit({ name, inputSchema, execution }: z.infer<typeof definition>, size: number): string | undefined {
  // A name is shown on cards: it is one line, and nothing in it is hidden.
  if (!/^[^\p{C}\u2028\u2029]+$/u.test(name)) return "its name is empty, or has signs that nobody can see";
  if (name.length > LONGEST_NAME) return `its name is longer than ${LONGEST_NAME} characters`;
  if (size > LARGEST) return `its description is longer than ${LARGEST} characters`;
  if (execution?.taskSupport === "required") return "it can only run as a task of the protocol, and those are not known here";
  return unusable(inputSchema);
}

/** What a tool says of itself, in parts, so that it can be told which of them changed. */
export const pinOf = (entry: string, words: unknown, schemas: unknown): string =>
  [entry, digest(words), digest(schemas)].map((part) => part.slice(0, 16)).join(".");

interface Running extends Source {
  label: string;
  /** As the server describes it. */
  given: Given;
  reads: boolean;
  outputSchema: unknown;
}

async function run(running: Running, input: Record<string, unknown>, context: ToolContext): Promise<Outcome> {
  const { connection, held, sampler, server, given, label, reads } = running;
  const begin = () =>
    new Talk({
      server,
      sampler,
      of: `${context.home} ${rootOf(context.session)}`,
      floor: connection.floor,
      run: (signal, patience) => connection.call(given, input, { signal, patience, repeatable: reads, tell: context.tell }),
    });
  const ran = await held.run(keyOf(context), begin, context.answer, context.signal);
  if (ran) return outcome(label, ran, running.outputSchema, context);
  return {
    content: `The process was started anew while ${label} waited for an answer: outcome unknown. Check what happened before you try again.`,
    failed: true,
  };
}

const keyOf = ({ home, session, call }: ToolContext): string => `${home} ${session} ${call}`;

function outcome(label: string, ran: Ran, promised: unknown, { call, now }: ToolContext): Outcome {
  const spent = ran.usage.map((usage) => ({ type: "tokens.spent" as const, at: now, call, usage }));
  const events = spent.length ? { events: spent } : {};
  if ("asks" in ran) return { content: "", failed: false, asks: ran.asks, ...events };
  const { called, notes } = ran;
  const told = notes.map((note) => `\n[${note}]`).join("");
  if (called.ok) {
    const result = resultOf(called.result, promised);
    const content = !told
      ? result.content
      : typeof result.content === "string"
        ? result.content + told
        : [...result.content, { type: "text", text: told.trim() }];
    return { ...result, content, ...events };
  }
  const after = called.ran === "unknown" ? " The outcome is unknown: find out what happened before you try again." : "";
  return { content: `${label} failed: ${called.why}.${after}${told}`, failed: true, ...events };
}
