/** The key of a post: in the metadata it carries, or in the id of a row of buttons where it can carry none. */
import { fingerprint } from "../../src/core/id.ts";

const TYPE = "denizen_post";

export const carrying = (key: string) => ({ metadata: { event_type: TYPE, event_payload: { key } } });
export const labelOf = (key: string): string => `key.${fingerprint(key)}`;

interface Message {
  metadata?: object;
  blocks?: { block_id?: string }[];
}
/** Whether a message of our own was posted under this key. */
export function bears({ metadata, blocks = [] }: Message, key: string): boolean {
  const { event_type, event_payload } = (metadata ?? {}) as { event_type?: string; event_payload?: { key?: unknown } };
  if (event_type === TYPE) return event_payload?.key === key;
  return blocks.some(({ block_id }) => block_id === labelOf(key));
}
