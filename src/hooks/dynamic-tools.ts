/**
 * Before each step: the tools of the home's MCP servers, as tools.json and policy.json say at this moment.
 *
 * D1. tools.json is read anew at every step, so a change takes effect at the next one, without a restart.
 * D2. A server that is not there is told to the people once and to the model in a line, and takes nothing else down.
 */
import type { Hook, Offer, ToolServers } from "../core/ports.ts";

export interface DynamicTools {
  servers: ToolServers;
  /** tools.json of a home; undefined if it has none. */
  readTools(home: string): Promise<{ text: string } | undefined>;
  directory(home: string): string;
  /** From the policy: servers whose read-only hints count. */
  trust(home: string): Promise<readonly string[]>;
  /** From the policy: names of secrets that tools.json may use. */
  secrets(home: string): Promise<readonly string[]>;
}

export function dynamicTools({ servers, readTools, directory, trust, secrets }: DynamicTools): Hook {
  return {
    name: "dynamic-tools",
    async preReasoning({ home }): Promise<Offer> {
      const [file, trusted, listed] = await Promise.all([readTools(home), trust(home), secrets(home)]);
      const wanted = { home, directory: directory(home), text: file?.text ?? "", trust: trusted, secrets: listed };
      const { tools, problem, down } = await servers.offer(wanted);
      const notes = down.map(
        ({ server, why }) => `The MCP server ${server} is not available: ${why}. Its tools are missing until it is back.`,
      );
      return {
        tools,
        system: notes.map((text) => ({ rank: "tools" as const, text })),
        warnings: problem ? [problem, ...notes] : notes,
      };
    },
  };
}
