/** The way in: the harness over the house, with the words people may say. */
import { commands } from "../commands/commands.ts";
import { numbers } from "../commands/shown.ts";
import { suggestions } from "../commands/suggestions.ts";
import { attachments } from "../files/attachments.ts";
import { Harness } from "../harness/harness.ts";
import { told } from "../harness/world.ts";
import { remembering } from "../memory/keep.ts";
import { scopesSeen } from "../memory/seen.ts";
import { costOf } from "../operator/price.ts";
import { changesOf } from "../workspace/keeping.ts";
import { inRoom } from "../workspace/recorded.ts";
import { hooksOf } from "./hooks.ts";
import { type House, sharedSkills } from "./house.ts";

export async function inboxOf(house: House): Promise<Harness> {
  const { config, homes, journal, memory, servers, adapters, model, scrub, log } = house;
  const words = commands({
    homes,
    journal,
    memory,
    shown: numbers(),
    scopes: (home, scope, by, place) => scopesSeen(house, home, scope, by, place),
    offer: servers.offer,
    signing: servers,
    sharedSkills: [sharedSkills],
    standing: async ({ place, by }) => adapters.get(place.platform)?.standing(place, by.id),
    cost: costOf,
    link: (place, message) => adapters.get(place.platform)?.link(place, message),
    status: () => [
      model.kind === "offline" ? "Model: the offline model (no key is set)" : `Model: ${config.model}`,
      ...[...adapters].map(([name, adapter]) => `${name}: ${adapter.health().ok ? "connected" : adapter.health().detail}`),
    ],
    now: Date.now,
  });
  const world = {
    journal,
    homes,
    platforms: adapters,
    model,
    modelName: model.kind === "offline" ? model.name : config.model,
    window: config.contextWindow,
    hooks: await hooksOf(house),
    now: Date.now,
    patience: 1,
    scrub,
    log,
    sent: house.sent.keep,
    told: told(),
    changes: changesOf(homes),
    memory: remembering(memory, Date.now),
    attachments: attachments({
      directory: (home) => homes.home(home).dir,
      bounded: (home, files) => inRoom(files, homes.room(home), "/attachments"),
    }),
  };
  return new Harness(world, words, suggestions({ homes, sharedSkills: [sharedSkills] }));
}
