import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { INSTALLATIONS } from "../../../adapters/slack/installations.ts";
import type { Place } from "../../../src/core/event.ts";
import { say } from "../../../src/core/view.ts";
import { sealedIn } from "../../../src/sealed.ts";
import { until } from "../../help/until.ts";
import { slot } from "./connected.ts";
import { another, type Installation, installation } from "./installing.ts";

const placeIn = (team: string, channel = `C1${team}`): Place => ({ platform: "slack", team, channel, thread: null });
const filesOf = (on: Installation) => readdirSync(join(on.folder, "installations")).map((name) => join(on.folder, "installations", name));

describe.each([{ http: false }, { http: true }])("workspaces that install the app (HTTP: $http)", ({ http }) => {
  let on: Installation;
  beforeAll(async () => {
    on = await installation({ http });
  });
  afterAll(() => on.close());

  it("are told where to install as long as there is none", async () => {
    expect(on.adapter.health()).toMatchObject({ ok: true, detail: expect.stringContaining(`${on.url}/slack/install`) });
    const { status, location } = await on.get("/slack/install");
    const asked = new URL(location).searchParams;
    expect(status).toBe(302);
    expect(asked.get("redirect_uri")).toBe(`${on.url}/slack/oauth_redirect`);
    expect(asked.get("scope")).toContain("chat:write");
  });
  it("are served from the moment they installed, each in its own home and with its own token (P6)", async () => {
    for (const { space } of [on.one, on.two]) {
      const page = await on.install([space]);
      expect(page).toMatchObject({ status: 200, text: expect.stringContaining(`Team ${space.facts.team}`) });
    }
    for (const team of [on.one, on.two]) await team.as("U1ANN").mention(`C1${team.space.facts.team}`, "hello").told;
    expect([...new Set(on.inbox.heard.messages.map(({ place, mentioned }) => `${place.team} ${mentioned}`))]).toEqual([
      "T1 true",
      "T2 true",
    ]);
    for (const { space } of [on.one, on.two]) {
      const posted = await on.adapter.post(
        placeIn(space.facts.team),
        slot(say(`for ${space.facts.team}`)),
        `key ${space.facts.team}`,
        false,
      );
      expect(posted).toMatchObject({ ok: true });
      expect(space.said(`C1${space.facts.team}`)).toHaveLength(1);
      expect(on.rig.callsTo("chat.postMessage").at(-1)).toMatchObject({ token: on.rig.installs.tokensOf(space)[0] });
    }
    expect(on.adapter.health()).toMatchObject({ ok: true, detail: expect.stringContaining("2 workspaces") });
  });
  it("buttons, commands and looks at people go by the workspace they are in", async () => {
    const card = on.two.space.add({
      channel: "C1T2",
      user: "UBOTT2",
      bot_id: "BT2",
      text: "card",
      blocks: [{ type: "actions", elements: [{ type: "button", text: { type: "plain_text", text: "Stop" }, action_id: "stop:c" }] }],
    });
    expect((await on.two.as("U1ANN").press(card, "Stop")).acked).toBe(true);
    await until(() => on.inbox.heard.clicks.length === 1, "the press");
    expect(on.inbox.heard.clicks[0]?.place.team).toBe("T2");
    await on.two.as("U1ANN").slash("C1T2", "/todos");
    expect(on.inbox.heard.commands.at(-1)?.place.team).toBe("T2");
    on.two.space.facts.people.push({ id: "U8TWO", name: "Two", owner: true });
    expect(await on.adapter.standing(placeIn("T2"), "slack:U8TWO")).toMatchObject({ member: true, owner: true });
    expect(await on.adapter.standing(placeIn("T1"), "slack:U8TWO")).toMatchObject({ member: false, owner: false });
    const file = on.two.space.keep("plan.txt", "text/plain", Buffer.from("the plan"), on.rig.url);
    const fetched = await on.adapter.fetch?.(placeIn("T2"), "1.1", String(file.id), 1000, AbortSignal.timeout(5000));
    expect(fetched).toMatchObject({ ok: true, bytes: Buffer.from("the plan") });
    expect(on.rig.downloads.at(-1)?.token).toBe(`Bearer ${on.rig.installs.tokensOf(on.two.space)[0]}`);
    // Where nothing was said since it was started, too.
    const old = (team: string) => on.adapter.link({ ...placeIn(team), channel: "C7OLD", thread: "1.000001" }, "1.000001");
    expect(["T1", "T2"].map(old)).toEqual([
      "https://team.slack.com/archives/C7OLD/p1000001",
      "https://t2.slack.com/archives/C7OLD/p1000001",
    ]);
  });
  it("what was not asked for in this browser, or was used before, installs nothing", async () => {
    const calls = on.rig.callsTo("oauth.v2.access").length;
    const begun = await on.get("/slack/install");
    const back = on.rig.installs.allow(begun.location, [on.one.space]);
    const forged = back.replace(/state=[^&]+/, "state=eyJhbGciOiJub25lIn0.e30.");
    for (const [address, cookie] of [
      [back, ""],
      [forged, begun.cookie],
      [forged, "slack-app-oauth-state=eyJhbGciOiJub25lIn0.e30."],
    ] as const)
      expect(await on.get(address, cookie)).toMatchObject({ status: 400, text: expect.stringContaining("nothing was installed") });
    expect(on.rig.callsTo("oauth.v2.access")).toHaveLength(calls);
    expect((await on.get(back, begun.cookie)).status).toBe(200);
    expect(await on.get(back, begun.cookie)).toMatchObject({ status: 400, text: expect.stringContaining("used before") });
    expect(on.rig.callsTo("oauth.v2.access")).toHaveLength(calls + 1);
  });
  it("one that is declined at Slack, or whose code Slack does not know, is said in words", async () => {
    const begun = await on.get("/slack/install");
    expect((await on.get("/slack/oauth_redirect?error=access_denied", begun.cookie)).text).toContain("declined");
    const unknown = on.rig.installs.allow(begun.location, [on.one.space]).replace(/code=[^&]+/, "code=0");
    expect(await on.get(unknown, begun.cookie)).toMatchObject({ status: 400, text: expect.stringContaining("invalid_code") });
  });
  it("one that is not listed gives back its token, and reads who can change that", async () => {
    const { space } = on.rig.installs.team(another("T3"));
    const page = await on.install([space]);
    expect(page).toMatchObject({ status: 403, text: expect.stringContaining("T3 to SLACK_ALLOWED_TEAMS") });
    expect(on.rig.installs.tokensOf(space)).toEqual([]);
    expect(filesOf(on)).toHaveLength(2);
  });
  it("stay installed over a restart, with what was said meanwhile", async () => {
    await until(() => on.one.space.messages.length > 0, "messages");
    on.inbox.heard.messages.length = 0;
    await on.again(() => void on.two.as("U1ANN").mention("C1T2", "while you were away"));
    await until(() => on.inbox.heard.messages.some(({ text }) => text.includes("while you were away")), "what was missed");
    expect(on.inbox.heard.messages.filter(({ own }) => !own).every(({ place }) => place.team === "T2")).toBe(true);
  });
  it("nothing of a token is in a file or in the log, and files are for the owner alone (P9)", async () => {
    const held = [...filesOf(on).map((file) => readFileSync(file, "latin1")), on.log.join("\n")].join("\n");
    expect(held).not.toMatch(/xoxb-|a-client-secret|Team T1/);
    expect(filesOf(on).map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
  });
  it("whoever pressed the button is not kept", async () => {
    const sealed = sealedIn(on.folder, on.key, INSTALLATIONS);
    const texts = await Promise.all((await sealed.names()).map((name) => sealed.read(name)));
    expect(texts).toHaveLength(2);
    expect(JSON.stringify(texts)).toContain("xoxb-");
    expect(JSON.stringify(texts)).not.toContain("U4OLA");
  });
  it("with another key they are neither used nor lost, and it is said why", async () => {
    on.key = Buffer.alloc(32, 8);
    await on.again();
    expect(on.adapter.health()).toMatchObject({ ok: false, detail: expect.stringContaining("cannot be read with this ENCRYPTION_KEY") });
    const refused = await on.adapter.post(placeIn("T1"), slot(say("kept")), "kept", false);
    expect(refused).toMatchObject({ ok: false, unsure: false, retryIn: 600_000 });
    on.key = Buffer.alloc(32, 7);
    await on.again();
    expect(on.adapter.health()).toMatchObject({ ok: true, detail: expect.stringContaining("2 workspaces") });
  });
});

it("a port that is taken is said in words, and once it is free everything is served (Socket Mode too)", async () => {
  const on = await installation();
  await on.install([on.one.space]);
  await on.adapter.stop();
  const taken = createServer();
  const port = Number(new URL(on.url).port);
  await new Promise<void>((done) => taken.listen(port, done));
  await expect(on.again()).rejects.toThrow(`Slack cannot be served on port ${port}`);
  await new Promise((done) => taken.close(done));
  await on.adapter.start(on.inbox);
  expect(await on.adapter.post(placeIn("T1"), slot(say("there")), "there", false)).toMatchObject({ ok: true });
  await on.one.as("U1ANN").mention("C1T1", "once").told;
  expect(new Set(on.inbox.heard.messages.filter(({ text }) => text.includes("once")).map(({ id }) => id)).size).toBe(1);
  await on.close();
});

it("with nobody listed the page says so, and leads nowhere", async () => {
  const on = await installation({ allowed: [] });
  const page = await on.get("/slack/install");
  expect(page).toMatchObject({ status: 403, location: "", text: expect.stringContaining("SLACK_ALLOWED_TEAMS lists no workspace") });
  expect((await on.get("/elsewhere")).status).toBe(404);
  await on.close();
});
