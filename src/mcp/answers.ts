/**
 * Answers that break off. The library waits for ever for an answer whose stream ended in the middle; here that is found out.
 *
 * Z1. A stream that ended without the answer it was opened for, and that cannot be taken up again, is told once, after what came in it was read.
 */
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

type Id = number | string;
/** What came last has been read by then. */
const READ = 200;

export function answers(
  fetch: FetchLike,
  broken: (id: Id, why: string) => void,
): { fetch: FetchLike; onMessage(message: JSONRPCMessage): void } {
  const open = new Set<Id>();
  const over = (id: Id, why: string): void =>
    void setTimeout(() => {
      if (open.delete(id)) broken(id, why);
    }, READ).unref();
  return {
    onMessage: (message) => {
      if (!("method" in message) && message.id !== undefined) open.delete(message.id);
    },
    async fetch(url, init) {
      const id = requestIn(init?.body);
      const answer = await fetch(url, init);
      if (id === undefined || !answer.ok || !answer.body || !answer.headers.get("content-type")?.startsWith("text/event-stream"))
        return answer;
      open.add(id);
      const { status, headers } = answer;
      return new Response(ReadableStream.from(followed(answer.body, (why) => over(id, why))), { status, headers });
    },
  };
}

/** An event with a number can be asked for again: the library does that by itself. */
async function* followed(body: ReadableStream<Uint8Array>, over: (why: string) => void): AsyncGenerator<Uint8Array> {
  let again = false;
  let why = "its answer broke off";
  const text = new TextDecoder();
  try {
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      again ||= /(^|[\r\n])id:/.test(text.decode(chunk.subarray(0, FIRST)));
      yield chunk;
    }
  } catch (error) {
    why = (error as Error).message;
    throw error;
  } finally {
    if (!again) over(why);
  }
}
/** Numbers stand at the beginning of events; of a large one the beginning is enough. */
const FIRST = 4096;

function requestIn(body: unknown): Id | undefined {
  if (typeof body !== "string") return undefined;
  try {
    const { id, method } = JSON.parse(body) as { id?: Id; method?: string };
    return method === undefined ? undefined : id;
  } catch {
    return undefined;
  }
}
