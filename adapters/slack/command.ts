/**
 * Slash commands, answered to the caller. The answer rides on the acknowledgement if it is there in time, else it comes through the
 * command's response address.
 */
import type { App } from "@slack/bolt";
import type { Reply } from "../../src/core/ports.ts";
import { say, type View } from "../../src/core/view.ts";
import { within } from "../shared/within.ts";
import { answer } from "./answer.ts";
import { render } from "./blocks.ts";
import { type Clean, type Desk, placeAt } from "./desk.ts";
import { COMMANDS } from "./manifest.ts";
import { attempt } from "./outcome.ts";

const IN_TIME = 2300;
const NAMES = new RegExp(`^/(?:${COMMANDS.map(({ word }) => word).join("|")})$`);

export function command(app: App, desk: Desk): void {
  const { inbox, people, posts, self, clean, log } = desk;
  app.command(NAMES, async ({ command: asked, ack, respond }) => {
    const word = asked.command.slice(1);
    const text = word === "denizen" ? asked.text.trim() || "help" : `${word} ${asked.text}`.trim();
    const [by, channel] = await Promise.all([people.speaker(asked.user_id, { name: asked.user_name }), people.channel(asked.channel_id)]);
    const place = placeAt(self, asked.channel_id, null);
    const reply = inbox.command({ place, channel: channel.kind, shared: channel.shared, by, text, at: Date.now() });
    const shown = reply.then((said) => payload(said, clean, (view) => posts.handed(place, asked.user_id, view)));
    const soon = await within(
      IN_TIME,
      shown.then((body) => ({ body })),
      undefined,
    );
    if (soon) return ack(soon.body);
    await ack();
    const body = (await shown) ?? { text: "Done." };
    // The address takes nothing after half an hour, and may not be there at all. What may have arrived is not said twice.
    const told = await attempt(respond(body));
    if (told.ok) return;
    log.warn({ adapter: "slack" }, `An answer to a command did not go through its address: ${told.reason}`);
    if (!told.unsure) await answer(desk, await reply, place, asked.user_id);
  });
}

async function payload(reply: Reply, clean: Clean, handed: (view: View) => Promise<View>) {
  if (reply.to === "nobody") return undefined;
  const view = "form" in reply ? say("This needs a form; press the button in its thread.") : reply.view;
  const response_type = reply.to === "all" ? ("in_channel" as const) : ("ephemeral" as const);
  return {
    response_type,
    unfurl_links: false,
    unfurl_media: false,
    ...render(await clean(reply.to === "asker" ? await handed(view) : view), "card"),
  };
}
