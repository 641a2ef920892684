/**
 * Forms as Slack's modals. A modal carries where it was asked for and what it is about, no more: who may do what is looked up when it
 * is sent.
 */
import type { types } from "@slack/bolt";
import type { Act, Form, FormField, Menu, View } from "../../src/core/view.ts";
import { plain } from "../../src/core/view.ts";
import { clip, hushAll } from "../shared/escape.ts";
import { isAct } from "../shared/pressed.ts";
import { sections } from "./blocks.ts";
import { LIMIT } from "./limits.ts";
import { mrkdwn } from "./text.ts";

export const CALLBACK = "denizen";

/** What a form is about. */
export interface About {
  act: Act;
  code: string;
  channel: string;
  thread: string | null;
}

const words = (text: string, most: number): types.PlainTextElement => ({
  type: "plain_text",
  text: clip(hushAll(text), most) || "…",
  emoji: false,
});

/** Opened before anything is known: what opens a modal dies within three seconds. */
export const loading = (title: string): types.ModalView => notice(title, "One moment…");

export function notice(title: string, sentence: string): types.ModalView {
  return { type: "modal", title: words(title, LIMIT.title), close: words("Close", LIMIT.title), blocks: said(sentence) };
}
export const told = (title: string, view: View): types.ModalView => notice(title, plain(view));

/** A text longer than a field of Slack's takes cannot be edited in it: then the modal says so and sends nothing. */
export function modal(form: Form, about: About): types.ModalView {
  const long = form.fields.find((field) => field.value.length > LIMIT.input);
  if (long)
    return notice(
      form.title,
      `“${long.label}” is too long to be edited in Slack (more than ${LIMIT.input} characters). Deny it and say what to change instead.`,
    );
  return {
    type: "modal",
    callback_id: CALLBACK,
    private_metadata: JSON.stringify(about),
    title: words(form.title, LIMIT.title),
    submit: words(form.submit, LIMIT.title),
    close: words("Cancel", LIMIT.title),
    blocks: [...(form.intro ? said(form.intro) : []), ...form.fields.map(input)],
  };
}

const said = (text: string): types.SectionBlock[] => sections(mrkdwn(clip(text, 9000) || "…"));

const input = (field: FormField): types.InputBlock => ({
  type: "input",
  block_id: field.id,
  optional: field.optional,
  label: words(field.label, LIMIT.label),
  ...(field.hint === undefined ? {} : { hint: words(field.hint, LIMIT.hint) }),
  element: field.menu ? select(field.menu, field.value.split("\n"), field.optional) : written(field),
});

const written = ({ multiline, value }: FormField): types.PlainTextInput => ({
  type: "plain_text_input",
  action_id: "value",
  multiline,
  ...(value ? { initial_value: value } : {}),
});

/** What was chosen in a menu of one cannot be taken back in Slack; where nothing may be chosen, nothing is a choice. */
const NOTHING: types.PlainTextOption = { text: words("(nothing)", LIMIT.option), value: "(nothing)" };

function select({ options, most }: Menu, first: readonly string[], optional: boolean): types.StaticSelect | types.MultiStaticSelect {
  const all = options.map(({ value, label }) => ({ text: words(label, LIMIT.option), value }));
  const chosen = all.filter(({ value }) => first.includes(value));
  const [one] = chosen;
  if (most === 1) {
    const offered = optional ? [NOTHING, ...all] : all;
    return { type: "static_select", action_id: "value", options: offered, ...(one ? { initial_option: one } : {}) };
  }
  return {
    type: "multi_static_select",
    action_id: "value",
    options: all,
    max_selected_items: most,
    ...(chosen.length ? { initial_options: chosen } : {}),
  };
}

export function aboutOf(metadata: string): About | undefined {
  try {
    const read: unknown = JSON.parse(metadata);
    if (typeof read !== "object" || read === null) return undefined;
    const { act, code, channel, thread } = read as Record<string, unknown>;
    if (!isAct(act) || typeof code !== "string" || typeof channel !== "string") return undefined;
    return { act, code, channel, thread: typeof thread === "string" ? thread : null };
  } catch {
    return undefined;
  }
}

/** What people left in the fields of a modal. */
export type State = Record<string, Record<string, Left>>;
interface Left {
  value?: string | null;
  selected_option?: { value: string } | null;
  selected_options?: { value: string }[];
}

/** Values by field, as people left them; a field left empty is an empty text, and of several that were chosen each has a line. */
export function valuesOf(state: State): Record<string, string> {
  return Object.fromEntries(Object.entries(state).map(([field, { value: left = {} }]) => [field, textOf(left)]));
}
const textOf = ({ value, selected_option: one, selected_options: some }: Left): string =>
  some ? some.map((each) => each.value).join("\n") : one?.value === NOTHING.value ? "" : (one?.value ?? value ?? "");
