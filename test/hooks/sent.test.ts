/**
 * All that a model is sent before the conversation, as files that people read: a change of a word is seen in the review of those files.
 * Renewed with `npx vitest run --config test/vitest.config.ts test/hooks/sent.test.ts --update`.
 */
import { describe, expect, test } from "vitest";
import type { Offered } from "../../src/core/ports.ts";
import { estimateTokens } from "../../src/core/tokens.ts";
import { BASE_RULES } from "../../src/hooks/base-rules.ts";
import { FILE_NOTES } from "../../src/tools/notes.ts";
import { type Looked, offeredIn } from "../help/plain-house.ts";

const BREAK = "\n\n----------------------------------------\n\n";
const prompt = ({ system }: Offered): string => `${system.join(BREAK)}\n`;
const toolText = ({ tools }: Offered): string =>
  `${tools.map(({ name, description, schema }) => `## ${name}\n\n${description}\n\n${JSON.stringify(schema, null, 2)}`).join("\n\n")}\n`;

const LIVED_IN: Looked = {
  files: {
    "AGENTS.md": "You are Marvin, the release captain.",
    "KNOWLEDGE.md": "We ship on Tuesdays.",
    "MEMORY.md": "# Memory\n\n- The staging server is called heron.\n",
    "skills/refunds/SKILL.md": "---\nname: refunds\ndescription: Pays money back. Use when a customer asks for a refund.\n---\nSteps.",
    "subagents/auditor.md": "---\ndescription: Audits ledgers\ntools: read_file, grep\nskills: refunds\n---\nYou are the auditor.",
  },
};

describe("what a model is sent before the conversation", () => {
  test("in a plain house", async () => {
    const offered = await offeredIn();
    await expect(prompt(offered)).toMatchFileSnapshot("sent/plain-prompt.md");
    await expect(toolText(offered)).toMatchFileSnapshot("sent/plain-tools.md");
  });

  test("in a home with character, knowledge, memory, a skill and a helper", async () => {
    await expect(prompt(await offeredIn(LIVED_IN))).toMatchFileSnapshot("sent/home-prompt.md");
  });

  test("to a helper of that home", async () => {
    const offered = await offeredIn({ ...LIVED_IN, helper: "auditor" });
    await expect(`${prompt(offered)}${BREAK}${toolText(offered)}`).toMatchFileSnapshot("sent/helper.md");
  });

  test("base rules and all tools stay within 3,000 tokens", async () => {
    const { tools } = await offeredIn();
    const specs = JSON.stringify(tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })));
    const chars = BASE_RULES.length + FILE_NOTES.length + specs.length;
    expect(chars / 3.5).toBeLessThan(3_000);
    expect(estimateTokens(specs)).toBeLessThan(3_000);
  });

  test("P4: is the same to the letter when nothing changed, so that the provider's cache holds", async () => {
    const [one, two] = [await offeredIn(LIVED_IN), await offeredIn(LIVED_IN)];
    expect(two).toEqual(one);
  });
});
