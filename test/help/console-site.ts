/** The console's routes without a console around them: requests in memory, and what they let through. */
import { app, type House } from "../../adapters/console/app.tsx";
import type { Desk } from "../../adapters/console/desk.ts";
import { streams } from "../../adapters/console/streams.ts";

export const OWN = "http://127.0.0.1:4321";
export const THREAD = "m12345678";
export type Headers = Record<string, string>;
/** What a page of the console sends. */
export const GOOD: Headers = { host: "127.0.0.1:4321", origin: OWN, "content-type": "application/json", "x-console": "1" };
export const BODY = { as: "ann", thread: "", id: THREAD, text: "hi" };

const nothing = () => undefined;
export const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** `done`: what reached the desk. */
export function consoleSite(options: Partial<House> = {}) {
  const done: string[] = [];
  const tell = async (what: string) => {
    done.push(what);
    return {};
  };
  const desk: Desk = {
    write: ({ key }, _thread, { id }) => tell(`${key} ${id}`),
    press: ({ act, code }) => tell(`${act} ${code}`),
    operate: ({ home, act, code }) => tell(`${home} ${act} ${code}`),
    handIn: async () => undefined,
  };
  const site = app({
    names: { host: "127.0.0.1" },
    token: undefined,
    log: silent,
    streams: streams(2),
    health: () => ({ console: { ok: true, detail: "" } }),
    desk: () => desk,
    knows: (thread) => thread === THREAD,
    store: () => undefined,
    show: async (look, signedIn) => ({
      look,
      regions: { list: [], head: [], log: [] },
      notice: undefined,
      older: false,
      longer: false,
      signedIn,
      operated: false,
      homes: [],
    }),
    homes: async () => [],
    notice: () => undefined,
    operator: undefined,
    metrics: undefined,
    ...options,
  });
  return {
    done,
    get: (path: string, headers: Headers = {}, method = "GET") =>
      site.request(OWN + path, { method, headers: { host: "127.0.0.1:4321", accept: "text/html", ...headers } }),
    post: (path: string, headers: Headers = GOOD, body: string = JSON.stringify(BODY)) =>
      site.request(OWN + path, { method: "POST", headers, body }),
  };
}
