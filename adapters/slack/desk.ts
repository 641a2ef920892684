/** What everything that listens to Slack works with. */
import type { Place } from "../../src/core/event.ts";
import type { Inbox, Log } from "../../src/core/ports.ts";
import type { View } from "../../src/core/view.ts";
import type { Order } from "../shared/order.ts";
import type { Scrub } from "../shared/scrubbed.ts";
import type { Seen } from "../shared/seen.ts";
import type { Taken } from "../shared/taken.ts";
import type { Memberships } from "./memberships.ts";
import type { People } from "./people.ts";
import type { Posts } from "./posts.ts";
import type { Self } from "./told.ts";

/** A view as people may see it: scrubbed, and with names where it has ids. */
export type Clean = (view: View) => Promise<View>;

export interface Desk {
  inbox: Inbox;
  self: Self;
  people: People;
  posts: Posts;
  /** What is taken of one channel is taken in the order it came. */
  order: Order;
  /** Up to where everything was taken, and the threads that conversations are in. */
  seen: Seen;
  /** The messages of conversations, by their thread as `seen` names it. */
  taken: Taken;
  log: Log;
  scrub: Scrub;
  clean: Clean;
  /** The private places of a person that the agent is in as well. */
  shared: Memberships;
}

export const placeAt = (self: Self, channel: string, thread: string | null): Place => ({
  platform: "slack",
  team: self.team,
  channel,
  thread,
});
