/** Which room the operator's port gets each thing from. */
import type { Journal, Operator, OperatorMemory, Remembered, Silence } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import type { Servers } from "../mcp/servers.ts";
import type { Memory } from "../memory/memory.ts";
import type { OpenHomes } from "../workspace/homes.ts";
import { operatorHistory } from "../workspace/keeping.ts";
import { operator } from "./operator.ts";

export interface Rooms {
  homes: Pick<OpenHomes, "home" | "list" | "rules" | "history">;
  journal(home: string): Promise<Journal>;
  memory(home: string): Pick<Memory, "list">;
  servers: Pick<Servers, "now">;
  silences(home: string): Silence[];
  link(platform: string, channel: string, message: string): string | undefined;
}

const READ = ["AGENTS.md", "KNOWLEDGE.md", "tools.json"];
/** Sessions looked through for scopes in which nothing was remembered yet. */
const SCOPES = 500;

export function openOperator({ homes, journal, memory, servers, silences, link }: Rooms): Operator {
  return operator({
    homes: homes.list,
    rules: homes.rules,
    problems: async (home) => {
      const one = homes.home(home);
      const [{ broken }, ...texts] = await Promise.all([one.policy(), ...READ.map((file) => one.read(file))]);
      return [broken, ...texts.map(({ problem }) => problem)].flatMap((problem) => problem?.what ?? []);
    },
    directory: (home) => homes.home(home).dir,
    journal,
    link,
    memory: memoryOf(journal, memory),
    why: async (home) => silences(home),
    servers: (home) => servers.now(home).map((server) => ({ home, ...server })),
    now: Date.now,
    history: operatorHistory(homes),
    changing: (home, { path, ...content }, by) => {
      const verb = content.before ? (content.after ? "Changed" : "Deleted") : "Added";
      const cause = { kind: "person", text: `${verb} ${path} in the console`, by: { id: by.id, name: by.name }, at: Date.now() } as const;
      return homes.history(home).changing(cause, [{ path, ...content }]);
    },
  });
}

function memoryOf(journal: Rooms["journal"], memory: Rooms["memory"]): OperatorMemory {
  return {
    async scopes(home) {
      const open = await journal(home);
      const [kept, rows] = await Promise.all([open.memory.scopes(), open.sessions({ limit: SCOPES })]);
      return [...new Set<Scope>(["team", ...kept, ...rows.map(({ scope }) => scope)])];
    },
    read: async (home, scope) =>
      (await memory(home).list([scope])).map(({ text, fact }): Remembered => {
        if (!fact) return { text };
        const { by, at, in: where, session } = fact;
        return { text: fact.text, origin: { by, at, in: where, session } };
      }),
  };
}
