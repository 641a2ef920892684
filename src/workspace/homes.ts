/**
 * The homes on this disk: which one serves a team, how a new one is made, and each one's files and policy as they are now.
 *
 * H1. A home appears whole or not at all: it is copied beside and then renamed. What a person prepared is never overwritten.
 * H2. A team that two homes claim is served by neither.
 * H3. What is wrong with a home's file is logged once for each state of that file.
 */
import { randomUUID } from "node:crypto";
import { type Dirent, readdirSync, statSync } from "node:fs";
import { cp, mkdir, readdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { fingerprint } from "../core/id.ts";
import type { Homes, Log, Rules } from "../core/ports.ts";
import { type OpenHistory, openHistory } from "./history.ts";
import { openPolicy } from "./last-valid.ts";
import { type Room, roomOf } from "./room.ts";
import { type PolicyNow, rulesOf } from "./rules.ts";
import { codeOf, openTexts, type Problem, type Text } from "./text.ts";

export interface Home {
  readonly name: string;
  /** Its folder, an absolute path. */
  readonly dir: string;
  /** A text file of the home, e.g. `AGENTS.md`. Never rejects. */
  read(file: string): Promise<Text>;
  /** The policy that holds now. Never rejects. */
  policy(): Promise<PolicyNow>;
}
export interface OpenHomes extends Homes {
  home(name: string): Home;
  /** What happened to its files. */
  history(name: string): OpenHistory;
  /** How much of the disk it may take. */
  room(name: string): Room;
  /** The names of all homes, in order. */
  list(): Promise<string[]>;
}
export interface HomesOptions {
  workspacesDir: string;
  templateDir: string;
  dataDir: string;
  /** Steps of a turn where a policy names no number. */
  stepLimit: number;
  log: Log;
}

export function openHomes(options: HomesOptions): OpenHomes {
  const { workspacesDir, dataDir, stepLimit, log } = options;
  const opened = new Map<string, Home>();
  const home = (name: string): Home => {
    const known = opened.get(name) ?? openHome(name, join(workspacesDir, name), join(dataDir, "policies", `${name}.json`), log);
    opened.set(name, known);
    return known;
  };
  const histories = new Map<string, OpenHistory>();
  const history = (name: string): OpenHistory => {
    const gitdir = join(dataDir, "history", `${name}.git`);
    const known = histories.get(name) ?? openHistory({ dir: join(workspacesDir, name), gitdir, log });
    histories.set(name, known);
    return known;
  };
  const room = roomsIn(workspacesDir);
  const list = listing(workspacesDir);
  const prepared = new Set<string>();
  const warnOnce = oncePerText(log);
  // A policy that did not change is the same object.
  const known = new WeakMap<PolicyNow, Rules>();
  const claimants = async (team: string, own: string): Promise<string[]> => {
    const names = await list();
    const policies = await Promise.all(names.map((name) => home(name).policy()));
    const claiming = names.filter((_, i) => policies[i]?.policy.platforms.includes(team));
    if (claiming.length || names.includes(own)) return claiming;
    // A file that cannot be used may claim it all the same: else the team would get a new home, with the template's rules.
    const broken = names.filter((_, i) => policies[i]?.broken);
    const texts = await Promise.all(broken.map((name) => home(name).read("policy.json")));
    return broken.filter((_, i) => texts[i]?.text?.includes(JSON.stringify(team)));
  };
  return {
    home,
    history,
    room,
    list,
    rules: async (name) => {
      const now = await home(name).policy();
      const rules = known.get(now) ?? { ...rulesOf(now, stepLimit), teams: teamsOf(name, now.policy.platforms) };
      known.set(now, rules);
      return rules;
    },
    find: async (platform, team) => {
      const [claimed, ...others] = await claimants(`${platform}:${team}`, homeName(platform, team));
      if (others.length) return { ok: false, why: claimedTwice(`${platform}:${team}`, [claimed ?? "", ...others]) };
      const name = homeName(platform, team);
      const left = claimed !== undefined && claimed !== name && (await list()).includes(name);
      if (left) warnOnce(name, leftBy(`${platform}:${team}`, name, claimed));
      if (claimed !== undefined) return { ok: true, home: claimed };
      if (platform === "console" && name !== "console" && !(await list()).includes(name)) {
        return { ok: false, why: `There is no home named "${team}".` };
      }
      if (prepared.has(name) && (await list()).includes(name)) return { ok: true, home: name };
      const made = await make(options, name);
      if (made.ok) prepared.add(name);
      return made;
    },
  };
}

/** Distinct teams get distinct folders, whatever their ids are made of. On the console a team is a home's own name. */
export function homeName(platform: string, team: string): string {
  const bytes = (char: string) => [...new TextEncoder().encode(char)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  const safe = team.replace(/[^A-Za-z0-9_-]/gu, bytes);
  const short = safe.length <= 100 ? safe : `${safe.slice(0, 80)}%${fingerprint(team)}`;
  return platform === "console" ? short : `${platform}-${short}`;
}

/** What its policy claims, and the team it is named after. */
function teamsOf(name: string, claimed: readonly string[]): string[] {
  const [, platform, team] = /^([a-z]+)-([A-Za-z0-9_-]+)$/.exec(name) ?? [];
  return [...new Set([...claimed, ...(platform && team ? [`${platform}:${team}`] : [])])];
}

function roomsIn(workspacesDir: string): (name: string) => Room {
  const rooms = new Map<string, Room>();
  return (name) => {
    const known = rooms.get(name) ?? roomOf(join(workspacesDir, name));
    rooms.set(name, known);
    return known;
  };
}

function oncePerText(log: Log): (home: string, text: string) => void {
  const told = new Set<string>();
  return (home, text) => {
    if (!told.has(text)) log.warn({ home }, text);
    told.add(text);
  };
}

/** A team that a home was made for, and that another home claims. */
export const leftBy = (team: string, name: string, claimed: string): string =>
  `${team} is served by the home ${claimed}, whose policy.json claims it, and no longer by ${name}: what ${name} remembers and was asked stays there, unheard. If that is not meant, take ${team} out of "platforms" of ${claimed}.`;

const claimedTwice = (team: string, homes: string[]): string =>
  `${team} is claimed by the homes ${homes.join(" and ")}, so neither serves it. Take it out of "platforms" in the policy.json of all but one.`;

/** Folders that begin with `_` or `.` are no homes: the template, and homes that are being made. Read anew only when the folder changed. */
function listing(workspacesDir: string): () => Promise<string[]> {
  let known: { version: string; names: string[] } | undefined;
  return async () => {
    const now = statSync(workspacesDir, { bigint: true, throwIfNoEntry: false });
    if (!now) return [];
    const version = `${now.ino} ${now.mtimeNs} ${now.ctimeNs}`;
    if (known?.version === version) return known.names;
    const names = foldersIn(workspacesDir)
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !/^[_.]/.test(entry.name))
      .map((entry) => entry.name)
      .sort();
    // What changed just now may change again without a newer time.
    known = Date.now() - Number(now.mtimeMs) > 1_000 ? { version, names } : undefined;
    return names;
  };
}

/** Not waited for: every message asks, and in a busy process the answer of the disk stands behind all other work. */
function foldersIn(dir: string): Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    return [];
  }
}

async function make(
  { workspacesDir, templateDir, log }: HomesOptions,
  name: string,
): Promise<{ ok: true; home: string } | { ok: false; why: string }> {
  const target = join(workspacesDir, name);
  const draft = join(workspacesDir, `.${name}.${randomUUID()}`);
  try {
    if (await isPrepared(target)) return { ok: true, home: name };
    await mkdir(workspacesDir, { recursive: true });
    await cp(templateDir, draft, { recursive: true, filter: (source) => basename(source) !== ".gitkeep" });
    await rename(draft, target);
    log.info({ home: name }, "A home was made from the template.");
  } catch (error) {
    // Another message, or another process, may have made it meanwhile.
    if (!(await isPrepared(target).catch(() => false))) {
      log.error({ home: name, code: codeOf(error) }, "A home could not be made.");
      return {
        ok: false,
        why: `The home ${name} could not be made (${codeOf(error)}). The operator has to look at the folder of the homes.`,
      };
    }
  } finally {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
  }
  return { ok: true, home: name };
}

/** An empty folder is not a home yet. */
async function isPrepared(dir: string): Promise<boolean> {
  try {
    return (await readdir(dir)).length > 0;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

function openHome(name: string, dir: string, kept: string, log: Log): Home {
  const texts = openTexts(dir);
  const logged = new Map<string, string>();
  const report = (file: string, problem: Problem | undefined) => {
    if (problem && logged.get(file) !== problem.version) log.warn({ home: name, file }, problem.what);
    if (problem) logged.set(file, problem.version);
    else logged.delete(file);
  };
  const policy = openPolicy(() => texts("policy.json"), kept, log);
  return {
    name,
    dir,
    read: async (file) => {
      const text = await texts(file);
      report(file, text.problem);
      return text;
    },
    policy: oncePerTurn(async () => {
      const now = await policy();
      report("policy.json", now.broken);
      return now;
    }),
  };
}

/** All who ask in one turn of the event loop are given one answer: a step asks for its policy a dozen times. */
function oncePerTurn<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => {
    if (asked) return asked;
    asked = ask();
    setImmediate(() => {
      asked = undefined;
    });
    return asked;
  };
}
