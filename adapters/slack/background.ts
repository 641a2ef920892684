/**
 * What was said in a thread before the bot was called into it.
 *
 * B1. Asked for only where no conversation is known, and never waited for long: the call itself matters more.
 * B2. The root, and of the rest the newest that fit into the budget.
 */
import type { webApi } from "@slack/bolt";
import { EACH, type Earlier, fitting, PATIENCE } from "../shared/earlier.ts";
import { clip } from "../shared/escape.ts";
import { within } from "../shared/within.ts";
import type { Desk } from "./desk.ts";
import { attempt } from "./outcome.ts";
import { heard, micros, millis, named } from "./text.ts";
import { type MessageEvent, type Told, told } from "./told.ts";

/** Slack tells a thread oldest first. */
const PAGE = 999;
type Words = Told & { kind: "message" };

export const background = (look: webApi.WebClient, desk: Desk, event: MessageEvent): Promise<Earlier> =>
  within(PATIENCE, earlier(look, desk, event), []);

async function earlier(look: webApi.WebClient, { self, people }: Desk, { channel, channel_type, ts, thread_ts: root }: MessageEvent) {
  if (root === undefined) return [];
  const found = await attempt(look.conversations.replies({ channel, ts: root, latest: ts, limit: PAGE }));
  const messages = found.ok ? (found.value.messages ?? []) : [];
  const said = messages
    .map((message) =>
      told({ ...(message as Partial<MessageEvent>), type: "message", channel, ts: message.ts ?? "", ...typed(channel_type) }, self),
    )
    .filter((one) => one.kind === "message" && !one.own && micros(one.ts) < micros(ts)) as Words[];
  const [first, ...rest] = said;
  return Promise.all(
    fitting(first, rest).map(async ({ ts: id, author, raw, files }) => {
      const [by, nameOf] = await Promise.all([people.speaker(author.id, author), people.names(named(raw))]);
      return { id, by, text: clip(heard(raw, self.bot, nameOf), EACH), at: millis(id), ...(files.length ? { files } : {}) };
    }),
  );
}

const typed = (type: string | undefined) => (type === undefined ? {} : { channel_type: type });
