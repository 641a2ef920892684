/**
 * What can be wrong with a journal's file, in sentences that say what mends it. Anything else that is thrown is a bug and stays as it is.
 */
import Database from "better-sqlite3";
import { UserError } from "../core/ports.ts";

const REPAIR = "Nothing in it was changed. Run `npm run doctor -- --repair`.";

export const damaged = (path: string, detail: string): UserError =>
  new UserError(`The journal ${path} is damaged (${detail}), so its home stays closed. ${REPAIR}`);

export const newer = (path: string, detail: string): UserError =>
  new UserError(
    `The journal ${path} was written by a newer version (${detail}), so its home stays closed. Nothing in it was changed. ` +
      "Start the newer version again, or run `npm run doctor -- --repair`.",
  );

/** Whether the database itself failed: then its transaction may be gone already. */
export const isStorage = (error: unknown): error is InstanceType<typeof Database.SqliteError> => error instanceof Database.SqliteError;

/** An error of the database in words for people; other errors as they are. */
export function fault(error: unknown, path: string): unknown {
  if (!isStorage(error)) return error;
  const { code, message } = error;
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") return damaged(path, message);
  if (code === "SQLITE_FULL" || code.startsWith("SQLITE_IOERR"))
    return new UserError(`The disk is full or cannot be written (${code}): ${path}. Free some space; what was acknowledged is kept.`);
  if (code.startsWith("SQLITE_BUSY"))
    return new UserError(`Another process keeps the journal ${path} busy. Try again, or stop that process.`);
  if (code.startsWith("SQLITE_READONLY") || code.startsWith("SQLITE_CANTOPEN"))
    return new UserError(`The journal ${path} cannot be opened for writing. Check the rights of the file and its folder.`);
  return error;
}
