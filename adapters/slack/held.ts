/**
 * Holds back what tells Slack that an event arrived until it was taken.
 *
 * H1. Bolt acknowledges events before their listeners run. Here they are acknowledged after all listeners resolved; if one fails, not at
 *     all, and Slack sends the event again. Buttons, forms and commands acknowledge for themselves.
 * H2. Once closed, nothing more is taken or acknowledged; `idle` resolves when what was under way is.
 */
import type { App } from "@slack/bolt";

export type ReceiverEvent = Parameters<App["processEvent"]>[0];
export type Process = (event: ReceiverEvent) => Promise<void>;
export interface Held {
  /** What takes events, as a receiver should see it. */
  wrap(process: Process): App;
  close(): void;
  idle(): Promise<void>;
}

export function held(): Held {
  const under = new Set<Promise<void>>();
  let closed = false;

  async function take(process: Process, event: ReceiverEvent): Promise<void> {
    const { body, ack } = event;
    if (body.type === "app_rate_limited") return ack();
    if (body.event === undefined) return process(event);
    await process({ ...event, ack: async () => {} });
    await ack();
  }
  return {
    // Of an app, receivers use nothing else.
    wrap: (process) =>
      ({
        processEvent: (event: ReceiverEvent): Promise<void> => {
          if (closed) return Promise.reject(new Error("Denizen is stopping; Slack will send this again."));
          const work = take(process, event);
          under.add(work);
          const done = () => under.delete(work);
          work.then(done, done);
          return work;
        },
      }) as App,
    close: () => {
      closed = true;
    },
    async idle() {
      while (under.size > 0) await Promise.allSettled(under);
    },
  };
}
