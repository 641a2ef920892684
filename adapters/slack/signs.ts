/** Signs on messages, by the names Slack has for them. Set twice, a sign stands once. */
import type { webApi } from "@slack/bolt";
import type { Reaction } from "../../src/core/ports.ts";
import { attempt } from "./outcome.ts";

const NAMES: Record<Reaction, string> = {
  "👍": "thumbsup",
  "👀": "eyes",
  "✅": "white_check_mark",
  "🎉": "tada",
  "❤️": "heart",
  "🙏": "pray",
  "😄": "smile",
  "🤔": "thinking_face",
  "😢": "cry",
  "👋": "wave",
};

export async function react(
  client: webApi.WebClient,
  channel: string,
  message: string,
  sign: Reaction,
): Promise<{ ok: true } | { ok: false; reason: string }> {
  const outcome = await attempt(client.reactions.add({ channel, timestamp: message, name: NAMES[sign] }));
  return outcome.ok || outcome.code === "already_reacted" ? { ok: true } : { ok: false, reason: outcome.reason };
}
