/** `npm run render -- --home NAME`: writes the readable logs of a home's sessions anew, beside the running product or without it. */
import { join } from "node:path";
import { archive } from "../archive/archive.ts";
import { openJob, run, wishes } from "./open.ts";

run(async () => {
  const { home = "" } = wishes();
  const { dir, journal } = await openJob(home);
  try {
    const folder = join(dir, "agents", "main", "sessions");
    const count = await archive(folder, journal).renew();
    process.stdout.write(`${count} ${count === 1 ? "session" : "sessions"} written to ${folder}.\n`);
    return 0;
  } finally {
    await journal.close();
  }
});
