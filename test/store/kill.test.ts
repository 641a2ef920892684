import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { A, held } from "../contract/journal-story.ts";
import { type Folder, folder } from "./rig.ts";

let home: Folder;
beforeEach(() => {
  home = folder();
});
afterEach(() => home.end());

/** Runs a writer until it acknowledged so much, kills it in the middle of its work, and gives the acknowledged lines that arrived whole. */
function killed(life: number, after: number): Promise<string[]> {
  const writer = fileURLToPath(new URL("writer.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", writer, home.path, `${life}`], { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString();
    if (out.length > after) child.kill("SIGKILL");
  });
  return new Promise((resolve, reject) => {
    child.on("close", (code, signal) => {
      if (signal === "SIGKILL") resolve(out.split("\n").slice(0, -1));
      else reject(new Error(`the writer ended by itself: ${code}`));
    });
  });
}

it("P1 what was acknowledged is there after a kill -9 in the middle of writing, and the dead holder's lease is free at once", async () => {
  const acknowledged: string[] = [];
  for (let life = 0; life < 5; life++) {
    acknowledged.push(...(await killed(life, 400 + life * 1700)));
    const journal = home.open();
    const { talk, todos } = await journal.state(A);
    const there = new Set(talk.queue.map(({ id }) => id));
    expect(acknowledged.filter((line) => !line.startsWith("todo") && !there.has(line))).toEqual([]);
    expect(there.size, "none twice").toBe(talk.queue.length);
    const last = acknowledged.findLast((line) => line.startsWith("todo "))?.slice(5) ?? "";
    expect(Number(todos[0]?.content.split(".")[1])).toBeGreaterThanOrEqual(Number(last.split(".")[1]));
    await held(journal, A);
    await journal.close();
  }
  expect(acknowledged.length).toBeGreaterThan(300);
}, 60_000);
