/**
 * A tree of files whose changes of the home reach its history, each with its cause, and that has only so much room.
 *
 * C1. What happens is told apart from what was tried: a refused change leaves no trace.
 */
import type { Cause, FileError, Files } from "../core/ports.ts";
import { isWithin } from "../files/path.ts";
import { isError } from "../files/refusal.ts";
import { isKept } from "./control.ts";
import type { OpenHistory } from "./history.ts";
import type { Changing } from "./intents.ts";
import type { Room } from "./room.ts";

export interface Recorded {
  history: Pick<OpenHistory, "changing">;
  room: Room;
  cause(): Cause;
  /** Where the home is in the tree. */
  at?: string;
}
const FOLDER = 5_000;

export function recorded(given: Files, { history, room, cause, at = "/home" }: Recorded): Files {
  const files = inRoom(given, room);
  const inHome = (path: string): string | undefined => {
    const below = isWithin(at, path) ? path.slice(at === "/" ? 1 : at.length + 1) : "";
    return below && isKept(below) ? below : undefined;
  };
  const known = async (path: string): Promise<Uint8Array | undefined | null> => {
    const content = await files.read(path);
    if (!isError(content)) return content;
    return content.error === "file_not_found" ? undefined : null;
  };

  return {
    list: (path) => files.list(path),
    read: (path) => files.read(path),
    walk: (path, limit) => files.walk(path, limit),
    async write(path, content) {
      const below = inHome(path);
      if (below === undefined) return files.write(path, content);
      const happened = history.changing(cause(), [{ path: below, before: await known(path), after: content }]);
      const done = await files.write(path, content);
      happened(!isError(done));
      return done;
    },
    async update(path, change) {
      const below = inHome(path);
      if (below === undefined) return files.update(path, change);
      let happened: ((did: boolean) => void) | undefined;
      const done = await files.update(path, (before) => {
        // Asked again where another program came in between.
        happened?.(false);
        const after = change(before);
        happened = after ? history.changing(cause(), [{ path: below, before, after }]) : undefined;
        return after;
      });
      happened?.(!isError(done));
      return done;
    },
    async remove(path) {
      const gone: Changing[] = [];
      if (isWithin(at, path)) {
        const found = await files.walk(path, FOLDER);
        for (const info of isError(found) ? [] : found.files) {
          const below = inHome(info.path);
          if (below !== undefined) gone.push({ path: below, before: await known(info.path), after: undefined });
        }
      }
      const happened = gone.length ? history.changing(cause(), gone) : undefined;
      const done = await files.remove(path);
      happened?.(!isError(done));
      return done;
    },
  };
}

/** A tree that takes no more than there is room for. `at`: where it appears in the agent's tree. */
export function inRoom(files: Files, room: Room, at = ""): Files {
  const full = async (path: string, bytes: number): Promise<FileError | undefined> => {
    const why = await room.refuses(`${at}${path}`, bytes);
    return why === undefined ? undefined : { error: "failed", detail: why };
  };
  return {
    list: (path) => files.list(path),
    read: (path) => files.read(path),
    walk: (path, limit) => files.walk(path, limit),
    remove: (path) => files.remove(path),
    write: async (path, content) => (await full(path, content.byteLength)) ?? files.write(path, content),
    async update(path, change) {
      // How much it grows is known only from what is there.
      let refused: FileError | undefined;
      const before = await files.read(path);
      const grown = isError(before) ? null : change(before);
      if (grown && !isError(before)) refused = await full(path, Math.max(0, grown.byteLength - before.byteLength));
      return refused ?? files.update(path, change);
    },
  };
}
