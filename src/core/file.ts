/** Files in words and names: what is known of one that came or is handed over, and how it is called where the session sees it. */
import { type FileKey, fingerprint } from "./id.ts";

/** A file that came with a message, by the platform's own lasting id: never a link that lets anybody in. */
export interface Attachment {
  id: string;
  name: string;
  mime: string;
  /** Bytes, as the platform says. */
  size: number;
}

/** What may have files with it. */
export interface Bears {
  files?: Attachment[];
}

/** A file that a tool hands to people. Its bytes were set aside when the tool ran, so that what is posted is what was meant then. */
export interface Handed {
  name: string;
  mime: string;
  size: number;
  /** SHA-256 of the bytes. */
  digest: string;
  comment?: string;
}

export const fileKey = (message: string, file: string): FileKey => fingerprint(`${message} ${file}`);

/** What a file that came is called where the session sees it: told apart by its key, and a name that any disk takes. */
export function fileName(key: FileKey, name: string): string {
  const clean = [...name.normalize("NFC").replace(/[^\p{L}\p{N}._-]+/gu, "_")].join("").replace(/^[._]+/, "");
  const dot = clean.lastIndexOf(".");
  const end = dot > 0 && clean.length - dot <= 12 ? clean.slice(dot) : "";
  const stem = [...clean.slice(0, clean.length - end.length)].slice(0, 40).join("");
  return `${key.slice(-6)}-${stem || "file"}${end}`;
}

const UNITS = ["bytes", "KB", "MB", "GB"];
/** Bytes in words: `12 KB`. */
export function sizeText(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log(bytes) / Math.log(1024)));
  const amount = bytes / 1024 ** unit;
  return `${unit > 0 && amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${UNITS[unit]}`;
}
