/** What docs/hooks.md promises to people who bring hooks of their own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import type { Hook } from "../../src/core/ports.ts";
import { ANN, Bot, type BotOptions, tool } from "../help/bot.ts";
import { Product } from "../help/product.ts";
import { calls, heard, Script, says } from "../help/script.ts";

const docs = readFileSync(new URL("../../docs/hooks.md", import.meta.url), "utf8");
const root = fileURLToPath(new URL("../../", import.meta.url));
/** The example of the docs, as a module somewhere else. */
const example = (folder: string): string => {
  const file = join(folder, "hooks.ts");
  const code = /```ts\n([\s\S]*?)```/.exec(docs)?.[1] ?? "";
  writeFileSync(file, code.replace("./src/", pathToFileURL(`${root}src/`).href));
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
