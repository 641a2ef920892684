/** What everything that listens to Discord works with. */
import type { Inbox, Log } from "../../src/core/ports.ts";
import type { Order } from "../shared/order.ts";
import type { Scrub } from "../shared/scrubbed.ts";
import type { Seen } from "../shared/seen.ts";
import type { Taken } from "../shared/taken.ts";
import type { Door } from "./door.ts";
import type { People } from "./people.ts";
import type { Places } from "./places.ts";
import type { Posts } from "./posts.ts";
import type { Threads } from "./threads.ts";

export interface Self {
  /** The bot's user, which is also its application. */
  id: string;
  application: string;
  /** The roles of a guild that stand for the bot itself. */
  roles(guild: string | null): string[];
  roleName(guild: string | null, role: string): string | undefined;
}
/** The lane of direct messages; each guild is one by its id. */
export const DIRECT = "dm";

export interface Desk {
  inbox: Inbox;
  self: Self;
  people: People;
  places: Places;
  posts: Posts;
  threads: Threads;
  door: Door;
  seen: Seen;
  taken: Taken;
  /** What is taken of one channel is taken in the order it came. */
  order: Order;
  log: Log;
  scrub: Scrub;
  /** A message came without its words. */
  blind(): void;
}
