/**
 * `npm run doctor`: says in plain words what is configured, missing or wrong, and in each line what mends it. Ends with 1 if something is.
 * `-- --repair` mends journals whose tail is torn; nothing else is ever changed. `-- --no-start` leaves the programs of tools.json alone.
 */
import { parseArgs } from "node:util";
import { loadEnvFile } from "../config.ts";
import { examineAll } from "./examine.ts";
import { lineOf } from "./finding.ts";
import { run } from "./open.ts";

run(async () => {
  const { values } = parseArgs({
    options: { repair: { type: "boolean", default: false }, "no-start": { type: "boolean", default: false } },
  });
  loadEnvFile(".env");
  const start = !values["no-start"];
  if (start) process.stdout.write("Programs of tools.json are started, to see what they offer; `-- --no-start` leaves them alone.\n\n");
  const findings = await examineAll(process.env, values.repair, start);
  for (const finding of findings) process.stdout.write(`${lineOf(finding)}\n`);
  const faults = findings.filter(({ how }) => how === "wrong").length;
  process.stdout.write(faults ? `\n${faults} ${faults === 1 ? "thing is" : "things are"} wrong.\n` : "\nAll is well.\n");
  return faults ? 1 : 0;
});
