/**
 * Before each step: the tools of the home's MCP servers, as tools.json and policy.json say at this moment.
 *
 * D1. tools.json is read anew at every step, so a change takes effect at the next one, without a restart.
 * D2. A server that is not there is told to the people once and to the model in a line, and takes nothing else down. What is only one
 *     person's to mend is told to them alone; that one is still starting is told to nobody but the model.
 * D3. Many tools are told by name, and in full once they were looked up; a helper finds only what it may use.
 * D4. When a turn is over, nothing of it waits at a server any more.
 */
import { rootOf } from "../core/id.ts";
import type { Hook, Moment, Offer, Tool, ToolServers } from "../core/ports.ts";
import { findTools } from "../tools/find-tools.ts";
import { toldOf } from "./tool-room.ts";

export interface DynamicTools {
  servers: ToolServers;
  /** tools.json of a home; undefined if it has none. */
  readTools(home: string): Promise<{ text: string } | undefined>;
  directory(home: string): string;
  /** From the policy: servers whose read-only hints count, names of secrets that tools.json may use, servers that may ask the model. */
  policy(home: string): Promise<{ trust: readonly string[]; secrets: readonly string[]; sampling: readonly string[] }>;
  /** What a helper may use; undefined: everything. */
  narrow?(moment: Moment): Promise<((tool: Tool) => boolean) | undefined>;
}

export function dynamicTools({ servers, readTools, directory, policy, narrow }: DynamicTools): Hook {
  return {
    name: "dynamic-tools",
    async preReasoning(moment): Promise<Offer> {
      const { home, by, state } = moment;
      const [file, { trust, secrets, sampling }, may] = await Promise.all([readTools(home), policy(home), narrow?.(moment)]);
      const wanted = { home, directory: directory(home), text: file?.text ?? "", trust, secrets, sampling };
      const person = by.kind === "bot" || by.kind === "system" ? {} : { by };
      const offered = await servers.offer({ ...wanted, ...person });
      const { problem, down, asks = [], reading = [], servers: about = [] } = offered;
      const usable = may ? offered.tools.filter(may) : offered.tools;
      const { tools, untold, text } = toldOf(usable, about, state.loaded);
      const noteOf = ({ server, why }: (typeof down)[number]) =>
        `The MCP server ${server} is not available: ${why}. Its tools are missing until it is back.`;
      const notes = down.filter(({ own, starting }) => !own && !starting).map(noteOf);
      return {
        tools: [...tools, ...reading, ...(untold.length ? [findTools({ tools: usable, servers: about })] : [])],
        untold,
        system: [text, ...down.map(noteOf)].filter(Boolean).map((words) => ({ rank: "tools" as const, text: words })),
        warnings: problem ? [problem, ...notes] : notes,
        ...(asks.length && { asks }),
      };
    },
    async postCall({ home, session }) {
      const spent = servers.release?.(home, rootOf(session)) ?? [];
      return spent.length ? { spent } : undefined;
    },
  };
}
