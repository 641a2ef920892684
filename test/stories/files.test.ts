/** Files in and out: what came is there when the model is told of it, what is handed over stands once, and neither survives its message. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Attachment } from "../../src/core/file.ts";
import type { Answer, Files } from "../../src/core/ports.ts";
import { plain } from "../../src/core/view.ts";
import { diskFiles } from "../../src/files/disk.ts";
import { attachmentsPath, handedFiles, mounts } from "../../src/files/mounts.ts";
import { readFile } from "../../src/tools/read-files.ts";
import { sendFile } from "../../src/tools/send-file.ts";
import { ANN, Bot, type BotOptions } from "../help/bot.ts";
import { calls, fails, heard, Script, says } from "../help/script.ts";
import { Stage } from "../help/stage.ts";
import { until } from "../help/until.ts";

const SESSION = "stage:T:C:t1";
const file = (id: string, more: Partial<Attachment> = {}): Attachment => ({ id, name: `${id}.txt`, mime: "text/plain", size: 12, ...more });
const bots: Bot[] = [];
afterEach(async () => {
  for (const bot of bots.splice(0)) await bot.end();
});
function begin(options: BotOptions): Bot {
  const tree = (): Files => mounts({ homeDir: bot.dir, session: SESSION, scope: "team" });
  const tools = [
    readFile(tree),
    sendFile(
      tree,
      () => handedFiles(bot.dir, SESSION),
      (text) => text,
    ),
  ];
  const bot: Bot = new Bot({ tools, ...options });
  bots.push(bot);
  return bot;
}
const kept = (bot: Bot): string[] => {
  const folder = join(bot.dir, attachmentsPath(SESSION), "received");
  return existsSync(folder) ? readdirSync(folder) : [];
};
const contents = (bot: Bot): string[] =>
  kept(bot).map((name) => readFileSync(join(bot.dir, attachmentsPath(SESSION), "received", name), "utf8"));
const pathIn = (text: string): string => /path=\\?"(\/attachments\/[^"\\]+)/.exec(text)?.[1] ?? "";
/** Calls a tool with the file that it was told of. */
const reads = (request: Parameters<typeof heard>[0]) => calls(["read_file", { file_path: pathIn(heard(request)) }]);

describe("a file that comes with a message", () => {
  test("is there when the model is first told of it, and can be read", async () => {
    const bot = begin({ model: new Script(reads, says("Read.")) });
    bot.stage.files.plan = "ship on Friday";
    await bot.say(ANN, "look at this", { files: [file("plan")] });
    await bot.answer("Read.");
    expect(heard(bot.model.requests[0])).toMatch(
      /<attachment path=\\"\/attachments\/\w{6}-plan.txt\\" name=\\"plan.txt\\" type=\\"text\/plain\\" size=\\"12 bytes\\"\/>/,
    );
    expect(heard(bot.model.requests[1])).toContain("ship on Friday");
  });
  test("is a message of its own, without a word", async () => {
    const bot = begin({ model: new Script(says("Got it.")) });
    bot.stage.files.plan = "x";
    await bot.say(ANN, "", { files: [file("plan")] });
    await bot.answer("Got it.");
  });
  test("that cannot be had is told of as missing, to the model and to who sent it", async () => {
    const bot = begin({ model: new Script(says("Sorry.")) });
    await bot.say(ANN, "look", { files: [file("gone"), file("huge", { size: 40_000_000 })] });
    await bot.answer("Sorry.");
    expect(heard(bot.model.requests[0])).toContain('missing=\\"it is not there any more\\"');
    expect(heard(bot.model.requests[0])).toContain('missing=\\"it is too large: 38 MB, and 20 MB are the most\\"');
    expect(bot.stage.whispers.map(({ person, text }) => [person, text.slice(0, 36)]).sort()).toEqual([
      [ANN.id, "⚠️ I could not get the file “gone.tx"],
      [ANN.id, "⚠️ I could not get the file “huge.tx"],
    ]);
    expect(kept(bot)).toEqual([]);
  });
  test("P6: is seen by its own session alone", async () => {
    const bot = begin({ model: new Script(says("Got it.")) });
    bot.stage.files.plan = "between us";
    await bot.say(ANN, "look", { files: [file("plan")] });
    await bot.answer("Got it.");
    const [name] = kept(bot);
    const other = mounts({ homeDir: bot.dir, session: "stage:T:C:t2", scope: "team" });
    expect(await other.read(`/attachments/${name}`)).toMatchObject({ error: "file_not_found" });
    const own = mounts({ homeDir: bot.dir, session: SESSION, scope: "team" });
    expect(Buffer.from((await own.read(`/attachments/${name}`)) as Uint8Array).toString()).toBe("between us");
    expect(await own.write(`/attachments/${name}`, new Uint8Array())).toMatchObject({ error: "permission_denied" });
    expect(await own.read(`/agents/main/context/attachments`)).toMatchObject({ error: "file_not_found" });
  });
  test("goes with its message", async () => {
    const bot = begin({ model: new Script(says("Got it.")) });
    bot.stage.files.plan = "a secret";
    const id = await bot.say(ANN, "look", { files: [file("plan")] });
    await bot.answer("Got it.");
    await bot.house.deleted({ platform: "stage", team: "T", channel: "C", thread: "t1" }, id, Date.now());
    await until(() => kept(bot).length === 0, "the file to be gone");
    await bot.quiet();
    expect(JSON.stringify((await bot.journal.state(SESSION)).talk.entries)).not.toContain("plan.txt");
  });
  test("of a reply to a helper that is stopped then gives the helper nothing new to do", async () => {
    const ask = { ...askTool(), question: () => ({ text: "Which file?", options: [] }) };
    const task = { ...askTool(), name: "task", label: "task", helper: true };
    let thinks = (): void => {};
    const thinking = (_: unknown, signal: AbortSignal): Promise<Answer> =>
      new Promise((done) => {
        signal.addEventListener("abort", () => done(fails("aborted")), { once: true });
        thinks();
      });
    const began = new Promise<void>((done) => {
      thinks = done;
    });
    const bot = begin({ tools: [ask, task], model: new Script(calls(["task", { description: "look" }]), calls(["ask"]), thinking) });
    const fetch = bot.stage.fetch.bind(bot.stage);
    let come = (): void => {};
    const held = new Promise<void>((done) => {
      come = done;
    });
    bot.stage.fetch = async (...given) => {
      thinks();
      await held;
      return fetch(...given);
    };
    bot.stage.files.plan = "the plan";
    await bot.say(ANN, "do it");
    await until(() => bot.stage.visible("card").length > 0, "the question");
    await bot.say(ANN, "this one", { files: [file("plan")] });
    await began;
    await bot.click(ANN, "Stop");
    come();
    await bot.answer("Stopped by Ann.");
    await bot.quiet();
    expect(bot.model.requests).toHaveLength(2);
  });
  test("of a reply that answers a question is taken up beside the answer", async () => {
    const ask = { ...askTool(), question: () => ({ text: "Which file?", options: [] }) };
    const bot = begin({ tools: [ask], model: new Script(calls(["ask"]), says("Thanks.")) });
    bot.stage.files.plan = "the plan";
    await bot.say(ANN, "do it");
    await until(() => bot.stage.visible("card").length > 0, "the question");
    await bot.say(ANN, "this one", { files: [file("plan")] });
    await bot.answer("Thanks.");
    expect(heard(bot.model.requests[1])).toContain("answered: this one");
    expect(heard(bot.model.requests[1])).toContain("plan.txt");
    expect(contents(bot)).toEqual(["the plan"]);
  });
});

const askTool = () => ({
  name: "ask",
  label: "ask",
  description: "ask",
  schema: { type: "object" },
  digest: "ask-1",
  repeatable: true,
  parse: (input: object) => ({ ok: true as const, input: input as never }),
  risk: () => "none" as const,
  subject: () => null,
  run: async () => ({ content: "", failed: false }),
});

describe("a file that is handed over", () => {
  const sends = (comment?: string) => calls(["send_file", { file_path: "/report.csv", ...(comment ? { comment } : {}) }]);
  const scratch = (bot: Bot) => diskFiles(bot.dir, { at: "agents/main/context/scratch/stage_T_C_t1" });

  test("stands in the thread once, with its words, and is what it was when the tool ran", async () => {
    const bot: Bot = begin({
      model: new Script(sends("The numbers."), async () => {
        await scratch(bot).write("/report.csv", Buffer.from("changed since"));
        return says("Here you are.");
      }),
    });
    await scratch(bot).write("/report.csv", Buffer.from("a,b\n1,2\n"));
    bot.stage.weather = ["fine", "refused"];
    await bot.say(ANN, "send me the numbers");
    await bot.answer("Here you are.");
    await bot.quiet();
    const [post, ...others] = bot.stage.visible("file");
    expect(others).toEqual([]);
    expect(post).toMatchObject({ bytes: "a,b\n1,2\n", mark: false, slot: { file: { name: "report.csv", mime: "text/csv", size: 8 } } });
    expect(post && plain(post.slot.view)).toBe("The numbers.");
  });
  test("P5: in doubt is looked for, and marked where it may be a repeat", async () => {
    for (const [weather, marks] of [
      ["arrived", [false]],
      ["lost", [true]],
    ] as const) {
      const bot = begin({ model: new Script(sends(), says("Here you are.")) });
      await scratch(bot).write("/report.csv", Buffer.from("a,b\n"));
      const post = bot.stage.post.bind(bot.stage);
      let met = false;
      bot.stage.post = async (place, slot, ...rest) => {
        if (slot.kind === "file" && !met) bot.stage.weather = [weather];
        met ||= slot.kind === "file";
        return post(place, slot, ...rest);
      };
      await bot.say(ANN, "send me the numbers");
      await bot.answer("Here you are.");
      await bot.quiet();
      expect(bot.stage.visible("file").map(({ mark }) => mark)).toEqual(marks);
    }
  });
  test("that the platform will not take is said to who asked and to the model", async () => {
    const bot = begin({ model: new Script(sends(), says("Here you are."), says("I see.")) });
    await scratch(bot).write("/report.csv", Buffer.from("a,b\n"));
    const post = bot.stage.post.bind(bot.stage);
    bot.stage.post = async (place, slot, ...rest) => {
      if (slot.kind === "file") bot.stage.weather = ["forbidden"];
      return post(place, slot, ...rest);
    };
    await bot.say(ANN, "send me the numbers");
    await bot.answer("Here you are.");
    await bot.quiet();
    expect(bot.stage.whispers.map(({ text }) => text)).toEqual([
      "⚠️ The file report.csv could not be posted, so nobody has it: not allowed",
    ]);
    await bot.say(ANN, "and?");
    await bot.answer("I see.");
    expect(heard(bot.model.requests.at(-1))).toContain("could not be posted");
  });
});

describe("an answer that is too long for messages", () => {
  const long = `# All of it\n\n${"A sentence of the answer. ".repeat(400)}\n\nThe end.`;
  test("is its beginning and one file with the whole", async () => {
    const bot = begin({ stage: new Stage(2_000, 3), model: new Script(says(long)) });
    await bot.say(ANN, "tell me all");
    await until(() => bot.stage.visible("answer").length === 2, "both");
    await bot.quiet();
    const [head, whole] = bot.stage.visible("answer");
    expect(head && plain(head.slot.view)).toMatch(/^# All of it[\s\S]*…\nThis answer is long \(10 KB\): all of it is in the file below\.$/);
    expect(whole).toMatchObject({ bytes: long, slot: { file: { name: "answer.md", mime: "text/markdown" } } });
  });
  test("comes in messages after all where no file can be posted", async () => {
    const bot = begin({ stage: new Stage(2_000, 3), model: new Script(says(long)) });
    const post = bot.stage.post.bind(bot.stage);
    bot.stage.post = async (place, slot, ...rest) => {
      if (slot.file) bot.stage.weather = ["forbidden"];
      return post(place, slot, ...rest);
    };
    await bot.say(ANN, "tell me all");
    await bot.answer("The end.");
    await bot.quiet();
    const [head, ...parts] = bot.stage.answers();
    expect(head).toContain("The file with all of it could not be posted, so it follows in messages.");
    expect(parts.join("").replace(/\s/g, "")).toBe(long.replace(/\s/g, ""));
    expect(bot.stage.whispers).toEqual([]);
  });
});

describe("killed at every boundary and started again (P1, P5)", () => {
  test("a file that came is there, one that was handed over stands once, and so does the long answer", { timeout: 60_000 }, async () => {
    const play = async (killAt: number): Promise<Bot> => {
      const lines = [() => calls(["send_file", { file_path: "/report.csv" }]), () => says(`${"Words of the answer. ".repeat(400)}Done.`)];
      const model = new Script();
      model.answer = async (request) => {
        model.requests.push(request);
        return lines[request.messages.filter(({ role }) => role === "assistant").length]?.() ?? says("Past the end.");
      };
      const bot = begin({ model, stage: new Stage(2_000, 3), killAt });
      bot.stage.files.plan = "ship on Friday";
      await diskFiles(bot.dir, { at: "agents/main/context/scratch/stage_T_C_t1" }).write("/report.csv", Buffer.from("a,b\n"));
      const restart = async () => (bot.fuse.blown ? bot.restart() : undefined);
      const say = () => bot.house.message(bot.incoming(ANN, "look", { id: "m1", files: [file("plan")] }));
      const dead = until(() => bot.fuse.blown, "never", 60_000).then(
        () => "dead",
        () => "dead",
      );
      if ((await Promise.race([say(), dead])) === "dead") {
        await restart();
        await say();
      }
      const whole = () => bot.stage.visible("answer").some(({ slot }) => slot.file);
      await until(() => whole() || bot.fuse.blown, "the end");
      await restart();
      await until(whole, "the end after a restart");
      const quiet = bot.quiet().then(() => true);
      await Promise.race([quiet, until(() => bot.fuse.blown, "dead", 20_000)]);
      await restart();
      await bot.quiet();
      return bot;
    };
    const calm = await play(0);
    const boundaries = calm.fuse.passed;
    expect(boundaries).toBeGreaterThan(20);
    const check = async (at: number): Promise<void> => {
      const bot = at === 0 ? calm : await play(at);
      const where = `killed at ${at} of ${boundaries}`;
      expect(contents(bot), where).toEqual(["ship on Friday"]);
      const keys = bot.stage.posts
        .filter(({ mark, hidden, slot }) => !mark && !hidden && slot.kind !== "progress")
        .map(({ slot }) => slot.key);
      expect(new Set(keys).size, `${where}: twice, unmarked: ${keys}`).toBe(keys.length);
      expect(new Set(bot.stage.posts.filter(({ slot }) => slot.kind !== "progress").map(({ slot }) => slot.key)), where).toEqual(
        new Set(["file/1.1.0", "answer/1/0", "answer/1/whole"]),
      );
      expect(
        bot.stage.posts.filter(({ slot }) => slot.kind === "file").every(({ bytes }) => bytes === "a,b\n"),
        where,
      ).toBe(true);
      await bots.splice(bots.indexOf(bot), 1)[0]?.end();
    };
    // Most of a life is waiting.
    const all = Array.from({ length: boundaries + 1 }, (_, at) => at);
    while (all.length) await Promise.all(all.splice(0, 12).map(check));
  });
});
