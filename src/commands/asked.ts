/** What a word of a command is given, and the shapes its answer takes. */
import type { Place, Speaker } from "../core/event.ts";
import { DIGEST, type SessionId } from "../core/id.ts";
import type {
  Command,
  Journal,
  OfferedServers,
  Reply,
  Rules,
  ServerSigning,
  SessionRow,
  Spent,
  Standing,
  Tool,
  WantedServers,
} from "../core/ports.ts";
import type { Scope } from "../core/scope.ts";
import type { Part, View } from "../core/view.ts";
import type { Memory } from "../memory/memory.ts";
import type { OpenHomes } from "../workspace/homes.ts";
import type { SkillSource } from "../workspace/skills.ts";
import type { Shown } from "./shown.ts";

export interface CommandsOn {
  homes: Pick<OpenHomes, "home" | "rules" | "history">;
  journal(home: string): Promise<Journal>;
  memory(home: string): Memory;
  /** Numbers that people were shown last, so that they mean the same when they are used. */
  shown: Shown;
  /** The scopes whose memory somebody may see where they are, now. */
  scopes(home: string, own: Scope, by: Speaker, place: Place): Promise<Scope[]>;
  /** Tools of a home's servers and how each server is. */
  offer(wanted: WantedServers): Promise<Omit<OfferedServers, "tools"> & { tools: Pick<Tool, "label" | "description">[] }>;
  /** Signing in at servers and out. */
  signing: ServerSigning;
  /** Skills that are not a home's own. */
  sharedSkills: readonly SkillSource[];
  standing(command: Command): Promise<Standing | undefined>;
  link(place: Place, message: string): string | undefined;
  /** Dollars, as an estimate; null where no price is known. */
  cost(spent: Spent): number | null;
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
  /** Who asks, as the platform knows them. */
  who: Standing | undefined;
  stop(): Promise<Reply>;
  wake(): Promise<void>;
}
const asker = (view: View): Reply => ({ to: "asker", view });
export const page = (title: string, parts: Part[]): Reply => asker({ title, parts, buttons: [] });
export const lines = (title: string, items: string[], none: string, most = MOST): Reply =>
  page(title, [items.length ? { kind: "list", items: items.slice(0, most) } : { kind: "note", text: none }, ...more(items.length - most)]);
const MOST = 30;
const more = (count: number): Part[] => (count > 0 ? [{ kind: "note", text: `and ${count} more` }] : []);

/** The threads of the place. What was said while fewer people could read it is not told to those who can now. */
export async function here({ journal, command, scopes }: Asked): Promise<SessionRow[]> {
  const rows = await journal.sessions({ scopes, limit: 500 });
  return rows.filter(
    ({ place, session }) =>
      !session.includes("/") &&
      !session.startsWith(DIGEST) &&
      place.platform === command.place.platform &&
      place.channel === command.place.channel,
  );
}

export function titleOf(on: CommandsOn, { title, place }: SessionRow): string {
  const link = on.link(place, place.thread ?? "");
  const words = title.replace(/[[\]()<>*_`]/g, " ").slice(0, 60) || "Untitled";
  return link ? `[${words}](${link})` : `**${words}**`;
}
