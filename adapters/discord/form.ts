/**
 * Forms as Discord's modals. A modal carries the act and code it is about, no more: who may do what is looked up when it is sent.
 *
 * F1. A modal holds five fields of 4,000 characters. What does not fit is left as it is, and the title says so; a form of which nothing
 *     fits is not opened.
 */
import { type APIModalInteractionResponseCallbackData, type APIModalSubmitInteraction, ComponentType, TextInputStyle } from "discord.js";
import type { Act, Form, FormField } from "../../src/core/view.ts";
import { clip } from "../shared/escape.ts";

const LIMIT = { fields: 5, value: 4000, id: 100, title: 45, label: 45, hint: 100 } as const;

export function modal(form: Form, act: Act, code: string): APIModalInteractionResponseCallbackData | { wrong: string } {
  const fit = form.fields.filter(({ id, value }) => value.length <= LIMIT.value && id.length >= 1 && id.length <= LIMIT.id);
  const shown = fit.slice(0, LIMIT.fields);
  if (!shown.length)
    return {
      wrong: `This is too long to be edited in Discord (more than ${LIMIT.value} characters). Deny it and say what to change instead.`,
    };
  const part = shown.length < form.fields.length ? ` (${shown.length} of ${form.fields.length} values)` : "";
  return {
    custom_id: `${act}:${code}`,
    title: clip(form.title, LIMIT.title - part.length) + part,
    components: shown.map(labelled),
  };
}

const labelled = (field: FormField) => ({
  type: ComponentType.Label as const,
  label: clip(field.label, LIMIT.label) || "…",
  ...(field.hint === undefined ? {} : { description: clip(field.hint, LIMIT.hint) }),
  component: {
    type: ComponentType.TextInput as const,
    custom_id: field.id,
    style: field.multiline ? TextInputStyle.Paragraph : TextInputStyle.Short,
    required: !field.optional,
    max_length: LIMIT.value,
    ...(field.value ? { value: field.value } : {}),
  },
});

/** Values by field, as people left them. */
export function valuesOf({ data }: APIModalSubmitInteraction): Record<string, string> {
  const inputs = data.components.flatMap((one): object[] =>
    "components" in one ? one.components : "component" in one ? [one.component] : [],
  );
  return Object.fromEntries(
    inputs.flatMap((input) => ("custom_id" in input && "value" in input ? [[String(input.custom_id), String(input.value)] as const] : [])),
  );
}
