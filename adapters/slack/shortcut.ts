/**
 * “Ask Denizen” on a message: a form for what is wanted, then what a mention by that person in that message's thread would do.
 *
 * K1. The form is opened before anything else is asked of Slack: what opens it dies within three seconds.
 * K2. It acts once, however often Slack tells that the form was sent: what is said bears the form's own id.
 * K3. Where the bot is no member nothing is begun, and the form says what to do.
 */
import type { App, types, webApi } from "@slack/bolt";
import type { Incoming, Reply } from "../../src/core/ports.ts";
import { plain, say } from "../../src/core/view.ts";
import { clip } from "../shared/escape.ts";
import { within } from "../shared/within.ts";
import { answer } from "./answer.ts";
import { background } from "./background.ts";
import { type Desk, placeAt } from "./desk.ts";
import { notice } from "./form.ts";
import { ASK } from "./manifest.ts";
import { attempt } from "./outcome.ts";
import { heard, named } from "./text.ts";

const TITLE = "Ask Denizen";
const IN_TIME = 2300;
/** Carried by the form, which holds little. */
const QUOTED = 1200;
const OUTSIDE = "I am not in this conversation, so I could not answer there. Invite me (`/invite @Denizen`), then ask once more.";
const LATER = "I cannot see this conversation at the moment. Please try it again in a moment.";

/** What the form carries: where, and the words it was asked on. */
interface Asked {
  channel: string;
  thread: string;
  author: string;
  text: string;
}

export function shortcut(app: App, desk: Desk, client: webApi.WebClient, look: webApi.WebClient): void {
  app.shortcut({ callback_id: ASK, type: "message_action" }, async ({ shortcut: pressed, ack }) => {
    const { channel, message, trigger_id: trigger } = pressed;
    const thread = typeof message.thread_ts === "string" ? message.thread_ts : message.ts;
    const author = message.user ?? (typeof message.bot_id === "string" ? message.bot_id : "");
    const about = { channel: channel.id, thread, author, text: clip(message.text ?? "", QUOTED) };
    const opened = await attempt(client.views.open({ trigger_id: trigger, view: form(about) }));
    await ack();
    const barred = await whyBarred(look, channel.id);
    if (!barred) return;
    const view = opened.ok ? opened.value.view?.id : undefined;
    if (view) await attempt(client.views.update({ view_id: view, view: notice(TITLE, barred) }));
  });
  app.view({ callback_id: ASK, type: "view_submission" }, async ({ body, view, ack }) => {
    const asked = readAbout(view.private_metadata);
    if (!asked) return ack();
    const words = view.state.values.words?.value?.value?.trim() ?? "";
    const reply = take(desk, look, asked, { person: body.user.id, name: body.user.name, form: view.id, words });
    const soon = await within(IN_TIME, reply, undefined);
    if (!soon) {
      await ack();
      return answer(desk, await reply, placeAt(desk.self, asked.channel, asked.thread), body.user.id);
    }
    if (soon.to === "asker" && "view" in soon)
      return ack({ response_action: "update", view: notice(TITLE, plain(await desk.clean(soon.view))) });
    return ack();
  });
}

function form(about: Asked): types.ModalView {
  const words = (text: string): types.PlainTextElement => ({ type: "plain_text", text, emoji: false });
  return {
    type: "modal",
    callback_id: ASK,
    private_metadata: JSON.stringify(about),
    title: words(TITLE),
    submit: words("Ask"),
    close: words("Cancel"),
    blocks: [
      {
        type: "input",
        block_id: "words",
        optional: true,
        label: words("What should I do with this message?"),
        hint: words("I answer in its thread, where everybody there can read it."),
        element: { type: "plain_text_input", action_id: "value", multiline: true, max_length: 3000 },
      },
    ],
  };
}

/** Why nothing can be asked in a channel, in a sentence for who asked. */
async function whyBarred(look: webApi.WebClient, channel: string): Promise<string | undefined> {
  const found = await within(IN_TIME, attempt(look.conversations.info({ channel })), undefined);
  if (!found?.ok) return !found || found.retryIn !== null ? LATER : OUTSIDE;
  const { is_im: im, is_mpim: mpim, is_member: member, is_archived: archived } = found.value.channel ?? {};
  if (archived) return "This conversation is archived.";
  return im || mpim || member ? undefined : OUTSIDE;
}

async function take(
  desk: Desk,
  look: webApi.WebClient,
  { channel, thread, author, text }: Asked,
  { person, name, form: id, words }: { person: string; name: string; form: string; words: string },
): Promise<Reply> {
  const { people, self, seen, order, inbox } = desk;
  const known = seen.places().includes(`${channel} ${thread}`);
  const now = `${Date.now() / 1000}`;
  const [barred, by, facts, nameOf, before] = await Promise.all([
    whyBarred(look, channel),
    people.speaker(person, { name }),
    people.channel(channel),
    people.names([author, ...named(text)]),
    known ? [] : background(look, desk, { type: "message", channel, ts: now, thread_ts: thread }),
  ]);
  if (barred) return { to: "asker", view: say(barred) };
  const quoted = (heard(text, self.bot, nameOf) || "(a message without words)").replace(/^/gm, "> ");
  const whose = author === self.bot ? "yours" : `${nameOf(author) ?? "somebody"} (slack:${author})`;
  const incoming: Incoming = {
    place: placeAt(self, channel, thread),
    channel: facts.kind,
    shared: facts.shared,
    id,
    by,
    text: `${words || "Please look at this message."}\n\nIt is about this message of ${whose}:\n${quoted}`,
    mentioned: true,
    toOthers: false,
    unseen: true,
    own: false,
    at: Date.now(),
    ...(before.length ? { background: before } : {}),
  };
  const taken = await order.run(channel, () => inbox.message(incoming));
  if (taken.session !== undefined) seen.place(`${channel} ${thread}`);
  return taken.reply ?? { to: "nobody" };
}

function readAbout(metadata: string): Asked | undefined {
  try {
    const { channel, thread, author, text } = JSON.parse(metadata) as Record<string, unknown>;
    if (typeof channel !== "string" || typeof thread !== "string") return undefined;
    return { channel, thread, author: typeof author === "string" ? author : "", text: typeof text === "string" ? text : "" };
  } catch {
    return undefined;
  }
}
