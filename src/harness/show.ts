/**
 * Showing is an action like others: what is sent new is recorded before and after; a post in doubt is looked for before it is repeated.
 * A file goes with its post, by the same rules: its bytes are those that were set aside when its call ran.
 */
import type { Event, Place } from "../core/event.ts";
import { postKey } from "../core/id.ts";
import type { Action } from "../core/next.ts";
import type { Platform, Posted } from "../core/ports.ts";
import { placeOf, type Slot, slots } from "../core/slots.ts";
import { plain, say } from "../core/view.ts";
import { only, type Plan, type Planner, write } from "./plan.ts";
import { type Scene, whoFor } from "./world.ts";

type Show = Extract<Action, { do: "show" }>;
const LOOK_AGAIN = 2_000;
const COULD_NOT_LOOK = 5_000;
const TRY_AGAIN = 3_000;

export const show: Planner<Show> = async (scene, action) => {
  const wanted = slots(scene.state).find((slot) => slot.key === action.slot);
  switch (action.mode) {
    case "look":
      return { intent: [], act: () => look(scene, action, wanted) };
    case "hide":
      return hide(scene, action);
    case "edit":
      return wanted ? edit(scene, wanted) : { intent: [] };
    case "post":
      return wanted ? post(scene, wanted, action) : { intent: [] };
  }
};

const keyOf = ({ session, state, opened }: Scene, slot: string): string =>
  state.posts[slot]?.key ?? postKey(session, slot, state.posts[slot]?.generation ?? 0, opened.code);

function post(scene: Scene, slot: Slot, action: Show): Plan {
  const { world, session } = scene;
  const { platform, place } = whereOf(scene, slot.key);
  const key = keyOf(scene, slot.key);
  const mark = action.mark && MARKED.has(slot.kind);
  const started: Event = { type: "post.started", at: world.now(), slot: slot.key, key, mark };
  return {
    intent: write(session, started),
    act: async () => {
      const shown = await calling(scene, slot);
      return posted(scene, slot, platform ? await sent(scene, slot, (bytes) => platform.post(place, shown, key, mark, bytes)) : NOT_THERE);
    },
  };
}

const MARKED = new Set<Slot["kind"]>(["asked", "answer", "file", "card", "digest"]);

/** A notice may stand on another platform than its session's. */
function whereOf({ world, platform, opened }: Scene, slot: string): { place: Place; platform: Platform | undefined } {
  const place = placeOf(slot, opened.place);
  return { place, platform: place.platform === opened.place.platform ? platform : world.platforms.get(place.platform) };
}
const NOT_THERE: Posted = { ok: false, unsure: false, retryIn: null, reason: "This platform is not connected." };

/** An answer calls the people it names by their ids, as far as policy allows now. */
async function calling({ world, home, opened }: Scene, slot: Slot): Promise<Slot> {
  const { mentions = [] } = slot.kind === "answer" ? await world.homes.rules(home) : {};
  const own = mentions.filter((id) => id.startsWith(`${opened.place.platform}:`));
  const calls = own.filter((id) => names(plain(slot.view), id)).slice(0, CALLED);
  return calls.length ? { ...slot, view: { ...slot.view, calls } } : slot;
}
const CALLED = 10;
function names(text: string, id: string): boolean {
  const literal = id.replace(/[^\w:]/g, "\\$&");
  return new RegExp(`(?<![\\w:])${literal}(?!\\w)|<@!?${literal.slice(literal.indexOf(":") + 1)}>`).test(text);
}

async function sent(
  { world, home, session }: Scene,
  { key, file }: Slot,
  post: (bytes?: Uint8Array) => ReturnType<Platform["post"]>,
): Promise<Posted> {
  if (!file) return post();
  const bytes =
    file.text === undefined
      ? await world.attachments?.handed(home, session, key.replace(/^file\//, ""))
      : new TextEncoder().encode(file.text);
  return bytes ? post(bytes) : { ok: false, unsure: false, retryIn: null, reason: "What was set aside of the file is not there any more." };
}

function edit(scene: Scene, slot: Slot): Plan {
  const ref = scene.state.posts[slot.key]?.ref;
  if (!ref) return { intent: [] };
  const { platform, place } = whereOf(scene, slot.key);
  return {
    intent: [],
    act: async () => posted(scene, slot, platform ? await platform.edit(place, ref, await calling(scene, slot)) : NOT_THERE),
  };
}

function posted(scene: Scene, slot: Slot, result: Posted): Plan["intent"] {
  const { world, session } = scene;
  const at = world.now();
  if (result.ok) return write(session, { type: "post.shown", at, slot: slot.key, ref: result.ref, digest: slot.digest, final: slot.final });
  // Somebody took it away: if it is still to be seen, it is posted anew.
  if (result.gone) return write(session, { type: "post.hidden", at, slot: slot.key });
  const lost = result.retryIn === null && !result.unsure;
  world.log[lost && slot.kind !== "progress" ? "error" : "warn"](
    { session, slot: slot.key, reason: result.reason },
    lost ? "a post was refused for good" : "a post did not go through",
  );
  const until = lost ? null : Math.round(at + (result.retryIn ?? TRY_AGAIN * world.patience));
  const reason = world.scrub(result.reason);
  const failed: Event = { type: "post.failed", at, slot: slot.key, unsure: result.unsure, until, reason };
  const what = lost ? lostOf(scene, slot) : undefined;
  if (!what) return write(session, failed);
  const text = `${what}: ${reason}`;
  void tell(scene, text);
  return write(session, failed, { type: "noted", at, text });
}

/** What nobody will see now, once an answer. */
function lostOf({ state, opened }: Scene, { key, kind, file }: Slot): string | undefined {
  if (kind === "file") return `The file ${file?.name} could not be posted, so nobody has it`;
  const where = opened.parent ? "where it was asked for" : "where you asked";
  if (kind === "card") return `A decision is needed, and it could not be put to anybody ${where}`;
  const known = Object.entries(state.posts).some(([other, { gaveUp }]) => gaveUp && other.replace(/\d+$/, "") === key.replace(/\d+$/, ""));
  // A long answer whose file is not taken follows in messages.
  return kind === "answer" && !file && !known ? `My answer could not be posted ${where}, so nobody has read all of it` : undefined;
}

async function tell({ world, platform, opened, state }: Scene, text: string): Promise<void> {
  const person = whoFor(opened, state);
  try {
    if (person) await platform.whisper(opened.place, person.id, say(`⚠️ ${text}`));
  } catch (error) {
    world.log.warn({ err: error }, "a warning could not be delivered");
  }
}

function hide(scene: Scene, { slot }: Show): Plan {
  const { world, session, state } = scene;
  const { platform, place } = whereOf(scene, slot);
  const hidden: Event = { type: "post.hidden", at: world.now(), slot };
  const ref = state.posts[slot]?.ref;
  if (!ref) return only(session, hidden);
  return {
    intent: [],
    act: async () => {
      const result = platform ? await platform.hide(place, ref) : NOT_THERE;
      const at = world.now();
      if (result.ok || (!result.unsure && result.retryIn === null)) return write(session, { ...hidden, at });
      return write(session, {
        type: "post.failed",
        at,
        slot,
        unsure: false,
        until: Math.round(at + (result.retryIn ?? TRY_AGAIN * world.patience)),
        reason: world.scrub(result.reason),
      });
    },
  };
}

async function look(scene: Scene, { slot }: Show, wanted: Slot | undefined): Promise<Plan["intent"]> {
  const { world, session, state } = scene;
  const { platform, place } = whereOf(scene, slot);
  const found = platform ? await platform.find(place, keyOf(scene, slot)) : "absent";
  const at = world.now();
  if (typeof found === "object") {
    // A question, an answer or a file is what it was; anything else may have changed since it was sent, and is edited to be sure.
    const same = wanted?.kind === "asked" || wanted?.kind === "answer" || wanted?.kind === "file";
    return write(session, { type: "post.shown", at, slot, ref: found.found, digest: same ? wanted.digest : "found", final: same });
  }
  const again = found === "unknown" ? COULD_NOT_LOOK : LOOK_AGAIN * ((state.posts[slot]?.looks ?? 0) + 1);
  return write(session, {
    type: "post.failed",
    at,
    slot,
    unsure: true,
    until: Math.round(at + again * world.patience),
    reason: "not found yet",
  });
}
