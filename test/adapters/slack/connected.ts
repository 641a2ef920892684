/** A rig, the adapter connected to it, and an inbox that writes down what it gets and answers what the test says. */

import { slack } from "../../../adapters/slack/slack.ts";
import type { Adapter } from "../../../src/core/ports.ts";
import { FakeInbox } from "../../help/fake-inbox.ts";
import { SlackRig, type SlackRigOptions } from "../../rigs/slack.ts";

export { FakeInbox, slot } from "../../help/fake-inbox.ts";

export interface Connected {
  rig: SlackRig;
  inbox: FakeInbox;
  adapter: Adapter;
  /** Sentences of the log. */
  log: string[];
  close(): Promise<void>;
}

export const SECRET = "sk-very-secret";

export async function connected(options: SlackRigOptions & { http?: number; secret?: string } = {}): Promise<Connected> {
  const rig = await new SlackRig(options).start();
  const log: string[] = [];
  const write = (_facts: object, sentence: string) => void log.push(sentence);
  const adapter = slack({
    botToken: rig.botToken,
    ...(options.http === undefined ? { appToken: rig.appToken } : { signingSecret: rig.signingSecret, port: options.http }),
    apiUrl: rig.apiUrl,
    log: { debug: write, info: write, warn: write, error: write },
    scrub: (text) => text.replaceAll(options.secret ?? SECRET, "[masked]"),
  });
  const inbox = new FakeInbox();
  await adapter.start(inbox);
  if (options.http !== undefined) rig.target = `http://127.0.0.1:${options.http}/slack/events`;
  return {
    rig,
    inbox,
    adapter,
    log,
    async close() {
      await adapter.stop();
      await rig.stop();
    },
  };
}
