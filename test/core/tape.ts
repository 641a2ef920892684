/**
 * Random life, told by a tape of numbers: what happens, to whom, and how it ends. A tape that has run out says 0, and 0 is always the
 * kindest choice, so every life comes to rest, and a shorter tape is a simpler life.
 */
import type { Received } from "../../src/core/event.ts";
import { HOME_SESSION, rootOf, type SessionId } from "../../src/core/id.ts";
import { settled, watch } from "./check.ts";
import { begin, crash, drain, newSim, resume, type Sim, takeover } from "./sim.ts";
import {
  arrive,
  digestOf,
  type Fate,
  type ModelFate,
  newWorld,
  type PostFate,
  person,
  ROOT,
  receive,
  sessionsOf,
  stateOf,
  TOOLS,
  type ToolName,
  versionOf,
  type World,
} from "./world.ts";

type Pick = (n: number) => number;
const SECOND = "slack:T:C:2";
const PEOPLE = ["ann", "bob", "cid"] as const;

const fateOf = (pick: Pick): Fate => ({
  model: (world, session, state) => modelFate(pick, world, session, state.talk.turn, state.talk.step),
  tool: () => ({ failed: pick(5) === 1, long: pick(6) === 1 }),
  post: (edit): PostFate => {
    const fate = (["ok", "ok", "ok", "refused", "lost", "arrived", "late", "never"] as const)[pick(8)] ?? "ok";
    if (fate === "never") return pick(4) === 1 ? "never" : "ok";
    return edit && fate === "late" ? "lost" : fate;
  },
  search: () => pick(6) !== 5,
  summary: () => pick(3) !== 2,
  file: () => pick(4) !== 3,
  quorum: () => (pick(3) === 2 ? 2 : 1),
  expires: () => pick(4) === 3,
});

const NAMES: ToolName[] = [...(Object.keys(TOOLS) as ToolName[]), "pay", "pay", "write", "fix"];
function modelFate(pick: Pick, _world: World, session: SessionId, turn: number, step: number): ModelFate {
  const text = `answer ${turn}.${step} ${"with some words. ".repeat(pick(4) * 8)}`.trim();
  switch (pick(12)) {
    case 2:
      return { do: "fail", overflow: false, wait: pick(2) * 30 };
    case 3:
      return { do: "fail", overflow: true, wait: 0 };
    case 4:
      return pick(3) === 1 ? { do: "die" } : { do: "say", text, thought: true };
    case 5:
      return { do: "say", text: "", thought: pick(2) === 1 };
    case 0:
    case 1:
      return {
        do: "say",
        text,
        whole: text.length > 200 && pick(2) === 1,
        ...(pick(6) === 1 ? { note: "A hook has something to say." } : {}),
      };
    default: {
      const deep = session.split("/").length > 2;
      const calls = Array.from({ length: 1 + pick(4) }, () => {
        const tool = NAMES[pick(NAMES.length)] ?? "read";
        const usable = tool === "task" && deep ? "read" : tool;
        return { tool: usable, broken: pick(9) === 1, ...(pick(5) === 1 ? { as: "same" } : {}) };
      });
      return { do: "call", calls, ...(pick(3) === 1 ? { text: " " } : {}) };
    }
  }
}

interface Life {
  sim: Sim;
  pick: Pick;
  said: { session: SessionId; id: string }[];
  /** What a click may still be about: cards as they were when somebody saw them. */
  cards: { session: SessionId; call: string; digest: string; tool: string }[];
  received: [SessionId, string, Received][];
  grants: { session: SessionId; id: string }[];
  n: number;
}

export function live(tape: readonly number[]): World {
  let at = 0;
  const pick: Pick = (n) => (at < tape.length ? (tape[at++] ?? 0) % n : 0);
  const life: Life = { sim: newSim(newWorld(fateOf(pick), watch)), pick, said: [], cards: [], received: [], grants: [], n: 0 };
  say(life, false);
  while (at < tape.length) {
    begin(life.sim);
    const { tasks } = life.sim;
    if (tasks.length && pick(4) < 3) resume(life.sim, pick(tasks.length));
    else happen(life);
  }
  land(life);
  life.sim.world.limits = { ...life.sim.world.limits, paused: false };
  drain(life.sim);
  settled(life.sim.world);
  return life.sim.world;
}

const some = <T>(life: Life, list: readonly T[]): T | undefined => list[life.pick(Math.max(list.length, 1))];

function happen(life: Life): void {
  const { pick, sim } = life;
  const { world } = sim;
  switch (pick(24)) {
    case 0:
    case 1:
    case 2:
    case 3:
      say(life, false);
      break;
    case 4:
      say(life, true);
      break;
    case 5:
    case 6:
      edit(life);
      break;
    case 7:
      remove(life);
      break;
    case 8:
      withdraw(life);
      break;
    case 9:
    case 10:
    case 11:
    case 12:
    case 13:
      click(life);
      break;
    case 14: {
      const session = some(life, sessionsOf(world)) ?? ROOT;
      take(life, rootOf(session), { type: "turn.stopped", at: world.now, by: person("ann") });
      break;
    }
    case 15:
      crash(sim);
      redeliver(life);
      break;
    case 16:
      takeover(sim, some(life, [ROOT, SECOND]) ?? ROOT);
      break;
    case 17:
    case 18:
      world.now += [1, 20, 60, 400][pick(4)] ?? 1;
      return;
    case 19:
      grant(life);
      break;
    case 20:
      if (pick(2)) world.versions.set("pay", versionOf(world, "pay") + 1);
      else world.limits = { ...world.limits, paused: !world.limits.paused };
      return;
    case 21:
      redeliver(life);
      break;
    case 22:
      land(life);
      break;
    case 23:
      for (const [session, state] of world.states) world.states.set(session, JSON.parse(JSON.stringify(state)));
      return;
  }
}

function take(life: Life, session: SessionId, event: Received, also: [SessionId, Received][] = []): void {
  const key = `k${++life.n}`;
  life.received.push([session, key, event]);
  receive(life.sim.world, session, key, event, also);
}
function redeliver(life: Life): void {
  const before = life.sim.world.commits.length;
  const again = some(life, life.received);
  if (again) receive(life.sim.world, ...again);
  // What applied to nothing the first time has used its key up as well.
  if (life.sim.world.commits.length !== before) throw new Error(`Received twice: ${JSON.stringify(again)}`);
}

function say(life: Life, heard: boolean): void {
  const { world } = life.sim;
  const session = heard || life.pick(5) ? ROOT : SECOND;
  const id = `msg${++life.n}`;
  life.said.push({ session, id });
  const by = person(some(life, PEOPLE) ?? "ann");
  if (heard && !world.states.has(session)) return;
  take(life, session, {
    type: "message.received",
    at: world.now,
    id,
    by,
    text: `words of ${id}.`,
    heard,
    ...(life.pick(4) === 3 ? { files: filesFor(id) } : {}),
  });
}
const filesFor = (id: string) => ["a", "b"].map((name) => ({ id: name, name: `${id}-${name}.txt`, mime: "text/plain", size: 10 }));
/** Sometimes of a message that has not come yet. */
function edit(life: Life): void {
  const early = { session: ROOT, id: `msg${life.n + 1 + life.pick(3)}` };
  const target = life.pick(4) === 3 ? early : some(life, life.said);
  if (!target) return;
  const rev = 1 + life.pick(4);
  take(life, target.session, {
    type: "message.edited",
    at: life.sim.world.now,
    id: target.id,
    rev,
    text: `words of ${target.id} as of ${rev}.`,
  });
}
function remove(life: Life): void {
  const early = { session: ROOT, id: `msg${life.n + 2}` };
  const target = life.pick(4) === 3 ? early : some(life, life.said);
  if (target) take(life, target.session, { type: "message.deleted", at: life.sim.world.now, id: target.id });
}
function withdraw(life: Life): void {
  const target = some(life, life.said);
  if (target) take(life, target.session, { type: "message.withdrawn", at: life.sim.world.now, id: target.id, by: person("ann") });
}

function click(life: Life): void {
  const { sim, pick } = life;
  const { world } = sim;
  for (const session of sessionsOf(world))
    for (const { status, gate, id, tool } of Object.values(stateOf(world, session).calls.byId))
      if (status === "asked" && gate) life.cards.push({ session, call: id, digest: gate.digest, tool });
  const card = pick(4) === 3 ? some(life, life.cards) : life.cards.at(-1 - pick(3));
  if (!card) return;
  const base = {
    type: "approval.decided",
    at: world.now,
    call: card.call,
    digest: card.digest,
    by: person(some(life, PEOPLE) ?? "ann"),
  } as const;
  const input = { n: `edited ${life.n}` };
  switch (pick(6)) {
    case 4:
      take(life, card.session, { ...base, verdict: "deny", reason: pick(2) ? "no" : "" });
      break;
    case 3:
      take(life, card.session, {
        ...base,
        verdict: "edit",
        input,
        newDigest: digestOf(world, card.tool, input),
        newCode: `${card.session}~${card.call}~${life.n}`,
      });
      break;
    case 2:
      take(life, card.session, { ...base, verdict: "answer", text: "that" });
      break;
    case 1: {
      const given = { session: pick(2) ? HOME_SESSION : rootOf(card.session), id: `g${life.n}` };
      life.grants.push(given);
      const all = { id: given.id, tool: card.tool, subject: "*", by: base.by, at: world.now };
      take(life, card.session, { ...base, verdict: "approve" }, [[given.session, { type: "grant.given", at: world.now, grant: all }]]);
      break;
    }
    default:
      take(life, card.session, { ...base, verdict: "approve" });
      break;
  }
}
function grant(life: Life): void {
  const known = some(life, life.grants);
  if (known) take(life, known.session, { type: "grant.revoked", at: life.sim.world.now, id: known.id, by: person("ann") });
}

/** What was given up for lost arrives after all. */
function land(life: Life): void {
  const { world } = life.sim;
  for (const seen of world.underway.splice(0)) {
    // Only answers: of a card or of progress that arrives so late, nobody knows that it stands.
    if (seen.slot.kind === "answer") arrive(world, seen);
  }
}
