/**
 * What side work found worth keeping in a conversation (a summary's key facts), through the same door as `remember`.
 *
 * K1. Its scope is the conversation's, and each fact needs messages of people in it as evidence, and says nothing that is not in them.
 * K2. Nobody asked for it just now: what was forgotten, or came from the same messages, stays forgotten.
 * K3. What is found twice is kept once, also after a crash in between.
 */
import { rootOf, type SessionId } from "../core/id.ts";
import type { Finding, Remembering } from "../core/ports.ts";
import type { State } from "../core/state.ts";
import { spokenIn } from "./evidence.ts";
import type { Memory } from "./memory.ts";
import { isTurned } from "./sense.ts";
import { isGrounded } from "./words.ts";

const MOST = 20;

/** How many were kept. */
export async function keepFound(
  memory: Memory,
  session: SessionId,
  state: State,
  found: readonly Finding[],
  key: string,
  now: number,
): Promise<number> {
  // A helper talks with nobody.
  if (!state.opened || rootOf(session) !== session) return 0;
  const { scope, place } = state.opened;
  const spoken = spokenIn(state);
  let kept = 0;
  for (const [index, { text, evidence }] of found.slice(0, MOST).entries()) {
    const cited = evidence.map((id) => spoken.filter((each) => each.id === id));
    const said = cited.flat();
    const [first] = said;
    if (!first || cited.some((each) => each.length === 0)) continue;
    const words = said.map((each) => each.text);
    if (!isGrounded(text, [...words, ...said.flatMap(({ by }) => [by.name, by.id])]) || isTurned(text, words)) continue;
    const messages = [...new Set(said.map(({ id }) => id))];
    const done = await memory.remember(text, {
      scope,
      session,
      call: `${key}.${index}`,
      by: first.by.id,
      channel: `${place.platform}:${place.channel}`,
      messages,
      unasked: true,
      now,
    });
    if (done.ok && done.fresh) kept++;
  }
  return kept;
}

/** What the harness asks of the memory of homes. */
export function remembering(memory: (home: string) => Memory, now: () => number): Remembering {
  return {
    keep: async (home, session, state, found, key) => void (await keepFound(memory(home), session, state, found, key, now())),
    unsaid: (home, session, message) => memory(home).unsaid(session, message, now()),
    undo: async (home, scope, n, edit, by) => {
      const done = await memory(home).undo(n, edit, [scope], by, now());
      return done.ok ? { ok: true } : { ok: false, why: done.error };
    },
  };
}
