/**
 * The house as `main.ts` puts it together, with its own hooks, tools, journal and a home from the template, on a platform that answers at
 * once and a tool that both loops have.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, Place, Ref } from "../../src/core/event.ts";
import type { Hook, Incoming, Journal, Log, Model, Platform, Posted, Slot, Standing, Tool } from "../../src/core/ports.ts";
import { visibleScopes } from "../../src/core/scope.ts";
import { scrubber } from "../../src/core/scrub.ts";
import { plain } from "../../src/core/view.ts";
import { evictedFiles, handedFiles, mounts } from "../../src/files/mounts.ts";
import { Harness } from "../../src/harness/harness.ts";
import { told } from "../../src/harness/world.ts";
import { approval } from "../../src/hooks/approval.ts";
import { dynamicTools } from "../../src/hooks/dynamic-tools.ts";
import { resultEviction } from "../../src/hooks/result-eviction.ts";
import { workspaceContext } from "../../src/hooks/workspace-context.ts";
import { openServers } from "../../src/mcp/servers.ts";
import { homeMemory } from "../../src/memory/memory.ts";
import { openJournal } from "../../src/store/journal.ts";
import { builtinTools } from "../../src/tools/index.ts";
import { type OpenHomes, openHomes } from "../../src/workspace/homes.ts";
import { ROOT } from "../child.ts";
import { ANN, HOME, opening } from "./history.ts";
import { lookup, TOOL } from "./lookup.ts";

export interface House {
  inbox: Harness;
  journal: Journal;
  stage: Stage;
  homes: OpenHomes;
  close(): Promise<void>;
}

const QUIET: Log = { debug() {}, info() {}, warn: complain, error: complain };
function complain(facts: object, msg: string): void {
  process.stderr.write(`${msg} ${JSON.stringify(facts)}\n`);
}

export async function openHouse(dir: string, model: Model): Promise<House> {
  const homes = openHomes({
    workspacesDir: join(dir, "homes"),
    templateDir: join(ROOT, "workspaces/_template"),
    dataDir: join(dir, "data"),
    stepLimit: 1_000,
    log: QUIET,
  });
  await homes.find("bench", "T");
  mkdirSync(join(homes.home(HOME).dir, "agents/main/context"), { recursive: true });
  const journal = openJournal(join(homes.home(HOME).dir, "agents/main/context/journal.db"));
  const stage = new Stage();
  const world = {
    journal: async () => journal,
    homes,
    platforms: new Map([["bench", stage]]),
    model,
    modelName: model.name,
    window: 1_000_000,
    hooks: hooksOf(homes, journal),
    now: Date.now,
    patience: 1,
    scrub: scrubber(["sk-ant-bench-key"]),
    log: QUIET,
    told: told(),
  };
  const inbox = new Harness(
    world,
    async () => ({ to: "nobody" }),
    async () => [],
  );
  const close = async (): Promise<void> => {
    await inbox.close(1_000);
    await journal.close();
  };
  return { inbox, journal, stage, homes, close };
}

export function toolsOf(homes: OpenHomes): Tool[] {
  const { dir } = homes.home(HOME);
  return builtinTools({
    memoryFor: () => homeMemory(dir, () => Promise.reject(new Error("nothing is remembered here"))),
    asideFor: ({ session }) => handedFiles(dir, session),
    scrub: (text) => text,
    filesFor: ({ session, scope, by }) =>
      mounts({ homeDir: dir, sharedSkillsDir: join(ROOT, "skills"), session, scope, seesTeam: visibleScopes(scope, by).includes("team") }),
  });
}

function hooksOf(homes: OpenHomes, journal: Journal): Hook[] {
  const home = homes.home(HOME);
  const memory = homeMemory(home.dir, async () => journal);
  const tools = [...toolsOf(homes), LOOKUP];
  const servers = openServers({ log: () => {}, stdio: false, secret: () => undefined });
  return [
    workspaceContext({ homes, memoryFor: ({ scope, by }) => memory.read(visibleScopes(scope, by)) }),
    { name: "tools", preReasoning: async () => ({ tools }) },
    dynamicTools({
      servers,
      readTools: async () => {
        const { text } = await home.read("tools.json");
        return text === undefined ? undefined : { text };
      },
      directory: () => home.dir,
      policy: async () => (await home.policy()).policy,
    }),
    approval({ homes, grants: (_, session) => journal.grants(session), standing: async () => MEMBER }),
    resultEviction(({ session }) => evictedFiles(home.dir, session)),
  ];
}

const MEMBER: Standing = { member: true, guest: false, external: false, owner: false, bot: false, groups: [] };
export const LOOKUP: Tool = {
  name: TOOL.name,
  label: TOOL.name,
  description: TOOL.description,
  schema: TOOL.input_schema as JsonObject,
  digest: "lookup-1",
  repeatable: true,
  reads: true,
  parse: (input) => ({ ok: true, input }),
  risk: () => "none",
  subject: () => "*",
  run: async (input) => ({ content: lookup(input), failed: false }),
};

/** Milliseconds after which a turn is taken for lost. */
const PATIENCE = 120_000;

/** Everything sent to it stands at once. */
export class Stage implements Platform {
  readonly name = "bench";
  readonly partLimit = 4_000;
  #posts = 0;
  #answer = "";
  readonly #waiting = new Map<string, () => void>();

  async post({ channel }: Place, slot: Slot): Promise<Posted> {
    if (slot.kind === "answer") this.#answer = plain(slot.view);
    return { ok: true, ref: { channel, message: `p${++this.#posts}` } };
  }
  async edit({ thread }: Place, ref: Ref, slot: Slot): Promise<Posted> {
    if (slot.final && slot.kind === "progress") this.#waiting.get(thread ?? "")?.();
    return { ok: true, ref };
  }
  async hide(_: Place, ref: Ref): Promise<Posted> {
    return { ok: true, ref };
  }
  async find(): Promise<"absent"> {
    return "absent";
  }
  live(): void {}
  async whisper(): Promise<void> {}
  async standing(): Promise<Standing> {
    return MEMBER;
  }
  link(): undefined {}

  /** A turn with calls is over once its progress is folded. */
  folded(thread: string): Promise<void> {
    return new Promise((done, failed) => {
      const late = setTimeout(() => failed(new Error(`the turn in ${thread} did not end; the last answer: ${this.#answer}`)), PATIENCE);
      this.#waiting.set(thread, () => {
        clearTimeout(late);
        done();
      });
    });
  }
}

let count = 0;
export function says(thread: string, text: string): Incoming {
  const { place } = opening(thread);
  const id = `b${++count}`;
  return { place, channel: "public", shared: false, id, by: ANN, text, mentioned: true, toOthers: false, own: false, at: Date.now() };
}
