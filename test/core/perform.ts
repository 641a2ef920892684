/**
 * What the loop does with each action, written as plainly as it can be: record the intent; refused? leave; act; record the outcome.
 * Every `yield` is a boundary: the process may die there, lose its lease, or be overtaken by whatever else happens.
 */

import { settledEntries } from "../../src/core/applies.ts";
import type { Call } from "../../src/core/calls.ts";
import { remindAt } from "../../src/core/card.ts";
import type { Block, Event, Recorded, Verdict } from "../../src/core/event.ts";
import type { Handed } from "../../src/core/file.ts";
import { type CallId, childOf, HOME_SESSION, postKey, rootOf, type SessionId } from "../../src/core/id.ts";
import type { Action } from "../../src/core/next.ts";
import { beginning, cut } from "../../src/core/parts.ts";
import { removable } from "../../src/core/room.ts";
import { slots } from "../../src/core/slots.ts";
import type { State } from "../../src/core/state.ts";
import { transcript } from "../../src/core/transcript.ts";
import { transcriptFaults } from "../help/transcript-rules.ts";
import { arrive, digestOf, openedAs, person, record, type Seen, stateOf, TOOLS, versionOf, type World } from "./world.ts";

export type Act = Generator<undefined, void, void>;
export const PART_LIMIT = 160;

export function perform(world: World, holder: string, session: SessionId, action: Action): Act {
  const write = (...events: Event[]): boolean => record(world, holder, [[session, events]]);
  const { now } = world;
  switch (action.do) {
    case "step":
      return step(world, holder, session, action);
    case "compact":
      return compact(world, holder, session);
    case "trim":
      return once(() => write({ type: "context.trimmed", at: now, upTo: action.upTo }));
    case "clip":
      return once(() => write({ type: "context.clipped", at: now, upTo: action.upTo, share: action.share }));
    case "end": {
      const how = action.why === "steps" ? "limit" : "failed";
      return once(() => write({ type: "turn.ended", at: now, turn: action.turn, how, text: `Gave up: ${action.why}.`, cuts: [] }));
    }
    case "gate":
      return gate(world, holder, session, action.calls);
    case "close":
      return close(world, holder, session, action.turn);
    case "run":
      return run(world, holder, session, action.call);
    case "spawn":
      return spawn(world, holder, session, action.call);
    case "recover":
      return recover(world, holder, session, action.call);
    case "expire":
      return once(() => write({ type: "approval.expired", at: now, call: action.call }));
    case "fetch":
      return fetch(world, holder, session, action.file);
    case "discard":
      return discard(world, holder, session, action.file);
    case "show":
      return show(world, holder, session, action);
    case "fire":
      return once(() => write({ type: "timer.fired", at: now, id: action.timer }));
  }
}

function* once(act: () => unknown): Act {
  yield;
  act();
}

function* fetch(world: World, holder: string, session: SessionId, file: string): Act {
  yield;
  const there = world.fate.file();
  yield;
  const problem = there ? {} : { problem: "it is too large" };
  // Its message may have gone while it came.
  const { status = "unwanted" } = stateOf(world, session).attached[file] ?? {};
  if (there && status !== "unwanted") world.disk.add(`${session} ${file}`);
  yield;
  record(world, holder, [[session, [{ type: "file.fetched", at: world.now, file, ...problem }]]]);
}

function* discard(world: World, holder: string, session: SessionId, file: string): Act {
  yield;
  world.disk.delete(`${session} ${file}`);
  yield;
  record(world, holder, [[session, [{ type: "file.removed", at: world.now, file }]]]);
}

function* step(world: World, holder: string, session: SessionId, action: Extract<Action, { do: "step" }>): Act {
  const { turn, step, upTo } = action;
  const write = (...events: Recorded[]): boolean => record(world, holder, [[session, events]]);
  yield;
  if (!write({ type: "step.opened", at: world.now, turn, step, upTo })) return;
  const state = stateOf(world, session);
  yield;
  const messages = transcript(state);
  const faults = transcriptFaults(messages, true);
  if (faults.length) throw new Error(`Sent to the model: ${faults.join("; ")}`);
  const fate = world.fate.model(world, session, state);
  yield;
  const at = world.now;
  const usage = { model: "m", input: Math.ceil(JSON.stringify(messages).length / 4) + 500, output: 50, cacheRead: 0, cacheWrite: 0 };
  if (fate.do === "fail") {
    write({ type: "step.failed", at, turn, step, reason: "overloaded", overflow: fate.overflow, retryAt: at + fate.wait });
  } else if (fate.do === "die") {
    write({ type: "turn.ended", at, turn, how: "failed", text: "The key is not valid.", cuts: [] });
  } else if (fate.do === "say") {
    const content: Block[] = fate.text ? [{ type: "text", text: fate.text }] : [{ type: "text", text: " " }];
    if (fate.thought) content.unshift({ type: "thinking", thinking: "hm", signature: "s" });
    const how = fate.text ? "answered" : "silent";
    const answered = write(
      { type: "model.answered", at, turn, step, content, calls: [], usage },
      {
        type: "turn.ended",
        at,
        turn,
        how,
        text: fate.text,
        cuts: cut(fate.text, PART_LIMIT),
        ...(fate.whole ? { head: beginning(fate.text) } : {}),
      },
      ...(fate.note ? [{ type: "noted", at, text: fate.note } as const] : []),
    );
    // What a process without the lease was told counts for nobody.
    if (answered) world.asked.push({ session, turn, step, entries: state.talk.entries.length });
  } else {
    const calls = fate.calls.map(({ tool, broken, as }, index) => ({
      tool,
      input: { n: as ?? `${turn}.${step}.${index}` },
      ...(broken ? { broken: "cut off" } : {}),
    }));
    // The same id for all of them, as some gateways send it.
    const content: Block[] = calls.map(({ tool, input }) => ({ type: "tool_use", id: "call_0", name: tool, input }));
    if (fate.text) content.unshift({ type: "text", text: fate.text });
    write({ type: "model.answered", at, turn, step, content, calls, usage });
  }
}

function* compact(world: World, holder: string, session: SessionId): Act {
  const state = stateOf(world, session);
  const cutAt = Math.max(state.context.cut + 1, Math.min(removable(state), settledEntries(state) - 2));
  const told = state.talk.entries.slice(0, cutAt).flatMap((entry) => (entry.as === "said" ? [entry.text] : []));
  yield;
  const at = world.now;
  const event: Recorded = world.fate.summary()
    ? {
        type: "context.compacted",
        at,
        cut: cutAt,
        summary: `They said: ${told.join(", ")}`,
        redactions: state.context.redactions,
        usage: null,
      }
    : { type: "context.kept", at, until: at + 100, reason: "the summary failed" };
  record(world, holder, [[session, [event]]]);
}

const standing = (world: World, asker: SessionId, tool: string): { session: SessionId; id: string } | undefined => {
  for (const session of [HOME_SESSION, rootOf(asker)])
    for (const grant of stateOf(world, session).grants) if (grant.tool === tool) return { session, id: grant.id };
  return undefined;
};

function verdict(world: World, session: SessionId, { id, tool, input }: Call): Verdict {
  const traits = Object.hasOwn(TOOLS, tool) ? TOOLS[tool as keyof typeof TOOLS] : { asks: false, repeatable: true };
  const grant = traits.asks ? standing(world, session, tool) : undefined;
  const kind = tool === "forbidden" ? "deny" : tool === "ask" ? "question" : traits.asks && !grant ? "ask" : "allow";
  return {
    verdict: kind,
    label: tool,
    digest: digestOf(world, tool, input),
    reason: kind === "deny" ? "Not allowed here." : "It changes something.",
    risky: traits.asks,
    helper: tool === "task",
    quorum: kind === "ask" ? world.fate.quorum() : 1,
    expires: world.fate.expires() ? world.now + 300 : null,
    code: `${session}~${id}`,
    offers: ["approve", "edit", "deny"],
    level: "approve",
    notBy: null,
    subject: "*",
    deciders: "Any member may decide.",
    ...(grant ? { grant } : {}),
    ...(kind === "ask" ? { notices: [{ channel: "OPS", text: "A decision waits." }] } : {}),
    ...(tool === "ask" ? { question: { text: "Which?", options: ["this", "that"] } } : {}),
  };
}

function* gate(world: World, holder: string, session: SessionId, calls: readonly CallId[]): Act {
  const state = stateOf(world, session);
  const gated = calls.flatMap((id): Event[] => {
    const call = state.calls.byId[id];
    if (!call) return [];
    const given = verdict(world, session, call);
    const reminds = given.expires !== null && (given.verdict === "ask" || given.verdict === "question");
    const due = reminds ? remindAt(world.now, given.expires ?? 0) : 0;
    const timer: Event[] = reminds ? [{ type: "timer.set", at: world.now, id: `remind/${id}`, due, text: "", call: id }] : [];
    return [{ type: "call.gated", at: world.now, call: id, ...given }, ...timer];
  });
  yield;
  record(world, holder, [[session, gated]]);
}

function* run(world: World, holder: string, session: SessionId, id: CallId): Act {
  const call = stateOf(world, session).calls.byId[id];
  if (!call?.gate) return;
  if (call.questions.length) return yield* goOn(world, holder, session, call);
  const { gate, tool, input } = call;
  const version = versionOf(world, tool);
  const digest = digestOf(world, tool, input);
  yield;
  const refuse = (content: string) =>
    record(world, holder, [[session, [{ type: "call.finished", at: world.now, call: id, content, failed: true }]]]);
  if (digest !== gate.digest) return void refuse("Not run: it changed since it was approved.");
  const { grant } = gate;
  if (grant && !stateOf(world, grant.session).grants.some((it) => it.id === grant.id)) return void refuse("Not run: no longer allowed.");
  const used: [SessionId, Event[]][] = grant ? [[grant.session, [{ type: "grant.used", at: world.now, id: grant.id, call: id }]]] : [];
  if (!record(world, holder, [[session, [{ type: "call.started", at: world.now, call: id, digest }]], ...used])) return;
  yield;
  world.runs.push({ session, call: id, tool, digest: `${tool}#${version} ${JSON.stringify(input)}` });
  const fate = world.fate.tool(tool);
  yield;
  const at = world.now;
  if (tool === "consult") {
    world.held.add(`${holder} ${session} ${id}`);
    const usage = { model: "m", input: 5, output: 5, cacheRead: 0, cacheWrite: 0 };
    const asking = {
      question: { text: "Which one?", options: [], from: "shop" },
      digest: `q ${id}`,
      code: `q~${session}~${id}`,
      expires: at + 250,
      by: "slack:ann",
      deciders: "",
    };
    record(world, holder, [
      [
        session,
        [
          { type: "call.asked", at, call: id, ...asking },
          { type: "tokens.spent", at, call: id, usage },
        ],
      ],
    ]);
    return;
  }
  const content = fate.long ? "result ".repeat(400) : fate.failed ? "" : `did ${JSON.stringify(input)}`;
  const facts: Event[] = [];
  if (tool === "todo") facts.push({ type: "todos.written", at, todos: [{ content: `plan ${id}`, status: "pending" }] });
  if (tool === "remind") facts.push({ type: "timer.set", at, id: `timer-${id}`, due: at + 200, text: "Look again." });
  record(world, holder, [
    [
      session,
      [
        {
          type: "call.finished",
          at,
          call: id,
          content,
          failed: fate.failed,
          ...(tool === "fix" ? { undoable: true } : {}),
          ...fileOf(tool, id),
        },
        ...facts,
      ],
    ],
  ]);
}

const fileOf = (tool: string, call: CallId): { file?: Handed } =>
  tool === "send" ? { file: { name: `${call}.txt`, mime: "text/plain", size: 3, digest: `of ${call}` } } : {};

/** A call that asked people goes on in the process that still has it. */
function* goOn(world: World, holder: string, session: SessionId, { id, gate, questions }: Call): Act {
  const key = `${holder} ${session} ${id}`;
  yield;
  if (!record(world, holder, [[session, [{ type: "call.started", at: world.now, call: id, digest: gate?.digest ?? "" }]]])) return;
  yield;
  const here = world.held.delete(key);
  const content = here ? `went on: ${questions.at(-1)?.answered?.reason}` : "Outcome unknown: the process stopped while it waited.";
  const at = world.now;
  record(world, holder, [
    [
      session,
      [
        { type: "call.finished", at, call: id, content, failed: !here },
        { type: "tools.loaded", at, tools: ["shop/order"] },
      ],
    ],
  ]);
}

function* recover(world: World, holder: string, session: SessionId, id: CallId): Act {
  const call = stateOf(world, session).calls.byId[id];
  const repeatable = call && Object.hasOwn(TOOLS, call.tool) && TOOLS[call.tool as keyof typeof TOOLS].repeatable;
  if (repeatable && !call.gate?.risky && !call.questions.length) return yield* run(world, holder, session, id);
  const content = "Outcome unknown: the process stopped while it ran. Check first.";
  return yield* once(() => record(world, holder, [[session, [{ type: "call.finished", at: world.now, call: id, content, failed: true }]]]));
}

function* spawn(world: World, holder: string, session: SessionId, id: CallId): Act {
  const child = childOf(session, id);
  const at = world.now;
  yield;
  record(world, holder, [
    [session, [{ type: "call.waiting", at, call: id }]],
    [
      child,
      [
        openedAs(child, at, { session, call: id, agent: "helper" }),
        { type: "message.received", at, id: `task-${id}`, by: person("agent"), text: `task ${id}`, heard: false },
      ],
    ],
  ]);
}

function* close(world: World, holder: string, session: SessionId, turn: number): Act {
  yield;
  const state = stateOf(world, session);
  const closed: [SessionId, Event[]] = [session, [{ type: "turn.closed", at: world.now, turn }]];
  const { parent } = state.opened ?? {};
  const waits = parent && stateOf(world, parent.session).calls.byId[parent.call]?.status === "waiting";
  const report: Event[] = waits
    ? [{ type: "call.finished", at: world.now, call: parent.call, content: state.talk.ending?.text ?? "", failed: false }]
    : [];
  record(world, holder, parent && waits ? [closed, [parent.session, report]] : [closed]);
}

function* show(world: World, holder: string, session: SessionId, action: Extract<Action, { do: "show" }>): Act {
  const { slot: key, mode, mark } = action;
  const write = (...events: Recorded[]): boolean => record(world, holder, [[session, events]]);
  yield;
  if (
    mode === "post" &&
    !write({ type: "post.started", at: world.now, slot: key, key: wireKey(stateOf(world, session), session, key), mark })
  )
    return;
  if (mode === "post") yield;
  const state = stateOf(world, session);
  const ref = state.posts[key]?.ref ?? null;
  if (mode === "hide") {
    world.platform = world.platform.filter((seen) => seen.ref.message !== ref?.message);
    yield;
    write({ type: "post.hidden", at: world.now, slot: key });
    return;
  }
  if (mode === "look") return yield* look(world, holder, session, key);
  const slot = slots(state).find((it) => it.key === key);
  if (!slot) return;
  const sent: Omit<Seen, "at" | "ref"> = { session, slot, key: wireKey(state, session, key), mark };
  const fate = world.fate.post(mode === "edit");
  let stands = ref;
  if (mode === "edit" && (fate === "ok" || fate === "arrived"))
    world.platform = world.platform.map((seen) => (seen.ref.message === ref?.message ? { ...seen, slot } : seen));
  if (mode === "post" && (fate === "ok" || fate === "arrived")) stands = arrive(world, sent);
  if (mode === "post" && fate === "late") world.underway.push({ ...sent, ref: { channel: "C", message: "" }, at: 0 });
  yield;
  const at = world.now;
  if (fate === "ok" && stands) write({ type: "post.shown", at, slot: key, ref: stands, digest: slot.digest, final: slot.final });
  else if (fate === "never" && write({ type: "post.failed", at, slot: key, unsure: false, until: null, reason: "archived" }))
    world.never.add(`${session} ${key}`);
  else if (fate !== "never")
    write({ type: "post.failed", at, slot: key, unsure: fate !== "refused", until: at + 20, reason: "no answer in time" });
}

function* look(world: World, holder: string, session: SessionId, slot: string): Act {
  const state = stateOf(world, session);
  const key = wireKey(state, session, slot);
  const works = world.fate.search();
  if (!works) world.blind.add(key);
  const found = works ? world.platform.find((seen) => seen.key === key) : undefined;
  yield;
  const at = world.now;
  // What an answer says was recorded before it was sent; what a card said when it was sent is not known.
  const kept =
    found?.slot.kind === "answer" || found?.slot.kind === "file"
      ? { digest: found.slot.digest, final: true }
      : { digest: "", final: false };
  record(world, holder, [
    [
      session,
      [
        found
          ? { type: "post.shown", at, slot, ref: found.ref, ...kept }
          : { type: "post.failed", at, slot, unsure: true, until: at + 20, reason: "not found" },
      ],
    ],
  ]);
}

const wireKey = (state: State, session: SessionId, slot: string): string =>
  state.posts[slot]?.key ?? postKey(session, slot, state.posts[slot]?.generation ?? 0, state.opened?.code ?? "");
