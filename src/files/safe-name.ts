/**
 * Ids as names of files and folders.
 *
 * N1. Distinct ids have distinct names: the spelling can be read back, or ends in a digest of the whole id.
 * N2. A name is at most 120 bytes of [A-Za-z0-9._=-], never hidden, never `.` or `..`.
 */
import { createHash } from "node:crypto";

const LONGEST = 120;
const KEPT = 80;

/** `slack:T1:C1:17.1` is `slack_T1_C1_17.1`; what is no letter, digit, dot, dash or colon is spelled `=XX` for each byte. */
export function safeName(id: string): string {
  const name = [...Buffer.from(id, "utf8")].map((byte, index) => spelled(byte, index === 0)).join("");
  if (name !== "" && name.length <= LONGEST) return name;
  // `=-` is in no spelled name, so the shortened ones cannot meet them.
  return `${name.slice(0, KEPT)}=-${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}

function spelled(byte: number, first: boolean): string {
  const char = String.fromCharCode(byte);
  if (char === ":") return "_";
  if (/[A-Za-z0-9-]/.test(char) || (char === "." && !first)) return char;
  return `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}
