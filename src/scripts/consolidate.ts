/** `npm run consolidate -- --home NAME`: the nightly memory job for one home, now; beside the running product or without it. */
import { retire } from "../archive/retire.ts";
import { UserError } from "../core/ports.ts";
import { homeMemory } from "../memory/memory.ts";
import { type NightReport, night } from "../memory/night.ts";
import { anthropic } from "../model/anthropic.ts";
import { openJob, run, wishes } from "./open.ts";

run(async () => {
  const { home = "" } = wishes();
  const { config, homes, dir, journal, scrub } = await openJob(home);
  try {
    const { key, baseUrl } = config.anthropic;
    if (!key)
      throw new UserError("No ANTHROPIC_API_KEY is set, and the offline model cannot tell what is worth remembering. Nothing was done.");
    const { model: own, budget } = await homes.rules(home);
    const { book } = homeMemory(dir, async () => journal);
    const stop = new AbortController();
    process.once("SIGINT", () => stop.abort());
    const modelName = own ?? config.model;
    const model = anthropic({ apiKey: key, baseURL: baseUrl, model: modelName, scrub });
    const bounds = budget ? { tokensPerDay: budget.tokensPerDay } : {};
    const reports = await night({ book, journal, model, modelName, scrub, now: Date.now, signal: stop.signal, byHand: true, ...bounds });
    const retired = await retire({ dir, journal, policy: () => homes.home(home).policy() }, Date.now());
    if (retired.length) process.stdout.write(`${retired.length} conversations retired, as retention.sessionsDays says.\n`);
    process.stdout.write(`${told(reports)}\n`);
    return reports.some(({ problem }) => problem !== undefined) ? 1 : 0;
  } finally {
    await journal.close();
  }
});

function told(reports: NightReport[]): string {
  if (reports.length === 0) return "Nothing was said since the last time.";
  return reports
    .map(({ scope, learned, changed, gone, refused, problem }) => {
      const counts = `${scope}: ${learned} learned, ${changed} changed, ${gone} gone.`;
      return [problem ? `${scope}: ${problem} Nothing was changed.` : counts, ...refused.map((why) => `  not done: ${why}`)].join("\n");
    })
    .join("\n");
}
