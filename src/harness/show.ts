/**
 * Showing is an action like others: what is sent new is recorded before and after; a post in doubt is looked for before it is repeated.
 */
import type { Event } from "../core/event.ts";
import { postKey } from "../core/id.ts";
import type { Action } from "../core/next.ts";
import type { Posted } from "../core/ports.ts";
import { placeOf, type Slot, slots } from "../core/slots.ts";
import { only, type Plan, type Planner, write } from "./plan.ts";
import type { Scene } from "./world.ts";

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

const keyOf = ({ session, state }: Scene, slot: string): string => postKey(session, slot, state.posts[slot]?.generation ?? 0);

function post(scene: Scene, slot: Slot, action: Show): Plan {
  const { world, session, platform, opened } = scene;
  const key = keyOf(scene, slot.key);
  const mark = action.mark && (slot.kind === "answer" || slot.kind === "card");
  const started: Event = { type: "post.started", at: world.now(), slot: slot.key, key, mark };
  return {
    intent: write(session, started),
    act: async () => posted(scene, slot, await platform.post(placeOf(slot.key, opened.place), slot, key, mark)),
  };
}

function edit(scene: Scene, slot: Slot): Plan {
  const ref = scene.state.posts[slot.key]?.ref;
  if (!ref) return { intent: [] };
  return { intent: [], act: async () => posted(scene, slot, await scene.platform.edit(placeOf(slot.key, scene.opened.place), ref, slot)) };
}

function posted(scene: Scene, slot: Slot, result: Posted): Plan["intent"] {
  const { world, session } = scene;
  const at = world.now();
  if (result.ok) return write(session, { type: "post.shown", at, slot: slot.key, ref: result.ref, digest: slot.digest, final: slot.final });
  const lost = result.retryIn === null && !result.unsure;
  world.log[lost && slot.kind !== "progress" ? "error" : "warn"](
    { session, slot: slot.key, reason: result.reason },
    lost ? "a post was refused for good" : "a post did not go through",
  );
  const until = lost ? null : Math.round(at + (result.retryIn ?? TRY_AGAIN * world.patience));
  return write(session, { type: "post.failed", at, slot: slot.key, unsure: result.unsure, until, reason: world.scrub(result.reason) });
}

function hide(scene: Scene, { slot }: Show): Plan {
  const { world, session, platform, opened, state } = scene;
  const hidden: Event = { type: "post.hidden", at: world.now(), slot };
  const ref = state.posts[slot]?.ref;
  if (!ref) return only(session, hidden);
  return {
    intent: [],
    act: async () => {
      const result = await platform.hide(placeOf(slot, opened.place), ref);
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
  const { world, session, platform, opened, state } = scene;
  const found = await platform.find(placeOf(slot, opened.place), keyOf(scene, slot));
  const at = world.now();
  if (typeof found === "object") {
    // An answer is what it was; anything else may have changed since it was sent, and is edited to be sure.
    const same = wanted?.kind === "answer";
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
