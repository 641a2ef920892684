/** Opening a session of 2,000 messages in a new process. */
import { join } from "node:path";
import { run } from "../child.ts";
import type { Opened, Opening } from "../programs/opening.ts";
import { withFolder } from "../rig/folder.ts";
import { limitRow, type Row } from "../row.ts";

const TIMES = 7;

export const opening = (): Promise<Row[]> =>
  withFolder(async (dir) => {
    const path = join(dir, "journal.db");
    await run<Opened>("opening", { path, turns: 500 } satisfies Opening);
    const times: Opened[] = [];
    for (let time = 0; time < TIMES; time++) times.push(await run<Opened>("opening", { path } satisfies Opening));
    const state = Math.min(...times.map((time) => time.state));
    const request = Math.min(...times.map((time) => time.request));
    const cpu = Math.min(...times.map((time) => time.cpu));
    return [
      limitRow(
        "opening a session of 2,000 messages",
        state,
        60,
        "ms",
        `best of ${TIMES} new processes, modules loaded: the file is opened and looked through, the state is there; CPU of it ${cpu.toFixed(0)} ms`,
      ),
      limitRow("the same, until its next request is written", request, 60, "ms"),
    ];
  });
