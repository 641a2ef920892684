import { expect, test } from "vitest";
import type { Event, Place } from "../../src/core/event.ts";
import type { Journal } from "../../src/core/ports.ts";
import { originLink } from "../../src/workspace/origin.ts";

const ROOT = "slack:T:C:1.0";
const shown = (slot: string, message: string): Event => ({
  type: "post.shown",
  at: 1,
  slot,
  ref: { channel: "C", message },
  digest: "d",
  final: true,
});

/** A journal that knows one thread and what was shown by its sessions. */
function journal(events: Record<string, Event[]>): Journal {
  const place = { platform: "slack", team: "T", channel: "C", thread: "1.0" };
  const row = { session: ROOT, settled: true, wakeAt: null, scope: "team", place, todos: [], at: 1, title: "" };
  return {
    session: async (id: string) => (id === ROOT ? row : undefined),
    events: async (id: string) => (events[id] ?? []).map((event, seq) => ({ seq, event })),
  } as unknown as Journal;
}
const link = ({ platform, channel }: Place, message: string) => `${platform}/${channel}/${message}`;

test.each([
  ["the card it was decided on", ROOT, "2.1.0", { [ROOT]: [shown("answer/2/0", "a"), shown("card/2.1.0", "c")] }, "slack/C/c"],
  ["a helper's own card", `${ROOT}/2.1.0`, "1.1.0", { [`${ROOT}/2.1.0`]: [shown("card/1.1.0", "h")] }, "slack/C/h"],
  [
    "what was shown of its turn",
    ROOT,
    "2.1.0",
    { [ROOT]: [shown("answer/1/0", "x"), shown("progress/2", "p"), shown("answer/21/0", "y")] },
    "slack/C/p",
  ],
  ["what was shown of the turn its helper worked in", `${ROOT}/3.1.0`, "1.1.0", { [ROOT]: [shown("answer/3/0", "a")] }, "slack/C/a"],
  ["the thread, where nothing was shown", ROOT, "2.1.0", {}, "slack/C/1.0"],
  ["nothing, for a conversation that is not known", "slack:T:C:9", "1.1.0", {}, undefined],
])("P8 a change leads to %s", async (_, session, call, events, wanted) => {
  expect(await originLink({ session, call }, journal(events as Record<string, Event[]>), link)).toBe(wanted);
});
