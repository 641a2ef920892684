/** The console's own files, read once. Whatever is not one of them does not exist, whatever its path looks like. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const TYPES = { css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8", svg: "image/svg+xml" } as const;

export interface Asset {
  body: string;
  type: string;
  /** With the content's digest, so that it may be cached for ever. */
  url: string;
}

function load(name: `${string}.${keyof typeof TYPES}`): Asset {
  const body = readFileSync(new URL(`static/${name}`, import.meta.url), "utf8");
  const version = createHash("sha256").update(body).digest("base64url").slice(0, 10);
  return { body, type: TYPES[name.split(".")[1] as keyof typeof TYPES], url: `/static/${name}?${version}` };
}

const FILES = {
  "console.css": load("console.css"),
  "console.js": load("console.js"),
  "operator.css": load("operator.css"),
  "operator.js": load("operator.js"),
  "icon.svg": load("icon.svg"),
};

export const asset = (name: string): Asset | undefined => (Object.hasOwn(FILES, name) ? FILES[name as keyof typeof FILES] : undefined);
export const urlOf = (name: keyof typeof FILES): string => FILES[name].url;
