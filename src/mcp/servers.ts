/**
 * The MCP servers of all homes: one connection for each entry of a tools.json, shared by the home's sessions; one for each person where
 * they are used in people's own names.
 *
 * V1. What is offered follows tools.json as it was given: an entry that changed is another connection, one that is gone is closed.
 * V2. A server that is slow, dead or badly written costs its own tools only, and at most `patience` of time.
 * V3. Secrets are filled in here, only those that the policy lists, and are masked in whatever is told of a server.
 * V4. What one person signed in to is used in that person's turns only.
 */
import type { OfferedServers, ServerNote, Spending, Tool, ToolServers, WantedServers } from "../core/ports.ts";
import type { Account } from "./account.ts";
import { type Accounts, isSignedInTo, openAccounts, type SignIn, type Slot } from "./accounts.ts";
import type { Listing } from "./called.ts";
import { Connection } from "./connection.ts";
import { digest } from "./digest.ts";
import { labelOf } from "./name.ts";
import { placeOf } from "./place.ts";
import { readingTools, type Shelf } from "./reading.ts";
import type { Sampler } from "./sample.ts";
import { type Signing, signing } from "./signing.ts";
import { Held } from "./talk.ts";
import { type Fit, toolOf } from "./tool.ts";
import { type Entry, filled, isPersons, type Parsed, parseToolsFile, permits, secretsIn, type ToolsFile } from "./tools-file.ts";

export interface ServersOptions {
  log: (text: string, facts: Record<string, string>) => void;
  /** What servers log. */
  debug?: (text: string, facts: object) => void;
  /** False: no server is started as a process. */
  stdio: boolean;
  /** The value of `SECRET_<NAME>`. */
  secret: (name: string) => string | undefined;
  /** The model's words for servers that policy lets ask; absent: none may. */
  sampler?: (home: string) => Sampler;
  /** Which addresses may be asked that nobody wrote; those of the open internet, if absent. */
  isOpen?: (address: string) => boolean;
  /** How people sign in at servers; absent: nobody can. */
  signIn?: SignIn;
  /** How long a step waits for servers that are still starting. */
  patience?: number;
  startTimeout?: number;
  callTimeout?: number;
  /** A connection that nobody used for so long is closed. */
  idle?: number;
}

export interface Servers extends ToolServers, Signing {
  /** How the servers are that a home has asked for so far. Starts nothing. */
  now(home: string): { server: string; ok: boolean; detail: string; unfit: Unfit[] }[];
  /** Cancels what waits for people in a root session, whose turn is over. */
  release(home: string, root: string): Spending[];
  close(): Promise<void>;
}

/** A connection, and the tools made of what it last listed: the same objects for as long as nothing changes. */
export interface Kept {
  key: string;
  connection: Connection;
  account: Account | undefined;
  made?: { listing: Listing; trusted: boolean; fits: Fit[] };
}
type Unfit = { label: string; why: string };
export interface House {
  text: string;
  parsed: Parsed;
  /** Servers that could not even be tried when the home was last asked for, whoever asked. */
  untried: { server: string; why: string }[];
  /** By the name of the server, with the person behind a space where it is theirs. */
  kept: Map<string, Kept>;
}

const NOTHING: ToolsFile = { servers: [], allow: [], deny: [] };
const [PATIENCE, START, CALL, IDLE] = [2_000, 10_000, 120_000, 600_000];

export function openServers(options: ServersOptions): Servers {
  const houses = new Map<string, House>();
  const accounts = openAccounts(options.signIn, options.isOpen);
  const held = new Held();
  const houseOf = ({ home, text }: WantedServers): House => {
    const house = houses.get(home) ?? { text: "", parsed: parseToolsFile(""), untried: [], kept: new Map() };
    houses.set(home, house);
    if (house.text !== text) Object.assign(house, { text, parsed: parseToolsFile(text) });
    return house;
  };
  return {
    async offer(wanted) {
      const house = houseOf(wanted);
      const { parsed } = house;
      const file = parsed.ok ? parsed.file : NOTHING;
      const names = new Set(file.servers.map((entry) => entry.name));
      for (const slot of [...house.kept.keys()]) if (!names.has(serverOf(slot))) drop(slot, house);
      const found = await Promise.all(file.servers.map((entry) => offerOne(entry, wanted, house, { ...options, held }, accounts)));
      const down = found.flatMap((one) => ("why" in one ? [downOf(one)] : []));
      house.untried = down.filter(({ server, own }) => !own && !house.kept.has(server));
      const asks = found.flatMap((one) => ("ask" in one && one.ask ? [one.ask] : []));
      const up = found.filter((one) => "shelf" in one);
      const fits = up.flatMap((one) => one.fits);
      const tools = fits.filter((fit) => !("unfit" in fit) && permits(file, fit.label)) as Tool[];
      const unfit = unfitOf(fits);
      const shelves = up.map(({ shelf }): Shelf => ({ ...shelf, permits: (name) => permits(file, labelOf(shelf.server, name)) }));
      const servers = up.map(({ note }) => note);
      return {
        tools: unique(tools),
        reading: readingTools(shelves),
        servers,
        unfit,
        down,
        ...(asks.length && { asks }),
        ...(!parsed.ok && { problem: parsed.problem }),
      };
    },
    now: (home) => nowOf(houses.get(home)),
    ...signing({
      accounts,
      options,
      houseOf,
      houseAt: (home) => houses.get(home),
      keep: (entry, wanted) => keep(entry, wanted, houseOf(wanted), options, accounts),
      drop,
    }),
    release: (home, root) =>
      held.release(`${home} ${root}`).map(({ key, usage }) => {
        const [session = "", call = ""] = key.slice(home.length + 1).split(" ");
        return { session, call, usage };
      }),
    async close() {
      const all = [...houses.values()].flatMap(({ kept }) => [...kept.values()]);
      houses.clear();
      await Promise.all(all.map(({ connection }) => connection.retire(true)));
    },
  };
}

function nowOf({ kept, untried }: Pick<House, "kept" | "untried"> = { kept: new Map(), untried: [] }): ReturnType<Servers["now"]> {
  return [
    ...[...kept].map(([slot, { connection, made }]) => ({
      server: slot.replace(" ", " as "),
      ...connection.now(),
      unfit: unfitOf(made?.fits ?? []),
    })),
    ...untried.map(({ server, why }) => ({ server, ok: false, detail: why, unfit: [] })),
  ];
}

const unfitOf = (fits: readonly Fit[]): Unfit[] => fits.flatMap((fit) => ("unfit" in fit ? [fit.unfit] : []));
const serverOf = (slot: string): string => slot.split(" ", 1)[0] ?? "";

/** Calls under way may end; nobody waits for them. */
export function drop(slot: string, house: House): void {
  void house.kept.get(slot)?.connection.retire(false);
  house.kept.delete(slot);
}

type Found =
  | { fits: Fit[]; shelf: Omit<Shelf, "permits">; note: ServerNote; ask?: string | undefined }
  | (Down & { ask?: string | undefined });
type Down = OfferedServers["down"][number];
const downOf = ({ server, why, own, signIn, starting }: Down): Down => ({
  server,
  why,
  ...(own && { own }),
  ...(signIn && { signIn }),
  ...(starting && { starting }),
});

async function offerOne(
  entry: Entry,
  wanted: WantedServers,
  house: House,
  options: ServersOptions & { held: Held },
  accounts: Accounts,
): Promise<Found> {
  const server = entry.name;
  const own = isPersons(entry);
  const kept = await keep(entry, wanted, house, options, accounts);
  if ("problem" in kept) return { server, why: kept.problem };
  const { account, connection } = kept;
  // Who was asked once is not asked again, and neither is the server.
  const listing = own && account?.asked && !account.signedIn ? WAITS : await connection.ready(options.patience ?? PATIENCE);
  const ask =
    own && account?.news ? `**${server}** is used in your own name. [Sign in there](${account.news}) once, then ask me again.` : undefined;
  if ("problem" in listing) return { server, ...whyNot(entry, wanted, listing, accounts), ...(ask && { ask }) };
  const trusted = wanted.trust.includes(server);
  const entryDigest = digest(entry);
  if (kept.made?.listing !== listing || kept.made.trusted !== trusted) {
    const sampler = wanted.sampling.includes(server) ? options.sampler?.(wanted.home) : undefined;
    const source = { server, entryDigest, trusted, connection, held: options.held, sampler };
    kept.made = { listing, trusted, fits: onceEach(listing.tools.map((given) => toolOf(given, source))) };
  }
  const { instructions, resources, prompts } = listing.about;
  const note = { server, resources, prompts, ...(instructions && { instructions }) };
  return { fits: kept.made.fits, shelf: { server, entryDigest, trusted, connection, resources, prompts }, note, ask };
}

const WAITS = { problem: "", signin: true, starting: false };

function whyNot(
  entry: Entry,
  { by }: WantedServers,
  { problem, signin, starting }: typeof WAITS,
  { missing }: Accounts,
): Omit<Down, "server"> {
  if (!signin) return { why: problem, ...(starting && { starting }) };
  if (entry.kind === "http" && !isSignedInTo(entry)) return { why: problem };
  if (missing) return { why: `it wants a sign-in, and ${missing}`, signIn: true };
  if (!isPersons(entry)) return { why: `an administrator has to connect it: \`/tools connect ${entry.name}\``, signIn: true };
  return { why: `${by?.name ?? "nobody"} has not signed in to it yet: \`/tools connect ${entry.name}\``, own: true, signIn: true };
}

/** Where a sign-in and a connection are kept; undefined: it is used in people's own names, and nobody is there. */
function slotOf(entry: Entry, { home, by }: WantedServers): Slot | undefined {
  if (!isPersons(entry)) return { home, key: entry.name, name: `the home ${home}` };
  return by && { home, key: `${entry.name} ${by.id}`, name: by.name };
}

/** The connection of this entry as it is written now. */
async function keep(
  entry: Entry,
  wanted: WantedServers,
  house: House,
  options: ServersOptions,
  accounts: Accounts,
): Promise<Kept | { problem: string }> {
  const slot = slotOf(entry, wanted);
  if (!slot) return { problem: "it is used in people's own names, and this is nobody's turn" };
  const allowed = secretsIn(entry).filter((name) => wanted.secrets.includes(name));
  const sampling = wanted.sampling.includes(entry.name);
  const key = digest([entry, allowed, sampling]);
  const current = () => house.kept.get(slot.key);
  if (current()?.key !== key) drop(slot.key, house);
  if (entry.kind === "stdio" && !options.stdio) return { problem: "servers that run as a process are switched off (MCP_STDIO=off)" };
  const full = filled(entry, (name) => (wanted.secrets.includes(name) ? options.secret(name) : undefined));
  if (!full.ok) return full;
  const place = await placeOf(entry, wanted.directory);
  if ("problem" in place) return place;
  const signs = full.entry.kind === "http" && isSignedInTo(full.entry) ? full.entry : undefined;
  if (isPersons(entry) && (!signs || accounts.missing))
    return {
      problem: signs ? `it wants a sign-in, and ${accounts.missing}` : "its entry signs in for everybody, and asks for people's own names",
    };
  const account = signs && !accounts.missing ? await accounts.of(slot, signs) : undefined;
  if (isPersons(entry)) account?.invite();
  // Looked up only now: another step of the home may have made it meanwhile.
  const known = current();
  if (known?.key === key) return known;
  const made: Kept = {
    key,
    account,
    connection: connectionTo(full.entry, place.cwd, full.values, wanted.home, { account, sampling }, options),
  };
  house.kept.set(slot.key, made);
  return made;
}

function connectionTo(
  entry: Entry,
  cwd: string,
  values: string[],
  home: string,
  { account, sampling }: { account: Account | undefined; sampling: boolean },
  options: ServersOptions,
): Connection {
  const { startTimeout = START, callTimeout = CALL, idle = IDLE, isOpen, debug } = options;
  const { clientSecret, privateKey } = (entry.kind === "http" && entry.oauth) || {};
  const at = { home, server: entry.name };
  return new Connection({
    entry,
    cwd,
    account,
    sampling,
    isOpen,
    idle,
    startTimeout: entry.startTimeout === undefined ? startTimeout : entry.startTimeout * 1000,
    callTimeout: entry.timeout === undefined ? callTimeout : entry.timeout * 1000,
    secrets: values,
    keys: [clientSecret, privateKey].flatMap((key) => key ?? []),
    log: (text) => options.log(text, at),
    debug: (text, facts) => debug?.(text, { ...at, ...facts }),
  });
}

/** A server that lists a name twice has the first. */
function onceEach(fits: Fit[]): Fit[] {
  const seen = new Set<string>();
  return fits.map((fit) => {
    if ("unfit" in fit) return fit;
    if (!seen.has(fit.label)) {
      seen.add(fit.label);
      return fit;
    }
    return { unfit: { label: fit.label, why: "the server lists it twice: the first counts" } };
  });
}

/** No two tools share a name; of two that would, the first stays. */
function unique(tools: Tool[]): Tool[] {
  const seen = new Set<string>();
  return tools.filter(({ name }) => !seen.has(name) && seen.add(name));
}
