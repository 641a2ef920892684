/**
 * `propose_server`: an MCP server for tools.json. People see what would be run or reached, what it is given and what it offers, and an
 * administrator decides.
 *
 * S1. Nothing secret is in the file: secrets are named, and filled in only where policy lists them.
 * S2. What is written is what was shown: the whole change of tools.json is on the card.
 * S3. What a server says when it is tried is quoted: nobody checked it.
 * S4. Before an administrator decides, nothing goes to an address that no member wrote in this conversation: an address can carry words out.
 */
import { z } from "zod";
import { reveal } from "../core/card.ts";
import type { JsonObject, Remark } from "../core/event.ts";
import type { Files, Probed, Program, Tool, ToolContext } from "../core/ports.ts";
import { scrubber } from "../core/scrub.ts";
import { isError } from "../files/refusal.ts";
import { unified } from "../workspace/unified.ts";
import { define, done, failed } from "./define.ts";
import { refused } from "./paths.ts";
import type { FilesFor } from "./read-files.ts";
import { decode, encode } from "./text.ts";

export interface ServerProposals {
  /** What is wrong with a tools.json, in a sentence. */
  problemOf(text: string): string | undefined;
  /** Names of secrets that the home's policy lets servers have. */
  secrets(home: string): Promise<readonly string[]>;
  /** Starts a program where it can do no harm and asks what it offers. */
  probe(entry: Program, signal: AbortSignal): Promise<Probed>;
  /** Asks an address what it offers to a stranger. */
  visit(url: string, signal: AbortSignal): Promise<Probed>;
}

const PATH = "/home/tools.json";
const texts = z.record(z.string().min(1), z.string());
const input = z
  .object({
    name: z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/, "has letters, digits, dots, dashes and underscores only"),
    command: z.string().trim().min(1).optional().describe("A program to start; or url"),
    args: z.array(z.string()).optional(),
    env: texts.optional().describe(`Secrets as \${NAME}`),
    url: z
      .string()
      .regex(/^https?:\/\/\S+$/, "begins with https://")
      .optional(),
    headers: texts.optional().describe(`Secrets as \${NAME}`),
    why: z.string().trim().min(1, "says what it is for").max(1_000, "has at most 1000 characters"),
  })
  .superRefine((given, context) => {
    const why = unfit(given);
    if (why) context.addIssue({ code: "custom", message: why });
  });
type Proposal = z.output<typeof input>;

export const proposeServer = (filesFor: FilesFor, on: ServerProposals): Tool => {
  const tool = define({
    name: "propose_server",
    description: `Propose an MCP server whose tools this home should have: a program, or a web address. An administrator sees it and decides. Never write a secret: name it as \${NAME}, and say which one policy.json has to list.`,
    input,
    repeatable: true,
    risk: () => "admin",
    leaves: () => true,
    subject: () => null,
    async run(server, context) {
      const files = filesFor(context);
      const before = await textOf(files);
      const after = before === undefined ? undefined : merged(before, server);
      if (after === undefined) return failed("tools.json cannot be read as it is: it has to be mended first.");
      const problem = on.problemOf(after);
      if (problem) return failed(problem);
      const written = await files.write(PATH, encode(after));
      if (isError(written)) return refused(PATH, written);
      return {
        ...done(`${server.name} is in tools.json. It is started now, and its tools are there from the next step on.`),
        undoable: true,
      };
    },
  });
  return {
    ...tool,
    async preview(given: JsonObject, context: ToolContext) {
      const before = await textOf(filesFor(context));
      return before === undefined ? undefined : unified(PATH, before, merged(before, input.parse(given)) ?? before);
    },
    async remarks(given: JsonObject, context: ToolContext) {
      const server = input.parse(given);
      return [...whatRuns(server), ...whatItGets(server, await on.secrets(context.home)), ...(await whatItOffers(server, on, context))];
    },
  };
};

/** Empty where there is no file yet; undefined where it is no text. */
async function textOf(files: Files): Promise<string | undefined> {
  const content = await files.read(PATH);
  if (isError(content)) return content.error === "file_not_found" ? "" : undefined;
  const text = decode(content);
  return text.ok ? text.text : undefined;
}

/** The file with this server in it, in the place of one of its name; undefined: it is not understood as it is. */
function merged(text: string, server: Proposal): string | undefined {
  const entry = entryOf(server);
  try {
    const file: unknown = text.trim() ? JSON.parse(text) : {};
    if (typeof file !== "object" || file === null || Array.isArray(file)) return undefined;
    const { mcpServers = {} } = file as { mcpServers?: unknown };
    if (typeof mcpServers !== "object" || mcpServers === null) return undefined;
    const servers = Array.isArray(mcpServers)
      ? [...mcpServers.filter((one) => one?.name !== server.name), { name: server.name, ...entry }]
      : { ...mcpServers, [server.name]: entry };
    return `${JSON.stringify({ ...file, mcpServers: servers }, null, 2)}\n`;
  } catch {
    return undefined;
  }
}

const entryOf = ({ command, args, env, url, headers }: Proposal): JsonObject => ({
  ...(command === undefined ? {} : { command, ...(args?.length ? { args } : {}), ...(filled(env) ? { env: env ?? {} } : {}) }),
  ...(url === undefined ? {} : { url, ...(filled(headers) ? { headers: headers ?? {} } : {}) }),
});
const filled = (map: Record<string, string> | undefined): boolean => Object.keys(map ?? {}).length > 0;

const say = (text: string): Remark => ({ kind: "text", text });
const quoted = (text: string): Remark => ({ kind: "quoted", text: reveal(text) });
const code = (text: string): Remark => ({ kind: "code", text: reveal(text) });

function whatRuns({ command, args = [], url = "", why }: Proposal): Remark[] {
  const runs =
    command === undefined
      ? [say("It is reached over the network at this address, and is told whatever its tools are called with:"), code(url)]
      : [
          say("It runs on the operator's machine with the operator's rights, outside of any sandbox:"),
          code([command, ...args].map(shown).join(" ")),
        ];
  return [...runs, say("What it is for, in the agent's words:"), quoted(why)];
}

/** As a shell would need it, so that spaces and quotes in an argument are seen for what they are. */
const shown = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function whatItGets({ args = [], env = {}, headers = {}, url = "" }: Proposal, listed: readonly string[]): Remark[] {
  const places: [string, string][] = [
    ...Object.entries(env).map(([key, value]): [string, string] => [`the variable ${key}`, value]),
    ...Object.entries(headers).map(([key, value]): [string, string] => [`the header ${key}`, value]),
    ...args.map((value): [string, string] => ["its arguments", value]),
    ["its address", url],
  ];
  const lines = places.flatMap(([place, value]) => namesIn(value).map((name) => ({ name, line: `${name} goes to it in ${place}` })));
  if (!lines.length) return [say("It is given no secrets.")];
  const missing = [...new Set(lines.map(({ name }) => name))].filter((name) => !listed.includes(name));
  const text = `Secrets: ${lines.map(({ line }) => line).join("; ")}.`;
  return [say(missing.length ? `${text} It does not start before policy.json lists ${missing.join(", ")} under secrets.` : text)];
}
const namesIn = (value: string): string[] => [...value.matchAll(/\$\{([A-Z0-9_]+)\}/g)].map(([, name = ""]) => name);

const LISTED = 12;
async function whatItOffers(server: Proposal, on: ServerProposals, context: ToolContext): Promise<Remark[]> {
  const { command, args = [], env = {}, url = "" } = server;
  const { signal } = context;
  if (command === undefined && namesIn(url).length) return [say("It was not asked what it offers: its address holds a secret.")];
  if (command === undefined && !isWritten(url, context))
    return [say("It was not asked what it offers: nothing is sent to an address that nobody wrote here before somebody approved it.")];
  const probed = await (command === undefined ? on.visit(url, signal) : on.probe({ command, args, env }, signal));
  if (!probed.ok)
    return [
      say(command === undefined ? "It was asked what it offers, and did not say:" : "It could not be tried out beforehand:"),
      quoted(probed.why),
    ];
  const lines = probed.tools
    .slice(0, LISTED)
    .map(({ name, description }) => `- ${name.slice(0, 120)}: ${description.replace(/\s+/g, " ").slice(0, 120)}`);
  const more = probed.tools.length - lines.length;
  const offers = probed.tools.length ? [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n") : "no tools";
  const words = probed.instructions.trim() ? [say("It says of itself:"), quoted(probed.instructions.slice(0, 400))] : [];
  const how = command === undefined ? "Asked as a stranger, without secrets" : "Tried in the sandbox, without network and secrets";
  return [say(`${how}, it offers, in its own words:`), quoted(offers), ...words];
}

/** Whether a member wrote this address: asking it tells nobody more than they said. */
const isWritten = (url: string, { state }: ToolContext): boolean =>
  state.talk.entries.some(
    (entry) => entry.as === "said" && entry.kind === "message" && !entry.gone && entry.by.kind === "member" && entry.text.includes(url),
  );

const masked = scrubber([]);
const SECRET = /token|secret|passw|api[-_]?key|authorization|credential|private/i;
/** Nobody reading a card sees these. */
const HIDDEN = /[\p{Cc}\p{Bidi_Control}\u200b\u2060\ufeff]/u;

function unfit({
  command,
  args = [],
  env = {},
  url,
  headers = {},
}: Pick<Proposal, "command" | "args" | "env" | "url" | "headers">): string | undefined {
  if ((command === undefined) === (url === undefined)) return "it is either a command or a url";
  if (command === undefined && (args.length || filled(env))) return "args and env belong to a command";
  if (url === undefined && filled(headers)) return "headers belong to a url";
  const named = [...Object.entries(env), ...Object.entries(headers)];
  const all = [command ?? "", url ?? "", ...args, ...named.flat()];
  if (all.some((text) => HIDDEN.test(text))) return "it holds characters that nobody can see";
  if (all.some((text) => masked(text) !== text || text.includes("[masked]")))
    return `it holds what looks like a token; name it as \${NAME} instead`;
  const open = named.find(([key, value]) => SECRET.test(key) && !/\$\{[A-Z0-9_]+\}/.test(value));
  return open && `${open[0]} looks like a secret: write it as \${NAME}`;
}
