/** What a word of a command is given, and the shapes its answer takes. */
import type { SessionId } from "../core/id.ts";
import type { Command, Homes, Journal, Reply, Rules, SessionRow, Standing } from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import type { Part, View } from "../core/view.ts";

export interface CommandsOn {
  homes: Homes;
  journal(home: string): Promise<Journal>;
  /** The facts of the scopes, one line each, as people read them. */
  facts(home: string, scopes: Scope[]): Promise<string[]>;
  /** Tools of the home's servers and how each server is. */
  servers(home: string): Promise<string[]>;
  standing(command: Command): Promise<Standing | undefined>;
  link(platform: string, channel: string, message: string): string | undefined;
  /** How the product is: model, adapters, version. */
  status(): string[];
  now(): number;
}
export interface Asked {
  on: CommandsOn;
  command: Command;
  home: string;
  journal: Journal;
  rules: Rules;
  session: SessionId;
  scopes: Scope[];
  rest: string;
  why: string[];
  stop(): Promise<Reply>;
}
const asker = (view: View): Reply => ({ to: "asker", view });
export const page = (title: string, parts: Part[]): Reply => asker({ title, parts, buttons: [] });
export const lines = (title: string, items: string[], none: string): Reply =>
  page(title, [items.length ? { kind: "list", items: items.slice(0, MOST) } : { kind: "note", text: none }, ...more(items.length)]);
const MOST = 30;
const more = (count: number): Part[] => (count > MOST ? [{ kind: "note", text: `and ${count - MOST} more` }] : []);

export async function here({ journal, command }: Asked): Promise<SessionRow[]> {
  const rows = await journal.sessions({ limit: 500 });
  return rows.filter(
    ({ place, session }) => !session.includes("/") && place.platform === command.place.platform && place.channel === command.place.channel,
  );
}

export function titleOf(on: CommandsOn, { title, place }: SessionRow): string {
  const link = on.link(place.platform, place.channel, place.thread ?? "");
  const words = title.replace(/[[\]()<>*_`]/g, " ").slice(0, 60) || "Untitled";
  return link ? `[${words}](${link})` : `**${words}**`;
}
