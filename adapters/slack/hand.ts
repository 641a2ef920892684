/**
 * Files in what one person is told: Slack takes none beside words for one person alone, so they go into their direct messages, and the
 * words say so.
 *
 * H1. What could not be handed over stays in the words, as text.
 */
import { randomUUID } from "node:crypto";
import type { Part, View } from "../../src/core/view.ts";
import type { Clients } from "./client.ts";
import type { Clean } from "./desk.ts";
import { attempt } from "./outcome.ts";
import { share } from "./upload.ts";

type Kept = Extract<Part, { kind: "file" }>;

export async function handed(clients: Clients, clean: Clean, team: string, person: string, given: View): Promise<View> {
  if (!given.parts.some(({ kind }) => kind === "file")) return given;
  const view = await clean(given);
  const opened = await attempt(clients.main.conversations.open({ users: person }));
  const channel = opened.ok ? opened.value.channel?.id : undefined;
  if (!channel) return view;
  const place = { platform: "slack", team, channel, thread: null };
  const hand = async (part: Part): Promise<Part> =>
    part.kind === "file" && (await sent(part)) ? { kind: "note", text: `${part.name} is in our direct messages.` } : part;
  return { ...view, parts: await Promise.all(view.parts.map(hand)) };

  async function sent({ name, text }: Kept): Promise<boolean> {
    const words: View = { parts: [{ kind: "note", text: view.title ?? name }], buttons: [] };
    const done = await share(clients, place, { name, key: `hand ${randomUUID()}` }, words, Buffer.from(text));
    return done.ok;
  }
}
