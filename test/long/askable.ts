/**
 * A home with everything the product has on it, asked from one room at a time: prompt and tools as the hooks offer them, also to a helper,
 * files, search, each word of the commands with the page of one's own, what stands in threads, and the digests of nights.
 */

import { commands } from "../../src/commands/commands.ts";
import { numbers } from "../../src/commands/shown.ts";
import type { Event, Place, Speaker } from "../../src/core/event.ts";
import { childOf } from "../../src/core/id.ts";
import type { Moment, Standing, Tool, ToolContext } from "../../src/core/ports.ts";
import type { Scope } from "../../src/core/scope.ts";
import { visibleScopes } from "../../src/core/scope.ts";
import { slots } from "../../src/core/slots.ts";
import type { State } from "../../src/core/state.ts";
import { plain } from "../../src/core/view.ts";
import { hooksOf } from "../../src/main/hooks.ts";
import type { House } from "../../src/main/house.ts";
import { tellNights } from "../../src/memory/digest.ts";
import { openHomes } from "../../src/workspace/homes.ts";
import type { Home } from "../memory/place.ts";

const WORDS = [
  "memory",
  "memory history",
  "memory export",
  "memory export 2",
  "memory about me",
  "memory search fact",
  "todos",
  "sessions",
];
const MORE = ["home", "approvals", "status", "why", "usage"];
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

export function askable(home: Home) {
  const homes = openHomes({ workspacesDir: home.root, templateDir: "none", dataDir: `${home.root}/.data`, stepLimit: 50, log: QUIET });
  let kind: Speaker["kind"] = "member";
  const standing = async (): Promise<Standing> => ({
    member: kind === "member",
    guest: kind === "guest",
    external: kind === "external",
    owner: false,
    bot: false,
    groups: [],
  });
  const platform = (name: string) => ({
    name,
    standing,
    places: async (): Promise<Scope[]> => ["place:slack:G1"],
    link: ({ channel }: Place, message: string) => `https://${name}/${channel}/${message}`,
    health: () => ({ ok: true, detail: "" }),
  });
  const adapters = new Map(["slack", "discord"].map((name) => [name, platform(name)]));
  const memory = home.memory();
  const house = {
    config: {},
    log: QUIET,
    scrub: (text: string) => text,
    homes,
    journal: async () => home.journal,
    memory: () => memory,
    servers: { offer: async () => ({ tools: [], down: [] }) },
    adapters,
    sandbox: undefined,
  } as unknown as House;

  const shownIn = (state: State): string => JSON.stringify([slots(state).map(({ view }) => view), state.digest]);

  /** What the room itself gives: everything that reaches the model, and everything its tools give back. */
  async function work(by: Speaker, scope: Scope, place: Place, session: string, words: readonly string[]): Promise<string> {
    const state = await home.journal.state(session);
    const moment: Moment = { home: "home", session, scope, place, by, state, now: home.now, signal: new AbortController().signal };
    const offers = await Promise.all((await hooksOf(house)).map((hook) => hook.preReasoning?.(moment)));
    const tools = new Map<string, Tool>(offers.flatMap((offer) => offer?.tools ?? []).map((tool) => [tool.name, tool]));
    const context: ToolContext = { ...moment, call: "1.1.0" };
    const use = async (name: string, input: Record<string, string | number>): Promise<string> => {
      const tool = tools.get(name);
      const parsed = tool?.parse(input);
      return tool && parsed?.ok ? JSON.stringify((await tool.run(parsed.input, context)).content) : "";
    };
    const said: string[] = [JSON.stringify(offers.map((offer) => offer?.system))];
    for (const path of ["/", "/home", "/memories", "/evicted", "/home/memory", "/home/agents"]) {
      said.push(await use("grep", { pattern: "fact-", path }), await use("glob", { pattern: "**/*", path }), await use("ls", { path }));
    }
    for (const path of ["/home/MEMORY.md", "/memories/MEMORY.md", "/home/memory/people/slack_UANN/MEMORY.md", "/history/conversation.md"])
      for (let offset = 0; offset < 400; offset += 100) said.push(await use("read_file", { file_path: path, offset, limit: 100 }));
    for (const text of words) said.push(await use("search_sessions", { query: /fact-\d+-\d+/.exec(text)?.[0] ?? text, limit: 20 }));
    return said.join("\n");
  }

  async function command(by: Speaker, own: Scope, place: Place, session: string): Promise<string> {
    const run = commands({
      homes,
      journal: async () => home.journal,
      memory: () => memory,
      shown: numbers(),
      scopes: async (_home: string, scope: Scope, who: Speaker) =>
        visibleScopes(scope, who, scope.startsWith("person:") ? ["place:slack:G1"] : []),
      offer: async () => ({ tools: [], down: [] }),
      sharedSkills: [],
      standing,
      cost: () => null,
      link: ({ platform, channel }: Place, message: string) => `https://${platform}/${channel}/${message}`,
      status: () => [],
      now: () => home.now,
    } as unknown as Parameters<typeof commands>[0]);
    const channel = own === "team" ? "public" : own.startsWith("person:") ? "dm" : "private";
    const told: string[] = [];
    for (const text of [...WORDS, ...MORE]) {
      const reply = await run(
        { place, channel, shared: false, by, text, at: home.now },
        { home: "home", session, why: [], stop: async () => ({ to: "nobody" }), wake: async () => {} },
      );
      told.push("view" in reply ? plain(reply.view) : "");
    }
    return told.join("\n");
  }

  return {
    /** What was said is taken up, answered with itself, planned and carded; and what the nights learned is told. */
    async told(): Promise<void> {
      for (const { session } of await home.journal.sessions()) {
        const lease = await home.journal.lease(session);
        const { talk } = await home.journal.state(session);
        const words = talk.queue.map(({ text }) => text).join("\n");
        const events: Event[] = [
          { type: "step.opened", at: home.now, turn: 1, step: 1, upTo: talk.received },
          { type: "todos.written", at: home.now, todos: [{ content: words, status: "pending" }] },
          { type: "turn.ended", at: home.now, turn: 1, how: "answered", text: words, cuts: [] },
        ];
        if (lease) await home.journal.record(lease, [[session, events]]);
        if (lease) await home.journal.release(lease);
      }
      await tellNights(
        {
          journal: async () => home.journal,
          platforms: adapters as never,
          wants: async () => ({ announce: "slack:C1", tells: async () => true }),
          morning: async (_, after) => after,
          wake: () => {},
          now: () => home.now,
          log: QUIET,
        },
        "home",
      );
    },
    /** Everything that somebody in a room is shown or told. `channel`: another than the scope's own. */
    async ask(by: Speaker, own: Scope, words: readonly string[], channel?: string): Promise<string> {
      ({ kind } = by);
      const rows = await home.journal.sessions();
      const [row] = rows.filter(({ scope, session }) => scope === own && !session.startsWith("digest:"));
      const place: Place = {
        ...(row?.place ?? { platform: "slack", team: "T1", channel: "C1", thread: "1.1" }),
        ...(channel ? { channel, thread: null } : {}),
      };
      const session = channel ? `slack:T1:${channel}:new` : (row?.session ?? "");
      const here = rows.filter((each) => each.place.platform === place.platform && each.place.channel === place.channel && !channel);
      const standing = await Promise.all(here.map(async (each) => shownIn(await home.journal.state(each.session))));
      const all = [
        await work(by, own, place, session, words),
        await work(by, own, place, childOf(session, "1.1.0"), []),
        await command(by, own, place, session),
        ...(by.kind === "member" ? standing : []),
      ];
      return all.join("\n");
    },
  };
}
