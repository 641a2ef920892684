/**
 * Follows a page over server-sent events: first all its fragments, then each time those that changed.
 *
 * S1. What a page was sent and what is there are compared here; losing an event is impossible, only being late.
 * S2. A page is told nothing more often than every tenth of a second, and less often the longer drawing it takes.
 */
import type { Fragment } from "./fragments.tsx";
import type { Regions } from "./page.tsx";
import type { Stream } from "./streams.ts";

const PAUSE = 100;
const HEARTBEAT = 15_000;

export interface Change {
  /** The keys in their order, where it changed. */
  order?: string[];
  html: Record<string, string>;
}

/** What differs from what was sent, which is brought up to date by this. */
export function changeOf(sent: Map<string, string>, fragments: readonly Fragment[]): Change | undefined {
  const order = fragments.map(([id]) => id);
  const moved = order.join(" ") !== [...sent.keys()].join(" ");
  const changed = fragments.filter(([id, html]) => sent.get(id) !== html);
  if (!moved && changed.length === 0) return undefined;
  sent.clear();
  for (const [id, html] of fragments) sent.set(id, html);
  return { ...(moved ? { order } : {}), html: Object.fromEntries(changed) };
}

export async function follow(
  stream: Stream,
  draw: () => Promise<Regions>,
  send: (event: string, data: string) => Promise<unknown>,
): Promise<void> {
  const sent = { list: new Map(), head: new Map(), log: new Map() } as Record<keyof Regions, Map<string, string>>;
  let news: "changed" | "quiet" | "over" = "changed";
  for (; news !== "over"; news = await stream.next(HEARTBEAT)) {
    if (news === "quiet") {
      await send("beat", "");
      continue;
    }
    const began = performance.now();
    const regions = await draw();
    const change: Partial<Record<keyof Regions, Change>> = {};
    for (const name of ["list", "head", "log"] as const) {
      const part = changeOf(sent[name], regions[name]);
      if (part) change[name] = part;
    }
    if (Object.keys(change).length > 0) await send("change", JSON.stringify(change));
    await new Promise((resolve) => setTimeout(resolve, Math.max(PAUSE, 8 * (performance.now() - began))));
  }
}
