/** What every request carries whatever the home says: base rules, notes of files, and all tools of the house as it is put together. */
import { BASE_RULES } from "../../src/hooks/base-rules.ts";
import { FILE_NOTES } from "../../src/tools/notes.ts";
import { offeredIn } from "../../test/help/plain-house.ts";
import { limitRow, type Row } from "../row.ts";

const PER_TOKEN = 3.5;

export async function prompt(): Promise<Row[]> {
  const { system, tools } = await offeredIn();
  const specs = JSON.stringify(tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })));
  const counted = [BASE_RULES.length + FILE_NOTES.length, specs.length, system.join("\n").length].map((chars) => chars / PER_TOKEN);
  const [rules = 0, offered = 0, whole = 0] = counted;
  const note = `rules and notes ${rules.toFixed(0)}, ${tools.length} tools ${offered.toFixed(0)}; with the template's AGENTS.md, the skills and helpers ${(whole + offered).toFixed(0)}; 3.5 characters a token, since the exact tokenizer is not public`;
  return [limitRow("base rules, notes and tools", rules + offered, 3_000, "tokens", note)];
}
