/**
 * Six scripted stories and one that has everything else in it. Each is told by what the model says at a step and by what people do
 * once they see something; it must end the same for them wherever the process dies on the way.
 */
import assert from "node:assert/strict";
import type { Decision, Received } from "../../src/core/event.ts";
import { childOf, HOME_SESSION, type SessionId } from "../../src/core/id.ts";
import { slots } from "../../src/core/slots.ts";
import { transcript } from "../../src/core/transcript.ts";
import { settled, watch } from "./check.ts";
import { crash, drain, newSim } from "./sim.ts";
import { eventsOf, type Fate, type ModelFate, newWorld, person, ROOT, receive, START, stateOf, type World } from "./world.ts";

export interface Story {
  name: string;
  /** By turn and step, for helpers with their session's name before it; what is not told is a plain answer. */
  model: Record<string, ModelFate>;
  people: { when?: (world: World) => boolean; does: (world: World) => void }[];
  quorum?: 2;
  expires?: true;
  limits?: World["limits"];
  ends: (world: World) => void;
}

const CHILD = childOf(ROOT, "1.1.0");
const reply = (session: SessionId, key: string, event: Received) => (world: World) => void receive(world, session, key, event);
const says =
  (id: string, text = `words of ${id}.`, by = "ann") =>
  (world: World) =>
    void receive(world, ROOT, `say ${id}`, { type: "message.received", at: world.now, id, by: person(by), text, heard: false });
const bears =
  (id: string, ...names: string[]) =>
  (world: World) => {
    const files = names.map((name) => ({ id: name, name, mime: "text/plain", size: 2048 }));
    receive(world, ROOT, `say ${id}`, {
      type: "message.received",
      at: world.now,
      id,
      by: person("ann"),
      text: `words of ${id}.`,
      heard: false,
      files,
    });
  };
const edits = (id: string, rev: number) => (world: World) =>
  void receive(world, ROOT, `edit ${id} ${rev}`, { type: "message.edited", at: world.now, id, rev, text: `words of ${id}, mended.` });
const deletes = (id: string) => (world: World) => void receive(world, ROOT, `delete ${id}`, { type: "message.deleted", at: world.now, id });
const waits = (world: World): void => {
  world.now += 1000;
};
const stops = (world: World) => void receive(world, ROOT, "stop", { type: "turn.stopped", at: world.now, by: person("bob") });
const asked =
  (call: string, session: SessionId = ROOT) =>
  (world: World) =>
    stateOf(world, session).calls.byId[call]?.status === "asked";
const phase = (name: string, turn: number) => (world: World) => {
  const { talk } = stateOf(world, ROOT);
  return talk.phase === name && talk.turn === turn;
};
type Click = { verdict: "approve" } | { verdict: "deny"; reason: string } | { verdict: "edit"; n: string };
const clicks =
  (call: string, by: string, what: Click, session: SessionId = ROOT, also: [SessionId, Received][] = []) =>
  (world: World) => {
    const digest = stateOf(world, session).calls.byId[call]?.gate?.digest ?? "";
    const base = { type: "approval.decided", at: world.now, call, digest, by: person(by) } as const;
    const input = what.verdict === "edit" ? { n: what.n } : {};
    const event: Received =
      what.verdict === "edit"
        ? { ...base, verdict: "edit", input, newDigest: `pay#0 ${JSON.stringify(input)}`, newCode: `new ${call}` }
        : { ...base, ...what };
    receive(world, session, `click ${call} ${by} ${what.verdict}`, event, also);
  };
const answers =
  (call: string, what: Extract<Decision, { verdict: "answer" | "deny" }>) =>
  (world: World): void => {
    const digest = stateOf(world, ROOT).calls.byId[call]?.questions.at(-1)?.digest ?? "";
    receive(world, ROOT, `answer ${call}`, { type: "approval.decided", at: world.now, call, digest, by: person("ann"), ...what });
  };
const call = (...tools: (keyof typeof import("./world.ts").TOOLS)[]): ModelFate => ({ do: "call", calls: tools.map((tool) => ({ tool })) });

const shown = (world: World): string => JSON.stringify(world.platform.map(({ slot }) => slot.view));
const sent = (world: World): string => JSON.stringify(transcript(stateOf(world, ROOT)));
const ranWith = (world: World, n: string): number => world.runs.filter((run) => run.digest.includes(`"${n}"`)).length;
const NIGHT = "digest:7";
const undone: Received = { type: "digest.undone", at: START, n: 7, edit: 3, by: person("bob") };
const LONG = "A sentence that goes on for a while, so that it has to be cut. ".repeat(8).trim();

export const STORIES: Story[] = [
  {
    name: "answer",
    model: { "1.1": { do: "say", text: LONG, thought: true } },
    people: [{ does: says("m1") }],
    ends: (world) => {
      assert(world.platform.filter(({ slot }) => slot.kind === "answer").length >= 4);
      assert(shown(world).includes("cut."));
    },
  },
  {
    name: "files",
    model: { "1.1": call("send"), "1.2": { do: "say", text: LONG, whole: true } },
    people: [
      { does: bears("m1", "plan.md", "photo.png") },
      { does: bears("m2", "late.md") },
      { when: phase("idle", 1), does: bears("m3", "gone.md") },
      { does: deletes("m3") },
    ],
    ends: (world) => {
      const files = world.platform.filter(({ slot }) => slot.file).map(({ slot }) => slot.key);
      assert.deepEqual([...new Set(files)].sort(), ["answer/1/whole", "file/1.1.0"]);
      assert(sent(world).includes("plan.md") && !sent(world).includes("gone.md"));
      assert.equal(world.disk.size, 3);
    },
  },
  {
    name: "paused",
    model: { "1.1": { do: "say", text: "Resumed." } },
    people: [
      { does: reply(HOME_SESSION, "told ann", { type: "person.told", at: START, person: "slack:ann" }) },
      { does: reply(HOME_SESSION, "pause", { type: "home.paused", at: START, by: person("bob") }) },
      { does: says("m1") },
      { does: reply(HOME_SESSION, "resume", { type: "home.resumed", at: START, by: person("bob") }) },
    ],
    ends: (world) => {
      assert(shown(world).includes("Resumed."));
      const { paused, told } = stateOf(world, HOME_SESSION);
      assert.deepEqual({ paused, told }, { paused: null, told: ["slack:ann"] });
    },
  },
  {
    name: "asked-while-running",
    model: {
      "1.1": call("consult", "read"),
      "1.2": call("consult"),
      "1.3": call("consult"),
      "1.4": { do: "say", text: "Asked three times." },
    },
    people: [
      { does: reply(HOME_SESSION, "pin", { type: "tool.pinned", at: START, tool: "shop/order", pin: "a.b.c" }) },
      { does: says("m1") },
      { when: asked("1.1.0"), does: says("m2") },
      { does: answers("1.1.0", { verdict: "answer", text: "the blue one", values: { colour: "blue" } }) },
      { when: asked("1.2.0"), does: answers("1.2.0", { verdict: "deny", reason: "" }) },
      { when: asked("1.3.0"), does: waits },
    ],
    ends: (world) => {
      assert(shown(world).includes("Asked three times."), shown(world));
      assert(!shown(world).includes('"word":"Decline"'), "answered questions have no buttons");
      assert(sent(world).includes("words of m2"));
      assert.deepEqual(stateOf(world, HOME_SESSION).pins, { "shop/order": { pin: "a.b.c", at: START } });
      assert.deepEqual(stateOf(world, ROOT).loaded, ["shop/order"]);
      const asks = eventsOf(world, ROOT).filter(({ type }) => type === "call.asked").length;
      assert(asks <= world.runs.filter(({ tool }) => tool === "consult").length, "each run asks once at most");
    },
  },
  {
    name: "nights",
    model: {},
    people: [
      {
        does: (world) => {
          const lines = Array.from({ length: 12 }, (_, edit) => ({ n: 7, edit, text: `Learned: fact ${edit}` }));
          receive(world, NIGHT, "digest", { type: "digest.told", at: world.now, due: world.now + 500, title: "At night", lines });
          receive(world, NIGHT, "again", { type: "digest.told", at: world.now, due: world.now, title: "Twice", lines });
        },
      },
      { when: (world) => shown(world).includes("fact 11"), does: reply(NIGHT, "undo", undone) },
      { does: reply(NIGHT, "undo again", undone) },
      { does: reply(HOME_SESSION, "retired", { type: "session.retired", at: START, session: "slack:T:C:old" }) },
    ],
    ends: (world) => {
      const digests = world.platform.filter(({ slot }) => slot.kind === "digest");
      assert.deepEqual([...new Set(digests.map(({ slot }) => slot.key))], ["digest/0", "digest/1"]);
      assert(shown(world).includes("fact 3 (taken back by bob)"), shown(world));
      assert(!shown(world).includes('"word":"Undo #4"') && shown(world).includes('"word":"Undo #12"') && !shown(world).includes("Twice"));
    },
  },
  {
    name: "two-approvals",
    model: { "1.1": call("pay", "pay"), "1.2": { do: "say", text: "Both are done." } },
    people: [
      { does: says("m1") },
      { when: asked("1.1.1"), does: clicks("1.1.0", "ann", { verdict: "approve" }) },
      { does: clicks("1.1.1", "ann", { verdict: "approve" }) },
      { when: asked("1.1.1"), does: clicks("1.1.1", "bob", { verdict: "edit", n: "less" }) },
      { does: clicks("1.1.0", "bob", { verdict: "approve" }) },
      { does: clicks("1.1.1", "cid", { verdict: "approve" }) },
    ],
    quorum: 2,
    ends: (world) => {
      assert(ranWith(world, "1.1.0") <= 1 && ranWith(world, "less") <= 1);
      assert.equal(ranWith(world, "1.1.1"), 0, "what was edited away never runs");
      assert(shown(world).includes("Both are done."));
    },
  },
  {
    name: "behind-a-decision",
    model: { "1.1": call("pay"), "1.2": { do: "say", text: "Not paid, then." } },
    people: [
      { does: says("m1") },
      { when: asked("1.1.0"), does: says("m2") },
      {
        when: (world) => world.platform.some(({ slot }) => slot.key === "queued/m2"),
        does: reply(ROOT, "withdraw m2", { type: "message.withdrawn", at: 0, id: "m2", by: person("ann") }),
      },
      { when: asked("1.1.0"), does: says("m3") },
      { does: clicks("1.1.0", "bob", { verdict: "deny", reason: "too dear" }) },
    ],
    ends: (world) => {
      assert(sent(world).includes("words of m3"));
      assert.equal(ranWith(world, "1.1.0"), 0);
      assert(!world.platform.some(({ slot }) => slot.kind === "queued"), "nothing is left of what waited");
    },
  },
  {
    name: "stopped",
    model: { "1.1": call("read", "write", "pay"), "2.1": { do: "say", text: "Begun anew." } },
    people: [
      { does: says("m1") },
      { when: (world) => eventsOf(world, ROOT).some((it) => it.type === "call.started" && it.call === "1.1.1"), does: says("m2") },
      { does: stops },
      { when: (world) => stateOf(world, ROOT).talk.turn >= 2, does: says("m3") },
    ],
    ends: (world) => {
      assert.equal(world.runs.filter(({ tool }) => tool === "pay").length, 0);
      assert(sent(world).includes("words of m2") && sent(world).includes("words of m3"));
    },
  },
  {
    name: "edits-and-deletions",
    model: { "1.1": call("read"), "1.2": call("read"), "2.1": call("write"), "2.2": { do: "say", text: "Understood." } },
    people: [
      { does: says("m1") },
      { when: (world) => world.runs.length > 0, does: edits("m1", 2) },
      { does: edits("m1", 1) },
      { does: says("m2") },
      { does: edits("m2", 1) },
      { does: says("m3") },
      { does: deletes("m3") },
      { does: edits("m4", 1) },
      { does: says("m4") },
      { does: deletes("m5") },
      { does: says("m5") },
      { when: phase("idle", 1), does: deletes("m1") },
      { does: says("m6") },
      { when: phase("acting", 2), does: deletes("m2") },
    ],
    ends: (world) => {
      for (const gone of ["m1", "m2", "m3", "m5"]) assert(!sent(world).includes(`words of ${gone}`), `${gone} is gone`);
      assert(sent(world).includes("words of m4, mended") && sent(world).includes("words of m6"));
    },
  },
  {
    name: "making-room",
    model: {
      "1.1": { do: "call", calls: [{ tool: "write_file", as: "line ".repeat(2800) }] },
      "2.1": { do: "fail", overflow: true, wait: 0 },
    },
    limits: { steps: 6, attempts: 4, window: 4000 },
    people: [{ does: says("m1") }, { when: phase("idle", 1), does: says("m2", "word ".repeat(1600)) }],
    ends: (world) => {
      const { context, talk } = stateOf(world, ROOT);
      assert(talk.ending?.how === "answered" && context.trimmed > 0 && context.summary !== null);
      assert(!sent(world).includes("line ".repeat(2800)), "what a file holds is not sent for ever");
    },
  },
  {
    name: "helper-asks",
    model: {
      "1.1": call("task", "read"),
      [`${CHILD} 1.1`]: call("ask"),
      [`${CHILD} 1.2`]: call("pay"),
      [`${CHILD} 1.3`]: { do: "say", text: "The helper is done." },
      "1.2": { do: "say", text: "So says the helper." },
    },
    people: [
      { does: says("m1") },
      { when: asked("1.1.0", CHILD), does: says("m2", "the blue one") },
      { when: asked("1.2.0", CHILD), does: clicks("1.2.0", "bob", { verdict: "approve" }, CHILD) },
      { when: phase("idle", 1), does: deletes("m2") },
    ],
    ends: (world) => {
      assert(shown(world).includes("So says the helper."));
      assert(sent(world).includes("The helper is done."));
      const told = JSON.stringify(transcript(stateOf(world, CHILD)));
      assert(!told.includes("the blue one"), "a deleted reply is taken back out of the answer it gave");
      assert(slots(stateOf(world, CHILD)).length === 0);
    },
  },
];

const grant = { id: "g1", tool: "pay", subject: "*", by: person("ann"), at: 0 };
/** Every kind of event at least once, together with the six. */
export const EVERYTHING: Story = {
  name: "everything-else",
  model: {
    "1.1": { do: "fail", overflow: false, wait: 30, times: 9 },
    "2.1": call("todo", "remind", "pay"),
    "2.2": call("pay", "forbidden"),
    "2.3": { do: "say", text: "Allowed from now on.", note: "A hook notes something." },
    "3.1": { do: "fail", overflow: true, wait: 0 },
    "4.1": { do: "fail", overflow: true, wait: 0 },
    "5.1": call("pay"),
  },
  people: [
    { does: says("m1") },
    { when: (world) => eventsOf(world, ROOT).some(({ type }) => type === "step.failed"), does: stops },
    { does: says("m2") },
    {
      when: asked("2.1.2"),
      does: (world) =>
        clicks("2.1.2", "ann", { verdict: "approve" }, ROOT, [[HOME_SESSION, { type: "grant.given", at: world.now, grant }]])(world),
    },
    { when: phase("idle", 2), does: says("m3") },
    {
      when: (world) => stateOf(world, ROOT).context.summary !== null,
      does: reply(HOME_SESSION, "revoke", { type: "grant.revoked", at: 0, id: "g1", by: person("ann") }),
    },
    { when: phase("idle", 4), does: says("m4") },
    { when: asked("5.1.0"), does: waits },
  ],
  expires: true,
  ends: (world) => assert(shown(world).includes("Allowed from now on.")),
};

export const fateOf = (story: Story): Fate => {
  const tries = new Map<string, number>();
  let summaries = 0;
  let posts = 0;
  return {
    model: (_, session, { talk }) => {
      const at = `${talk.turn}.${talk.step}`;
      const key = session === ROOT ? at : `${session} ${at}`;
      const fate = story.model[key];
      const before = tries.get(key) ?? 0;
      tries.set(key, before + 1);
      if (!fate || (fate.do === "fail" && before >= (fate.times ?? 1))) return { do: "say", text: `Well then (${at}).` };
      return fate;
    },
    tool: () => ({ failed: false, long: false }),
    post: () => (story.name === EVERYTHING.name ? ((["refused", "arrived"] as const)[posts++] ?? "ok") : "ok"),
    search: () => true,
    file: () => true,
    summary: () => story.name !== EVERYTHING.name || ++summaries !== 1,
    quorum: () => story.quorum ?? 1,
    expires: () => story.expires ?? false,
  };
};

/** Tells a story with the process dying at the named boundaries; gives back how many there were. */
export function tell(story: Story, kills: readonly number[] = []): { world: World; boundaries: number } {
  const world = newWorld(fateOf(story), watch, story.limits);
  const sim = newSim(world);
  let boundaries = 0;
  let done = 0;
  const goOn = (): boolean => {
    const last = story.people[done - 1];
    if (kills.includes(boundaries++)) {
      crash(sim);
      // A platform that saw no receipt delivers again.
      last?.does(world);
    }
    const then = story.people[done];
    if (!then || (then.when && !then.when(world))) return false;
    done++;
    then.does(world);
    return true;
  };
  drain(sim, goOn, true);
  // What never came up for people to react to in this life of the story, they do in the end.
  for (; done < story.people.length; done++) {
    story.people[done]?.does(world);
    drain(sim, undefined, true);
  }
  settled(world);
  story.ends(world);
  return { world, boundaries };
}
