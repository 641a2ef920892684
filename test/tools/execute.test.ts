import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { execute } from "../../src/tools/execute.ts";
import { roomOf } from "../../src/workspace/room.ts";
import { Folder } from "../help/folder.ts";
import { context } from "./context.ts";

const MB = 1024 * 1024;
const SCRATCH = "agents/main/context/scratch/t";
const SENTENCE = "the scratch of this home's threads may take 8 MB in all";
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const folder = new Folder();
afterEach(() => folder.end());

function tool(sandbox: Sandbox) {
  const dir = join(folder.dir, SCRATCH);
  mkdirSync(dir, { recursive: true });
  const room = roomOf(folder.dir, { most: { scratch: 8 * MB } });
  const mountsFor = async () => [{ at: "/", dir, writable: true }];
  return {
    dir,
    run: (command: string) => execute({ sandbox, mountsFor, full: (_, paths) => room.full(paths) }).run({ command }, context()),
  };
}
const never: Sandbox = { kind: "virtual", notes: "", run: async () => Promise.reject(new Error("it was run")) };

test("where there is no room nothing is run, and the sentence says what mends it", async () => {
  const { dir, run } = tool(never);
  writeFileSync(join(dir, "full"), new Uint8Array(8 * MB));
  expect(await run("true")).toEqual({
    content: expect.stringMatching(new RegExp(`^Not run: ${SENTENCE}.*delete what is no longer needed`)),
    failed: true,
  });
});

test("a command that uses the room up is ended while it runs", async () => {
  const greedy: Sandbox = {
    kind: "virtual",
    notes: "",
    run: ({ mounts, signal }) =>
      new Promise((done) => {
        for (let i = 0; i < 9; i++) writeFileSync(join(mounts[0]?.dir ?? "", `${i}`), new Uint8Array(MB));
        signal.addEventListener("abort", () => done({ output: "so far\n", code: null, ended: "stopped" }));
      }),
  };
  expect(await tool(greedy).run("yes > file")).toEqual({ content: expect.stringContaining(`so far\n[ended: ${SENTENCE}`), failed: true });
});

test("one that was through before anybody looked is told as well, with its own result", async () => {
  const quick: Sandbox = {
    kind: "virtual",
    notes: "",
    run: async ({ mounts }) => {
      writeFileSync(join(mounts[0]?.dir ?? "", "big"), new Uint8Array(9 * MB));
      return { output: "done", code: 0, ended: "itself" };
    },
  };
  expect(await tool(quick).run("dd")).toEqual({ content: expect.stringContaining(`done\n[exit code 0]\n[${SENTENCE}`), failed: false });
});

test("a real program that writes without end is ended by the room and not by the disk", async ({ skip }) => {
  const sandbox = await openSandbox("bubblewrap", silent);
  if (!sandbox) return skip("bubblewrap does not work here");
  const { run } = tool(sandbox);
  const command = "i=0; while true; do head -c 1000000 /dev/zero > f$i; i=$((i+1)); sleep 0.02; done";
  expect(await run(command)).toEqual({ content: expect.stringContaining(`[ended: ${SENTENCE}`), failed: true });
});
