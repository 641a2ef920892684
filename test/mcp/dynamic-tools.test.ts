import { expect, it } from "vitest";
import type { Moment, ToolServers } from "../../src/core/ports.ts";
import { dynamicTools } from "../../src/hooks/dynamic-tools.ts";

const moment = { home: "h" } as Moment;
const hook = (answer: Awaited<ReturnType<ToolServers["offer"]>>, text?: string) => {
  const asked: unknown[] = [];
  const made = dynamicTools({
    servers: {
      offer: async (wanted) => {
        asked.push(wanted);
        return answer;
      },
    },
    readTools: async () => (text === undefined ? undefined : { text }),
    directory: (home) => `/homes/${home}`,
    trust: async () => ["log"],
    secrets: async () => ["TOKEN"],
  });
  return { asked, offer: () => made.preReasoning?.(moment) };
};

it("asks with what the home's files say at this moment", async () => {
  const { asked, offer } = hook({ tools: [], down: [] }, "{}");
  expect(await offer()).toEqual({ tools: [], system: [], warnings: [] });
  expect(asked).toEqual([{ home: "h", directory: "/homes/h", text: "{}", trust: ["log"], secrets: ["TOKEN"] }]);
});

it("P11: tells people what is wrong, and the model what is missing", async () => {
  const { offer } = hook({ tools: [], problem: "tools.json is not valid.", down: [{ server: "ops", why: "it ended" }] });
  const said = await offer();
  const note = "The MCP server ops is not available: it ended. Its tools are missing until it is back.";
  expect(said?.system).toEqual([{ rank: "tools", text: note }]);
  expect(said?.warnings).toEqual(["tools.json is not valid.", note]);
});
