/**
 * The invariants: `watch` after each commit, `settled` once all is quiet. They read the journal, the platform and the tools' runs,
 * and know nothing of how the core came to them.
 */
import assert from "node:assert/strict";
import type { Event } from "../../src/core/event.ts";
import type { CallId, SessionId } from "../../src/core/id.ts";
import { next, wakeAt } from "../../src/core/next.ts";
import { part } from "../../src/core/parts.ts";
import { slots } from "../../src/core/slots.ts";
import { INITIAL, reduce, type State } from "../../src/core/state.ts";
import { transcript } from "../../src/core/transcript.ts";
import { transcriptFaults } from "../help/transcript-rules.ts";
import { restless } from "./sim.ts";
import { eventsOf, sessionsOf, stateOf, TOOLS, type World } from "./world.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;
const isOf =
  <T extends Event["type"]>(...types: T[]) =>
  (event: Event): event is Of<T> =>
    (types as string[]).includes(event.type);

/** After each commit: what must hold at any moment. */
export function watch(world: World, commit: readonly (readonly [SessionId, Event])[]): void {
  for (const session of new Set(commit.map(([id]) => id))) {
    const state = stateOf(world, session);
    const faults = transcriptFaults(transcript(state), false);
    assert.equal(faults.join("; "), "", "the transcript is valid at any moment");
    sleepsUntil(world, state);
  }
  for (const [session, event] of commit) {
    const state = stateOf(world, session);
    const open = Object.values(state.calls.byId).filter((call) => call.status !== "done");
    if (event.type === "step.opened") assert.equal(open.length, 0, "no step opens beside an open call");
    if (event.type === "turn.stopped") assert.equal(open.length, 0, "a stop settles every call");
    if (event.type === "call.started") startedRightly(world, session, event, commit);
    if (event.type === "post.started") inOrder(world, session, event.slot);
  }
}

/** Until `wakeAt`, no subject gets anything to do that has nothing now. */
function sleepsUntil(world: World, state: State): void {
  const at = wakeAt(state, world.now);
  const later = (at ?? world.now + 1e12) - 1;
  const say = (now: number) => next(state, now, new Set(), world.limits).map((action) => action.subject);
  assert.deepEqual(say(later), say(world.now), "nothing becomes ready before wakeAt");
}

/** Who had said yes to a call when it started, told from the journal alone. */
function startedRightly(
  world: World,
  session: SessionId,
  start: Of<"call.started">,
  commit: readonly (readonly [SessionId, Event])[],
): void {
  const events = eventsOf(world, session).filter(isOf("call.gated", "approval.decided"));
  const gate = events.find(isOf("call.gated")) && events.filter(isOf("call.gated")).find((it) => it.call === start.call);
  assert(gate, "a call starts only after it was gated");
  if (gate.verdict === "ask") {
    const { digest, votes } = tally(events.filter(isOf("approval.decided")), start.call, gate);
    assert.equal(start.digest, digest, "what starts is what was approved");
    assert(votes.size >= gate.quorum, "as many people as asked for approved what starts");
  } else {
    assert.equal(gate.verdict, "allow");
    assert.equal(start.digest, gate.digest);
    if (gate.risky)
      assert(
        commit.some(([, it]) => it.type === "grant.used" && it.call === start.call && it.id === gate.grant?.id),
        "a grant is used as it starts",
      );
  }
}
function tally(
  decided: Of<"approval.decided">[],
  call: CallId,
  gate: { digest: string; quorum: number },
): { digest: string; votes: Set<string> } {
  let digest = gate.digest;
  let votes = new Set<string>();
  for (const event of decided) {
    if (event.call !== call || event.digest !== digest || votes.size >= gate.quorum) continue;
    if (event.verdict === "deny") return { digest, votes: new Set() };
    if (event.verdict === "approve") votes.add(event.by.id);
    if (event.verdict === "edit") {
      digest = event.newDigest;
      votes = new Set([event.by.id]);
    }
  }
  return { digest, votes };
}

/** What is posted anew waits for the earlier new posts of its kind. */
function inOrder(world: World, session: SessionId, slot: string): void {
  const state = stateOf(world, session);
  const all = slots(state);
  const own = all.find((it) => it.key === slot);
  // Files come as the calls that hand them over end. A note of waiting that is being taken away when the next decision opens comes anew, later.
  if (!own || own.kind === "file" || own.kind === "queued") return;
  for (const earlier of all.slice(0, all.indexOf(own)).filter((it) => it.kind === own.kind)) {
    const post = state.posts[earlier.key];
    // A card decided before it was ever posted holds nobody up.
    assert((own.kind === "card" && earlier.final) || post?.ref || post?.gaveUp, `${slot} is not posted before ${earlier.key}`);
  }
}

/** Once all is quiet. */
export function settled(world: World): void {
  assert.deepEqual(restless(world), [], "nothing is left to do");
  for (const session of sessionsOf(world)) {
    const state = stateOf(world, session);
    const events = eventsOf(world, session);
    assert.equal(state.talk.phase, "idle", `${session} rests`);
    refolds(state, events);
    messagesTakenUp(world, session, state, events);
    answersShown(world, session, events);
    attemptsBounded(world, events);
    cardsDecided(world, session);
    progressFolded(world, session);
    filesSettled(world, session, state);
    filesShown(world, session, events);
    if (state.opened?.parent) parentHeard(world, state.opened.parent);
  }
  runsOnce(world);
}

const refolds = (state: State, events: Event[]): void =>
  assert.deepEqual(events.reduce(reduce, INITIAL), copied(state), "the journal gives the state again");
const copied = (state: State): State => ({ ...JSON.parse(JSON.stringify(state)), opened: state.opened });

/** What a snapshot keeps is all there is: read back at any place, it goes on as if it had never been written. */
export function snapshots(world: World): void {
  for (const session of sessionsOf(world)) {
    let state = INITIAL;
    let read = INITIAL;
    for (const event of eventsOf(world, session)) {
      state = reduce(state, event);
      read = copied(JSON.parse(JSON.stringify(reduce(read, event))));
      const told = (it: State) =>
        JSON.stringify([next(it, event.at, new Set(), world.limits), slots(it), transcript(it), wakeAt(it, event.at)]);
      assert.equal(told(read), told(state));
    }
    assert.deepEqual(read, copied(state));
  }
}

function messagesTakenUp(world: World, session: SessionId, state: State, events: Event[]): void {
  const { entries, queue } = state.talk;
  const ended = new Map(events.filter(isOf("turn.ended", "turn.stopped")).map((event) => ["turn" in event ? event.turn : -1, event]));
  const gone = new Set(events.filter(isOf("message.deleted")).map(({ id }) => id));
  const withdrawn = new Set(events.filter(isOf("message.withdrawn")).map(({ id }) => id));
  const sent = JSON.stringify(transcript(state));
  for (const { id, heard, text } of events.filter(isOf("message.received"))) {
    const at = entries.findIndex((entry) => entry.as === "said" && entry.id === id);
    const entry = entries[at];
    if (gone.has(id)) {
      assert(!text || !sent.includes(text), `the deleted ${id} is not sent any more`);
      assert(!queue.some((item) => item.id === id));
    } else if (entry?.as === "said") {
      latestKnown(state, events, id, text);
      const how = ended.get(entry.turn);
      if (how?.type === "turn.ended" && how.how === "answered") {
        const saw = world.asked.filter((it) => it.session === session && it.turn === entry.turn).at(-1);
        assert(saw && saw.entries > at, `${id} was seen by what answered it`);
      }
    } else if (!withdrawn.has(id)) assert(heard && queue.some((item) => item.id === id), `${id} is taken up, withdrawn or only heard`);
  }
  assert(!queue.some((item) => item.must), "nothing waits for an answer");
}

/** The newest words of a message are what the model is told, or will be. */
function latestKnown({ talk }: State, events: Event[], id: string, text: string): void {
  const newest = events.filter(isOf("message.edited")).filter((event) => event.id === id);
  const words = newest.length ? newest.reduce((a, b) => (b.rev > a.rev ? b : a)).text : text;
  const told = [...talk.entries, ...talk.queue].some((it) => (!("as" in it) || it.as === "said") && it.id === id && it.text === words);
  assert(told, `the newest words of ${id} are known`);
}

function answersShown(world: World, session: SessionId, events: Event[]): void {
  if (stateOf(world, session).opened?.parent) return;
  for (const { turn, text, cuts, head } of events.filter(isOf("turn.ended"))) {
    if (!text) continue;
    if (head !== undefined) {
      wholeShown(world, session, turn, text);
      if (!world.never.has(`${session} answer/${turn}/whole`)) continue;
    }
    for (let index = 0; index <= cuts.length; index++) {
      const key = `answer/${turn}/${index + (head === undefined ? 0 : 1)}`;
      const copies = world.platform.filter((seen) => seen.session === session && seen.slot.key === key);
      const plain = copies.filter((seen) => !seen.mark);
      assert(copies.length >= 1 || world.never.has(`${session} ${key}`), `${key} is visible`);
      assert(plain.length <= 1, `${key} stands once, or marked`);
      for (const copy of copies) assert.equal(textOf(copy.slot.view.parts), part(text, cuts, index));
    }
  }
}
/** A long answer: its beginning, and all of it in the file. */
function wholeShown(world: World, session: SessionId, turn: number, text: string): void {
  for (const key of [`answer/${turn}/0`, `answer/${turn}/whole`]) {
    const copies = world.platform.filter((seen) => seen.session === session && seen.slot.key === key);
    assert(copies.length >= 1 || world.never.has(`${session} ${key}`), `${key} is visible`);
    assert(copies.filter((seen) => !seen.mark).length <= 1, `${key} stands once, or marked`);
    assert(copies.every(({ slot }) => slot.file === undefined || slot.file.text === text));
  }
}

/** What came is there, or its absence is told; what went with its message is gone. */
function filesSettled(world: World, session: SessionId, { attached, talk }: State): void {
  const kept = new Set([...world.disk].filter((at) => at.startsWith(`${session} `)).map((at) => at.slice(session.length + 1)));
  for (const held of Object.values(attached)) {
    const heard = talk.queue.some((item) => item.id === held.message);
    assert(held.status !== "unwanted" && (held.status !== "wanted" || heard), `${held.name} is settled`);
    assert(held.status !== "there" || kept.has(held.key), `${held.name} is there`);
    kept.delete(held.key);
  }
  assert.deepEqual([...kept], [], "no file is left lying");
  for (const entry of talk.entries)
    for (const file of (entry.as === "said" && entry.files) || [])
      assert(file.problem || Object.values(attached).some(({ at, status }) => at === file.at && status === "there"), `${file.at} is there`);
}

/** P5: a file that was handed over stands once, or marked. */
function filesShown(world: World, session: SessionId, events: Event[]): void {
  for (const { call, file } of events.filter(isOf("call.finished"))) {
    const key = `file/${call}`;
    const copies = world.platform.filter((seen) => seen.session === session && seen.slot.key === key);
    assert(copies.filter((seen) => !seen.mark).length <= 1, `${key} stands once, or marked`);
    const { talk, calls } = stateOf(world, session);
    const all = [...talk.entries.flatMap((entry) => (entry.as === "answer" && entry.calls) || []), ...Object.values(calls.byId)];
    const late = all.some((it) => it.id === call && it.late);
    if (file && !late) assert(copies.length >= 1 || world.never.has(`${session} ${key}`), `${key} is visible`);
    if (!file) assert.equal(copies.length, 0);
  }
}

const textOf = (parts: readonly object[]): string => parts.map((it) => ("text" in it ? it.text : "")).join("");

function attemptsBounded(world: World, events: Event[]): void {
  const most = (list: { turn: number; step: number }[]): number => {
    const times = new Map<string, number>();
    for (const { turn, step } of list) times.set(`${turn}.${step}`, (times.get(`${turn}.${step}`) ?? 0) + 1);
    return Math.max(0, ...times.values());
  };
  const { attempts } = world.limits;
  assert(most(events.filter(isOf("step.failed"))) <= attempts, "a step fails so often and no more");
  // So many may fail, and three times as many may be cut short with their process.
  assert(most(events.filter(isOf("step.opened"))) <= attempts * 4, "a step is tried so often and no more");
  assert(
    events.filter(isOf("step.opened")).every(({ step }) => step <= world.limits.steps),
    "a turn has so many steps and no more",
  );
}

/** A post that may stand twice has a twin that nobody can reach. */
const unreachable = (world: World, key: string): boolean =>
  world.blind.has(key) || world.platform.some((seen) => seen.key === key && seen.mark);

function cardsDecided(world: World, session: SessionId): void {
  const stay = ["answer", "file", "progress", "digest"];
  for (const seen of world.platform.filter((it) => it.session === session && !stay.includes(it.slot.kind)))
    if (!unreachable(world, seen.key) && !world.never.has(`${session} ${seen.slot.key}`))
      assert(seen.slot.kind === "card" && seen.slot.view.buttons.length === 0, `${seen.slot.key} is gone, or a card without buttons`);
}

function progressFolded(world: World, session: SessionId): void {
  const progress = world.platform.filter((it) => it.session === session && it.slot.kind === "progress");
  for (const seen of progress) {
    if (unreachable(world, seen.key) || world.never.has(`${session} ${seen.slot.key}`)) continue;
    assert.equal(seen.slot.digest, "folded", `${seen.slot.key} is folded or gone`);
    assert.equal(progress.filter((it) => it.key === seen.key).length, 1, `${seen.slot.key} stands once`);
  }
}

function parentHeard(world: World, parent: { session: SessionId; call: CallId }): void {
  const call = stateOf(world, parent.session).calls.byId[parent.call];
  assert(!call || call.status === "done", "a helper that rests has reported, or nobody waits for it");
}

function runsOnce(world: World): void {
  const runs = new Map<string, number>();
  for (const { session, call, tool } of world.runs) {
    const key = `${session} ${call}`;
    runs.set(key, (runs.get(key) ?? 0) + 1);
    const { repeatable, asks } = TOOLS[tool as keyof typeof TOOLS];
    if (!repeatable || asks) assert.equal(runs.get(key), 1, `${tool} ${key} runs at most once`);
  }
  for (const { session, call, digest } of world.runs) {
    const starts = eventsOf(world, session)
      .filter(isOf("call.started"))
      .filter((it) => it.call === call);
    assert(
      starts.some((it) => it.digest === digest),
      "what ran is what was recorded to start",
    );
  }
}
