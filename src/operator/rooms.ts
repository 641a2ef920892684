/** Which room the operator's port gets each thing from. */
import type { Place } from "../core/event.ts";
import type { Journal, Operator, Silence } from "../core/ports.ts";
import type { Servers } from "../mcp/servers.ts";
import type { OpenHomes } from "../workspace/homes.ts";
import { operatorHistory } from "../workspace/keeping.ts";
import { readSkills } from "../workspace/skills.ts";
import { readSubagents } from "../workspace/subagents.ts";
import { check } from "./check.ts";
import { type MemoryOn, operatorMemory } from "./memory.ts";
import { type OperatorOn, operator } from "./operator.ts";

export interface Rooms {
  homes: Pick<OpenHomes, "home" | "list" | "rules" | "history">;
  journal(home: string): Promise<Journal>;
  memory: MemoryOn["memory"];
  servers: Pick<Servers, "now">;
  silences(home: string): Silence[];
  /** What steps were sent, and what one would be sent now; see the port. */
  kept?: NonNullable<OperatorOn["kept"]>;
  offered?: NonNullable<OperatorOn["offered"]>;
  link(place: Place, message: string): string | undefined;
}

const READ = ["AGENTS.md", "KNOWLEDGE.md", "tools.json"];

export function openOperator({ homes, journal, memory, servers, silences, kept, offered, link }: Rooms): Operator {
  return operator({
    homes: homes.list,
    rules: homes.rules,
    problems: async (home) => {
      const one = homes.home(home);
      const [{ broken }, ...texts] = await Promise.all([one.policy(), ...READ.map((file) => one.read(file))]);
      const tools = check("/tools.json", texts.at(-1)?.text ?? "").problem;
      const [skills, helpers] = await Promise.all([
        readSkills([{ root: one.dir, folder: "skills", mount: "/home/skills", read: one.read }]),
        readSubagents(one),
      ]);
      return [
        ...[broken, ...texts.map(({ problem }) => problem)].flatMap((problem) => problem?.what ?? []),
        ...(tools ? [tools] : []),
        ...skills.warnings,
        ...helpers.warnings,
      ];
    },
    directory: (home) => homes.home(home).dir,
    journal,
    link,
    memory: operatorMemory({ directory: (home) => homes.home(home).dir, journal, memory, now: Date.now }),
    why: async (home) => silences(home),
    servers: (home) => servers.now(home).map((server) => ({ home, ...server })),
    ...(kept ? { kept } : {}),
    ...(offered ? { offered } : {}),
    now: Date.now,
    history: operatorHistory(homes, journal, link),
    changing: (home, { path, ...content }, by) => {
      const verb = content.before ? (content.after ? "Changed" : "Deleted") : "Added";
      const cause = { kind: "person", text: `${verb} ${path} in the console`, by: { id: by.id, name: by.name }, at: Date.now() } as const;
      return homes.history(home).changing(cause, [{ path, ...content }]);
    },
  });
}
