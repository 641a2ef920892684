/** Signed delivery over HTTP: events, buttons and commands on one path. Bolt checks signatures and their age. */
import { HTTPReceiver, type Logger } from "@slack/bolt";
import { UserError } from "../../src/core/ports.ts";
import type { Door } from "./socket.ts";

export function http(signingSecret: string, port: number, logger: Logger): Door {
  const receiver = new HTTPReceiver({ signingSecret, port, endpoints: ["/slack/events"], logger });
  let listening = false;
  return {
    async start(app) {
      receiver.init(app);
      await receiver.start(port).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        throw new UserError(`Slack cannot be served on port ${port} (${why}). Free the port or set SLACK_PORT to another.`);
      });
      listening = true;
    },
    async stop() {
      if (!listening) return;
      listening = false;
      await receiver.stop();
    },
    health: () => ({ ok: listening, detail: listening ? `listening on port ${port}` : "not listening" }),
  };
}
