import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { handedFiles } from "../../src/files/mounts.ts";
import { builtins } from "../../src/hooks/builtin-tools.ts";
import { homeMemory } from "../../src/memory/memory.ts";
import type { Mount } from "../../src/sandbox/sandbox.ts";
import { parsePolicy } from "../../src/workspace/policy.ts";
import { roomOf } from "../../src/workspace/room.ts";
import { Folder } from "../help/folder.ts";
import { context } from "../tools/context.ts";

const folder = new Folder();
afterEach(() => folder.end());

/** What a command would see, under this policy. */
async function mountsUnder(policy: object): Promise<readonly Mount[]> {
  mkdirSync(join(folder.dir, "files"), { recursive: true });
  const parsed = parsePolicy(JSON.stringify(policy));
  if (!parsed.ok) throw new Error(parsed.wrong);
  const now = { policy: parsed.policy, broken: undefined };
  let seen: readonly Mount[] = [];
  const hook = builtins({
    homes: { home: () => ({ name: "h", ...folder.home, policy: async () => now }), room: () => roomOf(folder.dir) },
    memory: { memoryFor: () => homeMemory(folder.dir, () => Promise.reject(new Error("no journal here"))) },
    aside: () => handedFiles(folder.dir, "s"),
    scrub: (text) => text,
    reactions: { react: async () => ({ ok: true }) },
    sandbox: {
      kind: "virtual",
      notes: "",
      run: async ({ mounts }) => {
        seen = mounts;
        return { output: "", code: 0, ended: "itself" };
      },
    },
    sharedSkillsDir: folder.dir,
  });
  const moment = context();
  const tools = (await hook.preReasoning?.(moment))?.tools ?? [];
  await tools.find(({ name }) => name === "execute")?.run({ command: "true" }, moment);
  return seen;
}

test.each([
  [{}, true],
  [{ interruptOn: { write_file: true } }, false],
  [{ protected: ["files/legal/**"] }, false],
  [{ access: { write_file: { people: ["owners"] } } }, false],
  [{ access: { "*": { places: ["slack:C9"] } } }, false],
  [{ access: { "ops/*": { people: ["owners"] } } }, true],
])("P3: under %j a command may write to the team's files: %s", async (policy, writable) => {
  expect((await mountsUnder(policy)).find(({ at }) => at === "/home/files")?.writable).toBe(writable);
});
