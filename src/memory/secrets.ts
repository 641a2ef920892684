/** Whether a text tells a secret: a password, a key, a number that pays. Where a secret is kept is none. Pure. */
import { MASK, scrubber } from "../core/scrub.ts";

/** Masks whatever has the shape of a known token. */
const masked = scrubber([]);
/** What a secret is called, and that it is told here. */
const CALLED =
  "pass(?:word|phrase|code|wor[td])?|pwd|passwd|kennwort|zugangscode|door code|contrase[nñ]a|clave|mot de passe|senha|wachtwoord|l[oö]senord|has[lł]o|парол\\p{L}+|secret|credentials?|api[ _-]?key|private key|access[ _-]?(?:key|token|code)|auth[ _-]?token|token|bearer|pin|otp|cvc|cvv|licen[cs]e key";
const OF = "(?:for|f[uü]r|zum|zur|of|to|pour|du|de la|de|del|para|voor|от|для)\\s+(?:\\S+\\s+){1,4}?";
const IS = "(?:is now|is still|is|are|was|ist jetzt|ist|lautet|est|es|é|è|=|:|→|->|—)";
const told = (called: string): string => `(?<![\\p{L}\\p{N}])(?:${called})s?\\s*(?:${OF})?${IS}\\s*`;
const TOLD = told(CALLED);
const QUOTE = "[\"'`“„«]";
/** What may be said of a password in one last word without telling it. */
const OTHERWISE =
  "(?:changed|expired|rotated|required|needed|unknown|missing|stored|shared|wrong|public|lost|safe|secret|weak|strong|optional|mandatory|empty|valid|invalid|encrypted|hidden|kept|reset|revoked|there|here|ready|(?:short|long)-lived|single-use|one-time|case-sensitive|hashed|salted|renewed|issued|scoped|cached|signed|generated|managed|deprecated|temporary|personal|private|confidential|alphanumeric|broken|unique|yours|abgelaufen|n[oö]tig|bekannt|unbekannt|geheim|(?:ge|ver)\\p{L}+|expir\\p{L}+|chang\\p{L}+|cadu\\p{L}+)";

/** A name to sign in with, and no secret. */
const MAIL = "[\\p{L}\\d.+_-]+@[\\p{L}\\d-]+(?:\\.[\\p{L}\\d-]+)*\\.\\p{L}{2,}[.!?]?\\s*$";

const SECRETS: readonly RegExp[] = [
  // It has no shape of its own; the digit or sign in it tells it from "the password is in the vault".
  new RegExp(`${TOLD}${QUOTE}?(?=\\S*[\\d!@#$%^&*_~+=])\\S{3,}`, "iu"),
  new RegExp(`${told("login")}${QUOTE}?(?!${MAIL})(?=\\S*[\\d!@#$%^&*_~+=/])\\S{3,}`, "iu"),
  new RegExp(`${TOLD}${QUOTE}[^"'\`”“»]{3,}["'\`”“»]`, "iu"),
  new RegExp(`${TOLD}(?!${OTHERWISE}(?![\\p{L}\\p{N}]))[\\p{L}\\p{N}-]{5,}\\s*(?:[.!?,;]|$)`, "iu"),
  /\b(?:password|passwort|passphrase)\s+(?:of|for|für|von)\s.{1,40}\s(?:is|ist|=|:)\s*(?=\S*\d)\S{3,}/iu,
  /(?:密码|密碼|口令|パスワード|暗証番号|비밀번호|암호)\s*(?:是|为|為|は|:|：|은|는)\s*[\x21-\x7e]{3,}/u,
  // An IBAN, a private key, an address with a password in it, a recovery phrase.
  /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b/,
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /\b[a-z][a-z+.-]*:\/\/[^\s:@/]+:[^\s@/]+@/i,
  /\b(seed|recovery|mnemonic) (phrase|words?)\b\s*(is|are|:)/i,
];

const NUMBERS = /(?<![\p{L}\p{N}])[2-6](?:[ -]?\d){12,18}(?!\p{N})/gu;
/** The last digit of a card's number proves the others: nearly no order, phone or serial number is one. */
function hasCard(text: string): boolean {
  return (text.match(NUMBERS) ?? []).some((found) => {
    const digits = [...found.replace(/\D/g, "")].reverse().map(Number);
    const sum = digits.reduce((total, digit, at) => total + (at % 2 ? digit * 2 - (digit > 4 ? 9 : 0) : digit), 0);
    return sum % 10 === 0;
  });
}

/** What was masked where it came in is no less a secret. */
export const isSecret = (text: string): boolean =>
  text.includes(MASK) || masked(text) !== text || hasCard(text) || SECRETS.some((pattern) => pattern.test(text));
