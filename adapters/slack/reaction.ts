/**
 * 🛑 on a message stops what runs in its thread; the words `stop` do the same.
 *
 * R1. A reaction stops once, however often Slack tells of it.
 * R2. Where nobody talked to the bot, nothing is answered: there the sign was meant for somebody else.
 */
import type { App, webApi } from "@slack/bolt";
import { recent } from "../shared/recent.ts";
import { answer } from "./answer.ts";
import { type Desk, placeAt } from "./desk.ts";
import { attempt } from "./outcome.ts";
import { isStamp, mentions, millis } from "./text.ts";

const STOP = "octagonal_sign";
const ROOT_FOR = 10 * 60_000;
const PAGE = 200;

export function reaction(app: App, desk: Desk, look: webApi.WebClient): void {
  const { inbox, people, self, order, log } = desk;
  // A reaction names its message only, and a message's thread never changes.
  const roots = recent<string>(ROOT_FOR, async (key) => {
    const [channel = "", ts = ""] = key.split(" ");
    const found = await attempt(look.conversations.replies({ channel, ts, limit: 1 }));
    if (!found.ok) log.warn({ adapter: "slack", channel, code: found.code }, `A 🛑 could not be followed to its thread: ${found.reason}`);
    const [message] = found.ok ? (found.value.messages ?? []) : [];
    return message && (message.thread_ts ?? message.ts);
  });
  const oursToo = async (channel: string, root: string): Promise<boolean> => {
    const found = await attempt(look.conversations.replies({ channel, ts: root, limit: PAGE }));
    return found.ok && (found.value.messages ?? []).some(({ user, text }) => user === self.bot || mentions(text ?? "", self.bot));
  };

  app.event("reaction_added", async ({ event: { reaction: sign, user, item, event_ts: told } }) => {
    if (sign !== STOP || item?.type !== "message" || !isStamp(item.ts) || user === self.bot) return;
    const root = await roots.get(`${item.channel} ${item.ts}`);
    if (root === undefined) return;
    const [by, { kind, shared }] = await Promise.all([people.speaker(user, {}), people.channel(item.channel)]);
    if (by.kind === "bot") return;
    const place = placeAt(self, item.channel, root);
    const asked = { place, channel: kind, shared, by, text: "stop", message: `${told} ${sign}`, at: millis(told) };
    const reply = await order.run(item.channel, () => inbox.command(asked));
    if (reply.to !== "nobody" && (await oursToo(item.channel, root))) void answer(desk, reply, place, user);
  });
}
