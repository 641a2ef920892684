/**
 * Buttons and forms.
 *
 * P1. What opens a form dies within three seconds: for the buttons that ask for one, a waiting form is opened before anything else is done.
 * P2. A press is acknowledged once the inbox has taken it. A refusal is seen by who pressed, only.
 * P3. What is wrong with the values of a form is said in the form, which keeps what was typed.
 */
import type { App, types, webApi } from "@slack/bolt";
import type { Place, Speaker } from "../../src/core/event.ts";
import type { Reply } from "../../src/core/ports.ts";
import type { Act, View } from "../../src/core/view.ts";
import { plain } from "../../src/core/view.ts";
import { clip } from "../shared/escape.ts";
import { pressed } from "../shared/pressed.ts";
import { within } from "../shared/within.ts";
import { answer } from "./answer.ts";
import { type Desk, placeAt } from "./desk.ts";
import { type About, aboutOf, CALLBACK, loading, modal, notice, told, valuesOf } from "./form.ts";
import { attempt } from "./outcome.ts";
import { millis } from "./text.ts";

const IN_TIME = 2300;
const ASKS: Partial<Record<Act, string>> = { edit: "Edit", deny: "Deny" };

interface Press {
  act: Act;
  code: string;
  place: Place;
  by: Promise<Speaker>;
  person: string;
  at: number;
}

export function press(app: App, desk: Desk, client: webApi.WebClient): void {
  app.action(/^[a-z]+:[\w.-]+$/, async ({ body, action, ack }) => {
    const about = "action_id" in action ? pressed(action.action_id) : undefined;
    if (body.type !== "block_actions" || !about || !("action_ts" in action)) return ack();
    const place = placeOf(desk, body.channel?.id ?? "", body.message);
    const by = desk.people.speaker(body.user.id, { name: body.user.name });
    const one: Press = { ...about, place, by, person: body.user.id, at: millis(action.action_ts) };
    await (ASKS[about.act] ? withForm(desk, client, one, body.trigger_id, ack) : withoutForm(desk, client, one, body.trigger_id, ack));
  });
  app.view({ callback_id: CALLBACK, type: "view_submission" }, async ({ body, view, ack }) => {
    const about = aboutOf(view.private_metadata);
    if (!about) return ack();
    await submitted(desk, about, body, (closing) => (closing ? ack(closing) : ack()));
  });
}

function placeOf({ self }: Desk, channel: string, message: Record<string, unknown> | undefined): Place {
  const thread = message?.thread_ts;
  return placeAt(self, channel, typeof thread === "string" ? thread : null);
}

async function click({ inbox }: Desk, { act, code, by, place, at }: Press, values?: Record<string, string>): Promise<Reply> {
  return inbox.click({ platform: "slack", act, code, by: await by, place, at, ...(values === undefined ? {} : { values }) });
}

async function withForm(desk: Desk, client: webApi.WebClient, one: Press, trigger: string, ack: () => Promise<void>): Promise<void> {
  const title = ASKS[one.act] ?? "";
  const opening = attempt(client.views.open({ trigger_id: trigger, view: loading(title) }));
  const [opened, reply] = await Promise.all([opening, click(desk, one)]).catch(async (error: unknown) => {
    await show(desk, client, await opening, notice(title, "Something went wrong here. Close this and press the button once more."));
    throw error;
  });
  await ack();
  if (!opened.ok && "form" in reply) {
    desk.log.warn({ adapter: "slack", code: opened.code }, `A form could not be opened: ${opened.reason}`);
    return answer(desk, reply, one.place, one.person);
  }
  const view =
    reply.to === "nobody"
      ? notice(title, "Done.")
      : "form" in reply
        ? modal(reply.form, aboutForm(one, reply))
        : told(title, await desk.clean(reply.view));
  await show(desk, client, opened, view);
  if (reply.to === "all" || !opened.ok) await answer(desk, reply, one.place, one.person);
}

type Opened = Awaited<ReturnType<typeof attempt<webApi.ViewsOpenResponse>>>;

async function show({ log }: Desk, client: webApi.WebClient, opened: Opened, view: types.ModalView): Promise<void> {
  const id = opened.ok ? opened.value.view?.id : undefined;
  if (!id) return;
  const outcome = await attempt(client.views.update({ view_id: id, view }));
  if (!outcome.ok) log.warn({ adapter: "slack", code: outcome.code }, `A form could not be shown: ${outcome.reason}`);
}

const aboutForm = ({ place }: Press, { act, code }: { act: Act; code: string }): About => ({
  act,
  code,
  channel: place.channel,
  thread: place.thread,
});

async function withoutForm(desk: Desk, client: webApi.WebClient, one: Press, trigger: string, ack: () => Promise<void>): Promise<void> {
  const reply = await click(desk, one);
  await ack();
  if (!("form" in reply)) return answer(desk, reply, one.place, one.person);
  const opened = await attempt(client.views.open({ trigger_id: trigger, view: modal(reply.form, aboutForm(one, reply)) }));
  if (!opened.ok) await answer(desk, reply, one.place, one.person);
}

/** What an acknowledgement of a form can carry. */
type Closing = { response_action: "errors"; errors: Record<string, string> } | { response_action: "update"; view: types.ModalView };
interface Submission {
  user: { id: string; name: string };
  view: {
    title: { text: string };
    blocks: { block_id?: string; type: string }[];
    state: { values: Record<string, Record<string, { value?: string | null }>> };
  };
}

async function submitted(desk: Desk, about: About, body: Submission, ack: (closing?: Closing) => Promise<void>): Promise<void> {
  const place = placeAt(desk.self, about.channel, about.thread);
  const by = desk.people.speaker(body.user.id, { name: body.user.name });
  const one: Press = { act: about.act, code: about.code, place, by, person: body.user.id, at: Date.now() };
  const reply = click(desk, one, valuesOf(body.view.state.values));
  const soon = await within(IN_TIME, reply, undefined);
  if (!soon) {
    await ack();
    return answer(desk, await reply, place, body.user.id);
  }
  if (soon.to === "asker")
    return ack(
      "form" in soon
        ? { response_action: "update", view: modal(soon.form, aboutForm(one, soon)) }
        : refusal(body.view, await desk.clean(soon.view)),
    );
  await ack();
  return answer(desk, soon, place, body.user.id);
}

function refusal(form: Submission["view"], said: View): Closing {
  const field = form.blocks.find((block) => block.type === "input")?.block_id;
  return field
    ? { response_action: "errors", errors: { [field]: clip(plain(said), 1500) } }
    : { response_action: "update", view: told(form.title.text, said) };
}
