/**
 * What a program that says it is a server offers, asked once by a shell in a sandbox: a script for that, and what its output means. Pure.
 *
 * P1. Everything the program is given stands quoted in the script: nothing of it is read by the shell.
 * P2. Secrets are not filled in.
 */
import type { Probed, Program } from "../core/ports.ts";
import { isObject } from "./draft.ts";

const HELLO = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "denizen", version: "1" } },
};
const READY = { jsonrpc: "2.0", method: "notifications/initialized" };
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };
const SECONDS = 12;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function probeScript({ command, args, env }: Program): string {
  const set = Object.entries(env).map(([key, value]) => quoted(`${key}=${value}`));
  return [
    `coproc S { exec env ${[...set, quoted(command), ...args.map(quoted)].join(" ")}; }`,
    `say() { printf '%s\\n' "$1" >&"\${S[1]}"; }`,
    `hear() { while IFS= read -r -t ${SECONDS} -u "\${S[0]}" line; do case "$line" in *'"id":'"$1"[,}]*|*'"id": '"$1"[,}]*) printf '%s\\n' "$line"; return 0;; esac; done; return 1; }`,
    `say ${quoted(JSON.stringify(HELLO))}; hear 1 || exit 3`,
    `say ${quoted(JSON.stringify(READY))}; say ${quoted(JSON.stringify(LIST))}; hear 2 || exit 4`,
  ].join("\n");
}

export function probeRead(output: string): Probed {
  const answers = new Map<unknown, unknown>();
  for (const line of output.split("\n")) {
    const message = parsed(line);
    if (isObject(message) && isObject(message.result)) answers.set(message.id, message.result);
  }
  const [hello, list] = [answers.get(1), answers.get(2)];
  if (!isObject(hello)) return { ok: false, why: complaint(output) };
  return { ok: true, ...offeredBy({ instructions: hello.instructions, tools: isObject(list) ? list.tools : [] }) };
}

/** What a server said of itself and of its tools, as far as it said it in words. */
export function offeredBy({ instructions, tools }: { instructions: unknown; tools: unknown }): Omit<Extract<Probed, { ok: true }>, "ok"> {
  const words = (value: unknown): string => (typeof value === "string" ? value : "");
  const found = (Array.isArray(tools) ? tools : []).filter(isObject);
  return {
    instructions: words(instructions),
    tools: found.map(({ name, description }) => ({ name: words(name), description: words(description) })),
  };
}

function complaint(output: string): string {
  const last = output.trim().split("\n").slice(-3).join("\n").slice(-400);
  return last || "it did not answer within the time";
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
