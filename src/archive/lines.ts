/**
 * A session's events as lines of a log that people and their tools read: one JSON object a line, grouped by day. Pure.
 *
 * L1. Each line has the position of its event in the journal, and the positions grow: whoever knows the last one knows what is missing.
 * L2. Days never go back, whatever an event says of its time.
 * L3. The words of a message that was deleted are in no line.
 */
import type { Event } from "../core/event.ts";

export interface Numbered {
  seq: number;
  event: Event;
}
export interface Day {
  /** `2026-11-30`, UTC. */
  date: string;
  lines: string;
}

/** `from`: the day on which the lines before these end. */
export function daysOf(events: readonly Numbered[], from = ""): Day[] {
  const gone = deletedIn(events);
  const days: Day[] = [];
  for (const numbered of events) {
    const date = [new Date(numbered.event.at).toISOString().slice(0, 10), days.at(-1)?.date ?? from].sort().at(-1) ?? from;
    const last = days.at(-1);
    if (last?.date === date) last.lines += lineOf(numbered, gone);
    else days.push({ date, lines: lineOf(numbered, gone) });
  }
  return days;
}

export const deletedIn = (events: readonly Numbered[]): Set<string> =>
  new Set(events.flatMap(({ event }) => (event.type === "message.deleted" ? [event.id] : [])));

function lineOf({ seq, event }: Numbered, gone: ReadonlySet<string>): string {
  const { type, at, ...rest } = redacted(event, gone);
  return `${JSON.stringify({ seq, time: new Date(at).toISOString(), type, ...rest })}\n`;
}

function redacted(event: Event, gone: ReadonlySet<string>): Event {
  if (event.type === "message.received" && gone.has(event.id)) {
    const { files: _, ...rest } = event;
    return { ...rest, text: "[deleted]" };
  }
  if (event.type === "message.edited" && gone.has(event.id)) return { ...event, text: "[deleted]" };
  if (event.type === "approval.decided" && event.verdict === "answer" && event.message !== undefined && gone.has(event.message))
    return { ...event, text: "[deleted]" };
  return event;
}
