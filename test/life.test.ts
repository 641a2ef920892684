/** The life of the process: who waits for whom when it starts. */
import { describe, expect, test } from "vitest";
import { type Adapter, type Inbox, type Log, UserError } from "../src/core/ports.ts";
import { connectAll } from "../src/life.ts";

const LONG = 60_000;
const told: string[] = [];
const log: Log = { debug() {}, info() {}, warn() {}, error: (_, text) => void told.push(text) };
const adapter = (name: string, start: () => Promise<void>) => ({ name, start }) as unknown as Adapter;
const isOver = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([promise.then(() => true), new Promise<boolean>((done) => setImmediate(done, false))]);
const connecting = (adapters: Adapter[], closing: AbortSignal, ms: number) => connectAll(adapters, {} as Inbox, log, closing, ms);

describe("connecting", () => {
  test("is over when all are connected, and waits no longer", async () => {
    const { enough, all } = connecting(
      [adapter("one", async () => {}), adapter("two", async () => {})],
      new AbortController().signal,
      LONG,
    );
    await enough;
    await all;
  });

  test("one that cannot keeps the others waiting for a while and not for ever; it is told, and tried again (P1)", async () => {
    const closing = new AbortController();
    const lame = adapter("lame", () => Promise.reject(new UserError("The token is not valid.")));
    const { enough, all } = connecting([adapter("one", async () => {}), lame], closing.signal, 20);
    await enough;
    expect(await isOver(all)).toBe(false);
    expect(told).toContain("The token is not valid.");
    closing.abort();
    await all;
  });

  test("is given up when the process stops", async () => {
    const closing = new AbortController();
    const { enough, all } = connecting([adapter("lame", () => Promise.reject(new Error("no network")))], closing.signal, LONG);
    expect(await isOver(enough)).toBe(false);
    closing.abort();
    await Promise.all([enough, all]);
  });
});
