/**
 * Files that are posted: handed over first, then shared in a thread by one last call.
 *
 * U1. Only that last call can be in doubt: what was handed over before it, nobody sees.
 * U2. The message bears its key as the label of its first block, since Slack takes no metadata with a file.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { types, webApi } from "@slack/bolt";
import type { Place, Ref } from "../../src/core/event.ts";
import type { View } from "../../src/core/view.ts";
import { clip, hushAll } from "../shared/escape.ts";
import { type Failure, NEVER_SENT, type Outcome } from "../shared/failure.ts";
import type { Clients } from "./client.ts";
import { labelOf } from "./key.ts";
import { LIMIT } from "./limits.ts";
import { attempt } from "./outcome.ts";
import { mrkdwn } from "./text.ts";

const PATIENCE = 60_000;
/** Slack shares a file some time after it said that it will; so long it is asked for the message. */
const SHARED_AFTER = [0, 300, 700, 1500, 3000];

export async function share(
  { main, look }: Clients,
  place: Place,
  { name, key }: { name: string; key: string },
  view: View,
  bytes: Uint8Array,
): Promise<Outcome<Ref>> {
  const begun = await attempt(main.files.getUploadURLExternal({ filename: name, length: bytes.byteLength }));
  if (!begun.ok) return { ...begun, unsure: false };
  const { upload_url: address = "", file_id: id = "" } = begun.value;
  const refused = await handOver(address, bytes);
  if (refused) return refused;
  const where = place.thread === null ? { channel_id: place.channel } : { channel_id: place.channel, thread_ts: place.thread };
  const done = await attempt(
    main.files.completeUploadExternal({ files: [{ id, title: hushAll(name) }], ...where, blocks: blocksOf(view, name, key) }),
  );
  if (!done.ok) return done;
  return { ok: true, value: { channel: place.channel, message: (await messageOf(look, id, place.channel)) ?? id } };
}

async function handOver(address: string, bytes: Uint8Array): Promise<Failure | undefined> {
  try {
    const body = new Blob([bytes as Uint8Array<ArrayBuffer>]);
    const answer = await fetch(address, { method: "POST", body, redirect: "error", signal: AbortSignal.timeout(PATIENCE) });
    await answer.body?.cancel();
    return answer.ok ? undefined : failed("upload", `Slack does not take the file (status ${answer.status}).`);
  } catch (error) {
    const code = String((error as { cause?: { code?: unknown } }).cause?.code ?? "no connection");
    return failed(code, NEVER_SENT.has(code) ? "Slack cannot be reached." : `The connection to Slack broke (${code}).`);
  }
}
const failed = (code: string, reason: string): Failure => ({ ok: false, unsure: false, retryIn: 3000, code, reason });

/** In plain blocks: those with Markdown Slack does not take beside a file. */
function blocksOf({ parts }: View, name: string, key: string): types.KnownBlock[] {
  const said = parts.flatMap((part) => (part.kind === "quoted" ? [part.text] : [])).join("\n");
  const notes = parts.flatMap((part) => (part.kind === "note" ? [part.text] : []));
  return [
    { type: "section", block_id: labelOf(key), text: { type: "mrkdwn", text: clip(mrkdwn(said || name), LIMIT.section) } },
    ...notes.map((text): types.KnownBlock => ({ type: "context", elements: [{ type: "mrkdwn", text: mrkdwn(text) }] })),
  ];
}

async function messageOf(look: webApi.WebClient, id: string, channel: string): Promise<string | undefined> {
  for (const wait of SHARED_AFTER) {
    await pause(wait);
    const found = await attempt(look.files.info({ file: id }));
    const shares = found.ok ? found.value.file?.shares : undefined;
    const ts = (shares?.public?.[channel] ?? shares?.private?.[channel])?.[0]?.ts;
    if (ts) return ts;
  }
  return undefined;
}
