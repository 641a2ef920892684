/** What goes wrong outside, and what people are told about it: the model, the files of the home, results that are too large. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { wordsOf } from "../rigs/slack.ts";
import { POLICY, Team, talkOf } from "./team.ts";

let team: Team;
beforeAll(async () => {
  team = await Team.open({ policy: { ...POLICY, interruptOn: { "ops/flood": false } } });
  await team.product.start();
});
afterAll(async () => {
  const { problems } = team.model;
  await team.end();
  expect(problems, "every request was valid").toEqual([]);
});

const ann = () => team.slack.as("U1ANN");
const mention = (words: string) => ann().mention("C1", words);
const wordsIn = (said: { channel: string; ts: string }) => team.slack.space.said(said.channel, said.ts).map(wordsOf);

test.concurrent.each([
  ["is overloaded", { error: "overloaded_error" }],
  ["limits the rate", { error: "rate_limit_error", headers: { "retry-after": "1" } }],
  ["fails inside", { error: "api_error" }],
  ["cuts the connection before it answers", { error: "cut" }],
  ["is overloaded in the middle of its answer", { text: "Half an answer that is not", fault: { after: 4, kind: "error" as const } }],
  ["cuts the connection in the middle of its answer", { text: "Half an answer that is not", fault: { after: 4, kind: "cut" as const } }],
  ["ends its answer too early", { text: "Half an answer that is not", fault: { after: 4, kind: "short" as const } }],
])("P5 a model that %s is asked again, and only the whole answer is shown", async (what, turn) => {
  const about = `what if it ${what}`;
  team.script(about, turn, { text: "The whole answer." });
  const said = mention(about);
  await team.heard(said, "The whole answer.");
  expect(wordsIn(said)).toEqual(["The whole answer."]);
});

test.concurrent.each([
  ["declines", { text: "No.", stop: "refusal", why: "Not this." }, /declined to answer this.*Not this\./],
  ["refuses the key", { error: "authentication_error" }, /its key was refused.*ANTHROPIC_API_KEY/],
  ["has no credit", { error: "billing_error" }, /has no credit/],
  ["finds the request invalid", { error: "invalid_request_error", message: "tools: no" }, /refused the request as invalid.*tools: no/],
  ["finds the request too large", { error: "request_too_large" }, /too large for my model.*new thread/],
  ["says nothing", { text: " " }, /empty answer/],
])("P1 a model that %s: the thread says so in a sentence of its own", async (what, turn, sentence) => {
  const about = `see that it ${what}`;
  team.script(about, turn);
  const said = mention(about);
  await team.heard(said, "y model");
  expect(wordsIn(said)).toEqual([expect.stringMatching(sentence)]);
  expect(team.callsAbout(about), "asking again would not help").toBe(1);
});

test("P3 P4 a call that is cut off inside its input does not run, and the model is told so", async () => {
  const cut = { type: "tool_use", id: "toolu_cut", name: "ops__deploy", input: {}, rawInput: '{"target":"prod' };
  team.script("a long input", { blocks: [cut], stop: "max_tokens" }, { text: "I could not finish that." });
  await team.heard(mention("a long input"), "I could not finish");
  expect(team.deploys("prod")).toBe(0);
  expect(talkOf(team.lastAbout("a long input"))).toContain("Not run");
});

test("a conversation that is too long for the model is summarised, asked again, and answered", async () => {
  team.script("the first topic", { text: "Noted, the first." });
  const said = mention("the first topic");
  await team.heard(said, "Noted, the first.");
  const tooLong = { error: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" };
  team.script("the second topic", { text: "Here is the second." });
  team.script("the first topic", tooLong, { text: "They spoke of a topic before." });
  ann().say("C1", "and now the second topic", { thread: said.ts });
  await team.heard(said, "Here is the second.");
  expect(talkOf(team.lastAbout("the second topic"))).toContain("<summary>");
  expect(talkOf(team.lastAbout("the second topic"))).toContain("They spoke of a topic before.");
});

test("a conversation that does not fit even then ends with a sentence", async () => {
  const tooLong = { error: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" };
  team.script("far too long", tooLong, tooLong);
  await team.heard(mention("this is far too long"), "does not fit my model");
});

test("a large result is kept in a file, shown in part, and read back", async () => {
  team.script(
    "a flood",
    { calls: [["ops__flood", { kilobytes: 200 }]] },
    ({ messages }) => {
      const path = /\/evicted\/[\w.-]+\.txt/.exec(JSON.stringify(messages))?.[0] ?? "(no path)";
      return { calls: [["read_file", { file_path: path }]] };
    },
    { text: "I have read it." },
  );
  await team.heard(mention("make a flood"), "I have read it.");
  const [, second, third] = team.model.calls.filter(({ body }) => talkOf(body).includes("a flood"));
  expect(second?.raw.length).toBeLessThan(60_000);
  expect(talkOf(second?.body)).toContain("too large for the conversation");
  expect(talkOf(third?.body)).toContain("x".repeat(4_000));
});

test("P11 a broken policy.json: it is said once, nobody can approve until it is mended, and then they can", async () => {
  const whole = team.read("policy.json");
  team.write("policy.json", '{ "people": ');
  team.script("with care", { calls: [["ops__deploy", { target: "careful" }]] }, { text: "Deployed with care." });
  const said = mention("deploy with care");
  const card = await team.button(said, "Approve");
  await team.whisper("U1ANN", "policy.json of this home cannot be used");
  await team.slack.as("U2BEN").press(card, "Approve");
  await team.whisper("U2BEN", "policy.json");
  team.script("something else", { text: "Of course." });
  await team.heard(mention("something else"), "Of course.");
  expect(team.slack.space.whispered("U1ANN").filter((message) => wordsOf(message).includes("policy.json"))).toHaveLength(1);
  expect(team.deploys("careful")).toBe(0);

  team.write("policy.json", whole);
  await team.slack.as("U2BEN").press(card, "Approve");
  await team.heard(said, "Deployed with care.");
  expect(team.deploys("careful")).toBe(1);
});

test("P11 a broken tools.json costs the tools of its servers and nothing else, and is said once", async () => {
  const whole = team.read("tools.json");
  team.write("tools.json", "{");
  team.script("without servers", { calls: [["ls", { path: "/" }]] }, { text: "Still here." });
  await team.heard(mention("what works without servers?"), "Still here.");
  await team.whisper("U1ANN", "tools.json is not valid");
  const offered = JSON.stringify(team.lastAbout("without servers")?.tools);
  expect([offered.includes("ops__"), offered.includes("read_file")]).toEqual([false, true]);

  team.write("tools.json", whole);
  team.script("with servers", { calls: [["ops__echo", { text: "hi" }]] }, { text: "All there again." });
  await team.heard(mention("and with servers?"), "All there again.");
  expect(talkOf(team.lastAbout("with servers"))).toContain("echo: hi");
});
