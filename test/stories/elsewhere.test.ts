/** A home that serves teams of two platforms: what is on one is nobody's of the other who only is a member there. */
import { afterEach, describe, expect, test } from "vitest";
import type { Received } from "../../src/core/event.ts";
import type { Adapter, Changes, Outcome, Remembering } from "../../src/core/ports.ts";
import type { Act } from "../../src/core/view.ts";
import { ANN, Bot, tool } from "../help/bot.ts";
import { calls, Script, says } from "../help/script.ts";
import { Stage } from "../help/stage.ts";

let bot: Bot;
let taken: string[];
afterEach(() => bot.end());
const SESSION = "stage:T:C:t1";
const NAMED = { id: "other:named", name: "Nora", kind: "member" as const };
const MEMBER = { id: "other:member", name: "Max", kind: "member" as const };

const asking = tool("order", () => "", {
  run: async (_input, { answer }): Promise<Outcome> =>
    answer ? { content: answer.how, failed: false } : { content: "", failed: false, asks: { text: "Sure?", options: [] } },
});
const waiting = tool("wait", (_input, signal) => new Promise((done) => signal.addEventListener("abort", () => done("stopped"))));

function start(acts: Act): void {
  taken = [];
  const gone = { start: async () => undefined, stop: async () => undefined, health: () => ({ ok: true, detail: "" }) };
  const changes: Changes = {
    of: async () => ({ ids: taken.length ? [] : ["c1"], level: "approve" }),
    undo: async (_home, [id = ""]) => {
      taken.push(id);
      return { ok: false, why: "it was only tried" };
    },
  };
  const memory: Remembering = {
    keep: async () => undefined,
    unsaid: async () => undefined,
    undo: async (_home, _scope, n) => {
      taken.push(`${n}`);
      return { ok: true };
    },
  };
  bot = new Bot({
    model: new Script(calls([acts === "stop" ? "wait" : acts === "withdraw" ? "pay" : "order"]), says("Done.")),
    tools: [asking, waiting, tool("pay", () => "paid")],
    gate: ({ label }) => (label === "pay" ? { verdict: "ask", risky: true } : undefined),
    rules: {
      teams: ["stage:T", "other:T9"],
      may: (_what, person, { member }) => person === NAMED.id || person === ANN.id || member,
    },
    changes,
    memory: () => memory,
    adapter: () => Object.assign(Object.create(new Stage()), gone, { name: "other" }) as Adapter,
  });
}

/** What makes a button of the act, and its code. */
const BUTTONS: Record<string, () => Promise<string>> = {
  async answer() {
    await bot.say(ANN, "order");
    return (await bot.button("Continue")).code;
  },
  async stop() {
    await bot.say(ANN, "wait");
    return (await bot.button("Stop")).code;
  },
  async withdraw() {
    await bot.say(ANN, "pay");
    await bot.button("Approve");
    await bot.say(ANN, "and another thing");
    return (await bot.button("Withdraw")).code;
  },
  async undo() {
    await bot.say(ANN, "order");
    await bot.button("Continue");
    return `${(await bot.journal.state(SESSION)).opened?.code}.1`;
  },
  async night() {
    const place = { platform: "stage", team: "T", channel: "C", thread: null };
    const line = { n: 7, edit: 0, text: "The port is 9933" };
    const told: Received = { type: "digest.told", at: 1, due: 1, title: "Learned", lines: [line] };
    await bot.journal.receive("digest:7", "told", told, { home: "home", scope: "team", place, code: "night" });
    return "night.7-0";
  },
};

describe("on another platform of the home", () => {
  test.each<[string, Act]>([
    ["answer", "answer"],
    ["stop", "stop"],
    ["withdraw", "withdraw"],
    ["undo", "undo"],
    ["night", "undo"],
  ])("P6 %s is for who is named by id, not for its members", async (name, act) => {
    start(act);
    const code = (await BUTTONS[name]?.()) ?? "";
    const counted = async () => [
      (await bot.journal.events(SESSION)).filter(({ event }) => /decided|stopped|withdrawn/.test(event.type)).length,
      taken.length,
    ];
    const press = (by: typeof NAMED) =>
      bot.house.click({ platform: "other", act, code, by, place: { platform: "other", team: "T9", channel: "X", thread: null }, at: 2 });
    expect(await press(MEMBER)).toMatchObject({ to: "asker" });
    expect(await counted()).toEqual([0, 0]);
    await press(NAMED);
    expect((await counted()).reduce((a, b) => a + b)).toBeGreaterThan(0);
  });
});
