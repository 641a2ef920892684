/**
 * The words of `/denizen` (and `/todos`, `/memory`): each answers with a View, the same on every platform.
 *
 * W1. Answers show only what may be seen where the word was said: the thread's own, the channel's own, the scopes visible there.
 * W2. An unknown word is answered with the nearest one and the list.
 */

import type { SessionId } from "../core/id.ts";
import { nearest } from "../core/nearest.ts";
import type { Command, Reply } from "../core/ports.ts";
import { scopeOf } from "../core/scope.ts";
import { WORDS, type WordName } from "../core/words.ts";
import { type Asked, type CommandsOn, lines } from "./asked.ts";
import { approvals } from "./grants.ts";
import { home } from "./home.ts";
import { memory } from "./memory.ts";
import { pause, resume } from "./pause.ts";
import { sessions } from "./places.ts";
import { skills, status, usage } from "./state.ts";
import { todos } from "./todos.ts";
import { tools } from "./tools.ts";

const RUN: Record<WordName, (asked: Asked) => Promise<Reply>> = {
  home,
  help: async () => lines("What you can say", helpLines(), ""),
  todos,
  memory,
  approvals,
  stop: ({ stop }) => stop(),
  status,
  usage,
  skills,
  tools,
  sessions,
  why: async ({ why }) => lines("Why", why, "I have seen no messages here since I was started."),
  pause,
  resume,
};
const isWord = (word: string): word is WordName => Object.hasOwn(WORDS, word);
interface At {
  home: string;
  session: SessionId;
  why: string[];
  stop(): Promise<Reply>;
  wake(): Promise<void>;
}
const helpLines = (): string[] => Object.entries(WORDS).map(([word, { help }]) => `\`${word}\`: ${help}`);

export function commands(on: CommandsOn) {
  return async (command: Command, at: At): Promise<Reply> => {
    const [first = "", ...others] = command.text.trim().split(/\s+/);
    const word = first.replace(/^\//, "").toLowerCase() || "help";
    if (!isWord(word))
      return lines(`I do not know “${word.slice(0, 40)}”. Did you mean “${nearest(word, Object.keys(WORDS))}”?`, helpLines(), "");
    const standing = await on.standing(command);
    // In doubt somebody is a guest.
    const kind = standing?.member ? "member" : standing?.external ? "external" : "guest";
    const { place, by, channel, shared } = command;
    const own = scopeOf(channel, shared, `${place.platform}:${place.channel}`, by.id);
    const [scopes, journal, rules] = await Promise.all([
      on.scopes(at.home, own, { ...by, kind }, place),
      on.journal(at.home),
      on.homes.rules(at.home),
    ]);
    return RUN[word]({
      on,
      command,
      home: at.home,
      journal,
      rules,
      session: at.session,
      scopes,
      rest: others.join(" "),
      why: at.why,
      who: standing,
      stop: at.stop,
      wake: at.wake,
    });
  };
}
