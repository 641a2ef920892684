/**
 * `ask`: a question to the people of the thread. It never runs: the answer of a person is its result.
 *
 * A1. Options cannot be taken for the buttons of a decision: their words are refused, also dressed up.
 */
import { z } from "zod";
import { RESERVED } from "../core/card.ts";
import type { Tool } from "../core/ports.ts";
import { define, failed } from "./define.ts";

const OPTIONS = 5;
const LONGEST = 75;

const option = z
  .string()
  .trim()
  .min(1, "an option has words")
  .max(LONGEST, `an option has at most ${LONGEST} characters`)
  .superRefine((text, context) => {
    const why = unfit(text);
    if (why) context.addIssue({ code: "custom", message: why });
  });

export const ask = (): Tool =>
  define({
    name: "ask",
    description:
      "Ask the people in the thread when you cannot go on without their answer. Options become buttons; without them they answer in words.",
    input: z.object({
      question: z.string().trim().min(1, "a question has words").max(2_000, "a question has at most 2000 characters"),
      options: z
        .array(option)
        .max(OPTIONS, `there are at most ${OPTIONS} options`)
        .refine((all) => new Set(all.map(bare)).size === all.length, "two options are the same")
        .optional(),
    }),
    aliases: { text: "question" },
    repeatable: true,
    question: ({ question, options = [] }) => ({ text: question, options }),
    run: async () => failed("This question was not put to anybody. Ask again."),
  });

const WORDS = new Set(RESERVED.map(bare));

/** Only the letters count: neither marks, spaces nor case make another word of it. */
function bare(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

function unfit(text: string): string | undefined {
  if (/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text.replace(/\u200d|\ufe0f/g, ""))) return "an option is one line without hidden characters";
  if (/\p{Script=Latin}/u.test(text) && /\p{Script=Cyrillic}|\p{Script=Greek}/u.test(text)) return "an option does not mix alphabets";
  if (WORDS.has(bare(text))) return `"${text}" is the word of a button for decisions; say what is meant instead`;
  return undefined;
}
