/**
 * Counts what the house writes for its steps, by `wchar` of /proc/self/io: every byte handed to the system, whether or not it reached a
 * disk yet. The model is inside this process, so that nothing of it is what was sent to a model.
 */
import { readFileSync } from "node:fs";
import { seed, sessionOf } from "../rig/history.ts";
import { openHouse, says } from "../rig/house.ts";
import { asks } from "../rig/lookup.ts";
import { scripted } from "../rig/scripted.ts";

export interface Writing {
  dir: string;
  /** Turns of four messages before. */
  history: number;
  turns: number;
  calls: number;
}
export interface Written {
  bytes: number;
  steps: number;
}

const { dir, history, turns, calls } = JSON.parse(process.argv[2] ?? "{}") as Writing;
const SETTLING = 200;
const written = (): number => Number(/wchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
const pause = () => new Promise((done) => setTimeout(done, SETTLING));

const { inbox, journal, stage, close } = await openHouse(dir, scripted());
await seed(journal, "t", history);
const take = async (): Promise<void> => {
  const folded = stage.folded("t");
  await inbox.message(says("t", asks(calls)));
  await folded;
};
await take();
await pause();
const before = written();
for (let turn = 0; turn < turns; turn++) await take();
await pause();
const result: Written = { bytes: written() - before, steps: turns * (calls + 1) };
if ((await journal.state(sessionOf("t"))).talk.turn !== history + turns + 1) throw new Error("not every turn was taken");
await close();
process.stdout.write(`${JSON.stringify(result)}\n`);
