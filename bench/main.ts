/**
 * Measures the house against a bare loop on the same SDK, in one run on one machine: what counts are the ratios.
 *
 *   npm run bench                    everything, in a few minutes
 *   npm run bench -- steps fold      some of it
 *   npm run bench -- --check         exits 1 if a target is missed
 */
import { availableParallelism, loadavg } from "node:os";
import { command, files } from "./measures/files.ts";
import { fold } from "./measures/fold.ts";
import { opening } from "./measures/opening.ts";
import { parallel } from "./measures/parallel.ts";
import { prefix } from "./measures/prefix.ts";
import { prompt } from "./measures/prompt.ts";
import { room } from "./measures/room.ts";
import { search } from "./measures/search.ts";
import { servers } from "./measures/servers.ts";
import { startUp } from "./measures/start.ts";
import { steps } from "./measures/steps.ts";
import { writes } from "./measures/writes.ts";
import { type Row, table } from "./row.ts";

const MEASURES: Record<string, () => Promise<Row[]>> = {
  steps,
  writes,
  parallel,
  opening,
  start: startUp,
  prompt,
  servers,
  prefix,
  fold,
  room,
  files,
  command,
  search,
};

/** Times cannot be trusted where others work as well; ratios and CPU can, more or less. */
const BUSY =
  (loadavg()[0] ?? 0) > availableParallelism()
    ? `This machine is busy (load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores): times in ms are longer than they are on a quiet one.`
    : "";

async function main(args: readonly string[]): Promise<void> {
  const names = args.filter((arg) => !arg.startsWith("--"));
  const unknown = names.filter((name) => !MEASURES[name]);
  if (unknown.length) throw new Error(`There is no ${unknown.join(", ")} here; there are ${Object.keys(MEASURES).join(", ")}.`);
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(MEASURES)) {
    if (names.length && !names.includes(name)) continue;
    process.stderr.write(`measuring ${name} …\n`);
    rows.push(...(await measure()));
  }
  const notes = rows.flatMap(({ what, note }) => (note ? [`- ${what}: ${note}.`] : []));
  const missed = rows.filter(({ ok }) => !ok);
  const verdict = missed.length ? `MISSED: ${missed.map(({ what }) => what).join("; ")}.` : "Every target is met.";
  process.stdout.write(`${BUSY ? `${BUSY}\n\n` : ""}${table(rows)}\n\n${notes.join("\n")}\n\n${verdict}\n`);
  if (args.includes("--check") && missed.length) process.exitCode = 1;
}

await main(process.argv.slice(2));
