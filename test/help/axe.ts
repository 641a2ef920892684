/** What axe-core finds serious or critical on a page. The page's own policy lets no foreign script in, so it is put in by the debugger. */
import axe from "axe-core";
import type { Page } from "playwright-core";

export async function findings(page: Page): Promise<string[]> {
  const client = await page.context().newCDPSession(page);
  await client.send("Runtime.evaluate", { expression: axe.source });
  const { result } = await client.send("Runtime.evaluate", {
    expression: `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => JSON.stringify(violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target.join(" ") + ": " + failureSummary))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await client.detach();
  return JSON.parse(String(result.value)) as string[];
}
