/** Spans and metrics made of a session's events, as an operator's tools would get them. */
import { type Attributes, type Context, type Span, type SpanOptions, type Tracer, type TracerProvider, trace } from "@opentelemetry/api";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Event, Speaker } from "../../src/core/event.ts";
import type { Journal, Lease, Receipt } from "../../src/core/ports.ts";
import { type Observer, observer } from "../../src/observe/observe.ts";
import { registry } from "../../src/observe/registry.ts";

interface Seen {
  name: string;
  parent: string | undefined;
  attributes: Attributes;
  start: number;
  end: number;
  failed: boolean;
}
let seen: Seen[];

/** Keeps spans as they end; the interface's own no-op does the rest. */
const provider: TracerProvider = {
  getTracer: () =>
    ({
      startSpan(name: string, options: SpanOptions = {}, context?: Context) {
        const above = context && (trace.getSpan(context) as (Span & { title?: string }) | undefined);
        const made: Seen = {
          name,
          parent: above?.title,
          attributes: { ...options.attributes },
          start: Number(options.startTime),
          end: 0,
          failed: false,
        };
        const span = trace.wrapSpanContext({ traceId: "0".repeat(32), spanId: "0".repeat(16), traceFlags: 0 });
        return Object.assign(span, {
          title: name,
          setAttributes: (more: Attributes) => Object.assign(made.attributes, more),
          setStatus: () => (made.failed = true),
          end: (at: number) => seen.push({ ...made, end: at }),
        });
      },
    }) as unknown as Tracer,
};
beforeAll(() => void trace.setGlobalTracerProvider(provider));
afterAll(() => trace.disable());

const ANN: Speaker = { id: "slack:U1", name: "Ann Private", kind: "member" };
const S = "slack:T:C:1";
const USAGE = { model: "claude-x", input: 100, output: 20, cacheRead: 900, cacheWrite: 0 };
const gated = (call: string, verdict: "ask" | "allow" | "deny"): Event => ({
  type: "call.gated",
  at: 1_300,
  call,
  verdict,
  label: "ops/deploy",
  digest: "d",
  reason: "",
  risky: true,
  helper: false,
  quorum: 1,
  expires: null,
  code: "k",
  offers: [],
  level: "approve",
  notBy: null,
  deciders: "",
  subject: null,
});
const turn: Event[] = [
  { type: "message.received", at: 900, id: "a", by: ANN, text: "a secret", heard: false },
  { type: "step.opened", at: 1_000, turn: 1, step: 1, upTo: 1 },
  {
    type: "model.answered",
    at: 1_250,
    turn: 1,
    step: 1,
    content: [{ type: "text", text: "a secret" }],
    calls: [{ tool: "ops__deploy", input: { a: "a secret" } }],
    usage: USAGE,
  },
  gated("1.1.0", "ask"),
  { type: "post.started", at: 1_310, slot: "card/1.1.0", key: "k", mark: false },
  { type: "post.shown", at: 1_330, slot: "card/1.1.0", ref: { channel: "C", message: "1" }, digest: "d", final: false },
  { type: "approval.decided", at: 61_300, call: "1.1.0", digest: "d", by: ANN, verdict: "approve" },
  { type: "call.started", at: 61_310, call: "1.1.0", digest: "d" },
  { type: "call.finished", at: 61_810, call: "1.1.0", content: "a secret", failed: true },
  { type: "step.opened", at: 61_820, turn: 1, step: 2, upTo: 1 },
  { type: "step.failed", at: 61_900, turn: 1, step: 2, reason: "overloaded: a secret", overflow: false, retryAt: 0 },
  { type: "step.opened", at: 62_000, turn: 1, step: 2, upTo: 1 },
  { type: "model.answered", at: 62_500, turn: 1, step: 2, content: [], calls: [], usage: USAGE },
  { type: "turn.ended", at: 62_500, turn: 1, how: "answered", text: "a secret", cuts: [] },
  { type: "turn.closed", at: 62_600, turn: 1 },
];

let faults: unknown[];
let watch: Observer;
beforeEach(() => {
  seen = [];
  faults = [];
  watch = observer("anthropic", (error) => faults.push(error));
});
const tell = (events: readonly Event[], session = S) => events.forEach((event) => void watch.fact("slack-T", session, event));
const line = (name: string, labels: string): number | undefined => {
  const found = watch
    .text()
    .split("\n")
    .find((text) => text.startsWith(`${name}{${labels}} `));
  return found === undefined ? undefined : Number(found.split(" ").at(-1));
};

describe("spans", () => {
  test("a turn holds its steps, waits, tools and posts, each with its times and the conventions' names", () => {
    tell(turn);
    expect(seen.map(({ name, parent, start, end, failed }) => [name, parent, end - start, failed])).toEqual([
      ["chat", "invoke_agent slack-T", 250, false],
      ["post card", "invoke_agent slack-T", 20, false],
      ["wait ops/deploy", "invoke_agent slack-T", 60_000, false],
      ["execute_tool ops/deploy", "invoke_agent slack-T", 500, true],
      ["chat", "invoke_agent slack-T", 80, true],
      ["chat", "invoke_agent slack-T", 500, false],
      ["invoke_agent slack-T", undefined, 61_500, false],
    ]);
    expect(seen[0]?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.conversation.id": S,
      "gen_ai.response.model": "claude-x",
      "gen_ai.usage.input_tokens": 1_000,
      "gen_ai.usage.output_tokens": 20,
    });
    expect(seen[3]?.attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "ops/deploy",
      "gen_ai.tool.call.id": "1.1.0",
    });
  });

  test("a helper's turn is within the call that began it", () => {
    tell(turn.slice(0, 2));
    tell([gated("1.1.0", "allow"), { type: "call.started", at: 1_310, call: "1.1.0", digest: "d" }]);
    tell(
      [
        { type: "step.opened", at: 1_400, turn: 1, step: 1, upTo: 1 },
        { type: "turn.ended", at: 1_500, turn: 1, how: "answered", text: "", cuts: [] },
      ],
      `${S}/1.1.0`,
    );
    expect(seen.at(-1)).toMatchObject({ name: "invoke_agent slack-T", parent: "execute_tool ops/deploy" });
  });

  test("a stop ends everything that is open", () => {
    tell(turn.slice(0, 8));
    tell([{ type: "turn.stopped", at: 70_000, by: ANN }]);
    expect(seen.map(({ name }) => name)).toEqual(expect.arrayContaining(["execute_tool ops/deploy", "invoke_agent slack-T"]));
    expect(line("denizen_turns_total", 'home="slack-T",how="stopped"')).toBe(1);
  });

  test("P9 nothing that anybody said, wrote or was answered is in a span or a metric, nor who it was", () => {
    tell(turn);
    for (const text of [JSON.stringify(seen), watch.text()]) expect(text).not.toMatch(/a secret|Ann|U1/);
  });
});

describe("metrics", () => {
  test("turns, steps, tokens, calls, decisions, posts and model errors are counted and timed", () => {
    tell(turn);
    expect(line("denizen_messages_total", 'home="slack-T",heard="false"')).toBe(1);
    expect(line("denizen_turns_total", 'home="slack-T",how="answered"')).toBe(1);
    expect(line("denizen_steps_total", 'home="slack-T",gen_ai_response_model="claude-x"')).toBe(2);
    expect(line("gen_ai_client_token_usage_sum", 'home="slack-T",gen_ai_response_model="claude-x",gen_ai_token_type="input"')).toBe(2_000);
    expect(line("denizen_tool_calls_total", 'home="slack-T",tool="ops/deploy",outcome="failed"')).toBe(1);
    expect(line("denizen_tool_duration_seconds_bucket", 'home="slack-T",tool="ops/deploy",le="0.25"')).toBe(0);
    expect(line("denizen_tool_duration_seconds_bucket", 'home="slack-T",tool="ops/deploy",le="0.5"')).toBe(1);
    expect(line("denizen_approvals_total", 'home="slack-T",how="approve"')).toBe(1);
    expect(line("denizen_approval_wait_seconds_sum", 'home="slack-T",how="approve"')).toBe(60);
    expect(line("denizen_posts_total", 'home="slack-T",kind="card",outcome="shown"')).toBe(1);
    expect(line("denizen_model_errors_total", 'home="slack-T",overflow="false"')).toBe(1);
  });

  test("the text is what Prometheus reads, whatever stands in a label", () => {
    fc.assert(
      fc.property(fc.string(), fc.double({ min: 0, max: 1e6, noNaN: true }), (label, value) => {
        const one = registry();
        one.counter("a.b", "Help").add(value, { "x.y": label });
        one.histogram("c.d", "Help", "s", [1, 10]).record(value, { z: label });
        const lines = one.text().trimEnd().split("\n");
        for (const text of lines)
          expect(text).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z_]+="(?:[^"\\\n]|\\["\\n])*"(,[a-z]+="[^"\n]+")?\})? [-+.e\d]+)$/);
      }),
    );
  });

  test("labels that never end do not fill the memory: what is too many is counted as other", () => {
    const one = registry();
    const counter = one.counter("a", "Help");
    for (let i = 0; i < 5_000; i++) counter.add(1, { tool: `t${i}` });
    expect(one.text().split("\n").length).toBeLessThan(600);
    expect(one.text()).toContain('a_total{tool="other"} 4500');
  });

  test("whatever order events come in, nothing is thrown", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...turn), { maxLength: 60 }), (events) => {
        tell(events);
        expect(faults).toEqual([]);
      }),
    );
  });
});

test("a watched journal tells of what it took, once, and of nothing it refused", async () => {
  const receipts: Receipt[] = [
    { fresh: true, sessions: [S] },
    { fresh: false, sessions: [] },
  ];
  const journal = {
    receive: async () => receipts.shift(),
    record: async (_lease: Lease, writes: unknown[]) => writes.length > 0,
    state: async () => "as it is",
  } as unknown as Journal;
  const watched = watch.watch("slack-T", journal);
  const [said, , answered] = turn;
  if (said?.type !== "message.received" || !answered) throw new Error("no such event");
  await watched.receive(S, "m:a", said);
  await watched.receive(S, "m:a", said);
  expect(await watched.record({ root: S, holder: "x" }, [[S, [answered]]])).toBe(true);
  expect(await watched.record({ root: S, holder: "x" }, [])).toBe(false);
  expect(await watched.state(S)).toBe("as it is");
  expect(line("denizen_messages_total", 'home="slack-T",heard="false"')).toBe(1);
  expect(line("denizen_steps_total", 'home="slack-T",gen_ai_response_model="claude-x"')).toBe(1);
});
