/**
 * One turn's home: what the hooks offer at this moment, put in the prompt's order.
 *
 * H1. Read anew at each step; unchanged files give the same text, so the prefix holds.
 * H2. A hook that throws costs only its own offer, and is logged.
 */
import { type Hook, type Moment, type Offer, RANKS, type Request, type Rules, type Tool } from "../core/ports.ts";
import { momentOf, type Scene, type World } from "./world.ts";

export interface TurnHome {
  system: Request["system"];
  /** By the name the model uses. */
  tools: ReadonlyMap<string, Tool>;
  warnings: string[];
  rules: Rules;
  model: string;
}

export async function turnHome(scene: Scene): Promise<TurnHome> {
  const { world, home } = scene;
  const moment = momentOf(scene);
  const [rules, ...offers] = await Promise.all([world.homes.rules(home), ...world.hooks.map((hook) => offerOf(hook, moment, world))]);
  const parts = offers.flatMap((offer) => offer.system ?? []);
  const ranked = RANKS.flatMap((rank) => {
    const text = parts
      .filter((part) => part.rank === rank && part.text)
      .map((part) => part.text)
      .join("\n\n");
    return text ? [{ rank, text }] : [];
  });
  // Two breakpoints: behind what changes only when people edit the home, and behind all of it.
  const stable = ranked.findLastIndex(({ rank }) => rank !== "memory");
  const system = ranked.map(({ text }, index) => (index === stable || index === ranked.length - 1 ? { text, cache: true } : { text }));
  const tools = new Map<string, Tool>();
  for (const tool of offers.flatMap((offer) => offer.tools ?? [])) if (!tools.has(tool.name)) tools.set(tool.name, tool);
  return { system, tools, warnings: offers.flatMap((offer) => offer.warnings ?? []), rules, model: rules.model ?? world.modelName };
}

async function offerOf(hook: Hook, moment: Moment, { log }: World): Promise<Offer> {
  try {
    return (await hook.preReasoning?.(moment)) ?? {};
  } catch (error) {
    log.error({ hook: hook.name, home: moment.home, err: error }, "a hook failed");
    return {};
  }
}
