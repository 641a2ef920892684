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
    ...(/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) ? [] : ["its name is not made of small letters and digits with single hyphens between"]),
    ...(name === folder ? [] : [`its name “${name}” is not that of its folder “${folder}”`]),
  ];
}

const isText = (value: unknown): boolean => value === undefined || typeof value === "string";
const isMap = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every((it) => typeof it === "string");

const masked = scrubber([]);
const PASSWORD = /\b(?:password|passphrase|secret|api[ _-]?key|access[ _-]?token)\b\s*(?:is|=|:)\s*["'`]?(?=\S*\d)[^\s"'`<>{}$]{6,}/i;
/** Words by which a text would have its reader get round people's decisions, or the rules it stands under. */
const ROUND = [
  /\b(?:ignore|disregard|override|bypass|circumvent|work around|get around|disable)\b.{0,40}\b(?:polic(?:y|ies)|approvals?|permissions?|guardrails?|(?:system|previous|earlier|other|all) (?:rules?|instructions?|prompts?))\b/i,
  /\b(?:without|skip(?:ping)?|avoid(?:ing)?)\s+(?:the |any |an |asking for |waiting for |requesting )*(?:approvals?|permission|confirmation|a person'?s? decision)\b/i,
  /\b(?:never|do not|don't)\s+(?:ask|request|wait|need|show|tell|mention)\b.{0,40}\b(?:approval|permission|confirmation|administrators?|the user|people)\b/i,
  /\b(?:always|automatically|auto-?)\s*(?:approve|click approve)\b/i,
  /\bpolicy\.json\b.{0,60}\b(?:change|edit|write|overwrite|delete|remove)|\b(?:change|edit|write|overwrite|delete|remove)\b.{0,60}\bpolicy\.json\b/i,
  /<\/?(?:system|instructions?)>/i,
];
/** Nobody reading a card sees these. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u200b\u2060\ufeff\u{e0000}-\u{e007f}]/u;

/** Why a text that the agent wrote itself cannot become a skill. */
export function unfitSkill(text: string): string | undefined {
  if (masked(text) !== text || text.includes("[masked]") || PASSWORD.test(text))
    return "it holds what looks like a password, key or token; name where the secret is kept instead";
  if (HIDDEN.test(text)) return "it holds characters that nobody can see";
  const found = ROUND.map((pattern) => pattern.exec(text)?.[0]).find(Boolean);
  return found ? `“${found.slice(0, 80)}” reads like a way round what people decide; a skill may not hold that` : undefined;
}
