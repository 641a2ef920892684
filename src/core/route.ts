/**
 * Where a message goes: one pure, table-tested decision. The reason is kept, so that people can ask why there was no answer.
 */
import type { Incoming } from "./ports.ts";

/** What is known of the thread a message stands in. */
export interface Known {
  /** The agent has a session here. */
  session: boolean;
  /** Who has addressed the agent here, and who spoke without. */
  talkers: readonly string[];
  others: readonly string[];
  /** How often a bot addressed the agent here. */
  byBots?: number;
}
export interface Ways {
  followUps: "participants" | "mention" | "all";
  mayTalk: boolean;
  /** How often a bot is answered in one thread. */
  botReplies?: number;
}
export type Route = { do: "answer" | "hear"; reason: string } | { do: "ignore"; reason: string } | { do: "refuse"; reason: string };

export function route(message: Incoming, known: Known, ways: Ways): Route {
  const { by } = message;
  if (message.own) return ignore("it is our own message");
  const direct = message.mentioned || message.channel === "dm";
  // Whoever names the agent and says nothing else calls it into what was said before.
  if (!message.text.trim() && !message.files?.length && !message.mentioned) return ignore("it has no text");
  if (by.kind === "bot") return routeBot(known, ways, direct);
  if (!ways.mayTalk) {
    if (direct) return { do: "refuse", reason: "you may not talk to the agent here" };
    return known.session ? hear("this person may not talk to the agent") : ignore("this person may not talk to the agent");
  }
  if (direct) return answer(message.mentioned ? "it names the agent" : "it is a direct message");
  if (!known.session) return ignore("it does not name the agent, and this is not one of its threads");
  if (message.toOthers) return hear("it is addressed to somebody else");
  if (ways.followUps === "mention") return hear("here only messages that name the agent are answered");
  if (ways.followUps === "all") return answer("every message in its threads is answered here");
  if (!known.talkers.includes(by.id)) return hear("this person has not addressed the agent in this thread");
  if (known.others.length) return hear("somebody else has joined this thread without addressing the agent");
  return answer("a follow-up by somebody who talks with the agent");
}

/** A bot is answered only where policy names it by id, only when it names the agent, and only so often in a thread. */
function routeBot({ session, byBots = 0 }: Known, { mayTalk, botReplies = 0 }: Ways, direct: boolean): Route {
  const aside = session ? hear : ignore;
  if (!mayTalk || !direct) return aside(session ? "another bot spoke" : "bots are not answered");
  if (byBots >= botReplies) return aside("bots were answered in this thread as often as policy.json allows");
  return answer("a bot that policy.json names addresses the agent");
}

const answer = (reason: string): Route => ({ do: "answer", reason });
const hear = (reason: string): Route => ({ do: "hear", reason });
const ignore = (reason: string): Route => ({ do: "ignore", reason });
