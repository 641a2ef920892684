/**
 * The workspaces and organisations that installed the app, with their tokens: kept sealed, and known whole while the product runs.
 *
 * I1. An organisation's installation serves each of its workspaces; a workspace's own stands before it. Which workspaces of an organisation
 *     talked to us is kept, so that a restart asks in them for what it missed.
 * I2. One that cannot be opened is neither used nor thrown away.
 */
import type { Installation } from "@slack/oauth";

/** Where they are kept; only whoever has the key reads it. */
export interface Sealed {
  readonly folder: string;
  names(): Promise<string[]>;
  read(name: string): Promise<{ text: string } | "absent" | "unreadable">;
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** What they are called where they are kept. */
export const INSTALLATIONS = { folder: "installations", about: "an installation of the Slack app:" };

export interface Kept {
  /** Of the workspace, or of the organisation. */
  readonly id: string;
  readonly installation: Installation;
  /** The workspace's address. */
  readonly url: string;
  /** The workspaces it is at work in. */
  readonly teams: readonly string[];
}

export interface Installations {
  all(): Kept[];
  get(id: string): Kept | undefined;
  /** Those that are there and cannot be opened. */
  unreadable(): string[];
  keep(kept: Kept): Promise<void>;
  drop(id: string): Promise<void>;
}

const ID = /^[TE][A-Z0-9]{1,20}$/;

export const idOf = ({ isEnterpriseInstall: wide, enterprise, team }: Installation): string => (wide ? enterprise?.id : team?.id) ?? "";
export const isWide = ({ installation }: Kept): boolean => installation.isEnterpriseInstall === true;

export async function openInstallations(sealed: Sealed): Promise<Installations> {
  const known = new Map<string, Kept>();
  const closed = new Set<string>();
  for (const name of await sealed.names()) {
    const found = await sealed.read(name);
    const kept = typeof found === "object" ? keptIn(name, found.text) : undefined;
    if (kept) known.set(name, kept);
    else if (found !== "absent") closed.add(name);
  }
  return {
    all: () => [...known.values()],
    get: (id) => known.get(id),
    unreadable: () => [...closed],
    async keep(kept) {
      if (!ID.test(kept.id)) throw new Error(`An installation of ${JSON.stringify(kept.id)} cannot be kept.`);
      await sealed.write(kept.id, JSON.stringify(kept));
      known.set(kept.id, kept);
      closed.delete(kept.id);
    },
    async drop(id) {
      known.delete(id);
      await sealed.remove(id);
    },
  };
}

function keptIn(name: string, text: string): Kept | undefined {
  const { id, installation, url, teams } = JSON.parse(text) as Partial<Kept>;
  if (id !== name || !ID.test(id) || !installation?.bot?.token) return undefined;
  return { id, installation, url: String(url ?? ""), teams: Array.isArray(teams) ? teams.map(String) : [] };
}
