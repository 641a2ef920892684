/** What ten servers with three hundred tools add: to the prompt, to a step, and to the first step, which waits for them to start. */
import { fileURLToPath } from "node:url";
import type { Moment, Offer } from "../../src/core/ports.ts";
import { INITIAL } from "../../src/core/state.ts";
import { dynamicTools } from "../../src/hooks/dynamic-tools.ts";
import { openServers } from "../../src/mcp/servers.ts";
import { withFolder } from "../rig/folder.ts";
import { ANN } from "../rig/history.ts";
import { limitRow, median, type Row } from "../row.ts";

const SERVERS = 10;
const EACH = 30;
const STEPS = 200;
/** As the other rows count. */
const PER_TOKEN = 3.5;
const PROGRAM = fileURLToPath(new URL("../programs/tools-server.mjs", import.meta.url));

export const servers = (): Promise<Row[]> =>
  withFolder(async (dir) => {
    const room = openServers({ log: () => undefined, stdio: true, secret: () => undefined });
    const entry = (n: number) => ({ command: process.execPath, args: [PROGRAM, `service${n}`, String(EACH)] });
    const text = JSON.stringify({ mcpServers: Object.fromEntries(Array.from({ length: SERVERS }, (_, n) => [`service${n}`, entry(n)])) });
    const hook = dynamicTools({
      servers: room,
      readTools: async () => ({ text }),
      directory: () => dir,
      policy: async () => ({ trust: [], secrets: [], sampling: [] }),
    });
    const moment = { home: "bench", session: "slack:T:C:1", by: ANN, state: INITIAL } as Moment;
    const step = async (): Promise<Offer> => (await hook.preReasoning?.(moment)) ?? {};
    try {
      const began = performance.now();
      await step();
      const first = performance.now() - began;
      while ((await step()).untold?.length !== SERVERS * EACH) await new Promise((resolve) => setTimeout(resolve, 50));
      const times: number[] = [];
      for (let count = 0; count < STEPS; count++) {
        const from = performance.now();
        await step();
        times.push(performance.now() - from);
      }
      return [
        limitRow(
          "10 servers, 300 tools: added to the prompt",
          tokensOf(await step()),
          2_000,
          "tokens",
          "list of names, and the tool that finds them",
        ),
        limitRow("10 servers, 300 tools: added to a step", median(times), 5, "ms"),
        limitRow(
          "10 servers that start: added to the first step",
          first,
          2_100,
          "ms",
          "connecting goes on beside the work; what is not there in 2 s comes with a later step",
        ),
      ];
    } finally {
      await room.close();
    }
  });

function tokensOf({ system = [], tools = [] }: Offer): number {
  const specs = tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema }));
  return (system.map(({ text }) => text).join("\n").length + (specs.length ? JSON.stringify(specs).length : 0)) / PER_TOKEN;
}
