/** What a step of a session would be sent before its messages, as its home is now. For looking; nothing is recorded or shown. */
import type { SessionId } from "../core/id.ts";
import type { Offered } from "../core/ports.ts";
import type { State } from "../core/state.ts";
import { turnHome } from "./home.ts";
import { specs } from "./step.ts";
import type { World } from "./world.ts";

/** Undefined where the session's platform is not connected. */
export async function offered(world: World, home: string, session: SessionId, state: State): Promise<Offered | undefined> {
  const { opened } = state;
  const platform = opened && world.platforms.get(opened.place.platform);
  if (!platform) return undefined;
  const journal = await world.journal(home);
  const scene = { world, home, journal, session, state, opened, platform, signal: new AbortController().signal, draft: () => undefined };
  const { model, system, tools } = await turnHome(scene);
  return { model, system: system.map(({ text }) => text), tools: specs(tools.values()) };
}
