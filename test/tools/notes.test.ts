import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { mounts } from "../../src/files/mounts.ts";
import { isError } from "../../src/files/refusal.ts";
import { FILE_NOTES } from "../../src/tools/notes.ts";
import { bytes } from "../contract/files.ts";
import { folder } from "../files/folder.ts";

const [home, shared] = [await folder(), await folder()];
const all = mounts({ homeDir: home, sharedSkillsDir: shared, session: "console:h:1", scope: "team", history: () => ({ "/x.md": "x" }) });
const namesIn = async (path: string): Promise<string[]> => {
  const found = await all.list(path);
  if (isError(found)) throw new Error(found.detail);
  return found.map((info) => info.path.replace(/\/$/, "").split("/").at(-1) ?? "").sort();
};

it("the notes of the files name every place there is, and none that is not", async () => {
  const named = [...FILE_NOTES.matchAll(/(?:^|\s)\/([a-z]+)\b/gm)].map(([, name]) => name);
  expect([...new Set(named)].sort()).toEqual(await namesIn("/"));
});

it("and every part of the home that is shown", async () => {
  const line = FILE_NOTES.split("\n").find((text) => text.includes("/home is")) ?? "";
  for (const name of ["AGENTS.md", "KNOWLEDGE.md", "MEMORY.md", "tools.json", "policy.json"]) await writeFile(join(home, name), "x");
  for (const name of ["skills", "subagents", "files", "agents", "memory"]) await mkdir(join(home, name), { recursive: true });
  const shown = await namesIn("/home");
  expect(shown).toHaveLength(8);
  for (const name of shown) expect(line).toContain(name);
});

it("what the notes call yours can be written, what they call material cannot", async () => {
  const written = async (path: string) => !isError(await all.write(path, bytes("x")));
  for (const path of ["/a.txt", "/memories/a.md", "/home/files/a.md"]) expect(await written(path), path).toBe(true);
  for (const path of ["/evicted/a", "/attachments/a", "/skills/a.md", "/history/a"]) expect(await written(path), path).toBe(false);
});
