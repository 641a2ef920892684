/** What is done at night, and who is told of it in the morning, over the house. */
import { endOf, retire } from "../archive/retire.ts";
import { type ClockOn, nextAt } from "../clock.ts";
import type { Harness } from "../harness/harness.ts";
import { type DigestOn, tellNights } from "../memory/digest.ts";
import { nightly } from "../memory/night.ts";
import { isAmong } from "../workspace/rules.ts";
import type { House } from "./house.ts";

export function nightsOf(house: House, inbox: Pick<Harness, "wake">): ClockOn {
  const { config, homes, journal, adapters, log } = house;
  const policy = async (home: string) => (await homes.home(home).policy()).policy;
  const learn = nightly({ ...house, rules: homes.rules, modelName: config.model, now: Date.now });
  const digest: DigestOn = {
    journal,
    platforms: adapters,
    wants: async (home) => {
      const { announce, people } = (await policy(home)).consolidation;
      const tells: Awaited<ReturnType<DigestOn["wants"]>>["tells"] = async (person, place) => {
        const standing = people.length ? await adapters.get(place.platform)?.standing(place, person) : undefined;
        return standing !== undefined && isAmong(people, person, standing);
      };
      return announce === undefined ? { tells } : { announce, tells };
    },
    morning: async (home, after) => {
      const { consolidation, timezone } = await policy(home);
      return nextAt(consolidation.morning, timezone, after);
    },
    wake: inbox.wake,
    now: Date.now,
    log,
  };
  return {
    homes: homes.list,
    nights: async (home) => {
      const { consolidation, timezone } = await policy(home);
      return { cron: consolidation.cron, timezone };
    },
    journal,
    night: async (home, signal) => {
      await learn(home, signal);
      if (signal.aborted) return;
      const one = homes.home(home);
      const gone = await retire({ dir: one.dir, journal: await journal(home), policy: one.policy }, Date.now());
      if (gone.length) log.info({ home, sessions: gone }, "old conversations were retired");
      const before = await endOf(one, Date.now());
      if (before === undefined) return;
      // Also of what a job beside this process retired.
      const standing = new Set((await (await journal(home)).sessions()).map(({ session }) => session));
      for (const adapter of adapters.values()) await adapter.retire?.(home, before, standing);
    },
    tell: (home) => tellNights(digest, home),
    now: Date.now,
    log,
  };
}
