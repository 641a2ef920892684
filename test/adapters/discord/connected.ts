/** A Discord on this machine with a guild and a few people, the adapter connected to it, and an inbox that writes down what it gets. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DiscordOptions, discord } from "../../../adapters/discord/discord.ts";
import type { Place } from "../../../src/core/event.ts";
import type { Adapter } from "../../../src/core/ports.ts";
import { FakeInbox } from "../../help/fake-inbox.ts";
import { type Channel, DiscordRig, type DiscordRigOptions, type Guild, type User } from "../../rigs/discord.ts";

export { FakeInbox, slot } from "../../help/fake-inbox.ts";
export const SECRET = "a-very-secret-token";

export interface Connected {
  rig: DiscordRig;
  guild: Guild;
  channel: Channel;
  ann: User;
  ben: User;
  inbox: FakeInbox;
  adapter: Adapter;
  log: string[];
  folder: string;
  /** Another process, on the same folder; with a new inbox if none is given. */
  again(inbox?: FakeInbox): Promise<{ adapter: Adapter; inbox: FakeInbox }>;
  place(thread: string | null, channel?: Channel): Place;
  close(): Promise<void>;
}

export function town(options: DiscordRigOptions = {}) {
  const rig = new DiscordRig(options);
  const { world } = rig;
  const guild = world.guild("Team");
  const channel = world.channel(guild, "general");
  const ann = world.person("ann", { guild });
  const ben = world.person("ben", { guild });
  return { rig, guild, channel, ann, ben };
}

type Town = ReturnType<typeof town>;

/** `furnish`: what has to be there before the first connection. */
export async function connected(
  options: DiscordRigOptions & { with?: Partial<DiscordOptions>; furnish?: (town: Town) => void } = {},
): Promise<Connected> {
  const made = town(options);
  options.furnish?.(made);
  const { rig, guild, channel, ann, ben } = made;
  await rig.start();
  const folder = mkdtempSync(join(tmpdir(), "denizen-discord-"));
  const log: string[] = [];
  const lives: Adapter[] = [];
  const open = async (inbox = new FakeInbox()) => {
    const one = adapterFor(rig, folder, log, options.with);
    lives.push(one);
    await one.start(inbox);
    return { adapter: one, inbox };
  };
  const first = await open();
  return {
    rig,
    guild,
    channel,
    ann,
    ben,
    ...first,
    log,
    folder,
    again: open,
    place: (thread, where = channel) => ({ platform: "discord", team: guild.id, channel: where.id, thread }),
    async close() {
      await Promise.all(lives.map((one) => one.stop()));
      await rig.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function adapterFor(rig: DiscordRig, folder: string, log: string[], more: Partial<DiscordOptions> = {}): Adapter {
  const write = (_facts: object, sentence: string) => void log.push(sentence);
  return discord({
    token: rig.token,
    apiUrl: rig.apiUrl,
    folder,
    log: { debug: write, info: write, warn: write, error: write },
    scrub: (text) => text.replaceAll(SECRET, "[masked]"),
    ...more,
  });
}
