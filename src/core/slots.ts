/**
 * The view of a session: what people should see, as a keyed list of slots. Pure; whether it stands already is for `posts` to say.
 *
 * - `progress/<turn>`: only for turns that use tools; folded once the final answer stands.
 * - `answer/<turn>/<part>`: the parts of a turn's answer.
 * - `card/<call>`: a decision or question; without buttons once decided.
 * - `queued/<message>`: a message that waits behind an open decision.
 * - `notice/<call>/<channel>`: says outside the thread that a decision waits, for as long as it does.
 */
import { type Call, openDecisions } from "./calls.ts";
import { cardView } from "./card.ts";
import type { Place } from "./event.ts";
import { fingerprint } from "./id.ts";
import { memo } from "./memo.ts";
import { part } from "./parts.ts";
import type { State } from "./state.ts";
import { type Ending, isOpen } from "./talk.ts";
import type { Button, Part, View } from "./view.ts";

export interface Slot {
  key: string;
  kind: "progress" | "answer" | "card" | "queued" | "notice";
  view: View;
  /** Changes exactly when the view does (progress: only when it is folded, its text is never journaled). */
  digest: string;
  /** Nothing about it will change once this is shown. */
  final: boolean;
}

export const slots = memo((state: State): Slot[] => {
  if (!state.opened) return [];
  const cards = cardSlots(state);
  return state.opened.parent
    ? [...cards, ...noticeSlots(state)]
    : [...progressSlots(state), ...answerSlots(state), ...cards, ...queuedSlots(state), ...noticeSlots(state)];
});

/** Where a slot stands: in the session's thread, but for notices. */
export function placeOf(slot: string, own: Place): Place {
  const channel = /^notice\/[^/]*\/(.+)$/.exec(slot)?.[1];
  return channel === undefined ? own : { ...own, channel, thread: null };
}

function answerSlots({ talk: { ending, phase } }: State): Slot[] {
  return phase === "ended" && ending?.text ? partsOf(ending) : [];
}

const partsOf = memo((ending: Ending): Slot[] =>
  Array.from({ length: ending.cuts.length + 1 }, (_, index): Slot => {
    const text = part(ending.text, ending.cuts, index);
    const view: View = { parts: [{ kind: ending.how === "answered" ? "quoted" : "text", text }], buttons: [] };
    return slot(`answer/${ending.turn}/${index}`, "answer", view, true);
  }),
);

function slot(key: string, kind: Slot["kind"], view: View, final: boolean): Slot {
  return { key, kind, view, digest: fingerprint(JSON.stringify(view)), final };
}

function progressSlots(state: State): Slot[] {
  const { talk, posts } = state;
  const made: Slot[] = [];
  const past = talk.ending && `progress/${talk.ending.turn}`;
  if (talk.ending?.tools && past && posts[past]?.ref) {
    const stands = talk.phase !== "ended" || answerSlots(state).every(({ key }) => posts[key]?.ref || posts[key]?.gaveUp);
    made.push({
      key: past,
      kind: "progress",
      view: progressView(state, talk.ending.turn, !stands),
      digest: stands ? "folded" : "open",
      final: stands,
    });
  }
  if (isOpen(talk) && Object.values(state.calls.byId).some((call) => call.turn === talk.turn))
    made.push({ key: `progress/${talk.turn}`, kind: "progress", view: progressView(state, talk.turn, true), digest: "open", final: false });
  return made;
}

const STATES = { new: "running", asked: "waiting", allowed: "running", started: "running", waiting: "running" } as const;
/** At most so many lines of steps: the newest. */
const STEPS = 12;

/** Plan and steps of a turn; the Stop button while it is open. `doing`: what the helper behind a call is at. */
export function progressView(
  { opened, calls, talk, todos }: State,
  turn: number,
  open: boolean,
  doing: (call: Call) => string | undefined = () => undefined,
): View {
  const own = Object.values(calls.byId).filter((call) => call.turn === turn && call.tool !== "write_todos");
  const steps = own.map((call) => ({
    label: doing(call) ?? (call.gate?.helper ? helperName(call) : (call.gate?.label ?? call.tool)),
    state: call.status === "done" ? (call.result?.failed ? ("failed" as const) : ("done" as const)) : STATES[call.status],
  }));
  const words = open ? lastWords(talk.entries, turn) : "";
  const parts: Part[] = words ? [{ kind: "quoted", text: words }] : [];
  // A plan that was done before this turn began is not this turn's.
  const planned = Object.values(calls.byId).some((call) => call.turn === turn && call.tool === "write_todos");
  if (planned || todos.some((todo) => todo.status !== "completed")) parts.push({ kind: "todos", todos: [...todos] });
  if (steps.length > STEPS) parts.push({ kind: "note", text: `${steps.length - STEPS} earlier steps` });
  if (steps.length) parts.push({ kind: "steps", steps: steps.slice(-STEPS) });
  if (!parts.length) parts.push({ kind: "note", text: open ? "Working…" : "Done." });
  const code = opened?.code ?? "";
  const undo: Button[] = talk.ending?.turn === turn && talk.ending.undoable ? [{ word: "Undo", act: "undo", code: `${code}.${turn}` }] : [];
  return { title: open ? "Working" : "Work done", parts, buttons: open ? [{ word: "Stop", act: "stop", code }] : undo };
}

/** The helper a call is for, as the model named it. */
export const helperName = ({ input }: Pick<Call, "input">): string => String(input.subagent_type ?? "general-purpose");

/** What the model said beside its latest calls. */
function lastWords(entries: State["talk"]["entries"], turn: number): string {
  const last = entries.findLast((entry) => entry.as === "answer" && entry.turn === turn);
  if (last?.as !== "answer") return "";
  return last.content
    .flatMap((block) => (block.type === "text" ? [String(block.text)] : []))
    .join("\n")
    .trim()
    .slice(0, 500);
}

function cardSlots({ opened, calls, posts }: State): Slot[] {
  return calls.cards.flatMap((id) => {
    const call = calls.byId[id];
    if (!call?.gate) return [];
    const key = `card/${id}`;
    const open = call.status === "asked";
    // A card that never reached anybody is not posted just to say that it is over.
    if (!open && !(posts[key]?.ref || posts[key]?.sending)) return [];
    return [slot(key, "card", cardView(call, call.gate, opened?.parent?.agent), !open)];
  });
}

function queuedSlots({ opened, talk, calls }: State): Slot[] {
  if (!openDecisions(calls).length) return [];
  return talk.queue
    .filter((item) => item.kind === "message" && item.must)
    .map((item) => {
      const text = `Your message waits behind this decision, ${item.by.name}. It is taken up as soon as somebody has decided.`;
      const view: View = {
        parts: [{ kind: "note", text }],
        buttons: [{ word: "Withdraw", act: "withdraw", code: `${opened?.code}.${item.n}` }],
      };
      return slot(`queued/${item.id}`, "queued", view, false);
    });
}

function noticeSlots({ calls }: State): Slot[] {
  return openDecisions(calls).flatMap((call) =>
    (call.gate?.notices ?? []).map(({ channel, text }) =>
      slot(`notice/${call.id}/${channel}`, "notice", { parts: [{ kind: "text", text }], buttons: [] }, false),
    ),
  );
}
