import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { console as makeConsole } from "../../../adapters/console/console.ts";
import type { Place } from "../../../src/core/event.ts";
import { adapterContract, MASKED } from "../../contract/adapter.ts";
import { FakeInbox } from "../../help/fake-inbox.ts";

const ARTICLE = /<article class="entry denizen ([^"]*)"[^>]*>([\s\S]*?)<\/article>/g;
const BUTTON = /<button[^>]*data-act="([^"]*)"[^>]*data-code="([^"]*)"[^>]*>([^<]*)<\/button>/g;
const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };
const words = (html: string): string =>
  html.replace(/<[^>]*>/g, " ").replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);

adapterContract("console", async () => {
  const nothing = () => undefined;
  const folder = await mkdtemp(join(tmpdir(), "console-"));
  const inbox = new FakeInbox();
  const adapter = makeConsole({
    host: "127.0.0.1",
    port: 0,
    folder,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    health: () => ({}),
    sessions: async () => [],
    notice: nothing,
    scrub: (text) => text.replaceAll(MASKED, "[masked]"),
  });
  await adapter.start(inbox);
  let last = "";
  let count = 0;
  /** What came back to the page that acted. */
  const outcomes: string[] = [];
  const send = async (path: string, body: object): Promise<void> => {
    const headers = { "content-type": "application/json", "x-console": "1", origin: adapter.url() };
    const answer = await fetch(adapter.url() + path, { method: "POST", headers, body: JSON.stringify({ as: "ann", ...body }) });
    outcomes.push(await answer.text());
  };
  const entries = async (thread: string): Promise<{ manner: string; html: string }[]> => {
    const page = await (await fetch(`${adapter.url()}/threads/${thread}`)).text();
    return [...page.matchAll(ARTICLE)].map(([, manner = "", html = ""]) => ({ manner, html }));
  };
  const own = async ({ thread }: Place) => (await entries(thread ?? "")).filter(({ manner }) => !/whisper|now/.test(manner));
  const pressable = async (place: Place) =>
    (await own(place)).flatMap(({ html }) => [...html.matchAll(BUTTON)].map(([, act, code, word = ""]) => ({ act, code, word })));
  return {
    adapter,
    inbox,
    person: "console:ann",
    stranger: "console:nobody",
    shout: "@everyone @here",
    async begin(text) {
      last = `m${10_000_000 + count++}`;
      await send("/messages", { thread: "", id: last, text });
      const message = inbox.heard.messages.find(({ id }) => id === last);
      if (!message) throw new Error(`The console handed nothing in: ${outcomes.at(-1)}`);
      return { ...message.place, thread: message.place.thread ?? message.id };
    },
    shown: async (place) => (await own(place)).map(({ html }) => words(html)),
    buttons: async (place) => (await pressable(place)).map(({ word }) => word),
    async press(place, word) {
      const found = (await pressable(place)).find((one) => one.word === word);
      if (!found) throw new Error(`There is no button “${word}”.`);
      await send("/clicks", { thread: place.thread, act: found.act, code: found.code });
    },
    whispered: async () => [
      ...outcomes,
      ...(await entries(last)).filter(({ manner }) => manner.includes("whisper")).map(({ html }) => words(html)),
    ],
    // Nothing leaves the page: there is nobody to be called.
    calls: () => [],
    async close() {
      await adapter.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
});
