/**
 * Fetching a file that came with a message, before the step that is told of it; and taking it away again with its message.
 *
 * F1. What is there already is not fetched again, so that after a crash the same is simply done once more.
 * F2. What cannot be had is said in a sentence, to the model with the message, and to who sent it.
 * F3. A file whose message went while it came is not left lying.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Held } from "../core/attached.ts";
import { sizeText } from "../core/file.ts";
import type { Action } from "../core/next.ts";
import type { Fetched } from "../core/ports.ts";
import { say } from "../core/view.ts";
import { type Planner, write } from "./plan.ts";
import type { Scene } from "./world.ts";

type Of = Extract<Action, { file: string }>;
/** Bytes of one file. */
const LARGEST = 20 * 1024 * 1024;
const TRIES = 3;
const LONGEST_WAIT = 10_000;

export const fetchFile: Planner<Of> = async (scene, { file }) => ({
  intent: [],
  act: async () => {
    const { world, session, state } = scene;
    const held = state.attached[file];
    if (!held) return [];
    const why = await kept(scene, held);
    if (scene.signal.aborted) return [];
    if (!why) return write(session, { type: "file.fetched", at: world.now(), file });
    const problem = world.scrub(why);
    world.log.warn({ session, file: held.at, why: problem }, "a file that came with a message could not be had");
    void tell(scene, held, problem);
    return write(session, { type: "file.fetched", at: world.now(), file, problem });
  },
});

export const discardFile: Planner<Of> = async (scene, { file }) => ({
  intent: [],
  act: async () => {
    const { world, home, session, state } = scene;
    const held = state.attached[file];
    if (held) await world.attachments?.remove(home, session, held.at);
    return write(session, { type: "file.removed", at: world.now(), file });
  },
});

/** Undefined: it is there. */
async function kept(scene: Scene, { key, message, id, at, size }: Held): Promise<string | undefined> {
  const { world, home, session, signal } = scene;
  const { attachments } = world;
  if (!attachments) return "files are not kept here";
  if (size > LARGEST) return `it is too large: ${sizeText(size)}, and ${sizeText(LARGEST)} are the most`;
  if (await attachments.has(home, session, at)) return undefined;
  const found = await patiently(scene, message, id);
  if (signal.aborted) return undefined;
  if (!found.ok) return found.why;
  const refused = await attachments.put(home, session, at, found.bytes);
  const { status } = (await scene.journal.state(session)).attached[key] ?? {};
  if (!status || status === "unwanted") await attachments.remove(home, session, at);
  return refused;
}

async function patiently({ platform, opened, signal, world }: Scene, message: string, id: string): Promise<Fetched> {
  if (!platform.fetch) return { ok: false, retryIn: null, why: "files of this platform cannot be read" };
  for (let tries = 1; ; tries++) {
    const found = await platform.fetch(opened.place, message, id, LARGEST, signal);
    if (found.ok || found.retryIn === null || tries >= TRIES || signal.aborted) return found;
    await pause(Math.min(found.retryIn, LONGEST_WAIT) * world.patience, undefined, { signal }).catch(() => undefined);
  }
}

/** Whoever addressed the agent or answered it with it; what was only heard is nobody's errand. */
async function tell({ world, platform, opened, state }: Scene, { message, name }: Held, problem: string): Promise<void> {
  const said = state.talk.queue.find((item) => item.id === message && (item.must || !item.text));
  if (!said) return;
  try {
    await platform.whisper(opened.place, said.by.id, say(`⚠️ I could not get the file “${world.scrub(name)}”: ${problem}.`));
  } catch (error) {
    world.log.warn({ err: error }, "a warning could not be delivered");
  }
}
