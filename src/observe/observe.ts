/**
 * Spans and metrics, made of what the journals take in: nothing in the core or in the loop knows that it is watched.
 *
 * V1. An event is counted once, after it is durable; what the journal refused is not.
 * V2. Watching never fails what is watched.
 * V3. Nothing anybody wrote is in a name, a label or an attribute.
 */
import type { Event } from "../core/event.ts";
import { rootOf, type SessionId } from "../core/id.ts";
import type { Journal } from "../core/ports.ts";
import { type Meters, meters } from "./meters.ts";
import { GEN_AI, OPERATION, OWN } from "./names.ts";
import { registry } from "./registry.ts";
import { type Spells, spells } from "./spells.ts";

export interface Observer {
  /** The same journal, watched. */
  watch(home: string, journal: Journal): Journal;
  fact(home: string, session: SessionId, event: Event): void;
  /** Everything counted so far, as Prometheus reads it. */
  text(): string;
}
interface Sight {
  home: string;
  session: SessionId;
  /** Of everything open in this session. */
  key: string;
  spells: Spells;
  meters: Meters;
  provider: string;
}

/** `provider`: who answers, e.g. `anthropic`. */
export function observer(provider: string, report: (error: unknown) => void): Observer {
  const counted = registry();
  const on = { spells: spells(), meters: meters(counted), provider };
  const fact = (home: string, session: SessionId, event: Event): void => {
    try {
      see({ ...on, home, session, key: `${home} ${session} ` }, event);
    } catch (error) {
      report(error);
    }
  };
  return {
    fact,
    text: counted.text,
    watch: (home, journal) => ({
      ...journal,
      async receive(session, key, event, opening, also) {
        const receipt = await journal.receive(session, key, event, opening, also);
        if (receipt.fresh) for (const one of receipt.sessions) fact(home, one, event);
        return receipt;
      },
      async record(lease, writes) {
        const recorded = await journal.record(lease, writes);
        if (recorded) for (const [session, events] of writes) for (const event of events) fact(home, session, event);
        return recorded;
      },
    }),
  };
}

function see(at: Sight, event: Event): void {
  switch (event.type) {
    case "message.received":
      at.meters.messages.add(1, { home: at.home, heard: String(event.heard) });
      return;
    case "step.opened":
      opened(at, event);
      return;
    case "step.failed":
      at.meters.modelErrors.add(1, { home: at.home, overflow: String(event.overflow) });
      at.spells.end(`${at.key}step`, event.at, {}, true);
      return;
    case "model.answered":
      answered(at, event);
      return;
    case "turn.ended":
      ended(at, event.at, event.how);
      return;
    case "turn.stopped":
      for (const key of at.spells.open(at.key)) if (key !== `${at.key}turn`) at.spells.end(key, event.at, { [OWN.how]: "stopped" });
      ended(at, event.at, "stopped");
      return;
    default:
      seeCall(at, event);
  }
}

function opened({ key, home, session, spells, provider }: Sight, { at, turn, step }: Extract<Event, { type: "step.opened" }>): void {
  // A question that was answered in words has no click of its own.
  for (const waiting of spells.open(`${key}wait/`)) spells.end(waiting, at);
  const whose = { [OWN.home]: home, [GEN_AI.conversation]: session, [GEN_AI.provider]: provider, [OWN.turn]: turn };
  if (!spells.peek(`${key}turn`)) {
    const attributes = { ...whose, [GEN_AI.operation]: OPERATION.turn, [GEN_AI.agent]: home };
    spells.begin(`${key}turn`, `${OPERATION.turn} ${home}`, at, home, attributes, parentOf(home, session));
  }
  const attributes = { ...whose, [GEN_AI.operation]: OPERATION.step, [OWN.step]: step };
  spells.begin(`${key}step`, OPERATION.step, at, "", attributes, `${key}turn`);
}

/** A helper works within the call that began it. */
function parentOf(home: string, session: SessionId): string | undefined {
  const cut = session.lastIndexOf("/");
  return rootOf(session) === session ? undefined : `${home} ${session.slice(0, cut)} call/${session.slice(cut + 1)}`;
}

function answered({ key, home, spells, meters }: Sight, { at, usage }: Extract<Event, { type: "model.answered" }>): void {
  const { model, input, output, cacheRead, cacheWrite } = usage;
  const whole = input + cacheRead + cacheWrite;
  const done = spells.end(`${key}step`, at, {
    [GEN_AI.responseModel]: model,
    [GEN_AI.inputTokens]: whole,
    [GEN_AI.outputTokens]: output,
    [GEN_AI.cacheRead]: cacheRead,
    [GEN_AI.cacheWrite]: cacheWrite,
  });
  const labels = { home, [GEN_AI.responseModel]: model };
  meters.steps.add(1, labels);
  meters.tokens.record(whole, { ...labels, [GEN_AI.tokenType]: "input" });
  meters.tokens.record(output, { ...labels, [GEN_AI.tokenType]: "output" });
  if (done) meters.stepSeconds.record(done.seconds, { ...labels, [GEN_AI.operation]: OPERATION.step });
}

function ended({ key, home, spells, meters }: Sight, at: number, how: string): void {
  spells.end(`${key}step`, at, {}, how === "failed");
  const done = spells.end(`${key}turn`, at, { [OWN.how]: how }, how === "failed");
  meters.turns.add(1, { home, how });
  if (done) meters.turnSeconds.record(done.seconds, { home });
}

function seeCall(sight: Sight, event: Event): void {
  const { key, home, spells, meters } = sight;
  const { at } = event;
  switch (event.type) {
    case "call.gated": {
      meters.labels.set(`${key}${event.call}`, event.label);
      if (event.verdict === "ask" || event.verdict === "question") {
        const attributes = { [OWN.home]: home, [GEN_AI.tool]: event.label, [GEN_AI.toolCall]: event.call };
        spells.begin(`${key}wait/${event.call}`, `wait ${event.label}`, at, event.label, attributes, `${key}turn`);
      } else if (event.verdict === "deny") meters.toolCalls.add(1, { home, tool: event.label, outcome: "refused" });
      return;
    }
    case "call.asked": {
      const label = meters.labels.get(`${key}${event.call}`) ?? "unknown";
      const attributes = { [OWN.home]: home, [GEN_AI.tool]: label, [GEN_AI.toolCall]: event.call };
      spells.begin(`${key}wait/${event.call}`, `wait ${label}`, at, label, attributes, `${key}turn`);
      return;
    }
    case "approval.decided":
    case "approval.expired": {
      const how = event.type === "approval.expired" ? "expired" : "agrees" in event ? "agree" : event.verdict;
      const done = spells.end(`${key}wait/${event.call}`, at, { [OWN.how]: how });
      meters.approvals.add(1, { home, how });
      if (done) meters.approvalSeconds.record(done.seconds, { home, how });
      return;
    }
    case "call.started": {
      const tool = meters.labels.get(`${key}${event.call}`) ?? "unknown";
      const attributes = { [OWN.home]: home, [GEN_AI.operation]: OPERATION.tool, [GEN_AI.tool]: tool, [GEN_AI.toolCall]: event.call };
      spells.begin(`${key}call/${event.call}`, `${OPERATION.tool} ${tool}`, at, tool, attributes, `${key}turn`);
      return;
    }
    case "call.finished": {
      const done = spells.end(`${key}call/${event.call}`, at, {}, event.failed);
      const tool = done?.label ?? meters.labels.get(`${key}${event.call}`) ?? "unknown";
      meters.labels.delete(`${key}${event.call}`);
      meters.toolCalls.add(1, { home, tool, outcome: event.failed ? "failed" : "done" });
      if (done) meters.toolSeconds.record(done.seconds, { home, tool });
      return;
    }
    default:
      seePost(sight, event);
  }
}

function seePost({ key, home, spells, meters }: Sight, event: Event): void {
  if (event.type !== "post.started" && event.type !== "post.shown" && event.type !== "post.failed") return;
  const kind = event.slot.split("/", 1)[0] ?? "";
  if (event.type === "post.started") {
    spells.begin(`${key}post/${event.slot}`, `post ${kind}`, event.at, kind, { [OWN.home]: home, [OWN.slot]: kind }, `${key}turn`);
    return;
  }
  const failed = event.type === "post.failed";
  spells.end(`${key}post/${event.slot}`, event.at, {}, failed);
  meters.posts.add(1, { home, kind, outcome: failed ? "failed" : "shown" });
}
