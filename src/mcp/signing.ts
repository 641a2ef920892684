/**
 * Connecting and disconnecting a server, by the words of people and by the page that an answer comes to.
 *
 * W1. Who may is judged by whoever calls; whose sign-in it is, is fixed here by the entry.
 */
import type { Connected, ServerSigning, WantedServers } from "../core/ports.ts";
import { type Accounts, type Answer, isSignedInTo } from "./accounts.ts";
import type { House, Kept, ServersOptions } from "./servers.ts";
import { type Entry, filled, type HttpEntry, isPersons } from "./tools-file.ts";

export interface Signing extends ServerSigning {
  /** What came back from where a link led. */
  answered(query: URLSearchParams): Promise<Answer>;
  /** Takes back what an answer did. */
  takenBack(token: string): Promise<boolean>;
}
export interface SigningOn {
  accounts: Accounts;
  options: ServersOptions;
  houseOf(wanted: WantedServers): House;
  /** As it was last asked for. */
  houseAt(home: string): House | undefined;
  keep(entry: Entry, wanted: WantedServers): Promise<Kept | { problem: string }>;
  drop(slot: string, house: House): void;
}

/** Whoever asked for a link waits for it. */
const PATIENCE = 20_000;

export function signing(on: SigningOn): Signing {
  const { accounts, houseOf, houseAt, drop } = on;
  return {
    whose(wanted, server) {
      const entry = entryOf(on, wanted, server);
      return entry && (isPersons(entry) ? "person" : "home");
    },
    connect: (wanted, server) => connect(on, wanted, server),
    async disconnect(wanted, server) {
      const one = await kept(on, wanted, server);
      if (typeof one === "string") return { ok: false, why: one };
      const before = one.account?.signedIn;
      await one.account?.forget();
      drop(isPersons(one.entry) ? `${server} ${wanted.by?.id}` : server, houseOf(wanted));
      return { ok: true, text: before ? `${server} is disconnected: what was kept to sign in is gone.` : `${server} was not connected.` };
    },
    async answered(query) {
      const answer = await accounts.answer(query, (home, server) => filledEntry(on, home, server));
      if (answer.ok) houseAt(answer.home)?.kept.get(answer.key)?.connection.again();
      return answer;
    },
    async takenBack(token) {
      const slot = await accounts.undo(token);
      const house = slot && houseAt(slot.home);
      if (house) drop(slot.key, house);
      return slot !== undefined;
    },
  };
}

function entryOf({ houseOf }: SigningOn, wanted: WantedServers, server: string): Entry | undefined {
  const { parsed } = houseOf(wanted);
  return parsed.ok ? parsed.file.servers.find(({ name }) => name === server) : undefined;
}

/** As tools.json says now, whoever asked for its servers until then. */
async function filledEntry(on: SigningOn, home: string, server: string): Promise<HttpEntry | undefined> {
  const { signIn, secret } = on.options;
  const wanted = await signIn?.wanted?.(home);
  const found = wanted && entryOf(on, wanted, server);
  const full = found && filled(found, (name) => (wanted.secrets.includes(name) ? secret(name) : undefined));
  return full?.ok && full.entry.kind === "http" ? full.entry : undefined;
}

async function kept(on: SigningOn, wanted: WantedServers, server: string): Promise<string | (Kept & { entry: HttpEntry })> {
  const entry = entryOf(on, wanted, server);
  if (!entry) return `There is no server named ${server} in tools.json.`;
  if (entry.kind === "stdio") return `${server} runs as a program here: there is nothing to sign in to.`;
  if (!isSignedInTo(entry)) return `${server} is signed in to by its entry in tools.json.`;
  if (on.accounts.missing) return `${upper(on.accounts.missing)}.`;
  const one = await on.keep(entry, wanted);
  return "problem" in one ? `${server} cannot be connected: ${one.problem}.` : { ...one, entry };
}

async function connect(on: SigningOn, wanted: WantedServers, server: string): Promise<Connected> {
  const one = await kept(on, wanted, server);
  if (typeof one === "string") return { ok: false, why: one };
  const { account, connection, entry } = one;
  if (!account?.link) {
    // Some servers list their tools to everybody, and want a sign-in only for a call.
    const wants = connection.wantsSignIn;
    if (!account?.signedIn) await account?.anew();
    connection.again();
    const listing = await connection.ready(PATIENCE);
    const up = "problem" in listing ? undefined : `${listing.tools.length} tools`;
    const why = up && wants && !account?.signedIn ? await account?.begin() : undefined;
    if (up && account?.signedIn) return { ok: true, text: `${server} is connected: ${up}.` };
    if (up && !wants) return { ok: true, text: `${server} needs no sign-in: ${up}.` };
    if (!account?.link)
      return { ok: false, why: `${server} cannot be connected: ${why ?? ("problem" in listing ? listing.problem : "it gave no link")}.` };
  }
  account.handed();
  const whose = isPersons(entry) ? "It is then used in your turns only" : "It is then used for everybody in this home";
  return { ok: true, text: `Sign in to ${server} here, within a day. ${whose}. The link is yours alone.`, link: account.link };
}

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
