#!/usr/bin/env node
/**
 * A small MCP server over stdio without dependencies, which can misbehave. MODE says how it starts: `silent` answers nothing, `exit` ends
 * at once with a complaint, `slow` begins to answer after SLOW ms, `noisy` prints junk between messages, `odd` lists odd tools too.
 * What it does is written to the file named by EFFECTS, one JSON line each. LINGER: milliseconds between a deed and its answer.
 */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const { MODE = "", SLOW = "300", LINGER = "0", EFFECTS } = process.env;
const schema = (properties = {}, required = []) => ({ type: "object", properties, required });
const effect = (fact) => EFFECTS && appendFileSync(EFFECTS, `${JSON.stringify(fact)}\n`);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (words) => ({ content: [{ type: "text", text: words }] });
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const reads = { readOnlyHint: true };
const tools = {
  echo: {
    annotations: reads,
    inputSchema: schema({ text: { type: "string" } }, ["text"]),
    run: ({ text: words }) => text(`echo: ${words}`),
  },
  add: {
    annotations: reads,
    inputSchema: schema({ a: { type: "number" }, b: { type: "integer" } }, ["a", "b"]),
    run: ({ a, b }) => text(`${typeof a} ${typeof b} ${a + b}`),
  },
  deploy: {
    inputSchema: schema({ target: { type: "string" } }, ["target"]),
    run: async ({ target }) => {
      effect({ deploy: target });
      await sleep(Number(LINGER));
      return text(`deployed to ${target}`);
    },
  },
  picture: {
    run: () => ({
      content: [
        { type: "text", text: "here" },
        { type: "image", data: PIXEL, mimeType: "image/png" },
      ],
    }),
  },
  fails: { run: () => ({ ...text("the disk is full"), isError: true }) },
  refuses: { run: () => Promise.reject(new Error("no such thing")) },
  dies: { run: () => process.exit(3) },
  hangs: { run: () => new Promise(() => undefined) },
  flood: { inputSchema: schema({ kilobytes: { type: "number" } }), run: ({ kilobytes }) => text("x".repeat(kilobytes * 1024)) },
  about: { run: () => text(JSON.stringify({ env: process.env, cwd: process.cwd(), pid: process.pid })) },
  child: {
    run: () => {
      const child = spawn("sleep", ["300"], { stdio: "ignore" });
      return text(String(child.pid));
    },
  },
  grow: {
    run: () => {
      tools.grown = { description: "Was not there before", run: () => text("grown") };
      send({ method: "notifications/tools/list_changed" });
      return text("growing");
    },
  },
};
if (MODE === "odd")
  Object.assign(tools, {
    "odd.name/with everything": { run: () => text("odd") },
    choice: {
      inputSchema: { type: "object", anyOf: [schema({ a: { type: "string" } }, ["a"]), schema({ b: { type: "string" } }, ["b"])] },
      run: text,
    },
  });

async function answer({ id, method, params }) {
  if (method === "notifications/cancelled") effect({ cancelled: true });
  if (id === undefined) return;
  switch (method) {
    case "initialize": {
      const { protocolVersion } = params;
      return send({
        id,
        result: { protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: "rig", version: "1" } },
      });
    }
    case "ping":
      return send({ id, result: {} });
    case "tools/list": {
      // Two pages, to see that all of them are read.
      const all = Object.entries(tools).map(([name, { run: _run, ...tool }]) => ({ name, inputSchema: schema(), ...tool }));
      const half = Math.ceil(all.length / 2);
      if (params?.cursor) return send({ id, result: { tools: all.slice(half) } });
      return send({ id, result: { tools: all.slice(0, half), nextCursor: "second" } });
    }
    case "tools/call":
      try {
        return send({ id, result: await tools[params.name].run(params.arguments ?? {}) });
      } catch (error) {
        return send({ id, error: { code: -32602, message: error.message } });
      }
    default:
      return send({ id, error: { code: -32601, message: `unknown method ${method}` } });
  }
}

effect({ started: process.pid });
if (MODE === "exit") {
  process.stderr.write("the token is missing\n");
  process.exit(2);
}
if (MODE === "noisy") setInterval(() => process.stdout.write('starting up … {"a":\n'), 5);
const lines = createInterface({ input: process.stdin });
lines.on("close", () => process.exit(0));
lines.on("line", (line) => {
  if (MODE === "silent") return;
  const act = () => answer(JSON.parse(line));
  if (MODE === "slow") setTimeout(act, Number(SLOW));
  else act();
});
