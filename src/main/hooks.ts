/** The hooks, in their order, each given what it needs of the house. */
import { join } from "node:path";
import { archive } from "../archive/archive.ts";
import { HOME_SESSION } from "../core/id.ts";
import type { Hook, Moment, Standing } from "../core/ports.ts";
import { evictedFiles, handedFiles } from "../files/mounts.ts";
import { approval } from "../hooks/approval.ts";
import { builtins } from "../hooks/builtin-tools.ts";
import { dynamicSkills } from "../hooks/dynamic-skills.ts";
import { dynamicSubagents, helperMay } from "../hooks/dynamic-subagents.ts";
import { dynamicTools } from "../hooks/dynamic-tools.ts";
import { homeHistory } from "../hooks/home-history.ts";
import { memoryMaintenance } from "../hooks/memory-maintenance.ts";
import { ownHooks } from "../hooks/own.ts";
import { resultEviction } from "../hooks/result-eviction.ts";
import { sessionLog } from "../hooks/session-log.ts";
import { workspaceContext } from "../hooks/workspace-context.ts";
import { scopesSeen } from "../memory/seen.ts";
import { searchSessions } from "../tools/sessions.ts";
import { keeping } from "../workspace/keeping.ts";
import { inRoom } from "../workspace/recorded.ts";
import { type House, sharedSkills } from "./house.ts";
import { probing } from "./probing.ts";
import { speakersOf } from "./speakers.ts";

/** In this order: what each adds to the prompt, then what judges a call, then what shortens its result. */
export async function hooksOf(house: House): Promise<Hook[]> {
  const { config, homes, journal, memory, servers, adapters, sandbox } = house;
  const evicted = ({ home, session }: Moment) => inRoom(evictedFiles(homes.home(home).dir, session), homes.room(home), "/evicted");
  const policy = async (home: string) => (await homes.home(home).policy()).policy;
  const seen = ({ home, scope, by, place }: Pick<Moment, "home" | "scope" | "by" | "place">) => scopesSeen(house, home, scope, by, place);
  const admin = async ({ home, place, by }: Pick<Moment, "home" | "place" | "by">): Promise<boolean> => {
    const found = await adapters.get(place.platform)?.standing(place, by.id);
    return found !== undefined && (await homes.rules(home)).may("admin", by.id, found);
  };
  const own = config.hooks ? await ownHooks(config.hooks) : [];
  return [
    workspaceContext({ homes, memoryFor: async (moment) => memory(moment.home).read(await seen(moment)) }),
    builtins({
      homes,
      memory: { memoryFor: ({ home: at }) => memory(at), isAdmin: admin, scopesFor: seen },
      aside: ({ home, session }) => inRoom(handedFiles(homes.home(home).dir, session), homes.room(home), "/attachments"),
      scrub: house.scrub,
      reactions: { react: async (place, ...sign) => (await adapters.get(place.platform)?.react?.(place, ...sign)) ?? NO_SIGNS },
      sandbox,
      sharedSkillsDir: sharedSkills.root,
      proposals: { ...probing(sandbox, config.mcpStdio), secrets: async (home) => (await policy(home)).secrets },
      keep: keeping(homes),
    }),
    dynamicTools({
      servers,
      readTools: async (home) => {
        const { text } = await homes.home(home).read("tools.json");
        return text === undefined ? undefined : { text };
      },
      directory: (home) => homes.home(home).dir,
      policy,
      narrow: (moment) => helperMay(homes, moment),
    }),
    dynamicSkills({ homes, shared: sharedSkills }),
    dynamicSubagents({ homes }),
    approval({
      homes,
      grants: async (home, session) => (await journal(home)).grants(session),
      pins: async (home) => (await (await journal(home)).state(HOME_SESSION)).pins,
      standing: async (place, person) => (await adapters.get(place.platform)?.standing(place, person)) ?? STRANGER,
      speakers: speakersOf(house, seen),
    }),
    resultEviction(evicted),
    homeHistory(homes),
    memoryMaintenance({ memoryFor: memory, seen }),
    sessionLog({
      add: async (home, root) => archive(join(homes.home(home).dir, "agents", "main", "sessions"), await journal(home)).add(root),
      search: searchSessions({
        search: async (query, limit, context) => (await journal(context.home)).search(query, await seen(context), limit),
        link: (place, message) => adapters.get(place.platform)?.link(place, message),
      }),
    }),
    ...own,
  ];
}
const NO_SIGNS = { ok: false, reason: "Messages here have no signs." } as const;
const STRANGER: Standing = { member: false, guest: false, external: true, owner: false, bot: false, groups: [] };
