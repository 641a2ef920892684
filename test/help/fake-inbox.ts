/** An inbox that writes down what an adapter hands in, and answers what the test says. */
import { fingerprint } from "../../src/core/id.ts";
import type { Click, Command, Inbox, Incoming, Reply, Slot, Suggestion } from "../../src/core/ports.ts";
import type { View } from "../../src/core/view.ts";

export interface Heard {
  messages: Incoming[];
  edits: { thread: string | null; id: string; rev: number; text: string }[];
  deletions: { thread: string | null; id: string }[];
  clicks: Click[];
  commands: Command[];
}

export class FakeInbox implements Inbox {
  readonly heard: Heard = { messages: [], edits: [], deletions: [], clicks: [], commands: [] };
  /** What is answered to clicks, commands and messages. */
  onClick: (click: Click) => Reply | Promise<Reply> = () => ({ to: "nobody" });
  onCommand: (command: Command) => Reply | Promise<Reply> = () => ({ to: "nobody" });
  onMessage: (incoming: Incoming) => Promise<Reply | undefined> = async () => undefined;
  /** The session a message is said to belong to; a reply means that it was refused. */
  session: ((incoming: Incoming) => string | undefined) | undefined;
  label: string | undefined;
  prompts: Suggestion[] = [];
  /** What conversations are said to have, and whose were asked for. */
  readonly asked: string[] = [];
  held: Awaited<ReturnType<Inbox["said"]>> = [];

  async message(incoming: Incoming) {
    const before = this.heard.messages.some(({ id, place }) => id === incoming.id && place.channel === incoming.place.channel);
    this.heard.messages.push(incoming);
    const reply = await this.onMessage(incoming);
    const session = this.session?.(incoming);
    return { taken: !before, reason: "", ...(reply ? { reply } : {}), ...(session === undefined ? {} : { session }) };
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
  async suggestions() {
    return this.prompts;
  }
  async said(_platform: string, team: string) {
    this.asked.push(team);
    return this.held;
  }
  notice(): string | undefined {
    return this.label;
  }
}

export function slot(view: View, kind: Slot["kind"] = "answer", final = true): Slot {
  return { key: `${kind}/1`, kind, view, digest: fingerprint(JSON.stringify(view)), final };
}
