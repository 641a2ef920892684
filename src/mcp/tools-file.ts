/**
 * tools.json: which MCP servers a home has, and which of their tools are offered. Pure.
 *
 * T1. It fails closed: a file that is not understood offers no MCP tools at all, for it may have been the list of what is denied.
 * T2. What is denied is denied, whatever else allows it.
 * T3. A `${NAME}` is filled only from the secrets that the home's policy lists. The product's own variables have no name here.
 */
import { z } from "zod";

const texts = z.record(z.string(), z.string());
const seconds = z.number().positive().max(3600, "is in seconds, at most 3600").optional();
const common = {
  disabled: z.boolean().optional(),
  /** Of this server only; bare names, `*` stands for anything. */
  allow: z.array(z.string()).optional(),
  deny: z.array(z.string()).optional(),
  /** For one call, and for connecting. */
  timeout: seconds,
  startTimeout: seconds,
};
const stdio = z.object({
  ...common,
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: texts.default({}),
  cwd: z.string().min(1).optional(),
});
const oauth = z.strictObject({
  /** Of a client that was registered by hand; else one is registered where the server allows it. */
  clientId: z.string().min(1).optional(),
  clientSecret: z.string().min(1).optional(),
  scope: z.string().min(1).optional(),
  /** The authorization server that the client belongs to. */
  issuer: z.url({ protocol: /^https?$/ }).optional(),
  /** `client_credentials`: the product signs in as itself, and nobody is asked. */
  grant: z.enum(["authorization_code", "client_credentials"]).default("authorization_code"),
  privateKey: z.string().min(1).optional(),
  algorithm: z.string().min(1).default("RS256"),
});
const http = z.object({
  ...common,
  url: z.string().regex(/^(https?:\/\/|\$\{)/, "must begin with http:// or https://"),
  headers: texts.default({}),
  /** Left out: streamable HTTP, and SSE where a server does not know that yet. */
  transport: z.enum(["http", "streamable-http", "sse"]).optional(),
  /** Whose sign-in is used: the home's, or that of the person a turn is for. */
  auth: z.enum(["home", "person"]).default("home"),
  oauth: oauth.optional(),
});
const name = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, "a server's name has letters, digits, dots, dashes and underscores only, at most 64");
const shape = z.object({
  mcpServers: z.union([z.record(name, z.unknown()), z.array(z.looseObject({ name }))]).default({}),
  allow: z.array(z.string()).default([]),
  deny: z.array(z.string()).default([]),
});

export type StdioEntry = { name: string; kind: "stdio" } & z.infer<typeof stdio>;
export type HttpEntry = { name: string; kind: "http" } & z.infer<typeof http>;
export type Entry = StdioEntry | HttpEntry;

/** Whether each person uses it in their own name. */
export const isPersons = (entry: Entry): entry is HttpEntry => entry.kind === "http" && entry.auth === "person";

export interface ToolsFile {
  servers: Entry[];
  allow: string[];
  deny: string[];
}
export type Parsed = { ok: true; file: ToolsFile } | { ok: false; problem: string };

export function parseToolsFile(text: string): Parsed {
  if (!text.trim()) return { ok: true, file: { servers: [], allow: [], deny: [] } };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return broken((error as Error).message);
  }
  const parsed = shape.safeParse(json);
  if (!parsed.success) return broken(words(parsed.error));
  const { mcpServers, allow, deny } = parsed.data;
  const listed: [string, unknown][] = Array.isArray(mcpServers)
    ? mcpServers.map((entry) => [entry.name, entry])
    : Object.entries(mcpServers);
  const servers: Entry[] = [];
  for (const [server, value] of listed) {
    if (servers.some((other) => other.name === server)) return broken(`the server ${server} is listed twice`);
    const entry = entryOf(server, value);
    if (typeof entry === "string") return broken(`the server ${server}: ${entry}`);
    servers.push(entry);
  }
  return { ok: true, file: { servers: servers.filter((entry) => !entry.disabled), allow, deny } };
}

const broken = (why: string): Parsed => ({
  ok: false,
  problem: `tools.json is not valid, so no MCP tools are offered until it is mended: ${why}.`,
});

const words = (error: z.ZodError): string =>
  error.issues
    .slice(0, 3)
    .map(({ path, message }) => (path.length ? `${path.join(".")}: ${message}` : message))
    .join("; ");

function entryOf(server: string, value: unknown): Entry | string {
  const has = (key: string) => typeof value === "object" && value !== null && key in value;
  if (has("command") === has("url")) return "it needs either a command or a url";
  if (has("command")) {
    const entry = stdio.safeParse(value);
    return entry.success ? { name: server, kind: "stdio", ...entry.data } : words(entry.error);
  }
  const entry = http.safeParse(value);
  return entry.success ? { name: server, kind: "http", ...entry.data } : words(entry.error);
}

/** Whether a tool is offered: patterns match the bare name or `server/tool`, `*` stands for anything. The file and the entry must both agree. */
export function permits({ servers, allow, deny }: ToolsFile, label: string): boolean {
  const bare = label.slice(label.indexOf("/") + 1);
  const own = servers.find(({ name: server }) => label.startsWith(`${server}/`));
  const hit = (pattern: string) => matches(pattern, bare) || matches(pattern, label);
  const within = (list: readonly string[] | undefined) => !list?.length || list.some(hit);
  return ![...deny, ...(own?.deny ?? [])].some(hit) && within(allow) && within(own?.allow);
}

function matches(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** The entry with its secrets filled in, and their values; or what is missing. */
export function filled(
  entry: Entry,
  secret: (name: string) => string | undefined,
): { ok: true; entry: Entry; values: string[] } | { ok: false; problem: string } {
  const missing = new Set<string>();
  const values = new Set<string>();
  const fill = (text: string): string =>
    text.replace(/\$\{([^}]*)\}/g, (_whole, key: string) => {
      const value = secret(key);
      if (value === undefined) missing.add(key);
      else values.add(value);
      return value ?? "";
    });
  const all = (map: Record<string, string>) => Object.fromEntries(Object.entries(map).map(([key, value]) => [key, fill(value)]));
  const keys = (given: NonNullable<HttpEntry["oauth"]>) => ({
    ...given,
    ...(given.clientSecret && { clientSecret: fill(given.clientSecret) }),
    ...(given.privateKey && { privateKey: fill(given.privateKey) }),
  });
  const done: Entry =
    entry.kind === "stdio"
      ? { ...entry, command: fill(entry.command), args: entry.args.map(fill), env: all(entry.env) }
      : { ...entry, url: fill(entry.url), headers: all(entry.headers), ...(entry.oauth && { oauth: keys(entry.oauth) }) };
  if (missing.size === 0) return { ok: true, entry: done, values: [...values].filter(Boolean) };
  const names = [...missing].map((key) => `\${${key}}`).join(", ");
  return {
    ok: false,
    problem: `${names} in tools.json has no value: policy.json must list it under secrets, and SECRET_<NAME> must be set`,
  };
}

/** Names of secrets that an entry asks for. */
export const secretsIn = (entry: Entry): string[] => [...JSON.stringify(entry).matchAll(/\$\{([^}"]*)\}/g)].map(([, key = ""]) => key);
