/** Where a story is told: a real process at a local Slack or Discord, and what of its conversations people see. */
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../help/until.ts";
import * as discord from "../rigs/discord.ts";
import { buttonsOf, type Message, wordsOf } from "../rigs/slack.ts";
import { Guild } from "./guild.ts";
import type { House } from "./house.ts";
import { slotOf, Team } from "./team.ts";

/** A message of the bot. */
export interface Shown {
  id: string;
  words: string;
  buttons: string[];
  /** Which slot it is, where its platform tells that. */
  slot: string;
}
/** A conversation. */
export interface Talk {
  shown(): Shown[];
  /** Whoever began it says more. */
  say(words: string): void;
  /** Ben presses; whether anybody took it. */
  press(id: string, word: string): Promise<boolean>;
  /** What is wrong beside its messages. */
  faults(): string[];
}
/** The boundaries of a process are asked for a kill, by name. */
export type Boundary = (name: string) => boolean;
export interface Stage {
  house: House;
  watch(boundary: Boundary): void;
  begin(words: string): Talk;
}

export const WAYS = {
  "slack over sockets, in a channel": () => onSlack({ over: "socket", place: "channel" }),
  "slack over sockets, in a DM": () => onSlack({ over: "socket", place: "dm" }),
  "slack over signed HTTP, in a channel": () => onSlack({ over: "http", place: "channel" }),
  "discord, in a thread": () => onDiscord("thread"),
  "discord, where there are no threads": () => onDiscord("replies"),
} satisfies Record<string, () => Promise<Stage>>;
export type Way = keyof typeof WAYS;

const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => done(typeof address === "object" && address ? address.port : 0));
    });
  });
const OPS = { env: { LINGER: "150" } };

async function onSlack({ over, place }: { over: "socket" | "http"; place: "channel" | "dm" }): Promise<Stage> {
  const port = await freePort();
  const slack = { repeatAfter: [100, 400, 1000, ...Array.from({ length: 20 }, () => 2000)], ackWithin: 1500 };
  const http = { SLACK_APP_TOKEN: "", SLACK_SIGNING_SECRET: "a-signing-secret", SLACK_PORT: String(port) };
  const team = await Team.open({ slack, ops: OPS, ...(over === "http" ? { env: http } : {}) });
  if (over === "http") team.slack.target = `http://127.0.0.1:${port}/slack/events`;
  return {
    house: team,
    watch(boundary) {
      team.slack.boundary = boundary;
      team.model.boundary = boundary;
    },
    begin: (words) => slackTalk(team, place, words),
  };
}

/** In a DM there is nobody else to ask. */
function slackTalk({ slack }: Team, place: "channel" | "dm", words: string): Talk {
  const asker = slack.as(place === "dm" ? "U2BEN" : "U1ANN");
  const root = place === "dm" ? asker.dm(words) : asker.mention("C1", words);
  const said = (): Message[] => slack.space.said(root.channel, root.ts);
  return {
    shown: () =>
      said().map((message) => ({
        id: message.ts,
        words: wordsOf(message),
        buttons: buttonsOf(message).map(({ word }) => word),
        slot: slotOf(message),
      })),
    say: (more) => void asker.say(root.channel, more, { thread: root.ts }),
    async press(id, word) {
      const message = said().find(({ ts }) => ts === id);
      return message !== undefined && (await slack.as("U2BEN").press(message, word)).acked;
    },
    faults() {
      // A message of the bot takes the status away as well.
      const last = slack.calls.findLast(
        ({ method, args, answer }) =>
          answer.ok === true && args.thread_ts === root.ts && (method === "chat.postMessage" || method.endsWith("setStatus")),
      );
      return last?.args.status ? ["the status still stands"] : [];
    },
  };
}

async function onDiscord(place: "thread" | "replies"): Promise<Stage> {
  const guild = await Guild.open({ ops: OPS });
  return {
    house: guild,
    watch(boundary) {
      guild.discord.boundary = boundary;
      guild.discord.gateway.boundary = boundary;
      guild.model.boundary = boundary;
    },
    begin: (words) => discordTalk(guild, place, words),
  };
}

/** Whoever pressed and got no answer in time presses again. */
const ANSWERED_WITHIN = 3000;

function discordTalk({ discord: rig, channel, voice, ann, ben }: Guild, place: "thread" | "replies", words: string): Talk {
  const root = rig.as(ann).mention(place === "thread" ? channel : voice, words);
  const said = (): discord.Message[] =>
    place === "thread" ? rig.said(root.id) : rig.said(voice.id).filter(({ message_reference: to }) => to?.message_id === root.id);
  return {
    shown: () =>
      said().map((message) => ({
        id: message.id,
        words: discord.wordsOf(message),
        buttons: discord.buttonsOf(message).map(({ label }) => label ?? ""),
        slot: "",
      })),
    // The thread is opened by the bot, on the first message.
    say(more) {
      if (place === "thread") rig.as(ann).say(rig.world.at(root.id), more);
      else rig.as(ann).mention(voice, more, { replyTo: root });
    },
    async press(id, word) {
      const message = said().find((one) => one.id === id);
      if (!message) return false;
      const pressed = rig.as(ben).press(message, word);
      const answered = until(() => pressed.answeredAt, "an answer", ANSWERED_WITHIN).then(() => true);
      return Promise.race([answered.catch(() => false), sleep(2 * ANSWERED_WITHIN, false)]);
    },
    faults: () => [
      ...(rig.pings().length ? ["somebody was called"] : []),
      ...(place === "thread" && rig.said(channel.id).length ? ["something stands beside the thread"] : []),
    ],
  };
}
