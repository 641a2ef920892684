/** Two connections side by side, as Discord recommends for bots in many guilds. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Connected, connected, type FakeInbox } from "../adapters/discord/connected.ts";
import { until } from "../help/until.ts";
import type { Channel, Guild } from "../rigs/discord.ts";

let on: Connected;
let far: Guild;
let square: Channel;
const shardOf = ({ id }: Guild): number => Number((BigInt(id) >> 22n) % 2n);

beforeAll(async () => {
  on = await connected({
    shards: 2,
    furnish({ rig, guild, ann }) {
      far = rig.world.guild("Far away");
      for (let n = 0; shardOf(far) === shardOf(guild); n++) {
        rig.world.guilds.delete(far.id);
        far = rig.world.guild("Far away", { age: 100_000 + n });
      }
      rig.world.join(far, ann);
      square = rig.world.channel(far, "square");
    },
  });
});
afterAll(() => on.close());

const heard = ({ inbox }: { inbox: FakeInbox }, text: string) =>
  until(
    () => inbox.heard.messages.find((one) => one.text === text),
    () => `“${text}”; heard: ${inbox.heard.messages.map((one) => one.text)}; log: ${on.log}`,
  );

it("events of both come, with the ids of their own places, each once; direct messages come on the first", async () => {
  expect(on.rig.gateway).toMatchObject({ identified: 2, connections: 2 });
  expect(on.adapter.health()).toEqual({ ok: true, detail: "connected" });
  on.rig.as(on.ann).mention(on.channel, "here");
  on.rig.as(on.ann).mention(square, "there");
  on.rig.as(on.ann).say(on.rig.world.direct(on.ann), "between us");
  expect((await heard(on, "here")).place).toEqual({ platform: "discord", team: on.guild.id, channel: on.channel.id, thread: null });
  expect((await heard(on, "there")).place).toEqual({ platform: "discord", team: far.id, channel: square.id, thread: null });
  expect((await heard(on, "between us")).channel).toBe("dm");
  expect(on.inbox.heard.messages).toHaveLength(3);
  const pressed = on.rig.as(on.ann).slash("todos", square);
  await until(() => pressed.answeredAt, "an answer");
});

it("what one misses while the other goes on hearing is caught up from where it was itself (P1)", async () => {
  on.rig.gateway.invalidate();
  on.rig.as(on.ann).mention(square, "missed over there");
  on.rig.as(on.ann).mention(on.channel, "missed here");
  await heard(on, "missed over there");
  await heard(on, "missed here");
  await on.adapter.stop();
  on.rig.as(on.ann).mention(square, "while it was away");
  const again = await on.again();
  on.rig.as(on.ann).mention(on.channel, "heard at once");
  await heard(again, "while it was away");
  await heard(again, "heard at once");
  expect(again.inbox.heard.messages.filter(({ text }) => text === "while it was away")).toHaveLength(1);
});
