/** An answer without words: a sign on the message, or nothing where nobody addressed the agent. */
import { afterEach, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/event.ts";
import { react } from "../../src/tools/react.ts";
import { ANN, BEN, Bot, tool } from "../help/bot.ts";
import { calls, heard, Script, says } from "../help/script.ts";
import { Stage } from "../help/stage.ts";
import { until } from "../help/until.ts";

let bot: Bot;
afterEach(() => bot.end());
/** What `look` waits for. */
let looks: () => string | Promise<string> = () => "nothing";
afterEach(() => {
  looks = () => "nothing";
});
const begin = (...lines: ConstructorParameters<typeof Script>) => {
  const stage = new Stage();
  const signs = react({ react: (place, message, sign) => stage.react(place, message, sign) });
  bot = new Bot({ stage, model: new Script(...lines), tools: [signs, tool("look", looks)] });
};
const reacts = (input: JsonObject = {}) => calls(["react", input]);

test("a sign ends the turn: it stands on the message, nothing is said, and the next message begins afresh (P1, P4)", async () => {
  begin(says("Deployed."), reacts({ sign: "🎉" }), says("At noon."));
  await bot.say(ANN, "deploy");
  await bot.answer("Deployed.");
  const thanks = await bot.say(ANN, "thanks!", { mentioned: false });
  await bot.quiet();
  expect(bot.stage.signs).toEqual([{ message: thanks, sign: "🎉" }]);
  expect(bot.stage.posts.map(({ slot }) => slot.kind)).toEqual(["answer"]);
  await bot.say(ANN, "when?", { mentioned: false });
  await bot.answer("At noon.");
  expect(bot.model.requests).toHaveLength(3);
});

test("silence is an answer only where nobody addressed the agent: whoever did is owed something they can see (P1)", async () => {
  begin(says("Hello."), reacts(), reacts(), says("Here I am."));
  await bot.say(ANN, "hello");
  await bot.answer("Hello.");
  await bot.say(ANN, "I will tell Ben", { mentioned: false });
  await bot.quiet();
  expect([bot.stage.answers(), bot.stage.signs]).toEqual([["Hello."], []]);
  await bot.say(BEN, "are you there?", { mentioned: true });
  await bot.answer("Here I am.");
  expect(heard(bot.model.requests.at(-1))).toContain("You were addressed");
});

test("a direct message is addressed to the agent, whatever it says (P1)", async () => {
  begin(reacts(), reacts({ sign: "👍" }));
  const id = await bot.say(ANN, "ok", { channel: "dm", mentioned: false });
  await bot.quiet();
  expect(bot.stage.signs).toEqual([{ message: id, sign: "👍" }]);
});

test("a sign that cannot be set, or one that is none, leads to words instead (P1)", async () => {
  begin(reacts({ sign: "👍" }), reacts({ sign: "🦖" }), says("In words then."));
  bot.stage.weather = ["forbidden"];
  await bot.say(ANN, "thanks");
  await bot.answer("In words then.");
  const last = heard(bot.model.requests.at(-1));
  expect([last.includes("not allowed"), last.includes("The input does not fit") || last.includes("not valid")]).toEqual([true, true]);
});

test("on what was asked in a form the sign stands on the message that shows it", async () => {
  looks = () => until(() => bot.stage.posts.length > 0 && "it stands", "what was asked");
  begin(calls(["look"]), reacts({ sign: "👍" }));
  await bot.say(ANN, "look at this", { unseen: true });
  await bot.quiet();
  const asked = bot.stage.posts.find(({ slot }) => slot.kind === "asked");
  expect(bot.stage.signs).toEqual([{ message: asked?.id, sign: "👍" }]);
});

test("called beside other work it does not cut that off", async () => {
  begin(calls(["react", { sign: "👀" }], ["look"]), says("Looked."));
  await bot.say(ANN, "look");
  await bot.answer("Looked.");
  expect(bot.stage.signs).toHaveLength(1);
});
