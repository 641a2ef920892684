import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSeen } from "../../../adapters/shared/seen.ts";
import { openTaken } from "../../../adapters/shared/taken.ts";
import { catchUp } from "../../../adapters/slack/catch-up.ts";
import type { Desk } from "../../../adapters/slack/desk.ts";
import { until } from "../../help/until.ts";
import { type Connected, connected } from "./connected.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };

let on: Connected;
beforeEach(async () => {
  on = await connected({ repeatAfter: [] });
  on.inbox.session = ({ mentioned, channel, place, id }) =>
    mentioned || channel === "dm" || place.thread ? `s:${place.thread ?? id}` : undefined;
});
afterEach(() => on.close());
const as = (person: string) => on.rig.as(person);
const texts = () => on.inbox.heard.messages.map(({ text }) => text);
const caughtUp = () => until(() => on.log.includes("caught up"), "what was missed");

it("P1: what was said while we were away is taken: mentions, direct messages, replies in conversations and below new mentions", async () => {
  const old = as("U1ANN").mention("C1", "an old one");
  await old.told;
  on.inbox.heard.messages.length = 0;
  let fresh = "";
  await on.away(async () => {
    await as("U1ANN").say("C1", "and one more thing", { thread: old.ts }).told;
    const mention = as("U2BEN").mention("C2", "new here");
    fresh = mention.ts;
    await mention.told;
    await as("U2BEN").say("C2", "below it", { thread: fresh }).told;
    await as("U1ANN").dm("just us").told;
  });
  await caughtUp();
  expect(texts().sort()).toEqual(["and one more thing", "below it", "just us", "new here"]);
  expect(on.inbox.heard.messages.find(({ text }) => text === "new here")).toMatchObject({
    id: fresh,
    mentioned: true,
    channel: "public",
    place: { channel: "C2", thread: null },
    by: { id: "slack:U2BEN", name: "Ben" },
  });
  expect(on.inbox.heard.messages.find(({ text }) => text === "below it")).toMatchObject({ place: { thread: fresh } });
  expect(on.inbox.heard.messages.find(({ text }) => text === "just us")).toMatchObject({ channel: "dm" });
  expect(texts().indexOf("new here")).toBeLessThan(texts().indexOf("below it"));
});

it("P1: a conversation that Slack does not tell of by its channel is asked for all the same", async () => {
  const [old, plain] = [as("U1ANN").mention("C1", "an old one"), as("U2BEN").say("C2", "not for us")];
  await Promise.all([old.told, plain.told]);
  on.rig.space.silent.add("latest_reply");
  await on.away(async () => {
    await as("U1ANN").say("C1", "and one more thing", { thread: old.ts }).told;
    await as("U1ANN").mention("C2", "look at this", plain.ts).told;
  });
  await until(() => texts().includes("and one more thing") && texts().includes("look at this"), "both");
});

it("P1: what the inbox does not take holds up nothing else, and is asked for again at the next start", async () => {
  await as("U1ANN").mention("C1", "before").told;
  let broken = true;
  on.inbox.onMessage = async ({ text }) => {
    if (text === "poison" && broken) throw new Error("no room");
    return undefined;
  };
  await on.away(async () => {
    await as("U1ANN").mention("C1", "poison").told;
    await as("U2BEN").mention("C1", "behind it").told;
  });
  await caughtUp();
  expect(texts()).toContain("behind it");
  expect(on.log.join()).toContain("could not be taken");
  broken = false;
  await on.away(async () => {});
  await until(() => texts().filter((text) => text === "poison").length === 2, "the second look");
});

it("P1: what was not taken when Slack told it is asked for again after a while, once", async () => {
  const desk = { seen: await openSeen(on.folder, "test", log), taken: await openTaken(on.folder, "test", log), log } as unknown as Desk;
  desk.seen.start("1");
  let rounds = 0;
  const look = { users: { conversations: async () => ({ channels: [], rounds: rounds++ }) } } as unknown as Parameters<typeof catchUp>[0];
  const missed = catchUp(look, desk, async () => {}, 20);
  missed.failed();
  missed.failed();
  await until(() => rounds === 1, "the round");
  missed.failed();
  await until(() => rounds === 2, "the next round");
  missed.stop();
  missed.failed();
  await new Promise((done) => setTimeout(done, 60));
  expect(rounds).toBe(2);
});

it("P2: what was taken is not asked for again after a restart, and what was before Denizen came never is", async () => {
  await as("U1ANN").mention("C1", "taken").told;
  await on.away(async () => {});
  await on.away(async () => {
    await as("U1ANN").mention("C1", "missed").told;
  });
  await caughtUp();
  expect(texts().filter((text) => text === "taken")).toHaveLength(2);
  expect(texts().filter((text) => text === "missed")).toHaveLength(1);
});

it("P2: what was edited or taken away while we were away is told, once; what stayed as it was is not", async () => {
  const root = as("U1ANN").mention("C1", "look at this");
  const wrong = as("U1ANN").say("C1", "the port is 80", { thread: root.ts });
  const secret = as("U1ANN").say("C1", "my password", { thread: root.ts });
  const alone = as("U2BEN").mention("C2", "never mind");
  const direct = as("U1ANN").dm("just us");
  const strange = as("U2BEN").say("C2", "not for us");
  await Promise.all([root, wrong, secret, alone, direct, strange].map(({ told }) => told));
  await on.away(async () => {
    await as("U1ANN").edit(wrong.message, "the port is 8080");
    await as("U1ANN").edit(direct.message, "just me");
    await as("U2BEN").edit(strange.message, "still not for us");
    for (const { message } of [secret, alone]) await as("U1ANN").remove(message);
  });
  await until(
    () => on.inbox.heard.edits.length === 2 && on.inbox.heard.deletions.length === 2,
    () => JSON.stringify(on.inbox.heard),
  );
  expect(on.inbox.heard.edits.map(({ id, text }) => [id, text]).sort()).toEqual(
    [
      [wrong.ts, "the port is 8080"],
      [direct.ts, "just me"],
    ].sort(),
  );
  expect(on.inbox.heard.deletions.map(({ id }) => id).sort()).toEqual([secret.ts, alone.ts].sort());
  const replies = on.rig.callsTo("conversations.replies").length;
  await on.away(async () => {});
  await until(() => on.rig.callsTo("conversations.replies").length >= replies + 2, "another look");
  expect(on.inbox.heard.deletions).toHaveLength(2);
});

it("a command that was missed is not run hours later", async () => {
  await as("U1ANN").mention("C1", "before").told;
  await on.away(async () => {
    await as("U1ANN").mention("C1", "/pause").told;
    await as("U1ANN").mention("C1", "after").told;
  });
  await caughtUp();
  expect(on.inbox.heard.commands).toEqual([]);
  expect(texts().at(-1)).toBe("after");
});

it("P1: a time without any connection is caught up, and a rate limit is waited for", async () => {
  await as("U1ANN").mention("C1", "before").told;
  await until(() => on.rig.connections === 2, "both connections");
  on.rig.rateLimit("conversations.history", 1);
  on.rig.fault({ method: "apps.connections.open", delay: 300, times: 2 });
  on.rig.cut();
  await until(() => on.rig.connections === 0 && !on.adapter.health().ok, "the gap");
  const [delivery] = await as("U2BEN").mention("C1", "into the gap").told;
  expect(delivery?.acked).toBe(false);
  await caughtUp();
  expect(texts()).toContain("into the gap");
});

it("P1: what could not be asked for is asked for at the next start", async () => {
  await as("U1ANN").mention("C1", "before").told;
  on.rig.fault({ method: "users.conversations", status: 500, body: "" });
  await on.away(async () => {
    await as("U1ANN").mention("C1", "missed twice").told;
  });
  await until(() => on.log.join().includes("could not be asked for"), "the failure");
  await as("U1ANN").mention("C1", "later").told;
  await on.away(async () => {});
  await caughtUp();
  expect(texts()).toContain("missed twice");
});

const HOUR = 3600_000_000;
const lastTakenAgo = (hours: number) =>
  writeFileSync(
    join(on.folder, "seen.json"),
    JSON.stringify({ last: String(Date.now() * 1000 - hours * HOUR), places: ["C1 broken", "C1 1.2"] }),
  );

it("P2: an edit is told also where a kill lost what was taken last", async () => {
  const root = as("U1ANN").mention("C1", "the port is 80");
  await root.told;
  await on.away(async () => {
    await as("U1ANN").edit(root.message, "<@UBOT> the port is 8080");
    rmSync(join(on.folder, "taken.json"));
    lastTakenAgo(1);
  });
  await until(() => on.inbox.heard.edits.length > 0, "the edit");
  expect(on.inbox.heard.edits).toMatchObject([{ id: root.ts, text: "the port is 8080" }]);
});

it("nothing older than a day is caught up, however long we were away", async () => {
  await on.away(async () => {
    const [old, recent] = [as("U1ANN").mention("C1", "of last week"), as("U1ANN").mention("C2", "of this morning")];
    await Promise.all([old.told, recent.told]);
    old.message.ts = `${Math.floor(Date.now() / 1000) - 30 * 3600}.000001`;
    recent.message.ts = `${Math.floor(Date.now() / 1000) - 6 * 3600}.000001`;
    lastTakenAgo(72);
  });
  await caughtUp();
  expect(texts()).toEqual(["of this morning"]);
});

it("no more than so many requests are spent on it", async () => {
  await on.away(async () => {
    const channel = (n: number) => ({ id: `C9${n}`, name: `c${n}`, kind: "channel" as const, members: ["UBOT"] });
    on.rig.space.facts.channels.push(...Array.from({ length: 230 }, (_, n) => channel(n)));
    await as("U1ANN").mention("C1", "among many").told;
    lastTakenAgo(1);
  });
  await caughtUp();
  expect(on.rig.callsTo("conversations.history")).toHaveLength(198);
  expect(texts()).toEqual(["among many"]);
  expect(on.log.join()).toContain("More places");
});
