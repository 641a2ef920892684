import { describe, expect, it, vi } from "vitest";
import { order } from "../../../adapters/shared/order.ts";
import { pace } from "../../../adapters/shared/pace.ts";
import { recent } from "../../../adapters/shared/recent.ts";
import { scrubbed } from "../../../adapters/shared/scrubbed.ts";
import { within } from "../../../adapters/shared/within.ts";

describe("pace", () => {
  it("sends the newest of each key, keys in turn, no sooner than the pause and the rest allow", async () => {
    vi.useFakeTimers();
    const sent: [string, number, number][] = [];
    const lane = pace<number>(1000, async (key, value) => {
      sent.push([key, value, Date.now()]);
      return value === 1 ? 4000 : 0;
    });
    const start = Date.now();
    for (let n = 1; n <= 5; n++) lane.offer("C", "a", n);
    lane.offer("C", "b", 9);
    lane.offer("D", "c", 7);
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    expect(sent.map(([key, value, at]) => [key, value, at - start])).toEqual([
      ["a", 1, 0],
      ["c", 7, 0],
      ["a", 5, 5000],
      ["b", 9, 6000],
    ]);
  });
  it("after clear, nothing of the key is waiting or under way", async () => {
    const sent: number[] = [];
    let finish: () => void = () => {};
    const lane = pace<number>(0, (_key, value) => {
      sent.push(value);
      return new Promise((done) => (finish = () => done(0)));
    });
    lane.offer("C", "a", 1);
    lane.offer("C", "a", 2);
    let cleared = false;
    const clearing = lane.clear("C", "a").then(() => (cleared = true));
    await new Promise((done) => setImmediate(done));
    expect(cleared).toBe(false);
    finish();
    await clearing;
    await new Promise((done) => setTimeout(done, 5));
    expect(sent).toEqual([1]);
  });
  it("sends nothing after stop", async () => {
    const sent: number[] = [];
    const lane = pace<number>(0, async (_key, value) => {
      sent.push(value);
      return 0;
    });
    lane.stop();
    lane.offer("C", "a", 1);
    await new Promise((done) => setImmediate(done));
    expect(sent).toEqual([]);
  });
});

describe("order", () => {
  it("runs one key's tasks one after the other, also after a failure, and others beside them", async () => {
    const ran: string[] = [];
    const tasks = order();
    const slow = tasks.run("a", async () => {
      await new Promise((done) => setTimeout(done, 20));
      ran.push("a1");
      throw new Error("no");
    });
    const next = tasks.run("a", async () => ran.push("a2"));
    const other = tasks.run("b", async () => ran.push("b1"));
    await expect(slow).rejects.toThrow("no");
    await Promise.all([next, other]);
    expect(ran).toEqual(["b1", "a1", "a2"]);
  });
});

describe("recent", () => {
  it("asks once for those who ask together, and again when what it knows is too old", async () => {
    vi.useFakeTimers();
    let asked = 0;
    const names = recent(10_000, async (key) => `${key}${++asked}`);
    expect(await Promise.all([names.get("a"), names.get("a")])).toEqual(["a1", "a1"]);
    vi.advanceTimersByTime(5000);
    expect(await names.get("a")).toBe("a1");
    expect(await names.get("a", 1000)).toBe("a2");
    vi.useRealTimers();
  });
  it("falls back to what it knew while that is not too old, and remembers no failure", async () => {
    vi.useFakeTimers();
    let down = false;
    const names = recent(10_000, async () => {
      if (down) throw new Error("down");
      return "known";
    });
    await names.get("a");
    down = true;
    vi.advanceTimersByTime(2000);
    expect(await names.get("a", 1000)).toBe("known");
    vi.advanceTimersByTime(10_000);
    expect(await names.get("a")).toBeUndefined();
    down = false;
    expect(await names.get("a")).toBe("known");
    vi.useRealTimers();
  });
  it("forgets the oldest beyond its size", async () => {
    let asked = 0;
    const few = recent(10_000, async () => ++asked, 2);
    for (const key of ["a", "b", "c", "a"]) await few.get(key);
    expect(asked).toBe(4);
  });
});

it("within gives what comes in time, else the fallback, and takes a rejection for late", async () => {
  expect(await within(1000, Promise.resolve("in time"), "late")).toBe("in time");
  expect(await within(5, new Promise(() => {}), "late")).toBe("late");
  expect(await within(1000, Promise.reject(new Error("x")), "late")).toBe("late");
});

it("P9: scrubbed masks every text of a view", () => {
  const view = scrubbed(
    {
      title: "key",
      parts: [
        { kind: "text", text: "key" },
        { kind: "quoted", text: "key" },
        { kind: "code", text: "key" },
        { kind: "note", text: "key" },
        { kind: "fields", rows: [["key", "key"]] },
        { kind: "list", items: ["key"] },
        { kind: "todos", todos: [{ content: "key", status: "pending" }] },
        { kind: "steps", steps: [{ label: "key", state: "done" }] },
      ],
      buttons: [{ word: "key", act: "answer", code: "c" }],
    },
    (text) => text.replaceAll("key", "***"),
  );
  expect(JSON.stringify(view)).not.toMatch(/"key"/);
});
