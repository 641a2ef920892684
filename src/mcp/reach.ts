/**
 * How the product asks servers over HTTP: the one fetch that all of it goes through.
 *
 * R1. What no person wrote into tools.json, host and port, is asked only at public addresses. Names are resolved here, once, and what was
 *     judged is what is connected to; each redirect is a new request and judged anew.
 * R2. An answer larger than the bound ends there, so that nothing fills the memory; of a stream that counts for each event, and for all of
 *     it within some time.
 * R3. What is asked of others than the server itself (who signs people in) has little time.
 */
import { lookup as systemLookup } from "node:dns";
import { createRequire } from "node:module";
import { isIP, type LookupFunction } from "node:net";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Response as Answer } from "undici";
import { isPublic } from "./address.ts";
import { flow } from "./flow.ts";
import type { HttpEntry } from "./tools-file.ts";

export interface Reach {
  fetch: FetchLike;
  /** What it would not ask, in a sentence; the library tells of that in other words, or not at all. */
  refused(): string | undefined;
  close(): Promise<void>;
}
export interface ReachOptions {
  /** The server's own address, and others that a person wrote; each is trusted with its port. */
  written: readonly string[];
  /** Most time until an answer of the server begins. */
  patience: number;
  lookup?: typeof systemLookup;
  /** Which addresses may be asked that nobody wrote; those of the open internet, if absent. */
  isOpen?: ((address: string) => boolean) | undefined;
  /** Of each answer, its body not yet read. */
  onAnswer?: (url: URL, status: number, headers: Headers) => void;
}

/** The addresses that a person wrote into an entry, the server's own first. */
export const writtenIn = ({ url, oauth }: HttpEntry): string[] => [url, ...(oauth?.issuer ? [oauth.issuer] : [])];

/** Loaded with its first use: a start does not pay for it. */
const load = () => createRequire(import.meta.url)("undici") as typeof import("undici");

const OTHERS = 15_000;

export const refusal = (host: string, address: string): string =>
  `${host} leads to ${address}, an address inside this machine's network that nobody wrote into tools.json, so it was not asked`;

/** A host with its port, also where that goes without saying. */
const doorOf = ({ hostname, port, protocol }: URL): string => `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;

export function openReach({ written, patience, lookup = systemLookup, isOpen = isPublic, onAnswer }: ReachOptions): Reach {
  const urls = written.filter((url) => URL.canParse(url)).map((url) => new URL(url));
  const doors = new Set(urls.map(doorOf));
  const server = urls[0]?.href;
  const resolve: LookupFunction = (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, []);
      const closed = found.find(({ address }) => !isOpen(address));
      if (closed) return done(refuse(host, closed.address), []);
      const [first] = found;
      if (!first) return done(new Error(`${host} has no address`), []);
      return options.all ? done(null, found) : done(null, first.address, first.family);
    });
  };
  const { Agent, fetch: ask } = load();
  let refused: string | undefined;
  const refuse = (host: string, address: string): Error => {
    refused = refusal(host, address);
    return new Error(refused);
  };
  const timeouts = { headersTimeout: patience, bodyTimeout: 0 };
  const judged = new Agent({ connect: { lookup: resolve, timeout: OTHERS }, ...timeouts });
  const free = new Agent({ connect: { lookup, timeout: OTHERS }, ...timeouts });
  return {
    async fetch(given, init) {
      const url = new URL(given);
      const host = url.hostname.replace(/^\[|\]$/g, "");
      if (!/^https?:$/.test(url.protocol)) throw new Error(`${url.protocol} is no address that can be asked`);
      const known = doors.has(doorOf(url));
      // What is an address already is never looked up.
      if (!known && isIP(host) && !isOpen(host)) throw refuse(host, host);
      const late = url.href === server ? [] : [AbortSignal.timeout(OTHERS)];
      const signal = AbortSignal.any([...(init?.signal ? [init.signal] : []), ...late]);
      const options = { ...init, signal, redirect: "manual", dispatcher: known ? free : judged } as Parameters<typeof ask>[1];
      const answer = await ask(url, options).catch((error: Error) => {
        throw plain(error);
      });
      onAnswer?.(url, answer.status, answer.headers as unknown as Headers);
      return bounded(answer);
    },
    refused: () => refused,
    async close() {
      await Promise.all([judged.destroy(), free.destroy()]);
    },
  };
}

/** `fetch failed` says nothing; its cause does. An aborted request stays what it is. */
function plain(error: Error): Error {
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  if (!(first instanceof Error)) return error;
  return Object.assign(new Error(first.message || error.message), { reason: "code" in first ? first.code : undefined });
}

/** As one of the platform's own: the library looks whether it is. */
function bounded(answer: Answer): Response {
  const { status, statusText } = answer;
  const headers = [...answer.headers];
  if (!answer.body) return new Response(null, { status, statusText, headers });
  const stream = answer.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const count = stream ? sinceBlankLine() : (chunk: Uint8Array, before: number) => before + chunk.length;
  let size = 0;
  const all = flow();
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size = count(chunk, size);
      const why = all(chunk.length, size);
      if (why) controller.error(new Error(why));
      else controller.enqueue(chunk);
    },
  });
  const body = answer.body as unknown as ReadableStream<Uint8Array>;
  return new Response(body.pipeThrough(counted), { status, statusText, headers });
}

/** Bytes since the last event of a stream ended. */
function sinceBlankLine(): (chunk: Uint8Array, before: number) => number {
  let tail = "";
  return (chunk, before) => {
    const text = tail + Buffer.from(chunk).toString("latin1");
    const at = Math.max(text.lastIndexOf("\n\n"), text.lastIndexOf("\r\n\r\n"), text.lastIndexOf("\r\r"));
    tail = text.slice(-3);
    return at < 0 ? before + chunk.length : text.length - at;
  };
}
