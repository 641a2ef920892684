import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { whose } from "../../../adapters/slack/whose.ts";
import type { Place } from "../../../src/core/event.ts";
import { say } from "../../../src/core/view.ts";
import { until } from "../../help/until.ts";
import { slot } from "./connected.ts";
import { another, type Installation, installation } from "./installing.ts";

const placeIn = (team: string): Place => ({ platform: "slack", team, channel: `C1${team}`, thread: null });
const kept = (on: Installation) => readdirSync(join(on.folder, "installations"));
const post = (on: Installation, team: string) => on.adapter.post(placeIn(team), slot(say("an answer")), `key ${Math.random()}`, false);

let on: Installation;
beforeEach(async () => {
  on = await installation({ allowed: "any" });
});
afterEach(() => on.close());

describe("an installation", () => {
  it("goes when the app is uninstalled: its posts are refused for certain and for good, others' go on, and installing anew goes on", async () => {
    for (const { space } of [on.one, on.two]) await on.install([space]);
    for (const token of on.rig.installs.tokensOf(on.one.space)) on.rig.installs.revoke(token);
    const [gone] = await Promise.all([
      on.one.event({ type: "app_uninstalled" }),
      on.one.event({ type: "tokens_revoked", tokens: { bot: ["UBOTT1"] } }),
    ]);
    expect(gone.acked).toBe(true);
    expect(await post(on, "T1")).toMatchObject({
      ok: false,
      unsure: false,
      retryIn: null,
      reason: expect.stringContaining("not installed"),
    });
    expect(await on.adapter.find(placeIn("T1"), "key")).toBe("absent");
    expect(await post(on, "T2")).toMatchObject({ ok: true });
    expect(kept(on)).toEqual(["T2.sealed"]);
    expect(on.log.join()).toContain("The app was uninstalled there");
    expect(on.adapter.health().ok).toBe(true);
    const command = await on.one.as("U1ANN").slash("C1T1", "/todos");
    expect(command.answer).toMatchObject({ response_type: "ephemeral", text: expect.stringContaining("/slack/install") });
    await on.install([on.one.space]);
    expect(await post(on, "T1")).toMatchObject({ ok: true });
    await on.one.as("U1ANN").mention("C1T1", "back again").told;
    expect(on.inbox.heard.messages.at(-1)).toMatchObject({ place: { team: "T1" } });
  });
  it("stays when what tells of its end comes late: Slack itself is asked", async () => {
    await on.install([on.one.space]);
    expect((await on.one.event({ type: "app_uninstalled" })).acked).toBe(true);
    await on.one.event({ type: "tokens_revoked", tokens: { oauth: ["U1ANN"], bot: [] } });
    expect(await post(on, "T1")).toMatchObject({ ok: true });
  });
  it("that was revoked unheard goes with the first call, and at the next start", async () => {
    for (const { space } of [on.one, on.two]) await on.install([space]);
    for (const token of on.rig.installs.tokensOf(on.one.space)) on.rig.installs.revoke(token);
    expect(await post(on, "T1")).toMatchObject({ ok: false, unsure: false });
    await until(() => kept(on).length === 1, "the end of the first");
    const [token = ""] = on.rig.installs.tokensOf(on.two.space);
    await on.again(() => on.rig.installs.revoke(token, "account_inactive"));
    expect(kept(on)).toEqual([]);
  });
  it("whose token is refused for now is kept, and health says which", async () => {
    for (const { space } of [on.one, on.two]) await on.install([space]);
    const [token = ""] = on.rig.installs.tokensOf(on.one.space);
    on.rig.installs.revoke(token, "invalid_auth");
    expect(await post(on, "T1")).toMatchObject({ ok: false, retryIn: 60_000 });
    expect(on.adapter.health()).toMatchObject({ ok: false, detail: expect.stringContaining("T1 (invalid_auth)") });
    expect(await post(on, "T2")).toMatchObject({ ok: true });
    on.rig.installs.restore(token);
    expect(await post(on, "T1")).toMatchObject({ ok: true });
    expect(on.adapter.health().ok).toBe(true);
    expect(kept(on)).toHaveLength(2);
  });
  it("that is not listed any more rests, and nothing of it is given up", async () => {
    for (const { space } of [on.one, on.two]) await on.install([space]);
    on.allowed = ["T2"];
    await on.again();
    expect(await post(on, "T1")).toMatchObject({ ok: false, unsure: false, retryIn: 600_000 });
    await on.one.as("U1ANN").mention("C1T1", "anybody there?").told;
    expect(on.inbox.heard.messages).toEqual([]);
    expect(kept(on)).toHaveLength(2);
  });
  it("with tokens that expire has them replaced once, however many calls wait, and keeps the new one", async () => {
    await on.install([on.one.space], { lives: 3600 });
    const [first] = on.rig.installs.tokensOf(on.one.space);
    const all = await Promise.all(["U1ANN", "U2BEN", "U4OLA"].map((person) => on.adapter.standing(placeIn("T1"), `slack:${person}`)));
    expect(all.every(({ member }) => member)).toBe(true);
    const [second, ...more] = on.rig.installs.tokensOf(on.one.space);
    expect(more).toEqual([]);
    expect(second).not.toBe(first);
    await on.again();
    expect(await post(on, "T1")).toMatchObject({ ok: true });
    expect(on.rig.callsTo("chat.postMessage").at(-1)?.token).toBe(second);
    expect(on.rig.callsTo("oauth.v2.access")).toHaveLength(2);
  });
  it("whose token could not be replaced yet goes on with the one it has", async () => {
    const begun = await on.get("/slack/install");
    const back = on.rig.installs.allow(begun.location, [on.one.space], { lives: 3600 });
    await on.get(back, begun.cookie);
    // Whatever asks for a new one from here on is refused.
    on.rig.fault({ method: "oauth.v2.access", times: 9, status: 503 });
    expect(await post(on, "T1")).toMatchObject({ ok: true });
    expect(await post(on, "T1")).toMatchObject({ ok: true });
    expect(on.log.join()).toContain("could not be replaced");
    // Not asked for at each call.
    expect(on.rig.callsTo("oauth.v2.access")).toHaveLength(2);
  });
});

describe("an organisation", () => {
  const wide = (team: string) => another(team, { enterprise: "E1", wide: true, botUser: "UBOTORG", botId: "BORG" });
  const inOrg = (team: string) => {
    const facts = wide(team);
    return { ...facts, channels: facts.channels.map((channel) => ({ ...channel, members: [...channel.members, "UBOTORG"] })) };
  };
  it("installs once for all its workspaces, each with a home of its own, and calls name the workspace", async () => {
    const [one, two] = [on.rig.installs.team(inOrg("T5")), on.rig.installs.team(inOrg("T6"))];
    const page = await on.install([one.space, two.space], { organisation: "E1" });
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining("E1") });
    for (const team of [one, two]) await team.as("U1ANN").mention(`C1${team.space.facts.team}`, "hello").told;
    expect([...new Set(on.inbox.heard.messages.map(({ place }) => place.team))]).toEqual(["T5", "T6"]);
    expect(await post(on, "T6")).toMatchObject({ ok: true });
    expect(two.space.said("C1T6")).toHaveLength(1);
    await on.again();
    expect(await post(on, "T5")).toMatchObject({ ok: true });
    await until(() => on.rig.callsTo("users.conversations").some(({ args }) => args.team_id === "T6"), "catching up");
    expect(on.rig.callsTo("users.conversations").every(({ answer }) => answer.ok === true)).toBe(true);
  });
  it("that takes a workspace from the app loses that one alone, and has it again from the first word on", async () => {
    const [one, two] = [on.rig.installs.team(inOrg("T5")), on.rig.installs.team(inOrg("T6"))];
    await on.install([one.space, two.space], { organisation: "E1" });
    for (const team of [one, two]) await team.as("U1ANN").mention(`C1${team.space.facts.team}`, "hello").told;
    // Slack may say so late: nothing was taken by now.
    await on.rig.event({ type: "team_access_revoked", team_ids: ["T5"] }, {}, two.space);
    expect(await post(on, "T5")).toMatchObject({ ok: true });
    on.rig.installs.takeBack(one.space);
    await on.rig.event({ type: "team_access_revoked", team_ids: ["T5"] }, {}, two.space);
    expect(await post(on, "T5")).toMatchObject({ ok: false, unsure: false, retryIn: null });
    expect(await post(on, "T6")).toMatchObject({ ok: true });
    expect(on.adapter.health().ok).toBe(true);
    await on.install([one.space, two.space], { organisation: "E1" });
    await one.as("U1ANN").mention("C1T5", "hello again").told;
    expect(on.inbox.heard.messages.at(-1)).toMatchObject({ text: "hello again", place: { team: "T5" } });
    expect(await post(on, "T5")).toMatchObject({ ok: true });
  });
  it("people of its other workspaces are members of those they belong to, and strangers in the rest", async () => {
    const one = on.rig.installs.team(inOrg("T5"));
    one.space.facts.people.push(
      { id: "U9MUL", name: "Mul", team: "T6", teams: ["T5", "T6"] },
      { id: "U9OTH", name: "Oth", team: "T6", teams: ["T6"] },
    );
    await on.install([one.space], { organisation: "E1" });
    await one.as("U9MUL").mention("C1T5", "hello").told;
    await one.as("U9OTH").mention("C1T5", "hello").told;
    const by = on.inbox.heard.messages.map(({ by: { id, kind } }) => `${id} ${kind}`);
    expect([...new Set(by)]).toEqual(["slack:U9MUL member", "slack:U9OTH external"]);
  });
  it("that uninstalls takes all its workspaces along", async () => {
    const one = on.rig.installs.team(inOrg("T5"));
    await on.install([one.space], { organisation: "E1" });
    await one.as("U1ANN").mention("C1T5", "hello").told;
    for (const token of on.rig.installs.tokensOf(one.space)) on.rig.installs.revoke(token);
    await on.rig.event({ type: "app_uninstalled" }, {}, Object.assign(one.space, { facts: { ...one.space.facts, team: "E1" } }));
    expect(kept(on)).toEqual([]);
    expect(await post(on, "T5")).toMatchObject({ ok: false, retryIn: null });
  });
});

it.each([
  [
    "an event",
    { event: {}, team_id: "T9", authorizations: [{ team_id: "T1", enterprise_id: null, is_enterprise_install: false }] },
    ["T1"],
    undefined,
  ],
  ["an event without authorizations", { event: {}, team_id: "T1" }, ["T1"], undefined],
  [
    "an organisation's event",
    { event: {}, authorizations: [{ team_id: "T1", enterprise_id: "E1", is_enterprise_install: true }] },
    ["T1"],
    "E1",
  ],
  [
    "an organisation's own event",
    { event: {}, team_id: "E1", authorizations: [{ team_id: "E1", enterprise_id: "E1", is_enterprise_install: true }] },
    [],
    "E1",
  ],
  ["a command", { command: "/todos", team_id: "T1", enterprise_id: "E1", is_enterprise_install: "true" }, ["T1"], "E1"],
  ["a press by somebody else's", { type: "block_actions", team: { id: "T1" }, user: { team_id: "T9" } }, ["T1", "T9"], undefined],
  [
    "a press in an organisation",
    {
      type: "block_actions",
      team: null,
      enterprise: { id: "E1" },
      is_enterprise_install: true,
      message: { team: "T1" },
      user: { team_id: "T2" },
    },
    ["T1", "T2"],
    "E1",
  ],
  [
    "a form sent in a shared channel",
    { type: "view_submission", team: { id: "T9" }, view: { app_installed_team_id: "T1" } },
    ["T1", "T9"],
    undefined,
  ],
])("%s is for the workspace that received it", (_what, body, teams, organisation) => {
  expect(whose(body)).toEqual({ teams, wide: organisation });
});
