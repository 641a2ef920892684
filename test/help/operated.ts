/**
 * Two homes, one of the console and one of a chat team that exists only here, with the real rooms behind a running console:
 * what the operator's pages show is what there is. The model says what it is told to.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Console, console as makeConsole } from "../../adapters/console/console.ts";
import type { Speaker } from "../../src/core/event.ts";
import type { Incoming, Journal, Platform, Tool } from "../../src/core/ports.ts";
import { visibleScopes } from "../../src/core/scope.ts";
import { Harness } from "../../src/harness/harness.ts";
import { told } from "../../src/harness/world.ts";
import { approval } from "../../src/hooks/approval.ts";
import { workspaceContext } from "../../src/hooks/workspace-context.ts";
import { openServers } from "../../src/mcp/servers.ts";
import { homeMemory } from "../../src/memory/memory.ts";
import { sentLately } from "../../src/observe/sent.ts";
import { openOperator } from "../../src/operator/rooms.ts";
import { openJournal } from "../../src/store/journal.ts";
import { openHomes } from "../../src/workspace/homes.ts";
import { tool } from "./bot.ts";
import { Script } from "./script.ts";
import { Stage } from "./stage.ts";
import { until } from "./until.ts";

export const TEAM = "slack-T1";
export const BOB: Speaker = { id: "slack:UBOB", name: "Bob", kind: "member" };

export interface OperatedOptions {
  token?: string;
  tools?: Tool[];
  metrics?: () => string;
  /** Steps of which is kept what they were sent. */
  keepsSent?: number;
}

export async function operated(options: OperatedOptions = {}) {
  const dir = mkdtempSync(join(tmpdir(), "operated-"));
  const homeDir = (home: string) => join(dir, "homes", home);
  for (const home of ["console", TEAM]) cpSync("workspaces/_template", homeDir(home), { recursive: true });
  const logged: { facts: object; msg: string }[] = [];
  const note = (facts: object, msg: string) => void logged.push({ facts, msg });
  const log = { debug: () => undefined, info: note, warn: note, error: note };
  const homes = openHomes({ workspacesDir: join(dir, "homes"), templateDir: "workspaces/_template", dataDir: dir, stepLimit: 20, log });
  const journals = new Map<string, Promise<Journal>>();
  const open = async (home: string) => {
    const folder = join(homeDir(home), "agents", "main", "context");
    await mkdir(folder, { recursive: true });
    return openJournal(join(folder, "journal.db"));
  };
  const journal = (home: string): Promise<Journal> => {
    const known = journals.get(home) ?? open(home);
    journals.set(home, known);
    return known;
  };
  const memory = (home: string) => homeMemory(homeDir(home), () => journal(home));
  const model = new Script();
  const sent = sentLately(options.keepsSent ?? 300);
  const stage = new Stage();
  const ran: object[] = [];
  const deploy = tool("ops__deploy", (input) => `deployed ${ran.push(input)}`, {
    label: "ops/deploy",
    risk: () => "ask",
    subject: () => "*",
  });
  const tools = [deploy, ...(options.tools ?? [])];
  const servers = openServers({ log: () => undefined, stdio: false, secret: () => undefined });
  const platforms = new Map<string, Platform>([["slack", stage]]);
  const standing = async (place: { platform: string }, person: string) =>
    (await platforms.get(place.platform)?.standing({ platform: "", team: "", channel: "", thread: null }, person)) ??
    stage.standing({ platform: "", team: "", channel: "", thread: null }, person);
  const harness = new Harness(
    {
      journal,
      homes,
      platforms,
      model,
      modelName: "claude-sonnet-test",
      window: undefined,
      hooks: [
        workspaceContext({ homes, memoryFor: ({ home, scope, by }) => memory(home).read(visibleScopes(scope, by)) }),
        { name: "tools", preReasoning: async () => ({ tools }) },
        approval({ homes, standing, grants: async (home, session) => (await journal(home)).grants(session) }),
      ],
      now: Date.now,
      patience: 0.01,
      scrub: (text) => text,
      log,
      sent: sent.keep,
      told: told(),
    },
    async () => ({ to: "nobody" }),
    async () => [],
  );
  const { token, metrics } = options;
  const console: Console = makeConsole({
    host: "127.0.0.1",
    port: 0,
    ...(token ? { token } : {}),
    folder: join(dir, "console"),
    log,
    health: () => ({ console: console.health(), slack: { ok: true, detail: "" } }),
    sessions: async (home) => (await journal(home)).sessions({ limit: 500 }),
    notice: () => undefined,
    scrub: (text) => text,
    operator: openOperator({
      homes,
      journal,
      memory,
      servers,
      silences: (home) => harness.silences(home),
      kept: sent.find,
      offered: (home, session, state) => harness.offered(home, session, state),
      link: ({ platform, channel }, message) => (platform === "slack" ? `https://chat.example/${channel}/${message}` : undefined),
    }),
    ...(metrics ? { metrics } : {}),
  });
  await console.start(harness);
  platforms.set("console", console);
  const url = console.url();
  let count = 0;
  const incoming = (text: string, more: Partial<Incoming> = {}): Incoming => ({
    place: { platform: "slack", team: "T1", channel: "C1", thread: null },
    channel: "public",
    shared: false,
    id: `17${++count}.1`,
    by: BOB,
    text,
    mentioned: true,
    toOthers: false,
    own: false,
    at: Date.now(),
    ...more,
  });

  return {
    url,
    console,
    harness,
    homes,
    journal,
    memory,
    model,
    stage,
    ran,
    logged,
    /** Somebody of the chat team writes; resolves with the session. */
    async say(text: string, more: Partial<Incoming> = {}): Promise<string> {
      const { session, reason } = await harness.message(incoming(text, more));
      if (session === undefined) throw new Error(reason);
      return session;
    },
    card: () => until(() => stage.buttons("Approve")[0], "a card"),
    answer: (text: string) => until(() => stage.answers().find((answer) => answer.includes(text)), `the answer ${text}`),
    quiet: async (home = TEAM) =>
      until(async () => (await (await journal(home)).unsettled(Date.now() + 60_000)).roots.length === 0, "everything to be settled"),
    read: (home: string, file: string) => readFileSync(join(homeDir(home), file), "utf8"),
    write: (home: string, file: string, text: string) => writeFileSync(join(homeDir(home), file), text),
    /** Posts as a page of the console does. */
    post: (path: string, body: object, headers: Record<string, string> = {}) =>
      fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json", "x-console": "1", origin: url, ...headers },
        body: JSON.stringify(body),
      }),
    async end() {
      await console.stop();
      await harness.close(0);
      await servers.close();
      for (const journal of journals.values()) await (await journal).close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
export type OperatedHouse = Awaited<ReturnType<typeof operated>>;
