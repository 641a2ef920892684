/** A process of its own that works on a home: `home-writer.ts <what> <folder> <name> <count>`. See the tests of `hold` for what. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { diskFiles } from "../../src/files/disk.ts";
import { openHistory } from "../../src/workspace/history.ts";
import { held } from "../../src/workspace/hold.ts";
import { recorded } from "../../src/workspace/recorded.ts";
import { roomOf } from "../../src/workspace/room.ts";

const [what = "", folder = "", name = "", count = "0"] = process.argv.slice(2);
const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: (facts: object) => process.stderr.write(`${JSON.stringify(facts)}\n`) };
const rest = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Reads, waits, writes: without a hold others' numbers would be lost. */
async function counts(): Promise<void> {
  const file = join(folder, "count");
  for (let i = 0; i < Number(count); i++)
    await held(join(folder, "lock"), async () => {
      const before = Number(readFileSync(file, "utf8"));
      await rest(1);
      writeFileSync(file, String(before + 1));
    });
}

async function writes(): Promise<void> {
  const dir = join(folder, "home");
  const history = openHistory({ dir, gitdir: join(folder, "data", "home.git"), log });
  for (let i = 0; i < Number(count); i++) {
    const cause = { kind: "agent", text: `${name} ${i}`, at: Date.now(), by: { id: `x:${name}`, name } } as const;
    const files = recorded(diskFiles(dir), { history, room: roomOf(dir), cause: () => cause, at: "/" });
    await files.write(`/files/${name}-${i}`, new TextEncoder().encode(`${i}`));
    await history.look();
  }
}

async function holds(): Promise<void> {
  await held(join(folder, "lock"), async () => {
    process.stdout.write("held\n");
    await rest(60_000);
  });
}

const WORK: Record<string, () => Promise<void>> = { counts, writes, holds };
await WORK[what]?.();
