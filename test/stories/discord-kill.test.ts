/**
 * A story with an approval on Discord, with the real discord.js, killed at its boundaries and taken up by another process that connects anew.
 * People press again only where nothing came of it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MARK } from "../../adapters/shared/noted.ts";
import type { Adapter } from "../../src/core/ports.ts";
import { adapterFor, town } from "../adapters/discord/connected.ts";
import { Bot, tool } from "../help/bot.ts";
import { calls, Script, says } from "../help/script.ts";
import { buttonsOf, DELETE, EDIT, POST, wordsOf } from "../rigs/discord.ts";

const ANSWER = "It is deployed.";
/** By how far the model got, not by how often it was asked. */
function model(): Script {
  const script = new Script();
  script.answer = async (request) => {
    const begun = request.messages.some(({ role }) => role === "assistant");
    return begun ? says(ANSWER) : calls(["deploy", { target: "blue" }]);
  };
  return script;
}

async function play(killAt: number) {
  const wide = { limit: 1000, per: 1000 };
  const { rig, channel, ann } = town({ buckets: { [POST]: wide, [EDIT]: wide, [DELETE]: wide } });
  await rig.start();
  const folder = mkdtempSync(join(tmpdir(), "denizen-discord-"));
  const lives: Adapter[] = [];
  let runs = 0;
  const bot = new Bot({
    killAt,
    model: model(),
    tools: [tool("deploy", () => `run ${++runs}`)],
    gate: () => ({ verdict: "ask", risky: true }),
    adapter: () => {
      const adapter = adapterFor(rig, folder, []);
      lives.push(adapter);
      return adapter;
    },
  });
  await bot.connect();
  const root = rig.as(ann).mention(channel, "deploy blue");
  const said = () => rig.said(root.id);
  const end = Date.now() + 15_000;
  let pressed = "";
  const killed = () => bot.fuse.blown;
  for (let lived = 0; ; ) {
    if (killed() && lived === 0) {
      lived++;
      void lives[0]?.stop();
      await bot.restart();
      pressed = "";
    }
    const card = said().find((one) => buttonsOf(one).some(({ label }) => label === "Approve"));
    if (card && pressed !== card.id) {
      pressed = card.id;
      rig.as(ann).press(card, "Approve");
    }
    if (!killed() && said().some((one) => wordsOf(one).includes(ANSWER))) {
      await Promise.race([bot.quiet(), new Promise((done) => setTimeout(done, 500))]);
      if (!killed()) break;
    }
    if (Date.now() > end) throw new Error(`killed at ${killAt}: no answer; shown: ${JSON.stringify(said().map(wordsOf))}`);
    await new Promise((done) => setTimeout(done, 5));
  }
  await bot.quiet();
  const { passed } = bot.fuse;
  const shown = said().map((one) => ({ words: wordsOf(one), buttons: buttonsOf(one).map(({ label }) => label) }));
  const pings = rig.pings().length;
  await lives.at(-1)?.stop();
  await bot.end();
  await rig.stop();
  rmSync(folder, { recursive: true, force: true });
  return { runs, passed, shown, pings };
}

test("P1 P3 P5 on Discord: an approval killed at its boundaries is answered once, runs at most once, and leaves no buttons", async () => {
  const { passed, runs } = await play(0);
  expect(runs).toBe(1);
  const every = process.env.EVERY_BOUNDARY ? 1 : 4;
  for (let killAt = 1; killAt <= passed; killAt += every) {
    const story = await play(killAt);
    const answers = story.shown.filter(({ words }) => words.includes(ANSWER));
    const where = `killed at ${killAt}: ${JSON.stringify(story.shown)}`;
    expect(answers.filter(({ words }) => !words.includes(MARK)).length, where).toBeLessThanOrEqual(1);
    expect(answers.length, where).toBeGreaterThanOrEqual(1);
    expect(story.runs, where).toBeLessThanOrEqual(1);
    expect(
      story.shown.flatMap(({ buttons }) => buttons).filter((word) => word !== "Undo"),
      where,
    ).toEqual([]);
    expect(story.pings, where).toBe(0);
  }
}, 180_000);
