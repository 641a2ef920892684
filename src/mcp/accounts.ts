/**
 * Who has signed in where: the sign-ins of all homes at the servers of their tools.json.
 *
 * Q1. A sign-in is the home's, or one person's and then used in that person's turns only.
 * Q2. An answer that comes back counts once, for whom the link was made, also after a restart in between.
 */
import { randomBytes } from "node:crypto";
import type { WantedServers } from "../core/ports.ts";
import { Account } from "./account.ts";
import { digest } from "./digest.ts";
import type { HttpEntry } from "./tools-file.ts";
import { openVault, type Vault } from "./vault.ts";

/** What signing in needs of the product. */
export interface SignIn {
  folder: string;
  /** 32 bytes. */
  key: Buffer | undefined;
  publicUrl: string | undefined;
  /** Why answers could not arrive, if they could not. */
  unreachable?: string | undefined;
  /** What a home wants of its servers now; to take an answer to a link that was made before a restart. */
  wanted?: ((home: string) => Promise<WantedServers>) | undefined;
  warn: (text: string, facts: object) => void;
}
export interface Slot {
  home: string;
  /** In the vault: the server, with the person behind a space if it is theirs. */
  key: string;
  name: string;
}
export type Answer = ({ ok: true; server: string; undo: string } & Slot) | { ok: false; why: string };

export interface Accounts {
  /** Why nobody can sign in, in a sentence; undefined: people can. */
  missing: string | undefined;
  of(slot: Slot, entry: HttpEntry): Promise<Account>;
  /** `entryOf`: the entry with its secrets, of a home and server. */
  answer(query: URLSearchParams, entryOf: (home: string, server: string) => Promise<HttpEntry | undefined>): Promise<Answer>;
  /** Takes back what an answer did, for whoever read its page. */
  undo(token: string): Promise<Slot | undefined>;
}

export const CALLBACK = "/oauth/mcp/callback";
export const DOCUMENT = "/client-metadata.json";
/** Answers that can be taken back from their page. */
const UNDOS = 100;

export const isSignedInTo = ({ headers, oauth }: HttpEntry): boolean =>
  oauth?.grant !== "client_credentials" && !Object.keys(headers).some((name) => name.toLowerCase() === "authorization");

export function openAccounts(signIn: SignIn | undefined, isOpen?: (address: string) => boolean): Accounts {
  const missing = missingOf(signIn);
  const known = new Map<string, { of: string; account: Promise<Account> }>();
  const undos = new Map<string, { slot: Slot; account: Account }>();
  const vault: Vault | undefined = signIn?.key && openVault(signIn.folder, signIn.key, signIn.warn);
  const base = signIn?.publicUrl?.replace(/\/+$/, "") ?? "";
  const of = (slot: Slot, entry: HttpEntry): Promise<Account> => {
    const id = `${slot.home} ${slot.key}`;
    const form = digest([entry.url, entry.oauth]);
    const before = known.get(id);
    if (before?.of === form) return before.account;
    if (!vault) throw new Error(missing);
    const document = base.startsWith("https://") ? `${base}${DOCUMENT}` : undefined;
    const account = Account.open({ vault, ...slot, entry, callback: `${base}${CALLBACK}`, document, isOpen, now: () => Date.now() });
    known.set(id, { of: form, account });
    account.catch(() => known.delete(id));
    return account;
  };
  return {
    missing,
    of,
    async answer(query, entryOf) {
      const state = query.get("state");
      const found = state ? await vault?.pending(state) : undefined;
      if (!found?.kept.pending)
        return { ok: false, why: "This link was followed already, or is not one of mine. Ask for a new one: `/tools connect`." };
      const slot: Slot = { home: found.home, key: found.key, name: found.kept.pending.name };
      const server = found.key.split(" ", 1)[0] ?? "";
      const entry = await entryOf(found.home, server);
      const account = entry?.url === found.kept.url ? await of(slot, entry) : undefined;
      const why = account ? await followed(account, query) : "tools.json names it no more, or by another address";
      if (!account || why)
        return { ok: false, why: `${server} was not connected: ${why}. For a new link say \`/tools connect ${server}\`.` };
      const undo = randomBytes(24).toString("base64url");
      undos.set(undo, { slot, account });
      const [oldest] = undos.keys();
      if (undos.size > UNDOS && oldest) undos.delete(oldest);
      return { ok: true, ...slot, server, undo };
    },
    async undo(token) {
      const found = undos.get(token);
      undos.delete(token);
      await found?.account.forget();
      return found?.slot;
    },
  };
}

/** Takes the answer; why it led to nothing, if it did. */
async function followed(account: Account, query: URLSearchParams): Promise<string | undefined> {
  const code = query.get("code");
  if (!account.link) return "the link is more than a day old";
  try {
    if (code) return void (await account.finish(code, query.get("iss")));
    await account.refused();
    return query.get("error_description") ?? query.get("error") ?? "no reason was given";
  } catch (error) {
    return (error as Error).message;
  }
}

function missingOf(signIn: SignIn | undefined): string | undefined {
  if (signIn?.key && signIn.publicUrl) return signIn.unreachable;
  const names = [signIn?.key ? [] : ["ENCRYPTION_KEY"], signIn?.publicUrl ? [] : ["PUBLIC_URL"]].flat();
  return `nobody can sign in here until the operator sets ${names.join(" and ")}`;
}
