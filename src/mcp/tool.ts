/**
 * A server's tool as one of ours.
 *
 * L1. It asks before it runs, unless it says that it only reads and the policy trusts its server to say so.
 * L2. Its digest covers the server's entry and the whole definition: a server that describes a tool anew has another tool.
 * L4. What it is told leaves the place it was said in, unless it only reads and is trusted.
 * L3. A grant binds the tool as a whole, because nothing is known of its inputs.
 */
import { z } from "zod";
import type { Outcome, Tool } from "../core/ports.ts";
import type { Called, Connection } from "./connection.ts";
import { digest } from "./digest.ts";
import { labelOf, toolName } from "./name.ts";
import { resultOf } from "./result.ts";
import { fitter, offered } from "./schema.ts";

const definition = z.looseObject({
  // A name is shown on cards: it is one line, and nothing in it is hidden.
  name: z
    .string()
    .min(1)
    .regex(/^[^\p{C}\u2028\u2029]+$/u),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.unknown().optional(),
  annotations: z.looseObject({ readOnlyHint: z.boolean().optional() }).optional(),
});

const LONGEST_DESCRIPTION = 4000;

export interface Source {
  server: string;
  /** Of the server's entry, secrets not filled in. */
  entryDigest: string;
  trusted: boolean;
  connection: Connection;
}

/** Undefined where a server lists something that is no tool. */
export function toolOf(given: unknown, { server, entryDigest, trusted, connection }: Source): Tool | undefined {
  const parsed = definition.safeParse(given);
  if (!parsed.success) return undefined;
  const { name, title, description, inputSchema, annotations } = parsed.data;
  const label = labelOf(server, name);
  const reads = trusted && annotations?.readOnlyHint === true;
  const words = description?.trim() || title?.trim() || `The tool ${name} of the server ${server}.`;
  return {
    name: toolName(server, name),
    label,
    description: words.slice(0, LONGEST_DESCRIPTION),
    schema: offered(inputSchema),
    digest: digest([entryDigest, given]),
    parse: fitter(inputSchema),
    repeatable: reads,
    risk: () => (reads ? "none" : "ask"),
    leaves: () => !reads,
    subject: () => "*",
    run: async (input, { signal }) => outcome(label, await connection.call(name, input, signal)),
  };
}

function outcome(label: string, called: Called): Outcome {
  if (called.ok) return resultOf(called.result);
  const after = called.ran === "unknown" ? " The outcome is unknown: find out what happened before you try again." : "";
  return { content: `${label} failed: ${called.why}.${after}`, failed: true };
}
