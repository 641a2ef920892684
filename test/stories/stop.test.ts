/** Who may stop what runs: the person who asked, approvers and administrators; by the button, by the word, and by a sign or command. */
import { afterEach, describe, expect, test } from "vitest";
import type { Speaker } from "../../src/core/event.ts";
import { ANN, BEN, Bot, tool } from "../help/bot.ts";
import { calls, Script, says } from "../help/script.ts";
import { until } from "../help/until.ts";

let bot: Bot;
afterEach(() => bot.end());
const APPROVER: Speaker = { id: "stage:app", name: "App", kind: "member" };
const ADMIN: Speaker = { id: "stage:adm", name: "Adm", kind: "member" };
const may = (what: string, id: string) => what === "talk" || (what === "approve" ? id === APPROVER.id : id === ADMIN.id);

/** The turn runs until it is stopped. */
async function running(): Promise<void> {
  const wait = tool("wait", (_, signal) => new Promise((done) => signal.addEventListener("abort", () => done("late"), { once: true })));
  bot = new Bot({
    model: new Script(calls(["wait"]), says("(not stopped)")),
    tools: [wait],
    rules: { may, who: (what) => `those who ${what}` },
  });
  await bot.say(ANN, "wait");
  await bot.button("Stop");
}
const place = { platform: "stage", team: "T", channel: "C", thread: "t1" };
const WAYS: [string, (by: Speaker) => Promise<unknown>][] = [
  ["the button", (by) => bot.click(by, "Stop")],
  ["the word", (by) => bot.say(by, "stop", { mentioned: false })],
  ["the word said to it", (by) => bot.say(by, "Stop!", { mentioned: true })],
  // A sign on a message of the thread is told as this command.
  [
    "a sign or the command",
    (by) => bot.house.command({ place, channel: "public", shared: false, by, text: "stop", message: "r1", at: Date.now() }),
  ],
];

describe.each(WAYS)("by %s", (_, stop) => {
  test.each([ANN, APPROVER, ADMIN])("$name may, and the turn says who it was", async (by) => {
    await running();
    await stop(by);
    await bot.answer(`Stopped by ${by.name}.`);
    await until(() => bot.stage.buttons("Stop").length === 0, "no button");
  });
  test("others may not, and the work goes on", async () => {
    await running();
    await stop(BEN);
    expect((await bot.journal.state("stage:T:C:t1")).talk.phase).toBe("acting");
    expect(bot.stage.answers()).toEqual([]);
  });
  test("nor may who only talks beside it", async () => {
    await running();
    await bot.say(BEN, "what is it doing?", { mentioned: false, toOthers: true });
    await until(async () => (await bot.journal.state("stage:T:C:t1")).talk.queue.length || undefined, "the message to be heard");
    await stop(BEN);
    expect((await bot.journal.state("stage:T:C:t1")).talk.phase).toBe("acting");
  });
});

test("who may not is told who may, privately; a word that was not said to the agent is left to whom it was for", async () => {
  await running();
  expect(await bot.click(BEN, "Stop")).toMatchObject({
    to: "asker",
    view: { parts: [{ text: expect.stringContaining("those who approve") }] },
  });
  const said = await bot.house.message(bot.incoming(BEN, "stop", { mentioned: true }));
  expect(said.reply).toMatchObject({ to: "asker" });
  const aside = await bot.house.message(bot.incoming(BEN, "stop", { mentioned: false }));
  expect(aside).not.toHaveProperty("reply");
});
