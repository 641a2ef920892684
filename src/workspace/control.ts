/** Which files of a home shape the agent itself: an administrator decides about them, and no grant ever covers them. */
export const CONTROL: ReadonlySet<string> = new Set(["AGENTS.md", "KNOWLEDGE.md", "tools.json", "skills", "subagents"]);

/** What the history of a home keeps. Memory keeps its own in the journal, where erasing a person reaches it. */
const KEPT: ReadonlySet<string> = new Set([...CONTROL, "policy.json", "files"]);

/** By the path below the home, with or without a slash in front. */
export function isKept(path: string): boolean {
  const names = path.split("/").filter(Boolean);
  return KEPT.has(names[0] ?? "") && !names.some((name) => name.toLowerCase() === ".git");
}
