/** What every request carries whatever the home says: base rules and built-in tools. */
import { BASE_RULES } from "../../src/hooks/base-rules.ts";
import { withFolder } from "../rig/folder.ts";
import { openHouse, toolsOf } from "../rig/house.ts";
import { scripted } from "../rig/scripted.ts";
import { limitRow, type Row } from "../row.ts";

const PER_TOKEN = 3.5;

export const prompt = (): Promise<Row[]> =>
  withFolder(async (dir) => {
    const house = await openHouse(dir, scripted());
    const tools = toolsOf(house.homes).map(({ name, description, schema }) => ({ name, description, input_schema: schema }));
    await house.close();
    const [rules, specs] = [BASE_RULES.length, JSON.stringify(tools).length].map((chars) => chars / PER_TOKEN);
    const note = `rules ${rules?.toFixed(0)}, tools ${specs?.toFixed(0)}; 3.5 characters a token, since the exact tokenizer is not public`;
    return [limitRow("base rules and built-in tools", (rules ?? 0) + (specs ?? 0), 3_000, "tokens", note)];
  });
