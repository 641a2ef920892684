/**
 * The rules of the Agent Skills standard for the head of a SKILL.md, and what no skill may hold. Pure.
 *
 * R1. Each broken rule is the end of a sentence; an empty list is a skill that every other product reads, too.
 */
import { scrubber } from "../core/scrub.ts";

export const NAME = 64;
export const DESCRIPTION = 1_024;
const COMPATIBILITY = 500;
const KEYS = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/** `folder`: the folder the skill lies in, whose name it has. */
export function skillFaults(data: Record<string, unknown>, folder: string): string[] {
  const { name, description, license, compatibility, metadata } = data;
  const others = Object.keys(data).filter((key) => !KEYS.includes(key));
  return [
    ...(typeof name === "string" && name ? nameFaults(name, folder) : ["it has no name"]),
    ...(typeof description === "string" && description.trim() ? [] : ["it has no description"]),
    ...(typeof description === "string" && description.length > DESCRIPTION
      ? [`its description is longer than ${DESCRIPTION} characters`]
      : []),
    ...(isText(license) ? [] : ["its license is not text"]),
    ...(isText(compatibility) ? [] : ["its compatibility is not text"]),
    ...(typeof compatibility === "string" && compatibility.length > COMPATIBILITY
      ? [`its compatibility is longer than ${COMPATIBILITY} characters`]
      : []),
    ...(isText(data["allowed-tools"]) ? [] : ["its allowed-tools is not text"]),
    ...(metadata === undefined || isMap(metadata) ? [] : ["its metadata is not a list of names with texts"]),
    ...(others.length ? [`its head has ${others.map((key) => `“${key}”`).join(", ")}, which the standard does not know`] : []),
  ];
}

export function nameFaults(name: string, folder: string): string[] {
  return [
    ...(name.length > NAME ? [`its name is longer than ${NAME} characters`] : []),
    ...(WORDS.test(name.normalize("NFKC")) ? [] : ["its name is not made of small letters and digits with single hyphens between"]),
    ...(name.normalize("NFKC") === folder.normalize("NFKC") ? [] : [`its name “${name}” is not that of its folder “${folder}”`]),
  ];
}
/** Of any script; those that have no small letters are small. */
const WORDS = /^(?:(?!\p{Lu}|\p{Lt})[\p{L}\p{M}0-9])+(?:-(?:(?!\p{Lu}|\p{Lt})[\p{L}\p{M}0-9])+)*$/u;

const isText = (value: unknown): boolean => value === undefined || typeof value === "string";
const isMap = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every((it) => typeof it === "string");

const masked = scrubber([]);
/** A secret given in words: a digit or sign in it tells it from “the password is in the vault”. */
const SECRETS = [
  /\b(?:pass(?:word|phrase|code|wort)?|kennwort|contrase[nñ]a|mot de passe|secret|credentials?|api[ _-]?key|(?:access|auth)[ _-]?(?:key|token)|bearer|pin)\b\s*(?:for [\w.-]+ |f[uü]r [\w.-]+ )?(?:is|ist|lautet|es|est|=|:)\s*["'`]?(?=\S*[\d!@#%^&*~+])[^\s"'`<>{}$]{4,}/iu,
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /\b[a-z][a-z+.-]*:\/\/[^\s:@/<>{}$]+:[^\s@/<>{}$]+@/i,
];
const ASSENT = "(?:approvals?|permission|confirmation|consent|sign-?off)";
const DECIDERS = "(?:administrators?|admins?|approvers?|anyone|anybody|people first|the user first)";
/** Words by which a text would have its reader get round people's decisions, or the rules it stands under, in the languages most teams write. */
const ROUND = [
  /\b(?:ignore|disregard|forget|override|bypass|circumvent|evade|sidestep|work around|get around|disable|turn off)\b.{0,40}\b(?:polic(?:y|ies)|approvals?|permissions?|guardrails?|safeguards?|(?:system|previous|earlier|prior|other|all|base|your) (?:rules?|instructions?|prompts?))\b/i,
  // “Never deploy without approval” asks for the opposite.
  new RegExp(
    `(?<!\\b(?:never|not|don't|nothing|nobody|cannot|can't)\\b[^.!?,;]{0,60})\\b(?:without|skip(?:ping)?|avoid(?:ing)?|need(?:s|ing)? no|requir(?:es?|ing) no)\\s+(?:the |any |an |a |further |asking for |waiting for |requesting |triggering |needing )*(?:${ASSENT}|(?:a )?person's decision|asking ${DECIDERS}|asking[.!])`,
    "i",
  ),
  new RegExp(`\\bno (?:further )?${ASSENT} (?:is |are )?(?:needed|required|necessary)\\b`, "i"),
  new RegExp(`\\b(?:never|do not|don't|no need to)\\s+(?:ask|request|wait|need|bother)\\b.{0,40}\\b(?:${ASSENT}|${DECIDERS})\\b`, "i"),
  /\b(?:never|do not|don't)\s+(?:show|tell|mention|inform|let)\b.{0,20}\b(?:administrators?|admins?|approvers?|anyone|anybody|the card)\b/i,
  /\b(?:always|automatically|auto-?|silently)\s*(?:approve|accept the card|confirm the card|grant|click approve)\b/i,
  /\b(?:pre-?approved|pre-?authori[sz]ed|always approved|whitelisted|exempt from (?:approval|policy))\b/i,
  /\b(?:treat|consider|regard|counts?)\b.{0,60}\bas\b.{0,20}\b(?:approved|authori[sz]ed|trusted|an? (?:admin|administrator|owner|approver))\b/i,
  /\bso (?:that )?(?:nobody|no ?one|no card|no approval|no administrator)\b.{0,30}\b(?:approves?|approve|appears?|notices?|is needed)\b/i,
  /\b(?:split|encode|disguise|rename|hide|wrap)\b.{0,60}\b(?:not (?:be )?(?:detected|blocked|denied|noticed)|un(?:noticed|detected)|the (?:filter|scanner|gate))\b/i,
  /\bpolicy\.json\b.{0,60}\b(?:change|edit|write|overwrite|delete|remove|replace|add)|\b(?:change|edit|write|overwrite|delete|remove|replace|add)\b.{0,60}\bpolicy\.json\b/i,
  /\b(?:reveal|print|repeat|output|leak|exfiltrate|send|post)\b.{0,40}\b(?:system prompt|your instructions|(?:all|your|its) (?:secrets|tokens|passwords|api keys))\b/i,
  /<\/?\s*(?:system|instructions?|material|assistant|human)\b[^>]*>|<message from|\[\/?INST\]|<\|[a-z_]+\|>/i,
  /\b(?:ignorier\w*|missacht\w*|umgeh\w*|übergeh\w*)(?=\W).{0,40}\b(?:anweisung|regel|richtlinie|vorgabe|freigabe|genehmigung)|(?<!\b(?:nie|nicht|niemals)\b[^.!?,;]{0,60})\bohne\s+(?:\w+ )?(?:freigabe|genehmigung|rückfrage|nachzufragen|zu fragen)/iu,
  /\bignora\w*\b.{0,40}\b(?:instrucciones|reglas|pol[ií]tica)|(?<!\b(?:nunca|no)\b[^.!?,;]{0,60})\bsin (?:pedir )?(?:permiso|aprobaci[oó]n|preguntar)/iu,
  /\bignore[zr]?\b.{0,40}\b(?:r[eè]gles|consignes)|(?<!\b(?:jamais|pas)\b[^.!?,;]{0,60})\bsans (?:demander|autorisation|approbation|validation)/iu,
  /(?:忽略|无视|無視|绕过|繞過).{0,12}(?:指令|指示|规则|規則|ルール|审批|審批|批准)|(?:总是|總是|自动|自動|常に).{0,8}(?:批准|同意|承認|許可)|(?:无需|無需|不需要|不用).{0,6}(?:批准|审批|同意)|承認なし/u,
];
/** Nobody reading a card sees these. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u200b\u2060\ufeff\u{e0000}-\u{e007f}]/u;

/** Why a text that the agent wrote itself cannot become a skill. */
export function unfitSkill(text: string): string | undefined {
  // Letters that look like others are no way round; words that are split over lines are read as one.
  const plain = text.normalize("NFKC").replace(/\s+/g, " ");
  if (masked(text) !== text || text.includes("[masked]") || SECRETS.some((pattern) => pattern.test(plain)))
    return "it holds what looks like a password, key or token; name where the secret is kept instead";
  if (HIDDEN.test(text)) return "it holds characters that nobody can see";
  const found = ROUND.map((pattern) => pattern.exec(plain)?.[0]).find(Boolean);
  return found ? `“${found.slice(0, 80)}” reads like a way round what people decide; a skill may not hold that` : undefined;
}
