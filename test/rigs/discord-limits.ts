/** What Discord refuses about a message, a form and a list of commands, one line each. */
import type { Draft, Upload } from "./discord-shapes.ts";

type Fields = Record<string, unknown>;
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);
const long = (value: unknown, most: number, least = 1): boolean =>
  typeof value !== "string" || [...value].length > most || value.length < least;

export function faults(draft: Draft, files: readonly Upload[]): string[] {
  const found: string[] = [];
  if (draft.content && [...draft.content].length > 2000) found.push("content: at most 2000 characters");
  const embeds = draft.embeds ?? [];
  if (embeds.length > 10) found.push("embeds: at most 10");
  let together = 0;
  for (const { title, description, fields } of embeds) {
    if (title !== undefined && long(title, 256)) found.push("title: 1 to 256 characters");
    if (description !== undefined && long(description, 4096)) found.push("description: 1 to 4096 characters");
    if ((fields?.length ?? 0) > 25) found.push("fields: at most 25");
    for (const { name, value } of fields ?? []) {
      if (long(name, 256) || long(value, 1024)) found.push("field: 1 to 256 and 1 to 1024 characters");
      together += name.length + value.length;
    }
    together += (title?.length ?? 0) + (description?.length ?? 0);
  }
  if (together > 6000) found.push("embeds: at most 6000 characters together");
  if (files.length > 10) found.push("files: at most 10");
  return [...found, ...componentFaults(draft.components ?? [])];
}

function componentFaults(rows: readonly object[]): string[] {
  const found: string[] = [];
  if (rows.length > 5) found.push("components: at most 5 rows");
  const ids = new Set<unknown>();
  for (const row of rows as Fields[]) {
    const buttons = listOf(row.components);
    if (row.type !== 1) found.push("components: rows only");
    if (buttons.length < 1 || buttons.length > 5) found.push("row: 1 to 5 buttons");
    for (const { custom_id: id, label, style } of buttons) {
      if (long(id, 100)) found.push("custom_id: 1 to 100 characters");
      if (ids.has(id)) found.push("custom_id stands twice");
      ids.add(id);
      if (long(label, 80)) found.push("label: 1 to 80 characters");
      if (typeof style !== "number" || style < 1 || style > 4) found.push("style: 1 to 4");
    }
  }
  return found;
}

export function modalFaults(form: Fields): string[] {
  const found: string[] = [];
  const rows = listOf(form.components);
  if (long(form.title, 45)) found.push("title: 1 to 45 characters");
  if (long(form.custom_id, 100)) found.push("custom_id: 1 to 100 characters");
  if (rows.length < 1 || rows.length > 5) found.push("components: 1 to 5");
  for (const row of rows) {
    const input = (row.component ?? {}) as Fields;
    if (row.type !== 18 || (input.type !== 4 && input.type !== 3)) found.push("a label with a text input or a menu is wanted");
    if (long(row.label, 45)) found.push("label: 1 to 45 characters");
    if (row.description !== undefined && long(row.description, 100)) found.push("description: 1 to 100 characters");
    if (long(input.custom_id, 100)) found.push("custom_id: 1 to 100 characters");
    if (input.value !== undefined && long(input.value, 4000, 0)) found.push("value: at most 4000 characters");
    if (input.type === 3) found.push(...menuFaults(input));
  }
  return found;
}

function menuFaults({ options, min_values: least = 1, max_values: most = 1, required = true }: Fields): string[] {
  const all = listOf(options);
  const values = all.map(({ value }) => value);
  const chosen = all.filter((option) => option.default).length;
  return [
    ...(all.length < 1 || all.length > 25 ? ["options: 1 to 25"] : []),
    ...(all.some(({ label, value }) => long(label, 100) || long(value, 100)) ? ["an option: 1 to 100 characters"] : []),
    ...(new Set(values).size < values.length ? ["a value stands twice"] : []),
    ...(Number(most) < 1 || Number(most) > all.length || Number(least) > Number(most) ? ["max_values: 1 to the number of options"] : []),
    ...(chosen > Number(most) ? ["more than may be chosen are chosen at first"] : []),
    ...(required && Number(least) === 0 ? ["what is required has at least one"] : []),
  ];
}

export function commandFaults(commands: readonly Fields[]): string[] {
  const names = commands.map(({ type, name }) => `${String(type)} ${String(name)}`);
  const twice = names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name} stands twice`);
  return [
    ...twice,
    ...commands.flatMap((one) => (one.type === 1 ? slashFaults(one) : long(one.name, 32) ? ["name: 1 to 32 characters"] : [])),
  ];
}
function slashFaults({ name, description, options }: Fields): string[] {
  const wrong = typeof name !== "string" || !/^[\w-]{1,32}$/.test(name) || name !== name.toLowerCase();
  const own = [...(wrong ? [`name ${String(name)}`] : []), ...(long(description, 100) ? ["description: 1 to 100 characters"] : [])];
  return [...own, ...listOf(options).flatMap(slashFaults)];
}
