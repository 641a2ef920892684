/**
 * The helpers a home has: one Markdown file each in `subagents/`. Its head names and describes the helper, its body is the helper's prompt.
 *
 * S1. Read as they are at this moment. A file that cannot be used costs only itself, and says what mends it.
 * S2. A name belongs to one file: of two, the first by file name has it.
 */
import { z } from "zod";
import { namesIn } from "./folder.ts";
import { readFrontMatter } from "./front-matter.ts";
import type { Home } from "./homes.ts";

export interface Subagent {
  name: string;
  description: string;
  prompt: string;
  model: string | undefined;
  /** Tools it may use, by name, label or pattern; undefined: all. */
  tools: string[] | undefined;
  /** Skills it is told of; undefined: all. */
  skills: string[] | undefined;
  /** Steps of one task. */
  steps: number | undefined;
}
export interface Subagents {
  found: Subagent[];
  warnings: string[];
}

type Named = Subagent & { file: string };

const list = z.preprocess(
  (value) => (typeof value === "string" ? value.split(",") : value),
  z.array(z.string().trim()).transform((items) => items.filter(Boolean)),
);
const Head = z.object({
  name: z
    .string()
    .trim()
    .regex(/^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$/i, "is made of letters, digits, - and _, at most 64")
    .optional(),
  description: z.string().trim().min(1, "has words").max(2_000, "has at most 2000 characters"),
  model: z.string().trim().min(1).nullish(),
  tools: list.nullish(),
  skills: list.nullish(),
  steps: z.coerce.number().int().min(1).max(10_000).nullish(),
});

export async function readSubagents(home: Pick<Home, "dir" | "read">): Promise<Subagents> {
  const { files } = await namesIn(home.dir, "subagents");
  const read = await Promise.all(files.filter((file) => /\.md$/i.test(file)).map((file) => readSubagent(home, file)));
  const found: Subagent[] = [];
  const warnings: string[] = [];
  for (const it of read) {
    if ("warning" in it) warnings.push(it.warning);
    else if (found.some(({ name }) => name === it.name))
      warnings.push(`${it.file} is not used: another file names its helper ${it.name}, too.`);
    else found.push(it);
  }
  return { found, warnings };
}

async function readSubagent(home: Pick<Home, "read">, name: string): Promise<Named | { warning: string }> {
  const { text, problem } = await home.read(`subagents/${name}`);
  return text === undefined ? { warning: problem?.what ?? `subagents/${name} is gone.` } : parseSubagent(name, text);
}

/** The helper that a text describes as the file of this name, or why it describes none. */
export function parseSubagent(name: string, text: string): Named | { warning: string } {
  const file = `subagents/${name}`;
  const head = readFrontMatter(text);
  if (!head.ok) return { warning: `${file} is not used: ${head.wrong}.` };
  const fields = Head.safeParse(head.data);
  if (!fields.success) return { warning: `${file} is not used: ${inWords(fields.error)}.` };
  if (!head.body.trim()) return { warning: `${file} is not used: there is no prompt below its head.` };
  const { model, tools, skills, steps, description } = fields.data;
  return {
    file,
    name: fields.data.name ?? name.replace(/\.md$/i, ""),
    description: description.replace(/\s+/g, " "),
    prompt: head.body.trim(),
    model: !model || model === "inherit" ? undefined : model,
    tools: tools ?? undefined,
    skills: skills ?? undefined,
    steps: steps ?? undefined,
  };
}

export const inWords = (error: z.ZodError): string =>
  error.issues
    .slice(0, 3)
    .map(
      ({ path, message, code }) =>
        `its ${String(path[0] ?? "head")} ${code === "invalid_type" ? "is missing or of the wrong kind" : message}`,
    )
    .join("; ");
