/**
 * What people's sign-ins at servers left: one encrypted file for each home, outside of it.
 *
 * K1. Nothing is written in clear: AES-256-GCM with a key that only the environment holds, bound to the home's name. Files are 0600.
 * K2. A file is replaced as a whole; after a crash the old one or the new one is there.
 * K3. A file that cannot be opened (another key, damage) counts as empty, is told once, and is kept beside the one that takes its place.
 */
import { rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { sealedFolder, sealedName } from "../sealed.ts";

/** One sign-in at one server: the home's, or one person's. */
export interface Kept {
  /** Of the server it was made at: no other is ever shown what is here. */
  url: string;
  client?: OAuthClientInformationMixed;
  tokens?: OAuthTokens;
  /** A link that was made and not followed to its end yet. */
  pending?: Pending;
  /** When somebody was last given a link. */
  asked?: number;
}
export interface Pending {
  state: string;
  verifier: string;
  link: string;
  at: number;
  /** Who it is for, in words. */
  name: string;
  discovery?: OAuthDiscoveryState;
}
type SignIns = Record<string, Kept>;
const ABOUT = "tool servers of";

export interface Vault {
  read(home: string, key: string): Promise<Kept | undefined>;
  /** Undefined: forgotten. */
  write(home: string, key: string, kept: Kept | undefined): Promise<void>;
  /** Forgets all sign-ins of one person in a home, and all links there that were not followed: they name who asked. How many sign-ins there were. */
  forget(home: string, person: string): Promise<number>;
  /** Whose link this is the answer to. */
  pending(state: string): Promise<{ home: string; key: string; kept: Kept } | undefined>;
}

export function openVault(folder: string, key: Buffer, warn: (text: string, facts: object) => void): Vault {
  const opened = new Map<string, Promise<SignIns>>();
  const files = sealedFolder(folder, key, ABOUT);
  const load = async (home: string): Promise<SignIns> => {
    const found = await files.read(home);
    if (typeof found === "object") return JSON.parse(found.text) as SignIns;
    if (found === "absent") return {};
    await rename(fileOf(folder, home), `${fileOf(folder, home)}.unreadable`);
    warn("sign-ins at tool servers cannot be read with this ENCRYPTION_KEY: people have to connect them again", { home });
    return {};
  };
  const all = (home: string): Promise<SignIns> => {
    const known = opened.get(home) ?? load(home);
    opened.set(home, known);
    known.catch(() => opened.delete(home));
    return known;
  };
  /** One after the other, each with all that is known by then. */
  const put = (home: string, signIns: SignIns): Promise<void> => files.write(home, JSON.stringify(signIns));
  return {
    read: async (home, name) => (await all(home))[name],
    async write(home, name, kept) {
      const sealed = await all(home);
      if (kept) sealed[name] = kept;
      else delete sealed[name];
      await put(home, sealed);
    },
    async forget(home, person) {
      const sealed = await all(home);
      const own = Object.keys(sealed).filter((name) => name.endsWith(` ${person}`));
      for (const name of own) delete sealed[name];
      const links = Object.values(sealed).filter((kept) => kept.pending);
      for (const kept of links) delete kept.pending;
      if (own.length + links.length) await put(home, sealed);
      return own.length;
    },
    async pending(state) {
      for (const home of new Set([...opened.keys(), ...(await files.names())])) {
        const found = Object.entries(await all(home)).find(([, kept]) => kept.pending?.state === state);
        if (found) return { home, key: found[0], kept: found[1] };
      }
      return undefined;
    },
  };
}

const fileOf = (folder: string, home: string): string => join(folder, sealedName(home));

/** What was kept of one person's sign-ins in a home, forgotten, in words; nothing where there was nothing. */
export async function eraseSignIns(folder: string, key: Buffer | undefined, home: string, person: string): Promise<string[]> {
  const file = fileOf(folder, home);
  await rm(`${file}.unreadable`, { force: true });
  if (!(await stat(file).catch(() => undefined))) return [];
  if (!key) return [`${file}: cannot be opened without ENCRYPTION_KEY; it may hold sign-ins of this person at tool servers.`];
  const gone = await openVault(folder, key, () => undefined).forget(home, person);
  return gone ? [`${file}: ${gone} sign-ins at tool servers forgotten; the servers themselves still know of them.`] : [];
}

/** At which servers a home is signed in, with the person behind a space where it is theirs. Changes nothing, whatever it finds. */
export async function signedInAt(folder: string, key: Buffer, home: string): Promise<string[] | "unreadable"> {
  const found = await sealedFolder(folder, key, ABOUT).read(home);
  if (found === "unreadable") return found;
  const signIns = found === "absent" ? {} : (JSON.parse(found.text) as SignIns);
  return Object.entries(signIns).flatMap(([slot, { tokens }]) => (tokens ? [slot] : []));
}
