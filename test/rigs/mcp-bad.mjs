#!/usr/bin/env node
/**
 * An MCP server over stdio that goes wrong in one WAY when it is asked AT a method for the first time, and behaves else. Its tools: `act`
 * says how often it ran, `heard` what was answered to requests of its own. EFFECTS: a file that is told of each run.
 */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { WAY = "", AT = "", EFFECTS } = process.env;
const MB = 1024 * 1024;
const write = (text) => process.stdout.write(text);
const send = (message) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (words) => ({ content: [{ type: "text", text: words }] });
/** As fast as it is taken. */
const again = (stream, chunk) => stream.write(chunk, () => setImmediate(again, stream, chunk));
const heard = [];
let ran = 0;
let done = false;

/** Each is given the request and its right answer. False: that answer is sent as well. */
const ways = {
  crash: () => process.exit(3),
  hang: () => true,
  junk: () => {
    for (let n = 0; n < 100; n++) write(`${n} ${"x".repeat(MB / 10)}\n`);
    return false;
  },
  "junk without end": () => again(process.stdout, `${"x".repeat(64 * 1024)}\n`),
  "short junk without end": () => again(process.stdout, "x\n".repeat(1000)),
  "one line without end": () => again(process.stdout, "x".repeat(MB)),
  "10 MB in one line": (id) => send({ id, error: { code: 1, message: "x".repeat(10 * MB) } }),
  complaints: () => {
    process.stderr.write(`${"e".repeat(10 * MB)}\n`);
    return false;
  },
  "complaints without end": () => {
    again(process.stderr, "e".repeat(64 * 1024));
    return false;
  },
  "half a message": (id) => write(`{"jsonrpc":"2.0","id":${id},\n`),
  "no message": (id) => write(`{"id":${id},"result":{}}\n`),
  "nothing as a result": (id) => send({ id, result: null }),
  "words as a result": (id) => send({ id, result: "fine" }),
  "an odd error": (id) => send({ id, error: "no" }),
  "another number": (id, result) => send({ id: id + 1000, result }),
  "a number in words": (id, result) => send({ id: String(id), result }),
  "no number": (_id, result) => send({ id: null, result }),
  "an answer nested without end": (id) => write(`{"jsonrpc":"2.0","id":${id},"result":{"a":${"[".repeat(1e5)}${"]".repeat(1e5)}}}\n`),
  "nested without end and asked by nobody": () =>
    write(`{"jsonrpc":"2.0","id":4711,"result":{"a":${"[".repeat(1e5)}${"]".repeat(1e5)}}}\n`),
  twice: (id, result) => {
    send({ id, result });
    send({ id, result: text("another") });
  },
  "answers without end": (id, result) => {
    send({ id, result });
    again(process.stdout, `${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n`);
    return true;
  },
  "requests without end": () => again(process.stdout, `${JSON.stringify({ jsonrpc: "2.0", id: "r", method: "ping" })}\n`),
  "things nobody knows": () => {
    send({ method: "notifications/who/knows", params: { a: [1] } });
    send({ method: "notifications/progress", params: { progressToken: 4711, progress: 1 } });
    send({ method: "notifications/cancelled", params: { requestId: 4711 } });
    for (const method of ["roots/list", "tasks/list", "tasks/get", "sampling/createMessage", "who/knows"])
      send({ id: method, method, params: {} });
    return false;
  },
  "leaves a child": () => {
    spawn("sleep", ["30"], { detached: true, stdio: ["ignore", "inherit", "inherit"] }).unref();
    process.exit(4);
  },
};

const tools = [{ name: "act" }, { name: "heard", annotations: { readOnlyHint: true } }].map((tool) => ({
  ...tool,
  inputSchema: { type: "object" },
}));
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "bad", version: "1" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name }) => {
    if (name === "heard") return text(JSON.stringify(heard));
    ran++;
    if (EFFECTS) appendFileSync(EFFECTS, `${JSON.stringify({ act: ran })}\n`);
    return text(`acted ${ran}`);
  },
};

createInterface({ input: process.stdin })
  .on("close", () => process.exit(0))
  .on("line", (line) => {
    const { id, method, params, error } = JSON.parse(line);
    if (method === undefined) return heard.push({ id, code: error?.code });
    if (id === undefined) return;
    const result = results[method]?.(params ?? {}) ?? {};
    if (method === AT && !done && (method !== "tools/call" || params.name === "act")) {
      done = true;
      if (ways[WAY](id, result) !== false) return;
    }
    send({ id, result });
  });
