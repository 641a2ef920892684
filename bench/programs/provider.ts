/**
 * A model that speaks the Messages API and has no memory: the end of a request says how many calls are left (`left: 7`).
 * It answers with one more call, or with its last words. Prints its address.
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { TOOL, WORDS } from "../rig/lookup.ts";

const PIECE = 24;
const pieces = (text: string): string[] => text.match(new RegExp(`[^]{1,${PIECE}}`, "g")) ?? [];

async function tail(request: IncomingMessage): Promise<string> {
  let end = "";
  for await (const part of request) end = (end + (part as Buffer).toString("latin1")).slice(-2_000);
  return end;
}

function blocksOf(left: number): { start: object; deltas: object[] }[] {
  const text = { start: { type: "text", text: "" }, deltas: pieces(WORDS).map((piece) => ({ type: "text_delta", text: piece })) };
  if (left < 1) return [text];
  const input = pieces(JSON.stringify({ topic: "the state of the release", left: left - 1 }));
  const call = {
    start: { type: "tool_use", id: `toolu_${Date.now()}_${left}`, name: TOOL.name, input: {} },
    deltas: input.map((piece) => ({ type: "input_json_delta", partial_json: piece })),
  };
  return [text, call];
}

/** Little is charged, or the day's budget of the person who asks would end the measurement. */
function eventsOf(left: number): { type: string }[] {
  const usage = { input_tokens: 200, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "bench",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const blocks = blocksOf(left).flatMap(({ start, deltas }, index) => [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]);
  const delta = { stop_reason: left < 1 ? "end_turn" : "tool_use", stop_sequence: null };
  return [
    { type: "message_start", message } as { type: string },
    ...blocks,
    { type: "message_delta", delta, usage: { output_tokens: 20 } } as { type: string },
    { type: "message_stop" },
  ];
}

const server = createServer(async (request, response) => {
  const end = await tail(request);
  const left = Number([...end.matchAll(/left: (\d+)/g)].at(-1)?.[1] ?? 0);
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "request-id": "req_bench" });
  for (const event of eventsOf(left)) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`));
