import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../../help/until.ts";
import { type Connected, connected } from "./connected.ts";

let on: Connected;
const freePort = () =>
  new Promise<number>((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    });
  });
beforeAll(async () => {
  on = await connected({ http: await freePort(), repeatAfter: [20, 50] });
});
afterAll(() => on.close());

it("signed events are taken and answered with 200 only then", async () => {
  let left = 1;
  on.inbox.onMessage = async () => {
    if (left-- > 0) throw new Error("no disk");
    return undefined;
  };
  const [delivery] = await on.rig.as("U1ANN").say("C1", "over http").told;
  expect(delivery).toMatchObject({ acked: true, attempts: 2 });
  expect(on.inbox.heard.messages).toHaveLength(2);
});
it("buttons and commands come the same way", async () => {
  on.inbox.onCommand = () => ({ to: "asker", view: { parts: [{ kind: "text", text: "Nothing." }], buttons: [] } });
  expect((await on.rig.as("U1ANN").slash("C1", "/todos")).answer).toMatchObject({ response_type: "ephemeral", text: "Nothing." });
  const message = on.rig.space.add({
    channel: "C1",
    user: "UBOT",
    bot_id: "B1",
    text: "card",
    blocks: [{ type: "actions", elements: [{ type: "button", text: { type: "plain_text", text: "Stop" }, action_id: "stop:c" }] }],
  });
  expect((await on.rig.as("U1ANN").press(message, "Stop")).acked).toBe(true);
  await until(() => on.inbox.heard.clicks.length === 1, "the press");
});
it("Slack's question whether the address is ours is answered", async () => {
  const raw = JSON.stringify({ type: "url_verification", challenge: "are you there" });
  const response = await fetch(on.rig.target ?? "", {
    method: "POST",
    body: raw,
    headers: { "content-type": "application/json", ...on.rig.signed(raw) },
  });
  expect(await response.json()).toEqual({ challenge: "are you there" });
});
it("what is not signed, wrongly signed or signed long ago is refused", async () => {
  const raw = JSON.stringify({
    type: "event_callback",
    event: { type: "message", user: "U1ANN", channel: "C1", ts: "1.000001", text: "forged" },
  });
  const before = on.inbox.heard.messages.length;
  const good = on.rig.signed(raw);
  const headers = [{}, { ...good, "x-slack-signature": `v0=${"0".repeat(64)}` }, on.rig.signed(raw, Math.floor(Date.now() / 1000) - 400)];
  for (const each of headers) {
    const response = await fetch(on.rig.target ?? "", {
      method: "POST",
      body: raw,
      headers: { "content-type": "application/json", ...each },
    });
    expect(response.status).toBe(401);
  }
  expect(on.inbox.heard.messages).toHaveLength(before);
});
