/**
 * The connection that stands now, replaced when it is no use any more.
 *
 * N1. A wrong token is never tried again; what a person has to switch on is, but seldom: Discord counts how often one begins anew.
 * N2. There is one connection at a time. What is posted while it is being replaced goes out all the same: only hearing needs it.
 */
import { UserError } from "../../src/core/ports.ts";
import { type Connected, connection, type DiscordOptions, type Kept } from "./connection.ts";
import { standing } from "./gateway.ts";

const MENDED_AFTER = 15 * 60_000;
const AGAIN_AFTER = 5000;
const BLIND =
  "messages come without their words: switch on “Message Content Intent” for the app at discord.com/developers/applications, under Bot";

export interface Line {
  open(kept: Kept): Promise<void>;
  close(): void;
  /** Undefined before the first. */
  now(): Connected | undefined;
  health(): { ok: boolean; detail: string };
}

interface Lost {
  error: UserError;
  at: number;
}
/** Whether trying again now is no use. */
const isHopeless = (lost: Lost | undefined): lost is Lost =>
  lost !== undefined && (lost.error.message.startsWith("DISCORD_TOKEN") || Date.now() - lost.at < MENDED_AFTER);

export function line(given: DiscordOptions): Line {
  const { log } = given;
  let connected: Connected | undefined;
  let lost: Lost | undefined;
  let blind = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  function newsFor(kept: Kept) {
    return {
      lost(error: UserError) {
        if (connected && !lost) log.error({ adapter: "discord" }, error.message);
        lost = { error, at: Date.now() };
        if (connected) again(kept, MENDED_AFTER);
      },
      deaf(why: string) {
        log.warn({ adapter: "discord" }, `Connecting anew: ${why}.`);
        again(kept, 0);
      },
      blind() {
        if (!blind) log.error({ adapter: "discord" }, BLIND);
        blind = true;
      },
    };
  }
  async function open(kept: Kept): Promise<void> {
    if (isHopeless(lost)) throw lost.error;
    const made = await connection(given, kept, newsFor(kept));
    if (closed) return made.close();
    connected = made;
    lost = undefined;
  }
  function again(kept: Kept, wait: number): void {
    clearTimeout(timer);
    if (closed) return;
    timer = setTimeout(() => {
      connected?.close();
      open(kept).catch((error: unknown) => {
        const why = error instanceof UserError ? error.message : "Discord could not be connected again.";
        log.warn({ adapter: "discord", ...(error instanceof UserError ? {} : { err: error }) }, why);
        again(kept, isHopeless(lost) ? MENDED_AFTER : AGAIN_AFTER);
      });
    }, wait).unref();
  }
  return {
    open,
    close() {
      closed = true;
      clearTimeout(timer);
      connected?.close();
    },
    now: () => connected,
    health() {
      if (lost) return { ok: false, detail: lost.error.message };
      if (!connected) return { ok: false, detail: "not connected yet" };
      const now = standing(connected.client);
      return blind && now.ok ? { ok: true, detail: `${now.detail}, but ${BLIND}` } : now;
    },
  };
}
