/** What a night learned, told by the whole product in Slack: to the channel that policy names and to a person alone, with a way back. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { until } from "../help/until.ts";
import { buttonsOf, wordsOf } from "../rigs/slack.ts";
import { HOME, POLICY, slotOf, Team } from "./team.ts";

let team: Team;
afterAll(() => team.end());

function consolidate(): Promise<string> {
  const script = new URL("../../src/scripts/consolidate.ts", import.meta.url).pathname;
  const env = {
    PATH: process.env.PATH ?? "",
    WORKSPACES_DIR: team.product.workspaces,
    DATA_DIR: join(team.product.root, "data"),
    ANTHROPIC_API_KEY: "sk-ant-a-key-of-this-test",
    ANTHROPIC_BASE_URL: team.model.url,
  };
  const child = spawn(process.execPath, ["--import", "tsx", script, "--home", HOME], { env, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (out += chunk.toString()));
  return new Promise((done) => child.on("close", () => done(out)));
}

test("P5 P6 a night is told once where policy wants it, a private fact to its person alone, and Undo works after a restart", {
  timeout: 60_000,
}, async () => {
  const consolidation = { announce: "slack:C1", people: ["members"] };
  team = await Team.open({ policy: { ...POLICY, consolidation } });
  await team.product.start();
  team.script("release", { text: "Noted the release." });
  team.script("violets", { text: "Noted the flowers." });
  const open = team.slack.as("U1ANN").mention("C1", "our release day is Thursday-8812");
  await team.heard(open, "Noted the release.");
  const direct = team.slack.as("U1ANN").dm("my flowers are violets-31");
  await team.heard(direct, "Noted the flowers.");
  await team.quiet();
  await team.product.sigterm();
  for (const [mark, text] of [
    ["Thursday-8812", "The release day is Thursday-8812"],
    ["violets-31", "Ann's flowers are violets-31"],
  ] as const)
    team.script(mark, (body) => {
      const refs = [...JSON.stringify(body.messages).matchAll(/\[m:([^\]]+)\]/g)].map(([, id]) => id);
      return { text: JSON.stringify({ operations: [{ op: "add", text, evidence: refs.slice(-1) }] }) };
    });
  expect(await consolidate()).toContain("team: 1 learned, 0 changed, 0 gone.");

  await team.product.start();
  const digests = (channel: string) => team.slack.space.said(channel).filter((message) => slotOf(message).startsWith("digest/"));
  const [public1] = await until(
    () => (digests("C1").length ? digests("C1") : undefined),
    () => `a digest; ${team.product.tail()}`,
  );
  const [private1] = await until(() => (digests(direct.channel).length ? digests(direct.channel) : undefined), "a private digest");
  if (!public1 || !private1) throw new Error("no digest");
  expect(wordsOf(public1)).toMatch(/Learned: The release day is Thursday-8812/);
  expect(wordsOf(public1)).not.toContain("violets");
  expect(wordsOf(private1)).toMatch(/Ann's flowers are violets-31/);
  expect(public1.thread_ts).toBeUndefined();

  await team.product.restart();
  await team.quiet();
  expect([digests("C1").length, digests(direct.channel).length]).toEqual([1, 1]);
  expect(buttonsOf(public1).map(({ word }) => word)).toEqual(["Undo"]);
  await team.slack.as("U2BEN").press(public1, "Undo");
  await until(() => digests("C1").some((message) => wordsOf(message).includes("taken back by Ben")) || undefined, "the line to say so");
  expect(team.read("MEMORY.md")).not.toContain("8812");
  expect(team.product.troubles).toEqual([]);
});
