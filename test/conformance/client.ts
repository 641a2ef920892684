/**
 * The MCP room as the client that the protocol's own conformance suite looks at: it offers the tools of one server, signs in where that is
 * wanted by following the link as a person would, calls each tool once, sends the forms it is asked to fill in as they stand, and closes.
 *
 * The suite gives the server's address as the last argument, and what was agreed beforehand in MCP_CONFORMANCE_CONTEXT.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Decided } from "../../src/core/calls.ts";
import type { JsonObject } from "../../src/core/event.ts";
import type { CallId } from "../../src/core/id.ts";
import { inquiryForm, inquiryValues } from "../../src/core/inquiry.ts";
import type { Tool, WantedServers } from "../../src/core/ports.ts";
import { signInDoor } from "../../src/mcp/door.ts";
import { openServers } from "../../src/mcp/servers.ts";
import { runTool } from "../help/run-tool.ts";

/** Nothing listens there: what is sent there is handed to the door. */
const PUBLIC = "https://conformance-test.local";
/** How often a person would follow a link before they ask somebody. */
const PATIENCE = 3;

interface Agreed {
  client_id?: string;
  client_secret?: string;
  private_key_pem?: string;
  signing_algorithm?: string;
}

function entryFor(url: string): JsonObject {
  const agreed = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}") as Agreed;
  const machine = process.env.MCP_CONFORMANCE_SCENARIO?.includes("client-credentials");
  if (!agreed.client_id) return { url };
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey, signing_algorithm: algorithm } = agreed;
  const oauth = { clientId, ...(clientSecret && { clientSecret }), ...(privateKey && { privateKey }), ...(algorithm && { algorithm }) };
  return { url, oauth: { ...oauth, ...(machine && { grant: "client_credentials" }) } };
}

/** Something that fits a tool's schema. */
function inputFor({ schema }: Tool): JsonObject {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, { type?: string }>);
  return Object.fromEntries(properties.map(([name, { type }]) => [name, type === "number" || type === "integer" ? 2 : "word"]));
}

/** Calls a tool, and answers what it asks as somebody who sends the form as it stands. */
async function failed(tool: Tool): Promise<boolean> {
  const context = { home: "suite", session: "suite:1", call: `c_1_1_${tool.name}` as CallId, now: Date.now() };
  let outcome = await runTool(tool, inputFor(tool), context);
  while (outcome.asks) {
    const filled = inquiryValues(outcome.asks, Object.fromEntries(inquiryForm(outcome.asks).fields.map(({ id, value }) => [id, value])));
    const [at, by] = [Date.now(), []];
    const answer: Decided = filled.ok
      ? { how: "answered", by, at, reason: "", values: filled.values }
      : { how: "denied", by, at, reason: filled.error };
    outcome = await runTool(tool, inputFor(tool), { ...context, answer });
  }
  return outcome.failed;
}

/** Goes where a link leads until it comes back to us. */
async function follow(link: string): Promise<URL> {
  let at = new URL(link);
  for (let hop = 0; hop < 10 && at.origin !== PUBLIC; hop++) {
    const answer = await fetch(at, { redirect: "manual" });
    at = new URL(answer.headers.get("location") ?? "", at);
  }
  return at;
}

const folder = await mkdtemp(join(tmpdir(), "denizen-conformance-"));
const text = JSON.stringify({ mcpServers: { suite: entryFor(process.argv.at(-1) ?? "") } });
const wanted: WantedServers = {
  home: "suite",
  directory: folder,
  text,
  trust: [],
  secrets: [],
  sampling: [],
  by: { id: "suite:1", name: "Suite" },
};
const servers = openServers({
  log: (line) => process.stderr.write(`${line}\n`),
  stdio: false,
  secret: () => undefined,
  patience: 10_000,
  // The suite's servers are all on this machine, on whatever ports are free.
  isOpen: () => true,
  signIn: {
    folder,
    key: randomBytes(32),
    publicUrl: PUBLIC,
    wanted: async () => wanted,
    warn: (line) => process.stderr.write(`${line}\n`),
  },
});
const door = signInDoor(servers, PUBLIC);

async function signIn(): Promise<boolean> {
  const connected = await servers.connect(wanted, "suite");
  if (!connected.ok) throw new Error(connected.why);
  if (!connected.link) return false;
  const page = await door(new Request(await follow(connected.link)));
  return page?.status === 200;
}

try {
  for (let round = 0; round < PATIENCE; round++) {
    const { tools, down } = await servers.offer(wanted);
    const bad = [];
    for (const tool of tools) if (await failed(tool)) bad.push(tool.label);
    if (!down.length && !bad.length) break;
    process.stderr.write(`${JSON.stringify({ down, bad })}\n`);
    if (!(await signIn())) break;
  }
} finally {
  await servers.close();
  await rm(folder, { recursive: true, force: true });
}
