/** From the start of the process to `ready` with the console alone, against the bare loop's first answer. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Started, start, stop, withProvider } from "../child.ts";
import { withFolder } from "../rig/folder.ts";
import { median, type Row, ratioRow } from "../row.ts";

const TIMES = 7;

export const startUp = (): Promise<Row[]> =>
  withProvider((url) =>
    withFolder(async (dir) => {
      const env = { ANTHROPIC_API_KEY: "sk-ant-bench-key", ANTHROPIC_BASE_URL: url, CONSOLE_PORT: "0" };
      const house = { ...env, WORKSPACES_DIR: join(dir, "homes"), DATA_DIR: join(dir, "data") };
      const ours = (temporary: string) => untilLine(() => start("src/main.ts", [], { ...house, TMPDIR: temporary }), /"msg":"ready"/);
      const bare = (temporary: string) => untilLine(() => start("bench/programs/first.ts", [], { ...env, TMPDIR: temporary }), /end_turn/);
      const cold = await Promise.all([mkdir(join(dir, "a")), mkdir(join(dir, "b"))]).then(async () => [
        await ours(join(dir, "a")),
        await bare(join(dir, "b")),
      ]);
      const warm: [number, number][] = [];
      for (let time = 0; time < TIMES; time++) warm.push([await ours(join(dir, "a")), await bare(join(dir, "b"))]);
      const [first = 0, firstBare = 0] = cold;
      return [
        row("start to ready, TypeScript compiled before", median(warm.map(([it]) => it)), median(warm.map(([, it]) => it))),
        row("start to ready, the very first time", first, firstBare),
      ];
    }),
  );

const row = (what: string, ours: number, bare: number): Row =>
  ratioRow(what, ours, bare, 1.5, "ms", "bare: to the end of its first answer");

async function untilLine(begin: () => Started, wanted: RegExp): Promise<number> {
  const began = performance.now();
  const started = begin();
  try {
    for (;;) {
      const line = await started.lines.next();
      if (line.done) throw new Error("the process ended before it was ready");
      if (wanted.test(line.value)) return performance.now() - began;
    }
  } finally {
    await stop(started);
  }
}
