/**
 * Buttons and forms.
 *
 * P1. What opens a form dies within three seconds: for the buttons that ask for one, a waiting form is opened before anything else is done.
 * P2. A press is acknowledged once the inbox has taken it. A refusal is seen by who pressed, only.
 * P3. What is wrong with the values of a form is said in the form, which keeps what was typed.
 * P4. What is pressed on the Home tab is answered in a window over it, and the tab is made anew.
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
import { type About, aboutOf, CALLBACK, loading, modal, notice, type State, told, valuesOf } from "./form.ts";
import type { HomeTab } from "./home-tab.ts";
import { attempt } from "./outcome.ts";
import { pageModal, TURN } from "./page.ts";
import { millis } from "./text.ts";

const IN_TIME = 2300;
/** Buttons that open something over what they stand on, and its title meanwhile. */
const ASKS: Partial<Record<Act, string>> = { edit: "Edit", deny: "Deny", show: "See all" };

interface Press {
  act: Act;
  code: string;
  place: Place;
  by: Promise<Speaker>;
  person: string;
  at: number;
  /** On the person's own tab, where nothing can be said to them. */
  home: boolean;
}

export function press(app: App, desk: Desk, client: webApi.WebClient, tab: HomeTab): void {
  app.action(/^[a-z]+:[\w.-]+$/, async ({ body, action, ack }) => {
    if (body.type === "block_actions" && body.view && "action_id" in action && TURN.test(action.action_id)) {
      await ack();
      return turnTo(desk, client, body.view, body.user, Number(action.action_id.slice("page:".length)));
    }
    const about = "action_id" in action ? pressed(action.action_id) : undefined;
    if (body.type !== "block_actions" || !about || !("action_ts" in action)) return ack();
    const home = body.view?.type === "home";
    const place = placeOf(desk, body.channel?.id ?? body.user.id, body.message ?? body.container);
    const by = desk.people.speaker(body.user.id, { name: body.user.name });
    const one: Press = { ...about, place, by, person: body.user.id, at: millis(action.action_ts), home };
    await (ASKS[about.act] ? withForm(desk, client, one, body.trigger_id, ack) : withoutForm(desk, client, one, body.trigger_id, ack));
    if (home && about.act !== "show") void tab.show(body.user.id);
  });

  app.view({ callback_id: CALLBACK, type: "view_submission" }, async ({ body, view, ack }) => {
    const about = aboutOf(view.private_metadata);
    if (!about) return ack();
    await submitted(desk, about, body, (closing) => (closing ? ack(closing) : ack()));
    if (about.channel === body.user.id) void tab.show(body.user.id);
  });
}

/** What one person alone was shown is not told with its button; what it stands in is. */
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
        : one.act === "show"
          ? pageModal(await desk.clean(reply.view), 0, JSON.stringify(aboutForm(one, one)))
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
  if (!("form" in reply)) return one.home ? over(desk, client, one, reply, trigger) : answer(desk, reply, one.place, one.person);
  const opened = await attempt(client.views.open({ trigger_id: trigger, view: modal(reply.form, aboutForm(one, reply)) }));
  if (!opened.ok) await answer(desk, reply, one.place, one.person);
}

/** What is replied to a press on the Home tab, in a window over it. */
async function over(desk: Desk, client: webApi.WebClient, one: Press, reply: Reply, trigger: string): Promise<void> {
  if (!("view" in reply)) return;
  const opened = await attempt(client.views.open({ trigger_id: trigger, view: told("Denizen", await desk.clean(reply.view)) }));
  if (!opened.ok) await answer(desk, reply, one.place, one.person);
}

/** Another page of what is looked at whole: asked for anew, so that nothing is shown that was settled since. */
async function turnTo(
  desk: Desk,
  client: webApi.WebClient,
  view: { id: string; private_metadata: string },
  user: { id: string; name?: string | undefined },
  page: number,
): Promise<void> {
  const about = aboutOf(view.private_metadata);
  if (about?.act !== "show") return;
  const { act, code, channel, thread } = about;
  const by = desk.people.speaker(user.id, { name: user.name });
  const reply = await click(desk, {
    act,
    code,
    place: placeAt(desk.self, channel, thread),
    by,
    person: user.id,
    at: Date.now(),
    home: false,
  });
  if (!("view" in reply)) return;
  const clean = await desk.clean(reply.view);
  const whole = clean.parts.some(({ kind }) => kind === "code");
  const shown = whole ? pageModal(clean, page, view.private_metadata) : told("See all", clean);
  const outcome = await attempt(client.views.update({ view_id: view.id, view: shown }));
  if (!outcome.ok) desk.log.warn({ adapter: "slack", code: outcome.code }, `A page could not be turned: ${outcome.reason}`);
}

/** What an acknowledgement of a form can carry. */
type Closing = { response_action: "errors"; errors: Record<string, string> } | { response_action: "update"; view: types.ModalView };
interface Submission {
  user: { id: string; name: string };
  view: {
    title: { text: string };
    blocks: { block_id?: string; type: string }[];
    state: { values: State };
  };
}

async function submitted(desk: Desk, about: About, body: Submission, ack: (closing?: Closing) => Promise<void>): Promise<void> {
  const place = placeAt(desk.self, about.channel, about.thread);
  const by = desk.people.speaker(body.user.id, { name: body.user.name });
  const one: Press = { act: about.act, code: about.code, place, by, person: body.user.id, at: Date.now(), home: false };
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
