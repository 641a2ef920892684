/** How a connection to a server is, and what that means for who wants its tools. Pure. */
import type { Listing } from "./called.ts";
import type { Session } from "./client.ts";
import type { Listed } from "./listed.ts";

export type Phase =
  /** `rested`: what it offered before nobody used it. */
  | { is: "idle"; rested?: Listing }
  /** `failed`: why the try before this one led nowhere. */
  | { is: "connecting"; done: Promise<void>; since: number; failed?: string; rested?: Listing }
  | { is: "up"; session: Session; listed: Listed; since: number }
  | { is: "down"; problem: string; until: number; signin: boolean };
export type Up = Extract<Phase, { is: "up" }>;
/** `starting`: it may be there in a moment. One that failed is what it was until it is back. */
export type Settled = Listing | { problem: string; signin: boolean; starting: boolean };

export function settled(phase: Phase): Settled {
  if (phase.is === "up") return phase.listed.now;
  if (phase.is === "down") return { problem: phase.problem, signin: phase.signin, starting: false };
  if (phase.rested) return phase.rested;
  if (phase.is === "connecting" && phase.failed) return { problem: phase.failed, signin: false, starting: false };
  return { problem: "it is still starting", signin: false, starting: true };
}

/** What is told of a server while it is begun again. */
export function whileBegun(phase: Phase): { failed?: string; rested?: Listing } {
  if (phase.is === "down") return { failed: phase.problem };
  return phase.is === "idle" && phase.rested ? { rested: phase.rested } : {};
}
