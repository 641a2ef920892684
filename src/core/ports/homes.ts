/** Which home serves a team, and what its policy says now. */
import type { Standing } from "./platform.ts";

/** What the harness needs to know of a home's policy, as it is now (or was when it was last valid). */
export interface Rules {
  may(what: "talk" | "approve" | "admin", person: string, standing: Standing): boolean;
  /** Who may, in words for people. With a platform: those of others only if nobody of it may. */
  who(what: "talk" | "approve" | "admin", platform?: string): string;
  followUps: "participants" | "mention" | "all";
  stepsPerTurn: number;
  /** The home's own model, if it names one. */
  model: string | undefined;
  timezone: string;
  /** Set while policy.json is missing, unreadable or invalid: nobody can approve, and this says why and what mends it. */
  broken: string | undefined;
  /** Tokens a day (UTC) for the home and for each person, and how often a bot is answered in one thread. Absent: no bound. */
  budget?: { tokensPerDay: number; tokensPerPersonPerDay: number; botRepliesPerThread: number };
  /** Channels that are told when a decision waits, platform-qualified. */
  notify?: readonly string[];
  /** The teams this home serves, platform-qualified. */
  teams?: readonly string[];
  /** People whom the agent's answers may call, platform-qualified. */
  mentions?: readonly string[];
}
export interface Homes {
  /** The home that serves a team; made from the template if there is none. Refused in a sentence if two homes claim the team. */
  find(platform: string, team: string): Promise<{ ok: true; home: string } | { ok: false; why: string }>;
  rules(home: string): Promise<Rules>;
}
