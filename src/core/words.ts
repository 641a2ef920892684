/**
 * The words people can say to the agent itself: one table, from which come what runs them, the help, and what platforms suggest.
 */
export interface Word {
  help: string;
  /** What can be said behind it. A capital letter at the end stands for something of one's own. */
  behind?: readonly string[];
}

export const WORDS = {
  home: { help: "what waits for you, your open threads, what I remember, what it costs" },
  help: { help: "this list" },
  todos: { help: "the plan of this thread, and the open plans you may see" },
  memory: {
    help: "what I remember and may show here",
    behind: ["search X", "forget N", "history", "undo N", "undo night", "export", "about me"],
  },
  approvals: { help: "what waits for a decision here, and what needs none (`approvals revoke N`)", behind: ["revoke N"] },
  stop: { help: "stop what I am doing in this thread" },
  status: { help: "how I am: model, connections, policy, latest changes of my home" },
  usage: { help: "tokens used today" },
  skills: { help: "what I have learned to do" },
  tools: {
    help: "the tool servers of this home (`tools X`, `tools connect X`, `tools disconnect X`)",
    behind: ["connect X", "disconnect X"],
  },
  sessions: { help: "the conversations of this channel" },
  why: { help: "why the last messages here were or were not answered" },
  pause: { help: "begin nothing new in this home (administrators)" },
  resume: { help: "go on after a pause (administrators)" },
} as const satisfies Record<string, Word>;

export type WordName = keyof typeof WORDS;

/** What can be said behind a word, with a space at the end where something of one's own follows. */
export function behindOf(word: string): string[] {
  const found: Word | undefined = Object.hasOwn(WORDS, word) ? WORDS[word as WordName] : undefined;
  return (found?.behind ?? []).map((one) => one.replace(/(?<= )[A-Z]$/, ""));
}
