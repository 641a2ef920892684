#!/usr/bin/env node
/** A tool server over stdio with as many tools as its arguments say, each described as servers describe theirs. */
import { createInterface } from "node:readline";

const [, , prefix = "thing", count = "30"] = process.argv;
const VERBS = ["list", "get", "create", "update", "delete", "search"];
const NOUNS = ["issue", "branch", "release", "comment", "label"];
const tools = Array.from({ length: Number(count) }, (_, n) => ({
  name: `${VERBS[n % VERBS.length]}_${NOUNS[Math.floor(n / VERBS.length) % NOUNS.length]}`,
  description: `${VERBS[n % VERBS.length]} one or several of the ${prefix} service, with all their fields. Needs the rights to do so.`,
  inputSchema: {
    type: "object",
    properties: {
      owner: { type: "string", description: "The owner, as it stands in the address" },
      query: { type: "string", description: "Words that have to occur, with operators as in the search box" },
      limit: { type: "integer", minimum: 1, maximum: 100, description: "How many, at most" },
      order: { type: "string", enum: ["newest", "oldest", "relevance"] },
    },
    required: ["owner"],
  },
}));
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: prefix, version: "1" },
    instructions: `Use it for all ${prefix} work.`,
  }),
  "tools/list": () => ({ tools }),
  ping: () => ({}),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: results[method]?.(params) ?? {} })}\n`);
});
