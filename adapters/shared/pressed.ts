/** What a button's id says: its act and code, as every platform carries them. */
import type { Act } from "../../src/core/view.ts";

const ACTS: Record<Act, true> = {
  approve: true,
  edit: true,
  deny: true,
  thread: true,
  always: true,
  answer: true,
  stop: true,
  withdraw: true,
  undo: true,
  show: true,
};
export const isAct = (value: unknown): value is Act => typeof value === "string" && Object.hasOwn(ACTS, value);

/** The act and code of a button; undefined for buttons that are not ours. */
export function pressed(id: string): { act: Act; code: string } | undefined {
  const at = id.indexOf(":");
  const act = id.slice(0, at);
  const code = id.slice(at + 1);
  return isAct(act) && /^[\w.-]{1,80}$/.test(code) ? { act, code } : undefined;
}
