import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { slack } from "../../../adapters/slack/slack.ts";
import { UserError } from "../../../src/core/ports.ts";
import { until } from "../../help/until.ts";
import { SlackRig } from "../../rigs/slack.ts";
import { type Connected, connected, FakeInbox } from "./connected.ts";

const unhandled: unknown[] = [];
const note = (error: unknown) => void unhandled.push(error);
let on: Connected;
beforeEach(async () => {
  unhandled.length = 0;
  process.on("unhandledRejection", note);
  on = await connected({ repeatAfter: [100, 300, 600, 1000, 2000] });
  await healthy();
});
afterEach(async () => {
  await on.close();
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});
const healthy = () => until(() => on.adapter.health().detail === "connected" && on.rig.connections === 2, "both connections");
const hears = async (words: string) => {
  const [delivery] = await on.rig.as("U1ANN").say("C1", words).told;
  expect(delivery?.acked).toBe(true);
  expect(on.inbox.heard.messages.map((m) => m.text)).toContain(words);
};

describe("P1: the connection", () => {
  it("that Slack takes away leaves no gap: the other one hears meanwhile, and it is replaced at once", async () => {
    on.rig.fault({ method: "apps.connections.open", delay: 1000 });
    on.rig.disconnect({ only: 1 });
    for (const words of ["one", "two", "three"]) {
      const [delivery] = await on.rig.as("U1ANN").say("C1", words).told;
      expect(delivery).toMatchObject({ acked: true, attempts: 1 });
      expect(on.adapter.health().ok).toBe(true);
    }
    expect(on.rig.socketsOpened).toBe(2);
    await healthy();
    expect(on.rig.socketsOpened).toBe(3);
  });
  it("each event comes on one of the two", async () => {
    for (const words of ["one", "two", "three", "four"]) await hears(words);
    expect(on.inbox.heard.messages.map(({ text }) => text)).toEqual(["one", "two", "three", "four"]);
  });
  it("that Slack takes away together are replaced at once, and nothing said meanwhile is lost", async () => {
    on.rig.disconnect();
    const said = on.rig.as("U1ANN").say("C1", "said in between");
    await until(() => on.rig.socketsOpened === 4, "the next connections", 1500);
    const [delivery] = await said.told;
    expect(delivery?.acked).toBe(true);
    await healthy();
    await hears("and after");
  });
  it("that breaks is opened anew; unhealthy until then", async () => {
    on.rig.fault({ method: "apps.connections.open", delay: 200, times: 2 });
    on.rig.cut();
    await until(() => !on.adapter.health().ok, "the loss to be seen");
    await healthy();
    await hears("after the break");
  });
  it("survives an envelope without an event", async () => {
    on.rig.raw({ envelope_id: "e1", type: "events_api", payload: { type: "app_rate_limited" } });
    await hears("still here");
    expect(on.log.join()).toContain("could not be read");
    expect(on.rig.socketsOpened).toBe(2);
  });
  it("survives being refused on the way back, and comes back when Slack takes it again", async () => {
    on.rig.fault({ method: "apps.connections.open", body: { ok: false, error: "invalid_auth" }, times: 4 });
    on.rig.disconnect();
    await until(() => on.adapter.health().detail.includes("invalid_auth"), "the refusal to be told");
    expect(on.adapter.health().ok).toBe(false);
    await healthy();
    await hears("forgiven");
  });
  it("survives a network that is gone on the way back", async () => {
    on.rig.fault({ method: "apps.connections.open", drop: "before", times: 4 });
    on.rig.cut();
    await until(() => on.rig.callsTo("apps.connections.open").length === 4, "the first tries");
    expect(on.adapter.health().ok).toBe(false);
    await healthy();
    await hears("back again");
  });
  it("acknowledges what came before it was told to stop, and takes nothing after", async () => {
    let finish: () => void = () => {};
    on.inbox.onMessage = () => new Promise((done) => (finish = () => done(undefined)));
    const said = on.rig.as("U1ANN").say("C1", "just before the end");
    await until(() => on.inbox.heard.messages.length === 1, "the message");
    const stopping = on.adapter.stop();
    void on.rig.as("U1ANN").say("C2", "too late").told;
    finish();
    await stopping;
    expect((await said.told)[0]).toMatchObject({ acked: true, attempts: 1 });
    expect(on.inbox.heard.messages).toHaveLength(1);
    expect(on.adapter.health().ok).toBe(false);
  });
});

describe("a start that cannot work is told in a sentence", () => {
  const start = async (tokens: { botToken?: string; appToken?: string; apiUrl?: string }) => {
    const rig = await new SlackRig().start();
    const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const given = {
      botToken: rig.botToken,
      appToken: rig.appToken,
      apiUrl: rig.apiUrl,
      folder: mkdtempSync(join(tmpdir(), "slack-")),
      log: quiet,
      scrub: (text: string) => text,
      ...tokens,
    };
    try {
      return await slack(given)
        .start(new FakeInbox())
        .catch((error: unknown) => error);
    } finally {
      await rig.stop();
    }
  };
  it.each([
    ["a wrong bot token", { botToken: "xoxb-wrong" }, /SLACK_BOT_TOKEN.*invalid_auth.*Copy/],
    ["a wrong app token", { appToken: "xapp-wrong" }, /SLACK_APP_TOKEN.*invalid_auth.*Copy/],
    ["no Slack to be reached", { apiUrl: "http://127.0.0.1:47/api/" }, /cannot be reached.*network/],
  ])("%s", async (_name, tokens, sentence) => {
    const error = await start(tokens);
    expect(error).toBeInstanceOf(UserError);
    expect(String(error)).toMatch(sentence);
  });
});
