/**
 * How much of the talk the model is still sent.
 *
 * X1. History is cut only by an event, so the prefix sent to the model changes only when an event says so.
 * X2. What is sent shorter than it was said is kept whole in the journal, and can be read below /history.
 * X3. A deletion behind the cut lifts it, and a summary begun before a deletion is refused (applies.ts): nothing deleted lives on in one.
 */
import type { Event, Todo } from "./event.ts";
import type { Shortened } from "./shorten.ts";
import type { State } from "./state.ts";
import { holds } from "./talk.ts";
import { savedBy } from "./weight.ts";

export interface Context {
  /** Entries before this index are told by the summary. */
  cut: number;
  summary: string | null;
  /** Tokens of the last request with its answer, and how many entries that covered. */
  used: { tokens: number; entries: number } | null;
  /** Who answered last: a helper may have a model of its own, with a window of its own. */
  model: string | null;
  redactions: number;
  /** The plan as it stood when the summary was made. */
  plan: readonly Todo[];
  trimmed: Shortened["trimmed"];
  clip: Shortened["clip"];
  /** After a summary failed: not tried again before. */
  restUntil: number;
  /** The provider said it was too much. */
  forced: boolean;
}
export const NO_CONTEXT: Context = {
  cut: 0,
  summary: null,
  used: null,
  model: null,
  redactions: 0,
  plan: [],
  trimmed: 0,
  clip: null,
  restUntil: 0,
  forced: false,
};

export function reduceContext(context: Context, event: Event, { talk, todos }: State): Context {
  switch (event.type) {
    case "message.deleted": {
      const at = talk.entries.findIndex((entry) => holds(entry, event.id));
      if (at < 0) return context;
      const lifted = at < context.cut ? { cut: 0, summary: null, plan: [], used: null } : {};
      return { ...context, ...lifted, redactions: context.redactions + 1 };
    }
    case "step.failed":
      return event.overflow ? { ...context, forced: true } : context;
    case "model.answered": {
      const { model, input, output, cacheRead, cacheWrite } = event.usage;
      const used = { tokens: input + output + cacheRead + cacheWrite, entries: talk.entries.length + 1 };
      return { ...context, used, model, forced: false };
    }
    case "context.compacted":
      return { ...context, cut: event.cut, summary: event.summary, plan: todos, used: null, forced: false };
    case "context.trimmed": {
      const saved = savedBy(talk.entries, context, event.upTo);
      const used = context.used && { ...context.used, tokens: Math.max(0, context.used.tokens - saved) };
      return { ...context, trimmed: event.upTo, used };
    }
    case "context.clipped":
      return { ...context, clip: { upTo: event.upTo, share: event.share }, used: null, forced: false };
    case "context.kept":
      return { ...context, restUntil: event.until, forced: false };
    default:
      return context;
  }
}
