import { expect, it } from "vitest";
import type { Moment, ToolServers } from "../../src/core/ports.ts";
import { INITIAL } from "../../src/core/state.ts";
import { dynamicTools } from "../../src/hooks/dynamic-tools.ts";

const ann = { id: "slack:U1", name: "Ann", kind: "member" } as const;
const moment = (by: Moment["by"] = ann) => ({ home: "h", session: "slack:T:C:1/1.1.0", by, state: INITIAL }) as Moment;
const hook = (answer: Awaited<ReturnType<ToolServers["offer"]>>, text?: string) => {
  const asked: unknown[] = [];
  const released: string[] = [];
  const made = dynamicTools({
    servers: {
      offer: async (wanted) => {
        asked.push(wanted);
        return answer;
      },
      release: (home, root) => {
        released.push(`${home} ${root}`);
        return [];
      },
    },
    readTools: async () => (text === undefined ? undefined : { text }),
    directory: (home) => `/homes/${home}`,
    policy: async () => ({ trust: ["log"], secrets: ["TOKEN"], sampling: ["think"] }),
  });
  return { asked, released, made, offer: (by?: Moment["by"]) => made.preReasoning?.(moment(by)) };
};

it("asks with what the home's files say at this moment, in the name of the person of the turn", async () => {
  const { asked, offer } = hook({ tools: [], down: [] }, "{}");
  expect(await offer()).toEqual({ tools: [], untold: [], system: [], warnings: [] });
  await offer({ ...ann, kind: "bot" });
  const wanted = { home: "h", directory: "/homes/h", text: "{}", trust: ["log"], secrets: ["TOKEN"], sampling: ["think"] };
  expect(asked).toEqual([{ ...wanted, by: ann }, wanted]);
});

it("P11: tells people what is wrong, and the model what is missing", async () => {
  const { offer } = hook({ tools: [], problem: "tools.json is not valid.", down: [{ server: "ops", why: "it ended" }] });
  const said = await offer();
  const note = "The MCP server ops is not available: it ended. Its tools are missing until it is back.";
  expect(said?.system).toEqual([{ rank: "tools", text: note }]);
  expect(said?.warnings).toEqual(["tools.json is not valid.", note]);
});

it("does not alarm people about a server that is still starting", async () => {
  const { offer } = hook({ tools: [], down: [{ server: "ops", why: "it is still starting", starting: true }] });
  const said = await offer();
  expect(said?.warnings).toEqual([]);
  expect(said?.system?.[0]?.text).toContain("still starting");
});

it("P6: what only one person can mend is told to them alone", async () => {
  const { offer } = hook({ tools: [], down: [{ server: "mail", why: "Ann has not signed in", own: true }], asks: ["Sign in: https://x"] });
  const said = await offer();
  expect([said?.warnings, said?.asks]).toEqual([[], ["Sign in: https://x"]]);
  expect(said?.system?.[0]?.text).toContain("Ann has not signed in");
});

it("lets nothing wait at a server when a turn is over", async () => {
  const { made, released } = hook({ tools: [], down: [] });
  await made.postCall?.(moment());
  expect(released).toEqual(["h slack:T:C:1"]);
});
