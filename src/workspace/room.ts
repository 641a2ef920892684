/**
 * How much of the disk the parts of a home may take: the scratch of its threads, results kept because they are large, and its files.
 *
 * Q1. What would go over is refused in a sentence that says what is full and what mends it; what is there stays.
 * Q2. Measured at most every few seconds; what was written in between is counted as it comes.
 */
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

const MB = 1024 * 1024;
export interface Area {
  name: "scratch" | "evicted" | "attachments" | "files";
  /** Below the home. */
  folder: string;
  words: string;
  most: number;
  /** What mends it, where the agent cannot. */
  mend?: string;
}
const AREAS: readonly Area[] = [
  { name: "scratch", folder: "agents/main/context/scratch", words: "the scratch of this home's threads", most: 1024 * MB },
  { name: "evicted", folder: "agents/main/evicted", words: "the large results kept for this home's threads", most: 1024 * MB },
  {
    name: "attachments",
    folder: "agents/main/context/attachments",
    words: "the files of this home's conversations",
    most: 1024 * MB,
    mend: "retention.sessionsDays in policy.json clears those of old conversations",
  },
  { name: "files", folder: "files", words: "the files of this home", most: 2048 * MB },
];
const FRESH = 10_000;

export interface Room {
  /** Why so many more bytes have no room at this path of the agent's tree; undefined: they have. */
  refuses(path: string, bytes: number): Promise<string | undefined>;
  used(name: Area["name"]): Promise<number>;
  /** Why what lies at one of these paths has no room left now, measured anew: for what writes without asking first. */
  full(paths: readonly string[]): Promise<string | undefined>;
}
export interface RoomOptions {
  most?: Partial<Record<Area["name"], number>>;
  now?: () => number;
}

export function roomOf(dir: string, { most = {}, now = Date.now }: RoomOptions = {}): Room {
  const known = new Map<string, { at: number; bytes: number }>();
  const measure = async ({ name, folder }: Area): Promise<{ at: number; bytes: number }> => {
    const found = { at: now(), bytes: await sizeOf(join(dir, folder)) };
    known.set(name, found);
    return found;
  };
  const fresh = async (area: Area) => {
    const before = known.get(area.name);
    return before && now() - before.at < FRESH ? before : measure(area);
  };
  const limitOf = (area: Area): number => most[area.name] ?? area.most;
  const taken = (area: Area, bytes: number): string =>
    `${area.words} may take ${size(limitOf(area))} in all, and ${size(bytes)} are taken; ${area.mend ?? "delete what is no longer needed"}`;
  return {
    async full(paths) {
      for (const area of new Set(paths.map(areaOf))) {
        const bytes = area ? (await measure(area)).bytes : 0;
        if (area && bytes >= limitOf(area)) return taken(area, bytes);
      }
      return undefined;
    },
    used: async (name) => {
      const area = AREAS.find((it) => it.name === name);
      return area ? (await fresh(area)).bytes : 0;
    },
    async refuses(path, bytes) {
      const area = areaOf(path);
      if (!area) return undefined;
      const limit = limitOf(area);
      let used = await fresh(area);
      // Something may have been deleted since, or written over.
      if (used.bytes + bytes > limit) used = await measure(area);
      if (used.bytes + bytes > limit) return taken(area, used.bytes);
      used.bytes += bytes;
      return undefined;
    },
  };
}

/** Of a path as the agent sees it; what belongs to none is small by itself. */
function areaOf(path: string): Area | undefined {
  const [first = "", second] = path.split("/").filter(Boolean);
  const name =
    first === "home"
      ? second === "files"
        ? "files"
        : undefined
      : first === "evicted" || first === "attachments"
        ? first
        : OTHERS.has(first)
          ? undefined
          : "scratch";
  return AREAS.find((area) => area.name === name);
}
const OTHERS = new Set(["memories", "skills", "history"]);

const size = (bytes: number): string => (bytes >= 1024 * MB ? `${(bytes / 1024 / MB).toFixed(1)} GB` : `${Math.round(bytes / MB)} MB`);

/** Of all files below a folder; links count as themselves. What cannot be read counts as nothing. */
async function sizeOf(folder: string): Promise<number> {
  let sum = 0;
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) sum += await sizeOf(path);
      else sum += (await lstat(path).catch(() => undefined))?.size ?? 0;
    }
  } catch {
    return sum;
  }
  return sum;
}
