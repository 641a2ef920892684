/** What docs/hooks.md promises to people who bring hooks of their own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import type { Hook, Tool, ToolContext } from "../../src/core/ports.ts";
import { mounts } from "../../src/files/mounts.ts";
import { held } from "../../src/hooks/held.ts";
import { ownHooks } from "../../src/hooks/own.ts";
import { ANN, Bot, type BotOptions, tool } from "../help/bot.ts";
import { Product } from "../help/product.ts";
import { calls, heard, Script, says } from "../help/script.ts";

const docs = readFileSync(new URL("../../docs/hooks.md", import.meta.url), "utf8");
const root = fileURLToPath(new URL("../../", import.meta.url));
/** An example of the docs, as a module somewhere else. */
const example = (folder: string, nth = 0): string => {
  const file = join(folder, `hooks-${nth}.ts`);
  const code = [...docs.matchAll(/```ts\n([\s\S]*?)```/g)][nth]?.[1] ?? "";
  writeFileSync(file, code.replaceAll("./src/", pathToFileURL(`${root}src/`).href));
  return file;
};

let bot: Bot | undefined;
afterEach(() => bot?.end());
const start = (model: Script, hooks: Hook[], more: BotOptions = {}) =>
  (bot = new Bot({
    model,
    hooks,
    tools: [tool("look", () => "seen"), tool("deploy", () => "deployed", { label: "ops/deploy" })],
    ...more,
  }));

describe("the example of the docs", () => {
  test("adds a tool and a part of the prompt, and its check denies", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hooks-"));
    const { default: hooks } = (await import(pathToFileURL(example(folder)).href)) as { default: Hook[] };
    rmSync(folder, { recursive: true });
    const friday: Hook = {
      name: "clock",
      ...(hooks[0]?.preActing
        ? {
            preActing: (moment, it, input) =>
              hooks[0]?.preActing?.({ ...moment, now: Date.UTC(2026, 10, 27) }, it, input) ?? Promise.resolve(undefined),
          }
        : {}),
    };
    const model = new Script(calls(["who_is_on_call", { service: "relay" }], ["deploy"]), says("Done."));
    const on = start(model, [...hooks, friday]);
    await on.say(ANN, "go");
    await on.answer("Done.");
    expect(heard(model.requests[0])).toContain("Times are always given in UTC.");
    expect(model.requests[0]?.tools.map(({ name }) => name)).toContain("who_is_on_call");
    expect(heard(model.requests[1])).toMatch(/Ben is on call for relay.*We do not deploy on Fridays/);
  });

  test("of files works on what the agent's own tools see, and nothing else", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hooks-"));
    const { convert } = (await import(pathToFileURL(example(folder, 1)).href)) as { convert: Tool["run"] };
    rmSync(folder, { recursive: true });
    const before = process.env.WORKSPACES_DIR;
    const made = mkdtempSync(join(tmpdir(), "homes-"));
    process.env.WORKSPACES_DIR = made;
    try {
      const context = { home: "console", session: "console:console:1", scope: "team" } as ToolContext;
      const tree = mounts({ homeDir: join(made, "console"), session: context.session, scope: "team" });
      expect(await convert({}, context)).toMatchObject({ failed: true });
      await tree.write("/table.csv", new TextEncoder().encode("a,b\n1,2\n"));
      expect(await convert({}, context)).toEqual({ content: "Wrote /table.json.", failed: false });
      const written = await tree.read("/table.json");
      expect("error" in written ? written : new TextDecoder().decode(written)).toBe('[["a","b"],["1","2"]]');
    } finally {
      if (before === undefined) delete process.env.WORKSPACES_DIR;
      else process.env.WORKSPACES_DIR = before;
      rmSync(made, { recursive: true });
    }
  });

  test("is loaded by the product from the module that HOOKS names", { timeout: 40_000 }, async () => {
    const product = new Product();
    try {
      const file = example(product.root);
      const loaded = new Product({ HOOKS: file });
      try {
        await loaded.start();
        expect(loaded.troubles).toEqual([]);
      } finally {
        await loaded.end();
      }
    } finally {
      await product.end();
    }
  });

  test("a module that is no list of hooks is refused in words", { timeout: 40_000 }, async () => {
    const product = new Product();
    const file = join(product.root, "none.mjs");
    writeFileSync(file, "export default 1;");
    const wrong = new Product({ HOOKS: file });
    try {
      await expect(wrong.start()).rejects.toThrow(/default export is not a list of hooks/);
    } finally {
      await wrong.end();
      await product.end();
    }
  });
});

describe("a hook that throws", () => {
  const throws = async (): Promise<never> => {
    throw new Error("broken hook");
  };
  test.each(["preCall", "preReasoning", "postActing", "postCall"] as const)(
    "at %s never takes a turn down, and is logged",
    async (point) => {
      const errors: object[] = [];
      const log = { debug() {}, info() {}, warn() {}, error: (facts: object) => void errors.push(facts) };
      const on = start(new Script(calls(["look"]), says("Done."), says("Again.")), [{ name: "mine", [point]: throws }], { log });
      await on.say(ANN, "go");
      await on.answer("Done.");
      await on.quiet();
      await on.say(ANN, "and again");
      await on.answer("Again.");
      expect(errors).toContainEqual(expect.objectContaining({ hook: "mine" }));
      expect(heard(on.model.requests[1])).toContain("seen");
    },
  );

  test("at preActing denies the call", async () => {
    const on = start(new Script(calls(["look"]), says("Done.")), [{ name: "mine", preActing: throws }]);
    await on.say(ANN, "go");
    await on.answer("Done.");
    expect(heard(on.model.requests[1])).toContain("Not run: the check “mine” failed");
    expect(heard(on.model.requests[1])).not.toContain("seen");
  });
});

describe("a hook that gives what it should not", () => {
  const mine = (given: unknown): Hook[] =>
    ["preCall", "preReasoning", "postActing", "postCall"].map((point) => held({ name: point, [point]: async () => given } as Hook));
  const named = (name: string) => ({ ...tool("own", () => "own"), name });

  test.each([
    ["words", "nonsense"],
    ["a number", 7],
    ["a list", [1]],
    ["a rank nobody knows", { system: [{ rank: "first", text: "x" }], content: 1, notes: 1 }],
    ["no text", { system: [{ rank: "rules" }], content: null, notes: [null] }],
    ["a tool without its parts", { tools: [{ name: "own" }], content: [1], notes: "x" }],
    ["a tool whose name no provider takes", { tools: [named("who is it?")], content: "x", notes: {} }],
    ["a tool that takes no object", { tools: [{ ...named("own"), schema: { type: "string" } }], content: {}, notes: 1 }],
    ["no tool", { tools: [null], failed: false, notes: 1 }],
  ])("costs only what it gave: %s", async (_, given) => {
    const on = start(new Script(calls(["look"]), says("Done."), says("Again.")), mine(given));
    await on.say(ANN, "go");
    await on.answer("Done.");
    await on.quiet();
    await on.say(ANN, "and again");
    await on.answer("Again.");
    expect(heard(on.model.requests[1])).toContain("seen");
    expect(on.model.requests[2]?.tools.map(({ name }) => name)).toEqual(["deploy", "look"]);
  });

  test.each([
    ["words"],
    [{}],
    [{ verdict: "perhaps" }],
    [{ verdict: "allow", reason: 7 }],
    [true],
    [{ verdict: "ask", quorum: Number.NaN }],
    [{ verdict: "ask", quorum: "2" }],
    [{ verdict: "ask", level: "admins" }],
    [{ verdict: "ask", level: "talk" }],
    [{ verdict: "ask", offers: "approve" }],
    [{ verdict: "ask", consent: { by: 7 } }],
    [{ verdict: "allow", digest: "of something else" }],
  ])("before a call it denies: %j", async (given) => {
    const on = start(new Script(calls(["look"]), says("Done.")), [held({ name: "mine", preActing: async () => given as never })]);
    await on.say(ANN, "go");
    await on.answer("Done.");
    expect(heard(on.model.requests[1])).toContain("Not run: the check “mine” failed");
  });

  test("one that never comes back is given up", async () => {
    const never = (): Promise<never> => new Promise(() => {});
    const hook: Hook = { name: "mine", preCall: never, preReasoning: never, preActing: never, postActing: never, postCall: never };
    const on = start(new Script(calls(["look"]), says("Done.")), [held(hook, 20)]);
    await on.say(ANN, "go");
    await on.answer("Done.");
    await on.quiet();
    expect(heard(on.model.requests[1])).toContain("Not run: the check “mine” failed");
  });

  test("what has its form comes as it is, and a hook may be an object with fields of its own", async () => {
    class Own {
      name = "own";
      rule = "Speak softly.";
      async preReasoning() {
        return { system: [{ rank: "rules" as const, text: this.rule }] };
      }
      async postActing() {
        return { content: this.rule, failed: true };
      }
      async preActing() {
        return undefined;
      }
    }
    const on = start(new Script(calls(["look"]), says("Done.")), [held(new Own())]);
    await on.say(ANN, "go");
    await on.answer("Done.");
    expect(on.model.requests[0]?.system.map(({ text }) => text).join()).toContain("Speak softly.");
    expect(JSON.stringify(on.model.requests[1]?.messages)).toMatch(/Speak softly\..*is_error/);
  });

  test.each(["parse", "subject", "question"] as const)("a tool whose %s throws costs its own call alone", async (part) => {
    const boom = (): never => {
      throw new Error("boom");
    };
    const on = start(new Script(calls(["bad"], ["look"]), says("Done.")), [
      held({ name: "mine", preReasoning: async () => ({ tools: [tool("bad", () => "bad ran", { [part]: boom })] }) }),
    ]);
    await on.say(ANN, "go");
    await on.answer("Done.");
    expect(heard(on.model.requests[1])).toMatch(/bad could not be checked.*seen/);
    expect(heard(on.model.requests[1])).not.toContain("bad ran");
  });

  test.each([
    ["[null]", "entry 1 is no hook: it is not an object"],
    ['[{ name: "a", preCall() {} }, { preCall() {} }]', "entry 2 is no hook: it has no name"],
    ['[{ name: "a", preActing: 1 }]', "entry 1 is no hook: its preActing is not a function"],
    ['[{ name: "a", preacting() {} }]', "entry 1 is no hook: it has none of preCall"],
  ])("what is no hook is said at the start: %s", async (list, words) => {
    const folder = mkdtempSync(join(tmpdir(), "hooks-"));
    const file = join(folder, "mine.mjs");
    writeFileSync(file, `export default ${list};`);
    await expect(ownHooks(file)).rejects.toThrow(words);
    rmSync(folder, { recursive: true });
  });
});

describe("hooks together", () => {
  test("the strictest verdict wins, in whatever order they stand", async () => {
    for (const verdicts of [
      ["allow", "deny", "ask"],
      ["deny", "allow", "allow"],
    ] as const) {
      const hooks = verdicts.map((verdict): Hook => ({ name: verdict, preActing: async () => ({ verdict, reason: `by ${verdict}` }) }));
      const on = start(new Script(calls(["look"]), says("Done.")), hooks);
      await on.say(ANN, "go");
      await on.answer("Done.");
      expect(heard(on.model.requests[1])).toContain("by deny");
      await on.end();
    }
    bot = undefined;
  });

  test("a tool that any of them does not keep is not offered; a part that stands alone replaces its rank", async () => {
    const on = start(new Script(says("Done.")), [
      {
        name: "narrow",
        preReasoning: async () => ({
          keeps: (it) => it.name !== "deploy",
          system: [{ rank: "rules", text: "Only this.", alone: true }],
          model: "small",
        }),
      },
    ]);
    await on.say(ANN, "go");
    await on.answer("Done.");
    const [request] = on.model.requests;
    expect(request?.tools.map(({ name }) => name)).toEqual(["look"]);
    expect(request?.system.map(({ text }) => text)).toEqual(["Only this."]);
    expect(request?.model).toBe("small");
  });
});
