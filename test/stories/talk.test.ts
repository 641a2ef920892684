import { afterEach, describe, expect, test } from "vitest";
import { plain } from "../../src/core/view.ts";
import { ANN, BEN, Bot, type BotOptions, tool } from "../help/bot.ts";
import { calls, fails, heard, Script, says } from "../help/script.ts";
import { Stage } from "../help/stage.ts";
import { until } from "../help/until.ts";

let bot: Bot;
const start = (options: BotOptions = {}) => (bot = new Bot({ tools: [tool("noop", () => "ok")], ...options }));
afterEach(() => bot.end());

describe("a turn", () => {
  test("a mention is answered once, and nothing but the answer stays (P5)", async () => {
    start({ model: new Script(says("Hello Ann.")) });
    await bot.say(ANN, "hi");
    await bot.answer("Hello Ann.");
    await bot.quiet();
    expect(bot.stage.visible().map((post) => post.slot.kind)).toEqual(["answer"]);
  });

  test("P5 what was asked in a form is read in the thread before its answer; also behind an open decision", async () => {
    const gate = () => ({ verdict: "ask" as const });
    start({ model: new Script(says("Hello Ann."), calls(["noop", {}]), says("Both.")), gate });
    await bot.say(ANN, "look at this", { unseen: true });
    await bot.answer("Hello Ann.");
    const shown = () => bot.stage.visible().map(({ slot }) => [slot.kind, plain(slot.view)]);
    expect(shown()).toEqual([
      ["asked", "Ann asked me:\nlook at this"],
      ["answer", "Hello Ann."],
    ]);
    await bot.say(ANN, "do it");
    await bot.button("Approve");
    await bot.say(BEN, "and that", { unseen: true });
    await until(() => shown().some(([, words]) => words === "Ben asked me:\nand that"), "what waits");
    await bot.click(ANN, "Approve");
    await bot.answer("Both.");
    await bot.quiet();
    expect(shown().filter(([kind]) => kind === "asked")).toHaveLength(2);
  });

  test("people see that something goes on until the answer stands, also while the platform limits what it takes", async () => {
    const stage = new Stage();
    stage.weather.push("refused", "refused");
    start({ model: new Script(says("Hello Ann.")), stage });
    await bot.say(ANN, "hi");
    await bot.answer("Hello Ann.");
    await bot.quiet();
    await until(() => stage.lives.at(-1)?.phase === "idle", "the end");
    const told = stage.lives.map(({ phase }) => phase);
    expect(told.length).toBeGreaterThan(3);
    expect(told.indexOf("idle")).toBeGreaterThan(told.lastIndexOf("thinking"));
  });

  test("a follow-up has the history", async () => {
    start({ model: new Script(says("One."), says("Two.")) });
    await bot.say(ANN, "first question");
    await bot.answer("One.");
    await bot.say(ANN, "second question", { mentioned: false });
    await bot.answer("Two.");
    expect(heard(bot.model.requests[1])).toMatch(/first question.*One\..*second question/);
  });

  test("a message that arrives twice is answered once (P2)", async () => {
    start({ model: new Script(says("Once.")) });
    const incoming = bot.incoming(ANN, "hi");
    await Promise.all([bot.house.message(incoming), bot.house.message(incoming)]);
    await bot.house.message(incoming);
    await bot.answer("Once.");
    await bot.quiet();
    expect(bot.model.requests).toHaveLength(1);
  });

  test("a long answer arrives in parts, in order and whole", async () => {
    const text = Array.from({ length: 200 }, (_, i) => `Sentence number ${i} of the answer.`).join("\n\n");
    start({ model: new Script(says(text)), stage: new Stage(1_000) });
    await bot.say(ANN, "tell me all");
    await bot.answer("number 199");
    await bot.quiet();
    const shown = bot.stage.answers();
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.every((part) => part.length <= 1_000)).toBe(true);
    expect(shown.join(" ").match(/number \d+/g)).toEqual(text.match(/number \d+/g));
  });

  test("parallel calls run side by side, and all results reach the model in the order of the calls", async () => {
    let most = 0;
    let now = 0;
    const slow = async ({ n }: { n?: unknown }) => {
      most = Math.max(most, ++now);
      await new Promise((done) => setTimeout(done, 30 - Number(n) * 10));
      now--;
      return `result ${n}`;
    };
    start({
      model: new Script(calls(["slow", { n: 0 }], ["slow", { n: 1 }], ["slow", { n: 2 }]), says("Done.")),
      tools: [tool("slow", slow)],
    });
    await bot.say(ANN, "go");
    await bot.answer("Done.");
    expect(most).toBe(3);
    expect(heard(bot.model.requests[1])).toMatch(/result 0.*result 1.*result 2/);
  });

  test("a message between steps is taken into the next step", async () => {
    let release = () => {};
    const wait = () => new Promise<string>((done) => (release = () => done("waited")));
    start({ model: new Script(calls(["wait"]), says("Both.")), tools: [tool("wait", wait)] });
    await bot.say(ANN, "first");
    await bot.button("Stop");
    await bot.say(ANN, "and this too", { mentioned: false });
    release();
    await bot.answer("Both.");
    await bot.quiet();
    expect(heard(bot.model.requests[1])).toContain("and this too");
    expect(bot.model.requests).toHaveLength(2);
  });

  test("what a person writes is never kept with a secret in it (P9)", async () => {
    start({ model: new Script(says("The token is xoxb-secret, keep it.")) });
    await bot.say(ANN, "my token is xoxb-secret");
    await bot.answer("[masked]");
    expect(heard(bot.model.requests[0])).not.toContain("xoxb-secret");
    expect(JSON.stringify(await bot.journal.events("stage:T:C:t1"))).not.toContain("xoxb-secret");
  });
});

describe("failures of the model", () => {
  test("overload is tried again, and nothing is seen of it", async () => {
    start({ model: new Script(fails("retry"), says("After all.")) });
    await bot.say(ANN, "hi");
    await bot.answer("After all.");
    expect(bot.stage.visible()).toHaveLength(1);
  });

  test.each([
    ["auth", /key was refused/],
    ["billing", /no credit/],
    ["too_large", /too large/],
    ["invalid", /invalid/],
  ] as const)("%s is told in its own sentence, and the thread goes on", async (kind, sentence) => {
    start({ model: new Script(fails(kind), says("Better now.")) });
    await bot.say(ANN, "hi");
    await bot.quiet();
    expect(bot.stage.answers().at(-1)).toMatch(sentence);
    await bot.say(ANN, "again");
    await bot.answer("Better now.");
  });

  test("a call cut off by the length of the answer never runs, and the model is told", async () => {
    const ran: string[] = [];
    const broken = {
      ...calls(["write"]),
      stop: "length" as const,
      calls: [{ tool: "write", input: {}, broken: "the answer was cut off inside it." }],
    };
    start({ model: new Script(broken, says("Smaller then.")), tools: [tool("write", () => String(ran.push("x")))] });
    await bot.say(ANN, "write a lot");
    await bot.answer("Smaller then.");
    expect(ran).toEqual([]);
    expect(heard(bot.model.requests[1])).toContain("Not run: the answer was cut off inside it.");
  });

  test("a context that is too large is summarised and the question asked again", async () => {
    const model = new Script(says("One."), says("Two."), fails("overflow"), says("Three."));
    start({ model });
    for (const [text, answer] of [
      ["first", "One."],
      ["second", "Two."],
      ["third", "Three."],
    ] as const) {
      await bot.say(ANN, text);
      await bot.answer(answer);
      await bot.quiet();
    }
    const last = model.requests.at(-1);
    expect(heard(last)).toContain("Summary of what came before.");
    expect(heard(last)).toContain("third");
  });

  test("a context that is still too large after that is said in words", async () => {
    start({ model: new Script(says("One."), fails("overflow"), fails("overflow")) });
    await bot.say(ANN, "first");
    await bot.answer("One.");
    await bot.quiet();
    await bot.say(ANN, "second");
    await bot.answer("does not fit");
  });

  test("the step limit ends a turn in words", async () => {
    start({ model: new Script(...Array.from({ length: 5 }, () => calls(["noop"]))), rules: { stepsPerTurn: 3 } });
    await bot.say(ANN, "loop");
    await bot.answer("used up the steps");
    expect(bot.model.requests).toHaveLength(3);
  });
});

describe("being called into a thread that is under way", () => {
  const earlier = [
    { id: "m-1", by: BEN, text: "The build is red.", at: Date.now() - 2000 },
    { id: "m-0", by: ANN, text: "Since noon.", at: Date.now() - 1000 },
  ];
  test("the model reads what was said before, marked as such, and nobody of that time has joined the talk", async () => {
    start({ model: new Script(says("I see."), says("Still here.")) });
    await bot.say(ANN, "what is wrong?", { background: earlier });
    await bot.answer("I see.");
    const [first] = bot.model.requests;
    expect(heard(first)).toMatch(
      /name=\\"Ben\\"[^>]*background=\\"said before you were called\\">The build is red.*Since noon\..*>what is wrong\?/s,
    );
    expect(heard(first).match(/background=/g)).toHaveLength(2);
    await bot.quiet();
    await bot.say(ANN, "and now?", { mentioned: false });
    await bot.answer("Still here.");
  });
  test("what was said before and only then comes by itself is answered all the same, once (P1, P2)", async () => {
    start({ model: new Script(says("You first."), says("Now you.")) });
    const missed = bot.incoming(BEN, "The build is red.", { id: "m-1" });
    await bot.say(ANN, "what is wrong?", { background: earlier });
    await bot.answer("You first.");
    await bot.quiet();
    expect((await bot.house.message(missed)).taken).toBe(true);
    await bot.answer("Now you.");
    expect((await bot.house.message(missed)).taken).toBe(false);
    await bot.quiet();
    expect(bot.stage.answers()).toEqual(["You first.", "Now you."]);
  });
  test("once it talks there, nothing earlier is put behind what was said since; told twice, it is there once (P2)", async () => {
    start({ model: new Script(says("One."), says("Two.")) });
    const called = bot.incoming(ANN, "first", { background: earlier.slice(1) });
    await bot.house.message(called);
    await bot.house.message(called);
    await bot.answer("One.");
    await bot.say(ANN, "second", { background: earlier });
    await bot.answer("Two.");
    expect(heard(bot.model.requests.at(-1)).match(/background=/g)).toHaveLength(1);
  });
});

describe("stopping and changing one's mind", () => {
  test("a deletion that came before its message outlives an older edit that came after it (P1)", async () => {
    start({ model: new Script(says("Never.")) });
    const late = bot.incoming(ANN, "secret plan");
    await bot.house.deleted(late.place, late.id, Date.now());
    await bot.house.edited(late.place, late.id, 1, "less secret plan", Date.now());
    await bot.house.message(late);
    await bot.quiet();
    expect(bot.model.requests).toEqual([]);
  });
  test("stop aborts what runs, says who stopped, and the next message begins afresh", async () => {
    let aborted = false;
    const hang = async (_: unknown, signal: AbortSignal) => {
      await new Promise((done) => signal.addEventListener("abort", done));
      aborted = true;
      return "late";
    };
    start({ model: new Script(calls(["hang"]), says("Fresh.")), tools: [tool("hang", hang)] });
    await bot.say(ANN, "go");
    await bot.button("Stop");
    await bot.click(ANN, "Stop");
    await bot.answer("Stopped by Ann.");
    expect(aborted).toBe(true);
    await bot.quiet();
    await bot.say(ANN, "again");
    await bot.answer("Fresh.");
    expect(heard(bot.model.requests[1])).toContain("still finished: late");
  });

  test("the word stop, alone in a message, stops what runs, is not answered itself, and told again stops nothing else (P2)", async () => {
    start({
      model: new Script(calls(["hang"])),
      tools: [tool("hang", (_, signal) => new Promise((done) => signal.addEventListener("abort", () => done("late"))))],
    });
    await bot.say(ANN, "go");
    await bot.button("Stop");
    const stop = bot.incoming(ANN, "Stop!", { mentioned: false });
    await bot.house.message(stop);
    await bot.answer("Stopped by Ann.");
    await bot.quiet();
    expect(bot.model.requests).toHaveLength(1);
    bot.model.lines = [calls(["hang"])];
    await bot.say(ANN, "go again");
    await until(() => bot.model.requests.length === 2, "the next turn");
    await bot.house.message(stop);
    expect((await bot.journal.state("stage:T:C:t1")).talk.ending?.turn).toBe(1);
  });

  test("a command to stop that names what said it stops once, however often it is told (P2)", async () => {
    const hang = (_: unknown, signal: AbortSignal) => new Promise<string>((done) => signal.addEventListener("abort", () => done("late")));
    start({ model: new Script(calls(["hang"])), tools: [tool("hang", hang)] });
    await bot.say(ANN, "go");
    await bot.button("Stop");
    const { place, channel, shared, by, at } = bot.incoming(ANN, "", { mentioned: false });
    const stop = { place, channel, shared, by, at, text: "stop", message: "a sign" };
    expect(await bot.house.command(stop)).toEqual({ to: "nobody" });
    await bot.answer("Stopped by Ann.");
    await bot.quiet();
    bot.model.lines = [calls(["hang"])];
    await bot.say(ANN, "go again");
    await until(() => bot.model.requests.length === 2, "the next turn");
    expect(await bot.house.command(stop)).not.toEqual({ to: "nobody" });
    expect((await bot.journal.state("stage:T:C:t1")).talk.ending?.turn).toBe(1);
  });

  test("a queued message that is edited is answered as corrected; a deleted one is not answered", async () => {
    let release = () => {};
    const wait = () => new Promise<string>((done) => (release = () => done("waited")));
    start({ model: new Script(calls(["wait"]), says("End."), says("Next.")), tools: [tool("wait", wait)] });
    await bot.say(ANN, "first");
    await bot.button("Stop");
    const place = { platform: "stage", team: "T", channel: "C", thread: "t1" };
    const edited = await bot.say(ANN, "colour blue");
    const deleted = await bot.say(ANN, "forget about this");
    await bot.house.edited(place, edited, 5, "colour green", Date.now());
    await bot.house.edited(place, edited, 4, "colour red", Date.now());
    await bot.house.deleted(place, deleted, Date.now());
    release();
    await bot.answer("End.");
    const told = heard(bot.model.requests[1]);
    expect(told).toContain("colour green");
    expect(told).not.toMatch(/colour blue|colour red|forget about this/);
  });

  test("an edit that comes before its message is not lost", async () => {
    start({ model: new Script(says("Seen.")) });
    const incoming = bot.incoming(ANN, "old words");
    await bot.house.edited(incoming.place, incoming.id, 3, "new words", Date.now());
    await bot.house.message(incoming);
    await bot.answer("Seen.");
    expect(heard(bot.model.requests[0])).toContain("new words");
  });

  test("a follow-up that is told before the call it follows is answered once the call has come (P1)", async () => {
    start({ model: new Script(says("Both heard.")) });
    const call = bot.incoming(ANN, "please look", { at: 1_000 });
    const follow = bot.incoming(ANN, "at the north side", { mentioned: false, at: 2_000 });
    const before = bot.incoming(BEN, "nice weather", { mentioned: false, at: 500 });
    expect((await bot.house.message(before)).taken).toBe(false);
    expect((await bot.house.message(follow)).taken).toBe(false);
    await bot.house.message(call);
    await bot.answer("Both heard.");
    await bot.quiet();
    const told = heard(bot.model.requests.at(-1));
    expect(told).toMatch(/please look.*at the north side/);
    expect(told).not.toContain("nice weather");
  });

  test("what people say to each other in its thread is heard, not answered", async () => {
    start({ model: new Script(says("One."), says("Two.")) });
    await bot.say(ANN, "hi");
    await bot.answer("One.");
    await bot.say(BEN, "lunch?", { mentioned: false });
    await bot.quiet();
    expect(bot.model.requests).toHaveLength(1);
    await bot.say(ANN, "what did Ben say?");
    await bot.answer("Two.");
    expect(heard(bot.model.requests[1])).toContain("lunch?");
  });
});
