/** What Slack refuses, repeats, delays and limits: each ends in an answer or in a sentence to whom it concerns, never in silence. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { until } from "../help/until.ts";
import { buttonsOf, type Said, wordsOf } from "../rigs/slack.ts";
import { POLICY, Team } from "./team.ts";

let team: Team;
beforeAll(async () => {
  team = await Team.open({ policy: { ...POLICY, approvals: { quorum: 2 } } });
  await team.product.start();
  // What is said once to somebody new is out of the way.
  team.script("good morning", { text: "Good morning." });
  await team.heard(ann().mention("C1", "good morning"), "Good morning.");
  await team.quiet();
});
afterAll(() => team.end());
afterEach(() => {
  team.slack.clearFaults();
  expect(team.model.problems).toEqual([]);
});

const ann = () => team.slack.as("U1ANN");
const wordsIn = ({ channel, ts }: Said) => team.slack.space.said(channel, ts).map(wordsOf);
const dms = () => team.slack.space.said("D1ANN").map(wordsOf);
const refusing = (method: string, error: string, times = 1) => team.slack.fault({ method, times, body: { ok: false, error } });

describe("an answer that Slack refuses", () => {
  test.each(["is_archived", "channel_not_found", "not_in_channel"])(
    "P1 because nothing can be said there (%s): who asked is told so privately",
    async (error) => {
      const about = `while it is ${error}`;
      team.script(about, { text: "An answer nobody can read." });
      refusing("chat.postMessage", error);
      refusing("chat.postEphemeral", error);
      ann().mention("C1", about);
      await until(
        () => dms().some((words) => words.includes(error) && words.includes("could not be posted")),
        () => `a word to Ann; she reads ${JSON.stringify(dms())}`,
      );
      await team.quiet();
    },
  );
  test("P1 for its shape is said in a simpler one", async () => {
    team.script("a table please", { text: "| a | b |\n|---|---|\n| 1 | 2 |" });
    refusing("chat.postMessage", "invalid_blocks");
    const said = ann().mention("C1", "a table please");
    await team.heard(said, "1  2");
    expect(wordsIn(said)).toHaveLength(1);
  });
  test("P5 for a while (429 with Retry-After) comes once the time is over, once", async () => {
    team.script("a busy channel", { text: "Here it is." });
    team.slack.rateLimit("chat.postMessage", 2);
    const said = ann().mention("C2", "a busy channel");
    const from = Date.now();
    await team.heard(said, "Here it is.");
    expect(Date.now() - from).toBeGreaterThanOrEqual(1900);
    expect(wordsIn(said)).toEqual(["Here it is."]);
  });
});

test("P3 a card that somebody deleted is put to people anew when it changes, and what they decide on it counts", async () => {
  team.script("a lost card", { calls: [["ops__deploy", { target: "lost" }]] }, { text: "Deployed." });
  const said = ann().mention("C1", "deploy a lost card");
  const card = await team.button(said, "Approve");
  const pressed = team.slack.as("U2BEN").press(card, "Approve");
  card.removed = true;
  await pressed;
  const again = await team.button(said, "Approve");
  expect(again.ts).not.toBe(card.ts);
  await team.slack.as("U4OLA").press(again, "Approve");
  await team.heard(said, "Deployed.");
  await team.quiet();
  expect(team.deploys("lost")).toBe(1);
  expect(team.slack.space.said("C1", said.ts).flatMap(buttonsOf)).toEqual([]);
});

test("a form that opens too late is asked for once more, in a sentence to who pressed", async () => {
  team.script("a late form", { calls: [["ops__deploy", { target: "late" }]] }, { text: "Then not." });
  const said = ann().mention("C1", "deploy a late form");
  const card = await team.button(said, "Deny");
  refusing("views.open", "expired_trigger_id");
  await team.slack.as("U2BEN").press(card, "Deny");
  await team.whisper("U2BEN", "press the button once more");
  await team.fill("U2BEN", card, "Deny", { reason: "no" });
  await team.heard(said, "Then not.");
  expect(team.deploys("late")).toBe(0);
});

test("a private sentence that meets a limit is said when the limit is over", async () => {
  team.script("nobody may", { calls: [["ops__deploy", { target: "limit" }]] }, { text: "Then not." });
  const said = ann().mention("C1", "deploy: nobody may");
  const card = await team.button(said, "Approve");
  team.slack.rateLimit("chat.postEphemeral", 1);
  await ann().press(card, "Approve");
  await team.whisper("U1ANN", "may not decide");
  await team.fill("U2BEN", card, "Deny", { reason: "no" });
  await team.heard(said, "Then not.");
});

describe("deliveries", () => {
  test("P2 the same event many times at once, and once more later, is one question", async () => {
    team.script("say it once", { text: "Once." });
    const said = ann().mention("C1", "say it once");
    const deliveries = await said.told;
    await Promise.all([...deliveries, ...deliveries].map(({ kind, body }) => team.slack.deliver(kind, body)));
    await team.heard(said, "Once.");
    await team.quiet();
    for (const { kind, body } of deliveries) await team.slack.deliver(kind, body);
    await team.quiet();
    expect([wordsIn(said), team.callsAbout("say it once")]).toEqual([["Once."], 1]);
  });
  test("P2 the two events of a mention may come far apart and in either order", async () => {
    for (const first of ["message", "app_mention"] as const) {
      const about = `${first} first`;
      team.script(about, { text: `Heard: ${about}.` });
      const said = ann().say("C1", `<@UBOT> ${about}`, { only: first });
      const [told] = await said.told;
      await team.heard(said, `Heard: ${about}.`);
      const event = told?.body.event as { type: string };
      const other = first === "message" ? "app_mention" : "message";
      await team.slack.event({ ...event, type: other, ...(other === "message" ? { channel_type: "channel" } : {}) });
      await team.quiet();
      expect([wordsIn(said), team.callsAbout(about)]).toEqual([[`Heard: ${about}.`], 1]);
    }
  });
  test("P2 a click that is told twice, and one on a card as it was, decides nothing twice", async () => {
    team.script("told twice", { calls: [["ops__deploy", { target: "twice" }]] }, { text: "Deployed twice? No." });
    const said = ann().mention("C1", "deploy, told twice");
    const card = await team.button(said, "Approve");
    await Promise.all([team.slack.as("U2BEN").press(card, "Approve"), team.slack.as("U2BEN").press(card, "Approve")]);
    const shown = { ...card, blocks: structuredClone(card.blocks) };
    await team.slack.as("U4OLA").press(card, "Approve");
    await team.heard(said, "Deployed twice? No.");
    await team.slack.as("U4OLA").press(shown, "Approve");
    await team.quiet();
    expect(team.deploys("twice")).toBe(1);
  });
  test("P1 P2 a disconnect in the middle of an answer, and a cut while a card waits, lose and double nothing", async () => {
    team.script("a shaky line", { calls: [["ops__deploy", { target: "shaky" }]] }, { text: "Still here.", chunk: 2, delay: 30 });
    const said = ann().mention("C1", "deploy on a shaky line");
    const card = await team.button(said, "Approve");
    team.slack.cut();
    await until(() => team.slack.connections === 2, "both connections");
    await team.slack.as("U2BEN").press(card, "Approve");
    await team.slack.as("U4OLA").press(card, "Approve");
    team.slack.disconnect();
    await team.heard(said, "Still here.");
    await team.quiet();
    expect([team.deploys("shaky"), wordsIn(said).filter((words) => words === "Still here.")]).toEqual([1, ["Still here."]]);
  });
});
