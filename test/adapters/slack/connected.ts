/** A rig, the adapter connected to it, and an inbox that writes down what it gets and answers what the test says. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { slack } from "../../../adapters/slack/slack.ts";
import type { Adapter } from "../../../src/core/ports.ts";
import { FakeInbox } from "../../help/fake-inbox.ts";
import { SlackRig, type SlackRigOptions } from "../../rigs/slack.ts";

export { FakeInbox, slot } from "../../help/fake-inbox.ts";

export interface Connected {
  rig: SlackRig;
  inbox: FakeInbox;
  adapter: Adapter;
  folder: string;
  /** Sentences of the log. */
  log: string[];
  /** Stops, and starts anew on the same folder. */
  away(meanwhile: () => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

export const SECRET = "sk-very-secret";

export async function connected(options: SlackRigOptions & { http?: number; secret?: string } = {}): Promise<Connected> {
  const rig = await new SlackRig(options).start();
  const log: string[] = [];
  const write = (_facts: object, sentence: string) => void log.push(sentence);
  const folder = mkdtempSync(join(tmpdir(), "slack-"));
  const make = () =>
    slack({
      botToken: rig.botToken,
      ...(options.http === undefined ? { appToken: rig.appToken } : { signingSecret: rig.signingSecret, port: options.http }),
      apiUrl: rig.apiUrl,
      folder,
      log: { debug: write, info: write, warn: write, error: write },
      scrub: (text) => text.replaceAll(options.secret ?? SECRET, "[masked]"),
    });
  const inbox = new FakeInbox();
  const adapter = make();
  await adapter.start(inbox);
  if (options.http !== undefined) rig.target = `http://127.0.0.1:${options.http}/slack/events`;
  const made: Connected = {
    rig,
    folder,
    inbox,
    adapter,
    log,
    async away(meanwhile) {
      await made.adapter.stop();
      await meanwhile();
      made.adapter = make();
      await made.adapter.start(inbox);
    },
    async close() {
      await made.adapter.stop();
      await rig.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return made;
}
