/**
 * The MCP servers of all homes: one connection for each entry of a tools.json, shared by the home's sessions.
 *
 * V1. What is offered follows tools.json as it was given: an entry that changed is another connection, one that is gone is closed.
 * V2. A server that is slow, dead or badly written costs its own tools only, and at most `patience` of time.
 * V3. Secrets are filled in here, only those that the policy lists, and are masked in whatever is told of a server.
 */
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import type { Tool, ToolServers, WantedServers } from "../core/ports.ts";
import { Connection, type Listing } from "./connection.ts";
import { digest } from "./digest.ts";
import { toolOf } from "./tool.ts";
import { type Entry, filled, type Parsed, parseToolsFile, permits, secretsIn, type ToolsFile } from "./tools-file.ts";

export interface ServersOptions {
  log: (text: string, facts: Record<string, string>) => void;
  /** False: no server is started as a process. */
  stdio: boolean;
  /** The value of `SECRET_<NAME>`. */
  secret: (name: string) => string | undefined;
  /** How long a step waits for servers that are still starting. */
  patience?: number;
  startTimeout?: number;
  callTimeout?: number;
}

export interface Servers extends ToolServers {
  /** How the servers are that a home has asked for so far. Starts nothing. */
  now(home: string): { server: string; ok: boolean; detail: string }[];
  close(): Promise<void>;
}

/** A connection, and the tools made of what it last listed: the same objects for as long as nothing changes. */
interface Kept {
  key: string;
  connection: Connection;
  made?: { listing: Listing; trusted: boolean; tools: Tool[] };
}
interface House {
  text: string;
  parsed: Parsed;
  /** By the name of the server. */
  kept: Map<string, Kept>;
}

const NOTHING: ToolsFile = { servers: [], allow: [], deny: [] };

export function openServers(options: ServersOptions): Servers {
  const houses = new Map<string, House>();
  return {
    async offer(wanted) {
      const house = houses.get(wanted.home) ?? { text: "", parsed: parseToolsFile(""), kept: new Map() };
      houses.set(wanted.home, house);
      if (house.text !== wanted.text) Object.assign(house, { text: wanted.text, parsed: parseToolsFile(wanted.text) });
      const { parsed } = house;
      const file = parsed.ok ? parsed.file : NOTHING;
      const names = new Set(file.servers.map((entry) => entry.name));
      for (const server of [...house.kept.keys()]) if (!names.has(server)) drop(server, house);
      const found = await Promise.all(file.servers.map((entry) => offerOne(entry, wanted, house, options)));
      const down = found.flatMap((one) => ("why" in one ? [one] : []));
      const tools = found.flatMap((one) => ("tools" in one ? one.tools.filter(({ label }) => permits(file, label)) : []));
      return { tools: unique(tools), down, ...(!parsed.ok && { problem: parsed.problem }) };
    },
    now: (home) => [...(houses.get(home)?.kept ?? [])].map(([server, { connection }]) => ({ server, ...connection.now() })),
    async close() {
      const all = [...houses.values()].flatMap(({ kept }) => [...kept.values()]);
      houses.clear();
      await Promise.all(all.map(({ connection }) => connection.retire(true)));
    },
  };
}

/** Calls under way may end; nobody waits for them. */
function drop(server: string, house: House): void {
  void house.kept.get(server)?.connection.retire(false);
  house.kept.delete(server);
}

type Found = { tools: Tool[] } | { server: string; why: string };

async function offerOne(entry: Entry, wanted: WantedServers, house: House, options: ServersOptions): Promise<Found> {
  const kept = await keep(entry, wanted, house, options);
  const listing = "problem" in kept ? kept : await kept.connection.ready(options.patience ?? 2000);
  if ("problem" in kept || "problem" in listing) return { server: entry.name, why: "problem" in listing ? listing.problem : "" };
  const trusted = wanted.trust.includes(entry.name);
  if (kept.made?.listing !== listing || kept.made.trusted !== trusted) {
    const source = { server: entry.name, entryDigest: digest(entry), trusted, connection: kept.connection };
    kept.made = { listing, trusted, tools: listing.tools.flatMap((given) => toolOf(given, source) ?? []) };
  }
  return { tools: kept.made.tools };
}

/** The connection of this entry as it is written now. */
async function keep(entry: Entry, wanted: WantedServers, house: House, options: ServersOptions): Promise<Kept | { problem: string }> {
  const allowed = secretsIn(entry).filter((name) => wanted.secrets.includes(name));
  const key = digest([entry, allowed]);
  const current = () => house.kept.get(entry.name);
  if (current()?.key !== key) drop(entry.name, house);
  if (entry.kind === "stdio" && !options.stdio) return { problem: "servers that run as a process are switched off (MCP_STDIO=off)" };
  const full = filled(entry, (name) => (wanted.secrets.includes(name) ? options.secret(name) : undefined));
  if (!full.ok) return full;
  const place = await placeOf(entry, wanted.directory);
  if ("problem" in place) return place;
  // Looked up only now: another step of the home may have made it meanwhile.
  const known = current();
  if (known?.key === key) return known;
  const made: Kept = { key, connection: connectionTo(full.entry, place.cwd, full.values, wanted.home, options) };
  house.kept.set(entry.name, made);
  return made;
}

function connectionTo(entry: Entry, cwd: string, values: string[], home: string, options: ServersOptions): Connection {
  const { startTimeout = 10_000, callTimeout = 120_000 } = options;
  const mask = (text: string) => values.reduce((masked, value) => masked.split(value).join("•••"), text);
  const log = (text: string) => options.log(text, { home, server: entry.name });
  return new Connection({ entry, cwd, startTimeout, callTimeout, mask, log });
}

/** Where a server runs: in the home's files, or in a place named in its entry, which if relative lies inside the home. */
async function placeOf(entry: Entry, directory: string): Promise<{ cwd: string } | { problem: string }> {
  const named = entry.kind === "stdio" ? entry.cwd : undefined;
  if (named === undefined) return { cwd: (await real(resolve(directory, "files"))) ?? directory };
  const cwd = await real(resolve(directory, named));
  if (cwd === undefined) return { problem: `its cwd ${named} is not a directory` };
  const way = relative((await real(directory)) ?? directory, cwd);
  if (!isAbsolute(named) && (way === ".." || way.startsWith("../"))) return { problem: `its cwd ${named} leads out of the home` };
  return { cwd };
}

async function real(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isDirectory() ? await realpath(path) : undefined;
  } catch {
    return undefined;
  }
}

/** No two tools share a name; of two that would, the first stays. */
function unique(tools: Tool[]): Tool[] {
  const seen = new Set<string>();
  return tools.filter(({ name }) => !seen.has(name) && seen.add(name));
}
