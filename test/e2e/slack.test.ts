/** The product as people in Slack meet it: one process, Slack's protocol, a server that speaks the model's. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { until } from "../help/until.ts";
import { buttonsOf, type Said, wordsIn, wordsOf } from "../rigs/slack.ts";
import { HOME, promptOf, slotOf, Team, talkOf } from "./team.ts";

let team: Team;
beforeAll(async () => {
  team = await Team.open();
  await team.product.start();
});
afterAll(() => team.end());
afterEach(() => {
  expect(team.model.problems).toEqual([]);
  expect(team.product.troubles).toEqual([]);
});

const ann = () => team.slack.as("U1ANN");
const ben = () => team.slack.as("U2BEN");

test("P2 P3 a mention becomes a plan, what is risky waits for an approver, runs once, and the answer stands in the thread", async () => {
  team.script(
    "staging",
    { thinking: "A plan first.", calls: [["write_todos", { todos: [{ content: "Deploy it", status: "in_progress" }] }]] },
    { words: "I deploy now.", calls: [["ops__deploy", { target: "staging" }]] },
    { text: "It is **deployed**." },
  );
  const said = ann().mention("C1", "deploy to staging please");
  const card = await team.button(said, "Approve");
  expect(wordsOf(card)).toContain("target: staging");
  expect(buttonsOf(await team.heard(said, "Deploy it")).map(({ word }) => word)).toEqual(["Stop"]);

  await ann().press(card, "Approve");
  expect(wordsOf(await team.whisper("U1ANN", "may not decide"))).toMatch(/Who may: .*Ben/);
  expect(team.deploys("staging")).toBe(0);

  await Promise.all([ben().press(card, "Approve"), team.slack.as("U4OLA").press(card, "Approve"), ben().press(card, "Approve")]);
  const answer = await team.heard(said, "It is **deployed**.");
  await team.quiet();
  expect(team.deploys("staging")).toBe(1);
  expect(answer.thread_ts).toBe(said.ts);
  expect(wordsOf(card)).toMatch(/Approved by (Ben|Ola)/);
  const kinds = team.slack.space.said("C1", said.ts).map((message) => [slotOf(message).split("/")[0], buttonsOf(message).length]);
  expect(kinds).toEqual([
    ["progress", 0],
    ["card", 0],
    ["answer", 0],
  ]);
  expect(team.callsAbout("staging"), "the mention was told twice and taken once").toBe(3);
  expect(team.slack.deliveries.filter(({ acked }) => !acked)).toEqual([]);
});

test("P3 an edited input is what runs, and the model is told so", async () => {
  team.script("prod", { calls: [["ops__deploy", { target: "prod" }]] }, { text: "Done, to the other one." });
  const said = ann().mention("C1", "deploy to prod");
  const card = await team.button(said, "Edit");
  const sent = await team.fill("U2BEN", card, "Edit", { target: "prod-2" });
  expect(sent?.acked).toBe(true);
  await team.heard(said, "Done, to the other one.");
  expect([team.deploys("prod"), team.deploys("prod-2")]).toEqual([0, 1]);
  expect(talkOf(team.lastAbout("prod"))).toContain('Ben changed the input before it ran. What ran: {\\"target\\":\\"prod-2\\"}');
  expect(wordsOf(card)).toContain("Input changed by Ben");
});

test("P3 a denied call does not run, and the model is told why", async () => {
  team.script("friday", { calls: [["ops__deploy", { target: "friday" }]] }, { text: "Then not." });
  const said = ann().mention("C1", "deploy on friday");
  await team.fill("U2BEN", await team.button(said, "Deny"), "Deny", { reason: "never on a Friday" });
  await team.heard(said, "Then not.");
  expect(team.deploys("friday")).toBe(0);
  expect(talkOf(team.lastAbout("friday"))).toContain("never on a Friday");
});

test("P6 what was said in a DM or a private channel lands in its own memory, and no other place's prompt holds it", async () => {
  const tells = (words: string, fact: string) => team.script(words, { calls: [["remember", { text: fact }]] }, { text: `I keep ${words}` });
  tells("the gift", "Violet is Ann's gift for Ben.");
  await team.heard(ann().dm("remember the gift"), "I keep the gift");
  tells("the merger", "Zebra is the name of the merger.");
  await team.heard(ann().mention("G1", "remember the merger"), "I keep the merger");
  tells("the coffee", "Coffee is bought on Mondays.");
  await team.heard(ann().mention("C1", "remember the coffee"), "I keep the coffee");
  const files = ["MEMORY.md", "memory/people/slack_U1ANN/MEMORY.md", "memory/channels/slack_G1/MEMORY.md"];
  expect(files.map((file) => ["Coffee", "Violet", "Zebra"].filter((word) => team.read(file).includes(word)))).toEqual([
    ["Coffee"],
    ["Violet"],
    ["Zebra"],
  ]);

  const sees = async (words: string, ask: (words: string) => Said) => {
    team.script(words, { text: "Hello." });
    await team.heard(ask(words), "Hello.");
    const body = team.lastAbout(words);
    return ["Coffee", "Violet", "Zebra"].filter((word) => (promptOf(body) + talkOf(body)).includes(word));
  };
  expect(await sees("good morning", (words) => ben().mention("C1", words))).toEqual(["Coffee"]);
  expect(await sees("good day", (words) => ben().dm(words))).toEqual(["Coffee"]);
  expect(await sees("good evening", (words) => ann().mention("G1", words))).toEqual(["Coffee", "Zebra"]);
  // A DM sees the private places that its person is in at this moment.
  expect(await sees("good night", (words) => ann().dm(words))).toEqual(["Coffee", "Violet", "Zebra"]);
});

test("P3 P6 the Home tab has what waits for whom it is decided by, and a decision there runs the call and takes it away", async () => {
  team.script("from home", { calls: [["ops__deploy", { target: "from-home" }]] }, { text: "Deployed from home." });
  const said = ann().mention("C1", "deploy from home");
  await team.button(said, "Approve");
  await Promise.all([ann().opens("home"), ben().opens("home")]);
  expect(wordsIn(ann().home().view)).toContain("Nothing waits for your decision.");
  expect(wordsIn(ann().home().view)).toContain("deploy from home");
  expect(wordsIn(ann().home().view)).toContain("Violet is Ann's gift");
  expect(wordsIn(ben().home().view)).not.toContain("Violet");
  expect(wordsIn(ben().home().view)).toContain("target: from-home");
  expect((await ben().pressIn(ben().home(), "Approve")).acked).toBe(true);
  await team.heard(said, "Deployed from home.");
  expect(team.deploys("from-home")).toBe(1);
  await until(() => wordsIn(ben().home().view).includes("Nothing waits for your decision."), "the tab without it");
});

test("P1 thanks are answered with a sign on them, and nothing more is said", async () => {
  team.script("the kiwi", { text: "Here is the kiwi." });
  const said = ann().mention("C1", "where is the kiwi?");
  await team.heard(said, "Here is the kiwi.");
  team.script("many thanks", { calls: [["react", { sign: "👍" }]] }, { text: "(never said)" });
  const thanks = ann().say("C1", "many thanks", { thread: said.ts });
  await until(() => team.slack.space.signs.some(({ ts, name }) => ts === thanks.ts && name === "thumbsup"), "the sign");
  await team.quiet();
  expect(team.slack.space.said("C1", said.ts).map(wordsOf)).toEqual(["Here is the kiwi."]);
});

test("P1 a follow-up after a restart goes on with the same conversation", async () => {
  team.script("heron", { text: "Noted: the code word is heron." });
  const said = ann().mention("C1", "the code word is heron");
  await team.heard(said, "heron");
  await team.quiet();
  expect((await team.product.restart()).woken).toBe(0);
  team.script("heron", { text: "It was heron, as you said." });
  ann().say("C1", "what was it?", { thread: said.ts });
  await team.heard(said, "as you said");
  expect(talkOf(team.lastAbout("heron"))).toContain("the code word is heron");
});

test("an edit reaches the open turn as a correction, and a deleted message is gone from what the model is told", async () => {
  let go: (turn: { text: string }) => void = () => {};
  team.script("a table", () => new Promise((done) => (go = done)), { text: "For six, then." });
  const said = ann().mention("C1", "book a table for five");
  await team.thinks("a table");
  await ann().edit(said.message, "<@UBOT> book a table for six");
  go({ text: "A table for five." });
  await team.heard(said, "For six, then.");
  expect(talkOf(team.lastAbout("a table"))).toMatch(/<correction[^>]*>book a table for six/);

  await ann().remove(said.message);
  team.script("thanks", { text: "All right." });
  ann().say("C1", "thanks", { thread: said.ts });
  await team.heard(said, "All right.");
  const talk = talkOf(team.lastAbout("thanks"));
  expect(talk).toContain("[deleted by its author]");
  expect(talk).not.toContain("book a table for five");
});

test("P5 a rate limit and a connection that breaks while the answer is sent leave one answer, without a mark", async () => {
  team.slack.rateLimit("chat.postMessage", 1, 2);
  team.slack.fault({ method: "chat.postMessage", drop: "after" });
  team.script("are you there", { text: "Here, in spite of all." });
  const said = ann().mention("C1", "are you there?");
  await team.heard(said, "in spite of all", 15_000);
  await team.quiet();
  expect(team.slack.space.said("C1", said.ts).map(wordsOf)).toEqual(["Here, in spite of all."]);
});

test("P1 P2 what is said while the socket is cut is redelivered and answered once", async () => {
  team.slack.cut();
  team.script("hello?", { text: "I am back." });
  const said = ann().mention("C2", "hello?");
  await team.heard(said, "I am back.");
  await said.told;
  await team.quiet();
  expect(team.slack.space.said("C2", said.ts)).toHaveLength(1);
});

test("P9 P10 a token the model writes is masked everywhere, and its text calls nobody", async () => {
  const { botToken } = team.slack;
  team.script("your token", { text: `<!channel> ask <@U2BEN> @everyone: ${botToken}` });
  const said = ann().mention("C1", "what is your token?");
  const answer = await team.heard(said, "ask");
  await team.quiet();
  expect(JSON.stringify([answer.text, answer.blocks])).not.toMatch(/<!channel>|<@U2BEN>|@everyone/);
  const journal = readFileSync(join(team.product.workspaces, HOME, "agents/main/context/journal.db-wal"), "latin1");
  expect(
    [JSON.stringify(team.slack.space.messages), JSON.stringify(team.product.log), journal].filter((text) => text.includes(botToken)),
  ).toEqual([]);
});

test("P1 SIGTERM in the middle of a turn: exit 0 within ten seconds, and the turn goes on at the next start", async () => {
  team.script("a long piece", () => new Promise(() => {}));
  const said = ann().mention("C1", "a long piece of work");
  await team.thinks("a long piece");
  const exit = await team.product.sigterm();
  expect(exit.code).toBe(0);
  expect(exit.ms).toBeLessThan(10_000);
  team.script("a long piece", { text: "Done after all." });
  await team.product.start();
  await team.heard(said, "Done after all.");
});
