/**
 * Forms as Discord's modals. A modal carries the act and code it is about, no more: who may do what is looked up when it is sent.
 *
 * F1. A modal holds five fields of 4,000 characters. What does not fit is left as it is, and the title says so; a form of which nothing
 *     fits is not opened.
 */
import { type APIModalInteractionResponseCallbackData, type APIModalSubmitInteraction, ComponentType, TextInputStyle } from "discord.js";
import type { Act, Form, FormField, Menu } from "../../src/core/view.ts";
import { clip } from "../shared/escape.ts";

const LIMIT = { fields: 5, value: 4000, id: 100, title: 45, label: 45, hint: 100, option: 100 } as const;

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
  component: field.menu ? select(field, field.menu) : written(field),
});

const written = (field: FormField) => ({
  type: ComponentType.TextInput as const,
  custom_id: field.id,
  style: field.multiline ? TextInputStyle.Paragraph : TextInputStyle.Short,
  required: !field.optional,
  max_length: LIMIT.value,
  ...(field.value ? { value: field.value } : {}),
});

function select({ id, value: first, optional }: FormField, { options, most }: Menu) {
  const chosen = first.split("\n");
  return {
    type: ComponentType.StringSelect as const,
    custom_id: id,
    required: !optional,
    min_values: optional ? 0 : 1,
    max_values: most,
    options: options.map(({ value, label }) => ({ value, label: clip(label, LIMIT.option), default: chosen.includes(value) })),
  };
}

/** Values by field, as people left them; of several that were chosen each has a line. */
export function valuesOf({ data }: APIModalSubmitInteraction): Record<string, string> {
  const inputs = data.components.flatMap((one): object[] =>
    "components" in one ? one.components : "component" in one ? [one.component] : [],
  );
  return Object.fromEntries(
    inputs.flatMap((input) => {
      if (!("custom_id" in input)) return [];
      const value =
        "values" in input && Array.isArray(input.values) ? input.values.join("\n") : "value" in input ? String(input.value) : "";
      return [[String(input.custom_id), value] as const];
    }),
  );
}
