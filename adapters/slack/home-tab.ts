/**
 * The Home tab: for each person what waits for them, what is theirs, and what they may see. It is made when they look at it, and anew for
 * those who looked lately when a decision came or went.
 *
 * H1. One person's tab is made from that person's rights alone.
 * H2. Tabs are made at a bearable rate: many changes at once are one, and the tabs of all are made one after the other.
 */
import type { webApi } from "@slack/bolt";
import { type Desk, placeAt } from "./desk.ts";
import { attempt } from "./outcome.ts";
import { homeView } from "./page.ts";

/** Who looked longer ago and comes back opens it anew: then Slack tells. */
const LOOKED_FOR = 60 * 60_000;
const LOOKERS = 100;
const GATHER = 1000;

export interface HomeTab {
  /** Somebody looks at their tab, or did something there. */
  show(person: string): Promise<void>;
  /** Something that may stand on a tab has changed. */
  changed(): void;
  stop(): void;
}

export function homeTab(client: webApi.WebClient, { inbox, people, self, order, clean, log }: Desk): HomeTab {
  const lookers = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function publish(person: string): Promise<void> {
    const by = await people.speaker(person, {});
    const asked = { place: placeAt(self, person, null), channel: "dm", shared: false, by, text: "home", at: Date.now() } as const;
    const reply = await inbox.command(asked);
    if (!("view" in reply) || stopped) return;
    const outcome = await attempt(client.views.publish({ user_id: person, view: homeView(await clean(reply.view)) }));
    if (!outcome.ok) log.warn({ adapter: "slack", code: outcome.code }, `A Home tab could not be shown: ${outcome.reason}`);
    else return;
    if (outcome.retryIn !== null && outcome.code === "ratelimited") later(outcome.retryIn);
  }
  const inTurn = (person: string): Promise<void> => order.run("home tabs", () => publish(person));
  function later(ms: number): void {
    if (stopped) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      for (const [person, at] of lookers) if (Date.now() - at < LOOKED_FOR) void inTurn(person).catch(failed);
    }, ms).unref();
  }
  const failed = (error: unknown): void => log.error({ adapter: "slack", err: error }, "A Home tab could not be made.");

  return {
    async show(person) {
      lookers.delete(person);
      lookers.set(person, Date.now());
      const [oldest] = lookers.keys();
      if (lookers.size > LOOKERS && oldest !== undefined) lookers.delete(oldest);
      await inTurn(person).catch(failed);
    },
    changed: () => {
      if (lookers.size) later(GATHER);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
