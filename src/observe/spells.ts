/**
 * What begins with one event and ends with another: a turn, a step, a tool's run, a wait for people, a post. Owns what is open of them.
 *
 * S1. Bounded: the oldest that never ended is forgotten, and so is all of a session that was stopped.
 * S2. A spell that began in an earlier process is unknown here: its end is counted, but not how long it took.
 */
import { type Attributes, context, type Span, SpanStatusCode, trace } from "@opentelemetry/api";

export interface Spell {
  span: Span;
  at: number;
  /** What it is of: a tool's label, a model. */
  label: string;
}
export interface Spells {
  begin(key: string, name: string, at: number, label: string, attributes: Attributes, parent?: string): void;
  /** Ends one and gives how long it took, in seconds; undefined if its beginning is not known. */
  end(key: string, at: number, attributes?: Attributes, failed?: boolean): { seconds: number; label: string } | undefined;
  peek(key: string): Spell | undefined;
  /** The keys that begin so and are open. */
  open(prefix: string): string[];
}

const MOST = 20_000;

export function spells(): Spells {
  const open = new Map<string, Spell>();
  const tracer = trace.getTracer("denizen");

  function end(key: string, at: number, attributes: Attributes = {}, failed = false): { seconds: number; label: string } | undefined {
    const spell = open.get(key);
    if (!spell) return undefined;
    open.delete(key);
    spell.span.setAttributes(attributes);
    if (failed) spell.span.setStatus({ code: SpanStatusCode.ERROR });
    spell.span.end(at);
    return { seconds: Math.max(0, at - spell.at) / 1_000, label: spell.label };
  }

  return {
    begin(key, name, at, label, attributes, parent) {
      end(key, at);
      const above = parent === undefined ? undefined : open.get(parent);
      const within = above ? trace.setSpan(context.active(), above.span) : context.active();
      open.set(key, { span: tracer.startSpan(name, { startTime: at, attributes }, within), at, label });
      const oldest = open.keys().next().value;
      if (open.size > MOST && oldest !== undefined) end(oldest, at);
    },
    end,
    peek: (key) => open.get(key),
    open: (prefix) => [...open.keys()].filter((key) => key.startsWith(prefix)),
  };
}
