/**
 * What memory does not take, in a sentence for the model. Memory is read in every later conversation: a secret in it would be shown
 * everywhere, and an instruction in it would outlive whoever wrote it. Pure.
 */
import { isOrder, plainly } from "./orders.ts";
import { isSecret } from "./secrets.ts";

const LONGEST = 500;

export function unfit(text: string): string | undefined {
  if (text === "") return "There is nothing to remember in an empty text.";
  if (text.length > LONGEST)
    return `A fact has at most ${LONGEST} characters; this one has ${text.length}. Say it shorter, or keep details in a file.`;
  const plain = plainly(text);
  if (isSecret(text) || isSecret(plain))
    return "This looks like a password, key or token. Secrets are not kept in memory; remember where the secret is kept instead.";
  if (isOrder(plain))
    return "This reads like an instruction to you, not like a fact. Memory holds facts; rules for you belong into AGENTS.md, which an administrator approves.";
  return undefined;
}
