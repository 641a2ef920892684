import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ClockOn, isDue, tick } from "../../src/clock.ts";
import { type Journal, UserError } from "../../src/core/ports.ts";
import { Home } from "./place.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** When nights come in a time zone, looked for every five minutes; `asleep`: nothing runs between these. */
function nights(cron: string, zone: string, from: string, days: number, asleep?: [string, string]): string[] {
  const found: string[] = [];
  let last = Date.parse(from);
  const end = last + days * DAY;
  for (let now = last; now < end; now += 5 * MINUTE) {
    if (asleep && now >= Date.parse(asleep[0]) && now < Date.parse(asleep[1])) continue;
    if (!isDue(cron, zone, last, now)) continue;
    last = now + 1;
    found.push(new Date(now).toISOString().slice(0, 16));
  }
  return found;
}

describe("a night comes once a day", () => {
  it.each([
    ["New York, clock put forward over it", "30 2 * * *", "America/New_York", "2027-03-12T12:00Z"],
    ["New York, clock put back over it", "30 1 * * *", "America/New_York", "2027-11-05T12:00Z"],
    ["Berlin, forward", "30 2 * * *", "Europe/Berlin", "2027-03-26T12:00Z"],
    ["Berlin, back", "30 2 * * *", "Europe/Berlin", "2027-10-29T12:00Z"],
    ["Lord Howe, half an hour forward", "15 2 * * *", "Australia/Lord_Howe", "2027-10-01T03:00Z"],
    ["Lord Howe, half an hour back", "45 1 * * *", "Australia/Lord_Howe", "2027-04-02T03:00Z"],
    ["Santiago, forward at midnight", "10 0 * * *", "America/Santiago", "2027-09-03T12:00Z"],
    ["Santiago, back at midnight", "30 23 * * *", "America/Santiago", "2027-04-02T12:00Z"],
  ])("%s", (_, cron, zone, from) => {
    const found = nights(cron, zone, from, 4);
    expect(found).toHaveLength(4);
    const gaps = found.slice(1).map((at, index) => (Date.parse(`${at}Z`) - Date.parse(`${found[index]}Z`)) / (60 * MINUTE));
    for (const gap of gaps) expect(Math.abs(gap - 24)).toBeLessThanOrEqual(1);
  });

  it("one that was missed comes at the start, once for all that were missed", () => {
    const found = nights("0 3 * * *", "UTC", "2027-01-01T12:00Z", 6, ["2027-01-02T02:00Z", "2027-01-05T09:30Z"]);
    expect(found).toEqual(["2027-01-05T09:30", "2027-01-06T03:00", "2027-01-07T03:00"]);
  });

  it("a pattern that cannot be read is said in words", () => {
    expect(() => isDue("every night", "UTC", 0, 1)).toThrow(UserError);
  });
});

describe("the tick", () => {
  let home: Home;
  let ran: number;
  let told: string[];
  beforeEach(() => {
    home = new Home();
    ran = 0;
    told = [];
  });
  afterEach(() => home.end());
  const on = (journal: Journal, night: () => Promise<void> = async () => void ran++): ClockOn => ({
    homes: async () => ["home"],
    nights: async () => ({ cron: "0 3 * * *", timezone: "UTC" }),
    journal: async () => journal,
    night,
    tell: async () => {},
    now: () => home.now,
    log: { debug() {}, info() {}, warn: (_, text) => void told.push(text), error() {} },
  });
  const alive = new AbortController().signal;
  const look = (given: ClockOn, seen = new Map<string, string>()) => tick(given, alive, seen);

  it("a home seen for the first time waits for its first night; then each comes once, whoever looks", async () => {
    const both = [on(home.journal), on(home.second())];
    const all = () => Promise.all(both.map((it) => look(it)));
    await all();
    expect(ran).toBe(0);
    for (let day = 1; day <= 3; day++) {
      home.now += DAY;
      await all();
      await all();
      expect(ran).toBe(day);
    }
  });

  it("a night that was broken off comes again", async () => {
    await look(on(home.journal));
    home.now += DAY;
    await look(on(home.journal, () => Promise.reject(new Error("killed"))));
    await look(on(home.second()));
    expect(ran).toBe(1);
  });

  it("what goes wrong is said once, and the other homes have their night", async () => {
    await look(on(home.journal));
    home.now += DAY;
    const seen = new Map<string, string>();
    const broken = { ...on(home.journal), homes: async () => ["closed", "home"] };
    broken.journal = async (name) => (name === "closed" ? Promise.reject(new UserError("The journal is damaged.")) : home.journal);
    await look(broken, seen);
    await look(broken, seen);
    expect(told).toEqual(["no night: The journal is damaged."]);
    expect(ran).toBe(1);
  });
});
