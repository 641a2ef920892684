import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Connected, connected } from "./connected.ts";

let on: Connected;
beforeAll(async () => {
  on = await connected();
  const { channels } = on.rig.space.facts;
  const more = (id: string, kind: "channel" | "group", members: string[], shared = false) =>
    channels.push({ id, name: `name-of-${id.toLowerCase()}`, kind, members, shared });
  more("C7OPEN", "channel", ["UBOT"]);
  more("G7BOTH", "group", ["UBOT", "U1ANN"]);
  more("G7BEN", "group", ["UBOT", "U2BEN"]);
  more("G7ALONE", "group", ["U1ANN"]);
  more("C7SHARED", "channel", ["UBOT", "U2BEN"], true);
});
afterAll(() => on.close());
beforeEach(() => on.inbox.heard.messages.splice(0));
const channel = (value: string) => ({ type: "slack#/types/channel_id", value, team_id: "T1" });
const told = async (...entities: object[]) => {
  await on.rig.as("U1ANN").dmBeside("what is going on here?", ...(entities as Record<string, unknown>[])).told;
  return on.inbox.heard.messages.at(-1)?.viewing;
};

it("P6: what somebody has open is told by name and id where the agent and they both see it, and nowhere else", async () => {
  expect(await told(channel("C7OPEN"))).toBe("#name-of-c7open (slack:C7OPEN)");
  expect(await told(channel("G7BOTH"))).toBe("#name-of-g7both (slack:G7BOTH)");
  for (const unseen of ["G7BEN", "G7ALONE", "C7SHARED", "G7NOWHERE"])
    expect([unseen, await told(channel(unseen))]).toEqual([unseen, undefined]);
});
it("a message that is open stands for its channel, and what is no channel is passed over", async () => {
  const canvas = { type: "slack#/types/canvas_id", value: "F123" };
  const message = { type: "slack#/types/message_context", value: { channel_id: "C7OPEN", message_ts: "1.000001" } };
  expect(await told(canvas, message)).toContain("C7OPEN");
  expect([await told(), await told(canvas), await told({}, channel("D1"), channel("../x"))]).toEqual([undefined, undefined, undefined]);
});
it("it is told with direct messages alone, and a slow answer of Slack's holds nothing up", async () => {
  const root = on.rig.as("U1ANN").say("C1", "<@UBOT> hello", { beside: { app_context: { entities: [channel("C7OPEN")] } } });
  await root.told;
  expect(on.inbox.heard.messages.map(({ viewing }) => viewing)).toEqual([undefined, undefined]);
  on.rig.fault({ method: "conversations.info", delay: 1500 });
  const begun = Date.now();
  expect(await told(channel("C7OPEN"))).toBeUndefined();
  expect(Date.now() - begun).toBeLessThan(1400);
});
