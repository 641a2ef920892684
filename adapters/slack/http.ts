/** Signed delivery over HTTP: events, buttons and commands on one path, beside the pages of installing. Bolt checks signatures and their age. */
import { HTTPReceiver, type Logger } from "@slack/bolt";
import { busy, type Route } from "./routes.ts";
import type { Door } from "./socket.ts";

export function http(signingSecret: string, port: number, routes: Route[], logger: Logger): Door {
  let receiver: HTTPReceiver | undefined;
  return {
    async start(app) {
      const made = new HTTPReceiver({ signingSecret, port, endpoints: ["/slack/events"], customRoutes: routes, logger });
      made.init(app);
      await made.start(port).catch((error: unknown) => {
        throw busy(port, error);
      });
      receiver = made;
    },
    async stop() {
      const last = receiver;
      receiver = undefined;
      await last?.stop();
    },
    health: () => ({ ok: receiver !== undefined, detail: receiver ? `listening on port ${port}` : "not listening" }),
  };
}
