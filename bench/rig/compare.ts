/** Runs the same load with both loops, in turns, each time in a new process; gives the medians. */
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { run, withProvider } from "../child.ts";
import type { Cost, Load } from "../programs/load.ts";
import { median } from "../row.ts";
import { withFolder } from "./folder.ts";

export interface Figures {
  /** Milliseconds of CPU a request to the model. */
  cpu: number;
  rss: number;
  wall: number;
  acks: number[];
}
type Shape = Omit<Load, "variant" | "dir" | "url" | "frame">;

export function compare(shape: Shape, times: number): Promise<{ ours: Figures; bare: Figures }> {
  return withProvider((url) =>
    withFolder(async (dir) => {
      const costs: Record<Load["variant"], Cost[]> = { ours: [], bare: [] };
      for (let time = 0; time < times; time++)
        for (const variant of ["ours", "bare"] as const) {
          const own = await mkdtemp(join(dir, `${variant}-`));
          costs[variant].push(await run<Cost>("load", { ...shape, variant, dir: own, url, frame: join(dir, "frame.json") } satisfies Load));
        }
      return { ours: figures(costs.ours), bare: figures(costs.bare) };
    }),
  );
}

const figures = (costs: readonly Cost[]): Figures => ({
  cpu: median(costs.map(({ cpu, steps }) => cpu / steps)),
  rss: median(costs.map(({ rss }) => rss)),
  wall: median(costs.map(({ wall }) => wall)),
  acks: costs.flatMap(({ acks }) => acks),
});
