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
  /\b(pass(word|phrase|code|wort)?|kennwort|contrase[nñ]a|mot de passe|secret|credentials?|api[ _-]?key|access[ _-]?(key|token)|auth[ _-]?token|bearer|pin|otp|cvc|cvv)\b\s*(for [\w.-]+ |f[uü]r [\w.-]+ |of [\w.-]+ )?(is|are|was|ist|lautet|es|est|=|:)\s*["'`]?(?=\S*[\d!@#$%^&*_~+=])\S{3,}/iu;
/** A card number, an IBAN, a private key, an address with a password in it, a recovery phrase. */
const OTHER_SECRETS = [
  /\b(?:\d[ -]?){13,19}\b/,
  /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b/,
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /\b[a-z][a-z+.-]*:\/\/[^\s:@/]+:[^\s@/]+@/i,
  /\b(seed|recovery|mnemonic) (phrase|words?)\b\s*(is|are|:)/i,
];

/** What is asked of the agent, in the languages most teams write. Facts tell how things are; these tell it what to do, or not to ask. */
const ORDERS = [
  /\b(ignore|disregard|forget|override|bypass|circumvent|dismiss|suspend|disable)\b.{0,40}\b(instructions?|rules?|polic(y|ies)|prompts?|approvals?|guardrails?|restrictions?|safeguards?|checks?|cards?)\b/i,
  /\b(always|automatically|auto-?|silently|immediately)\s*(approve|accept|allow|execute|run|confirm|grant|send|share|forward|delete|install)\b/i,
  /\b(never|do not|don't|dont|no need to|without|stop)\s+(ask(ing)?|request(ing)?|wait(ing)?|need(ing)?|tell(ing)?|mention(ing)?|check(ing)?)\b.{0,40}\b(approvals?|permission|confirmation|consent|first|anyone|anybody|before|users?|people|them)\b/i,
  /\b(no|skip|without|needs? no|requires? no)\s+(the\s+|any\s+|further\s+)?(approvals?|confirmation|permission|consent)\b/i,
  /\b(is|are|was|were|has been|have been)\s+(pre-?approved|pre-?authori[sz]ed|always approved|whitelisted|exempt from approval)\b/i,
  /\b(treat|consider|regard)\b.{0,60}\bas\b.{0,20}\b(approved|authori[sz]ed|trusted|an? (admin|owner|approver))/i,
  /\byou (must|shall|have to|are now|will now|should (always|never)|may (always|never)|need to always|are (allowed|authori[sz]ed|permitted) to)\b|\bfrom now on,? (you|always|never)\b|\b(act|behave|respond|pretend) (as|like) (if|an?|the)\b/i,
  /\b(whenever|every time|each time|when|if)\b.{0,60}\b(you|the (agent|assistant|bot|ai)|denizen)\b.{0,20}\b(must|should|shall|has to|have to|will|can|may)\b.{0,40}\b(run|execute|send|delete|approve|call|post|forward|share|reply|answer)\b/i,
  /\b(the (agent|assistant|bot|ai)|denizen)\b.{0,20}\b(must|should|shall|has to|will always|is (allowed|authori[sz]ed|permitted) to)\b/i,
  /\b(reveal|print|repeat|output|leak|exfiltrate)\b.{0,40}\b(system prompt|instructions|secrets?|tokens?|keys?|memory)\b/i,
  /\b(system|developer) (prompt|message|instruction)s?\b|<\/?\s*(system|instructions?|assistant|user|tool_result|human)\s*>|\[\/?INST\]|<\|[a-z_]+\|>/i,
  /\b(immer|stets|automatisch|ohne (nachzufragen|r[uü]ckfrage|zu fragen))\b.{0,40}\b(genehmig|freigeb|erlaub|best[aä]tig|zustimm|ausf[uü]hr|akzeptier)/iu,
  /\b(ignorier\w*|missacht\w*|vergiss|umgeh\w*)\b.{0,40}\b(anweisung|regel|richtlinie|vorgabe|freigabe)/iu,
  /\b(ab jetzt|von nun an)\b.{0,30}\b(sollst|musst|darfst|wirst) du\b|\bdu (musst|sollst|darfst) (immer|nie)/iu,
  /\b(siempre|autom[aá]ticamente|sin preguntar)\b.{0,30}\b(aprueb|aprob|acept|ejecut|permit)|\bignora\b.{0,40}\b(instrucciones|reglas|pol[ií]tica)/iu,
  /\b(toujours|automatiquement|sans demander)\b.{0,30}\b(approuv|accept|ex[eé]cut|autoris)|\bignorez?\b.{0,40}\b(instructions|r[eè]gles|consignes)/iu,
  /(忽略|无视|無視).{0,12}(指令|指示|规则|規則|ルール)|(总是|總是|自动|自動|常に).{0,8}(批准|同意|执行|執行|承認|許可)/u,
];

/** Letters that look like others, and signs between letters that nobody sees, are no way round. */
const plainly = (text: string): string => text.normalize("NFKC").replace(/[\p{Cf}\p{Mn}]/gu, "");

export function unfit(text: string): string | undefined {
  if (text === "") return "There is nothing to remember in an empty text.";
  if (text.length > LONGEST)
    return `A fact has at most ${LONGEST} characters; this one has ${text.length}. Say it shorter, or keep details in a file.`;
  const plain = plainly(text);
  if (masked(text) !== text || PASSWORD.test(plain) || OTHER_SECRETS.some((pattern) => pattern.test(plain))) {
    return "This looks like a password, key or token. Secrets are not kept in memory; remember where the secret is kept instead.";
  }
  if (ORDERS.some((pattern) => pattern.test(plain) || pattern.test(text))) {
    return "This reads like an instruction to you, not like a fact. Memory holds facts; rules for you belong into AGENTS.md, which an administrator approves.";
  }
  return undefined;
}
