/** Signed delivery over HTTP: events, buttons and commands on one path. Bolt checks signatures and their age. */
import { HTTPReceiver, type Logger } from "@slack/bolt";
import { UserError } from "../../src/core/ports.ts";
import type { Door } from "./socket.ts";

export function http(signingSecret: string, port: number, logger: Logger): Door {
  let receiver: HTTPReceiver | undefined;
  return {
    async start(app) {
      const made = new HTTPReceiver({ signingSecret, port, endpoints: ["/slack/events"], logger });
      made.init(app);
      await made.start(port).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        throw new UserError(`Slack cannot be served on port ${port} (${why}). Free the port or set SLACK_PORT to another.`);
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
