/** A rig, the adapter connected to it, and an inbox that writes down what it gets and answers what the test says. */

import { slack } from "../../../adapters/slack/slack.ts";
import { fingerprint } from "../../../src/core/id.ts";
import type { Adapter, Click, Command, Inbox, Incoming, Reply, Slot } from "../../../src/core/ports.ts";
import type { View } from "../../../src/core/view.ts";
import { SlackRig, type SlackRigOptions } from "../../rigs/slack.ts";

export interface Heard {
  messages: Incoming[];
  edits: { thread: string | null; id: string; rev: number; text: string }[];
  deletions: { thread: string | null; id: string }[];
  clicks: Click[];
  commands: Command[];
}

export class FakeInbox implements Inbox {
  readonly heard: Heard = { messages: [], edits: [], deletions: [], clicks: [], commands: [] };
  /** What is answered to clicks and commands. */
  onClick: (click: Click) => Reply | Promise<Reply> = () => ({ to: "nobody" });
  onCommand: (command: Command) => Reply | Promise<Reply> = () => ({ to: "nobody" });
  onMessage: (incoming: Incoming) => Promise<Reply | undefined> = async () => undefined;

  async message(incoming: Incoming) {
    this.heard.messages.push(incoming);
    const reply = await this.onMessage(incoming);
    return { taken: true, reason: "", ...(reply ? { reply } : {}) };
  }
  async edited(place: { thread: string | null }, id: string, rev: number, text: string): Promise<void> {
    this.heard.edits.push({ thread: place.thread, id, rev, text });
  }
  async deleted(place: { thread: string | null }, id: string): Promise<void> {
    this.heard.deletions.push({ thread: place.thread, id });
  }
  async click(click: Click): Promise<Reply> {
    this.heard.clicks.push(click);
    return this.onClick(click);
  }
  async command(command: Command): Promise<Reply> {
    this.heard.commands.push(command);
    return this.onCommand(command);
  }
  label: string | undefined;
  notice(): string | undefined {
    return this.label;
  }
}

export interface Connected {
  rig: SlackRig;
  inbox: FakeInbox;
  adapter: Adapter;
  /** Sentences of the log. */
  log: string[];
  close(): Promise<void>;
}

export const SECRET = "sk-very-secret";

export async function connected(options: SlackRigOptions & { http?: number } = {}): Promise<Connected> {
  const rig = await new SlackRig(options).start();
  const log: string[] = [];
  const write = (_facts: object, sentence: string) => void log.push(sentence);
  const adapter = slack({
    botToken: rig.botToken,
    ...(options.http === undefined ? { appToken: rig.appToken } : { signingSecret: rig.signingSecret, port: options.http }),
    apiUrl: rig.apiUrl,
    log: { debug: write, info: write, warn: write, error: write },
    scrub: (text) => text.replaceAll(SECRET, "[masked]"),
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

export function slot(view: View, kind: Slot["kind"] = "answer", final = true): Slot {
  return { key: `${kind}/1`, kind, view, digest: fingerprint(JSON.stringify(view)), final };
}
