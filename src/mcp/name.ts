/**
 * What a server's tool is called towards the model: `server__tool`, made valid.
 *
 * A name that had to be changed or cut ends with a mark made of its label, so that two labels never share one.
 */
import { fingerprint } from "../core/id.ts";

const LONGEST = 64;

export const labelOf = (server: string, tool: string): string => `${server}/${tool}`;

export function toolName(server: string, tool: string): string {
  const plain = `${server}__${tool}`;
  const clean = plain.replace(/[^a-zA-Z0-9_-]/g, "_");
  // Two underscores inside a part would make `a__b/c` and `a/b__c` one name.
  const ambiguous = `${server}${tool}`.includes("__") || server.endsWith("_") || tool.startsWith("_");
  if (clean === plain && clean.length <= LONGEST && !ambiguous) return clean;
  const mark = fingerprint(labelOf(server, tool)).slice(0, 8);
  return `${clean.slice(0, LONGEST - mark.length - 1)}_${mark}`;
}
