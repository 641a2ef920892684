/** What a home is good for, as a few things to say: its skills first, then what always helps. For people who do not know what to ask. */
import type { Suggestion } from "../core/ports.ts";
import { readSkills } from "../workspace/skills.ts";
import type { CommandsOn } from "./asked.ts";

const MOST = 4;
const ALWAYS: Suggestion[] = [
  { title: "What can you do?", text: "What can you do for us? Say it briefly, with an example for each." },
  { title: "What is open?", text: "What did we leave open in our conversations, and what waits for somebody?" },
];

export function suggestions({ homes, sharedSkills }: Pick<CommandsOn, "homes" | "sharedSkills">) {
  return async (home: string): Promise<Suggestion[]> => {
    const { dir, read } = homes.home(home);
    const own = { root: dir, folder: "skills", mount: "/home/skills", read };
    const [first, all] = await Promise.all([readSkills([own]), readSkills([own, ...sharedSkills])]);
    const names = new Set([...first.found, ...all.found].map(({ name }) => name));
    const skilled = [...names].map(
      (name): Suggestion => ({
        title: name.replace(/[-_]+/g, " "),
        text: `Use your skill “${name}”. Ask me for what you need to know.`,
      }),
    );
    return [...skilled.slice(0, MOST - 1), ...ALWAYS].slice(0, MOST);
  };
}
