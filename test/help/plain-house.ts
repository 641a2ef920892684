/** What a step would be sent by the house as it is put together for real, on a home from the template; for looking. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readConfig } from "../../src/config.ts";
import type { Event, Parent } from "../../src/core/event.ts";
import type { Offered } from "../../src/core/ports.ts";
import { INITIAL, reduce } from "../../src/core/state.ts";
import { build } from "../../src/main/house.ts";
import { inboxOf } from "../../src/main/inbox.ts";
import { Stage } from "./stage.ts";

const AT = Date.UTC(2026, 0, 5, 9);
const ANN = { id: "stage:ann", name: "Ann", kind: "member" as const };
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const SESSION = "stage:T:C:t1";
const HELPER: Parent = { session: SESSION, call: "1.1.0", agent: "general-purpose" };

export interface Looked {
  /** Files written into the home first. */
  files?: Record<string, string>;
  /** The name of a helper whose session it is. */
  helper?: string;
}

export async function offeredIn({ files = {}, helper }: Looked = {}): Promise<Offered> {
  const dir = mkdtempSync(join(tmpdir(), "plain-house-"));
  const paths = { WORKSPACES_DIR: join(dir, "homes"), DATA_DIR: join(dir, "data") };
  const house = await build(readConfig({ ...paths, SANDBOX: "virtual", CONSOLE_PORT: "off" }), QUIET);
  try {
    const stage = new Stage();
    const still = { start: async () => {}, stop: async () => {}, health: () => ({ ok: true, detail: "" }) };
    house.adapters.set("stage", Object.assign(stage, still));
    const found = await house.homes.find("stage", "T");
    if (!found.ok) throw new Error(found.why);
    for (const [name, text] of Object.entries(files)) write(join(house.homes.home(found.home).dir, name), text);
    const inbox = await inboxOf(house);
    const parent = helper === undefined ? {} : { parent: { ...HELPER, agent: helper } };
    const place = { platform: "stage", team: "T", channel: "C", thread: "t1" };
    const events: Event[] = [
      { type: "session.opened", at: AT, home: found.home, scope: "team", place, code: "s1", ...parent },
      { type: "message.received", at: AT, id: "m1", by: ANN, text: "Hello", heard: false },
    ];
    const session = helper === undefined ? SESSION : `${SESSION}/1.1.0`;
    const offered = await inbox.offered(found.home, session, events.reduce(reduce, INITIAL));
    await inbox.close(0);
    if (!offered) throw new Error("nothing was offered");
    return offered;
  } finally {
    await Promise.all(house.journals().map(async (journal) => (await journal).close()));
    rmSync(dir, { recursive: true, force: true });
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
