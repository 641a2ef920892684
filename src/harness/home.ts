/**
 * One turn's home: what the hooks offer at this moment, put in the prompt's order.
 *
 * H1. Read anew at each step; unchanged files give the same text, so the prefix holds.
 * H2. A hook that throws costs only its own offer, and is logged.
 */
import type { JsonObject } from "../core/event.ts";
import { type Hook, type Moment, type Offer, RANKS, type Request, type Rules, type SystemPart, type Tool } from "../core/ports.ts";
import { momentOf, type Scene, type World } from "./world.ts";

export interface TurnHome {
  system: Request["system"];
  /** By the name the model uses. */
  tools: ReadonlyMap<string, Tool>;
  /** The same, of those that are not told in full. */
  untold: ReadonlyMap<string, Tool>;
  warnings: string[];
  /** For the person of the turn alone. */
  asks: string[];
  rules: Rules;
  model: string;
  /** Steps of a turn, where this session has fewer than the home's policy allows. */
  steps: number;
}

export async function turnHome(scene: Scene): Promise<TurnHome> {
  const { world, home } = scene;
  const moment = momentOf(scene);
  const [rules, ...offers] = await Promise.all([world.homes.rules(home), ...world.hooks.map((hook) => offerOf(hook, moment, world))]);
  const parts = offers.flatMap((offer) => offer.system ?? []);
  const ranked = RANKS.flatMap((rank) => {
    const text = textOf(parts.filter((part) => part.rank === rank && part.text));
    return text ? [{ rank, text }] : [];
  });
  // Two breakpoints: behind what changes only when people edit the home, and behind all of it.
  const stable = ranked.findLastIndex(({ rank }) => rank !== "memory");
  const system = ranked.map(({ text }, index) => (index === stable || index === ranked.length - 1 ? { text, cache: true } : { text }));
  const narrowing = offers.filter((offer) => offer.keeps);
  const keeps = (tool: Tool): boolean => narrowing.every((offer) => offer.keeps?.(tool));
  const tools = byName(offers.flatMap((offer) => offer.tools ?? []).filter(keeps));
  return {
    system,
    tools,
    untold: byName(offers.flatMap((offer) => offer.untold ?? []).filter((tool) => keeps(tool) && !tools.has(tool.name))),
    warnings: offers.flatMap((offer) => offer.warnings ?? []),
    asks: offers.flatMap((offer) => offer.asks ?? []),
    rules,
    model: offers.findLast((offer) => offer.model)?.model ?? rules.model ?? world.modelName,
    steps: offers.findLast((offer) => offer.steps)?.steps ?? Number.POSITIVE_INFINITY,
  };
}

/** Of two with one name the first stays. */
function byName(tools: readonly Tool[]): Map<string, Tool> {
  const named = new Map<string, Tool>();
  for (const tool of tools) if (!named.has(tool.name)) named.set(tool.name, tool);
  return named;
}

/** The tool that a call is of, told in full or not. */
export function toolFor({ tools, untold }: Pick<TurnHome, "tools" | "untold">, name: string, input: JsonObject): Tool | undefined {
  const tool = tools.get(name) ?? untold.get(name);
  return tool?.as?.(input) ?? tool;
}

function textOf(parts: readonly SystemPart[]): string {
  const alone = parts.filter((part) => part.alone);
  return (alone.length ? alone : parts).map(({ text }) => text).join("\n\n");
}

async function offerOf(hook: Hook, moment: Moment, { log }: World): Promise<Offer> {
  try {
    return (await hook.preReasoning?.(moment)) ?? {};
  } catch (error) {
    log.error({ hook: hook.name, home: moment.home, err: error }, "a hook failed");
    return {};
  }
}
