/** A folder for the tests of one file, gone when they are done. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const made: string[] = [];
afterAll(async () => {
  await Promise.all(made.map((path) => rm(path, { recursive: true, force: true })));
});

export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "denizen-files-"));
  made.push(path);
  return path;
}
