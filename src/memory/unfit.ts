/**
 * What memory does not take, in a sentence for the model. Memory is read in every later conversation: a secret in it would be shown
 * everywhere, and an instruction in it would outlive whoever wrote it. Pure.
 */
import { scrubber } from "../core/scrub.ts";

const LONGEST = 500;

/** Masks whatever has the shape of a known token. */
const masked = scrubber([]);
/** A password given in words has no shape of its own; the digit or sign in it tells it from "the password is in the vault". */
const PASSWORD =
  /\b(pass(word|phrase|code)?|secret|api[ _-]?key|access[ _-]?token|auth[ _-]?token|pin)\b\s*(is|are|=|:)\s*["'`]?(?=\S*[\d!@#$%^&*_~+=])\S{4,}/i;

const ORDERS = [
  /\b(ignore|disregard|forget|override|bypass)\b.{0,40}\b(instructions?|rules?|polic(y|ies)|prompts?|approvals?|guardrails?)\b/i,
  /\b(always|automatically|auto-?)\s*(approve|accept|allow|execute|run)\b/i,
  /\b(never|do not|don't|without)\s+(ask(ing)?|request(ing)?|wait(ing)?|need(ing)?)\b.{0,30}\b(approval|approvals|permission|confirmation|first|anyone|anybody)\b/i,
  /\b(no|skip|without)\s+(the\s+)?(approval|approvals|confirmation)\b/i,
  /\byou (must|shall|have to|are now|will now)\b|\bfrom now on,? you\b|\bact as\b/i,
  /\b(system|developer) (prompt|message)\b|<\/?(system|instructions?)>/i,
];

export function unfit(text: string): string | undefined {
  if (text === "") return "There is nothing to remember in an empty text.";
  if (text.length > LONGEST)
    return `A fact has at most ${LONGEST} characters; this one has ${text.length}. Say it shorter, or keep details in a file.`;
  if (masked(text) !== text || PASSWORD.test(text)) {
    return "This looks like a password, key or token. Secrets are not kept in memory; remember where the secret is kept instead.";
  }
  if (ORDERS.some((pattern) => pattern.test(text))) {
    return "This reads like an instruction to you, not like a fact. Memory holds facts; rules for you belong into AGENTS.md, which an administrator approves.";
  }
  return undefined;
}
