import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CommandsOn } from "../../src/commands/asked.ts";
import { commands } from "../../src/commands/commands.ts";
import type { Event, Speaker, Todo } from "../../src/core/event.ts";
import { HOME_SESSION } from "../../src/core/id.ts";
import type { Command, Journal, Reply, Standing } from "../../src/core/ports.ts";
import { type Scope, visibleScopes } from "../../src/core/scope.ts";
import { plain } from "../../src/core/view.ts";
import { behindOf, WORDS } from "../../src/core/words.ts";
import type { Listed, Memory } from "../../src/memory/memory.ts";
import { openJournal } from "../../src/store/journal.ts";
import { openHomes } from "../../src/workspace/homes.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const NOW = Date.UTC(2026, 0, 5, 12);
const ann: Speaker = { id: "slack:U1", name: "Ann", kind: "member" };
const ben: Speaker = { id: "slack:U2", name: "Ben", kind: "member" };
const guest: Speaker = { id: "slack:U3", name: "Gus", kind: "guest" };
const THREAD = "slack:T:C:1.0";
const place = { platform: "slack", team: "T", channel: "C", thread: "1.0" };

let root: string;
let homes: ReturnType<typeof openHomes>;
let journal: Journal;
let woken: number;
const facts: Listed[] = [];
/** Private places the asker is a member of. */
let places: Scope[] = [];
let run: ReturnType<typeof commands>;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "commands-"));
  mkdirSync(join(root, "w", "h", "skills", "lifts"), { recursive: true });
  put("policy.json", '{"people": {"admin": ["slack:U1"]}}');
  put("AGENTS.md", "You are Marvin.");
  homes = openHomes({ workspacesDir: join(root, "w"), templateDir: "none", dataDir: join(root, "d"), stepLimit: 50, log });
  journal = openJournal(join(root, "journal.db"));
  woken = 0;
  places = [];
  const member: Standing = { member: true, guest: false, external: false, owner: false, bot: false, groups: [] };
  const on: Pick<
    CommandsOn,
    "homes" | "journal" | "scopes" | "offer" | "signing" | "sharedSkills" | "standing" | "link" | "status" | "cost" | "now"
  > & {
    memory(): Pick<Memory, "list">;
  } = {
    homes,
    memory: () => ({ list: async (scopes) => facts.filter(({ scope }) => scopes.includes(scope)) }),
    cost: ({ input }) => input / 1000,
    journal: async () => journal,
    scopes: async (_home, own, by) => visibleScopes(own, by, places),
    offer: async ({ text }) => ({
      tools: text ? [{ label: "ops/deploy", description: "Deploys." }] : [],
      down: text ? [{ server: "logs", why: "it did not start" }] : [],
    }),
    signing: {
      whose: (_wanted, server) => (server === "wiki" ? "home" : server === "mail" ? "person" : undefined),
      connect: async ({ by }, server) => ({ ok: true, text: `${by?.name} at ${server}.`, link: "https://sign.in/?a=1" }),
      disconnect: async (_wanted, server) => ({ ok: false, why: `${server} does not answer.` }),
    },
    sharedSkills: [],
    standing: async ({ by }) => ({ ...member, member: by.kind === "member", guest: by.kind === "guest" }),
    link: ({ channel }, message) => `https://chat/${channel}/${message}`,
    status: () => ["Model: script"],
    now: () => NOW,
  };
  // The words about memory have a room and tests of their own.
  run = commands(on as unknown as CommandsOn);
});
afterEach(async () => {
  await journal.close();
  rmSync(root, { recursive: true, force: true });
});
const put = (path: string, text: string) => writeFileSync(join(root, "w", "h", path), text);
async function say(text: string, by = ann, more: Partial<Command> = {}): Promise<Reply> {
  const command: Command = { place, channel: "public", shared: false, by, text, at: NOW, ...more };
  return run(command, {
    home: "h",
    session: more.place?.thread ? `${more.place.platform}:T:${more.place.channel}:${more.place.thread}` : THREAD,
    why: ["12:00 UTC, Ann: “hi” — answered"],
    stop: async () => ({ to: "nobody" }),
    wake: async () => void woken++,
  });
}
const words = async (...given: Parameters<typeof say>) => {
  const reply = await say(...given);
  return "view" in reply ? plain(reply.view) : reply.to;
};
const hello = (session = THREAD, thread = "1.0") =>
  journal.receive(
    session,
    "m:1",
    { type: "message.received", at: NOW, id: "m1", by: ann, text: "hello", heard: true },
    { home: "h", scope: "team", place: { ...place, thread }, code: session },
  );
const grant = (session: string, id: string, tool: string, by = ann) =>
  journal.receive(session, `g:${id}`, { type: "grant.given", at: NOW, grant: { id, tool, subject: "*", by, at: NOW } });

describe("words", () => {
  test("each word of the list answers, to the asker alone but for what all may see", async () => {
    const listed = (await words("help")).match(/`(\w+)`:/g)?.map((it) => it.slice(1, -2)) ?? [];
    expect(listed).toEqual(Object.keys(WORDS));
    for (const word of listed.filter((it) => !["stop", "memory", "pause", "resume"].includes(it)))
      expect([word, (await say(word)).to]).toEqual([word, "asker"]);
  });

  test("what platforms suggest behind a word is what the word knows", async () => {
    expect(behindOf("tools")).toEqual(["connect ", "disconnect "]);
    for (const word of ["approvals", "tools"])
      for (const then of behindOf(word)) expect([then, await words(`${word} ${then}x9`)]).not.toEqual([then, await words(word)]);
    const said = await words("memory help");
    for (const then of behindOf("memory")) expect(said).toContain(`\`memory ${then}`);
    for (const then of [...said.matchAll(/`memory (\w+)/g)].map(([, verb]) => verb))
      expect(behindOf("memory").map((one) => one.split(" ", 1)[0])).toContain(then);
  });

  test.each([
    ["statsu", "status"],
    ["/Todo", "todos"],
    ["approve", "approvals"],
    ["puase now", "pause"],
    ["memory serch cats", "memory search"],
    ["/memory Forgt 3", "memory forget"],
  ])("%s: an unknown word is answered with the nearest, %s", async (wrong, near) => {
    expect(await words(wrong)).toContain(`Did you mean “${near}”?`);
  });

  test.each(["constructor", "toString", "__proto__"])("%s is a word like any other", async (word) => {
    expect(await words(word)).toContain("I do not know");
    expect(await words(`memory ${word}`)).toContain("I do not know");
  });

  test("what was said while fewer people could read a channel is not told in it afterwards (P6)", async () => {
    await journal.receive(
      THREAD,
      "m:1",
      { type: "message.received", at: NOW, id: "m1", by: ann, text: "the layoffs", heard: true },
      { home: "h", scope: "place:slack:C", place, code: "c" },
    );
    expect(await words("sessions", ann, { channel: "private" })).toContain("the layoffs");
    expect(await words("sessions", ann)).not.toContain("the layoffs");
  });

  test("nothing at all is help; a slash and capitals do no harm", async () => {
    expect(await words("")).toContain("What you can say");
    expect(await words(" /STATUS ")).toContain("How I am");
  });

  test.each([
    ["tools connect wiki", ann, "Ann at wiki. [Sign in to wiki](https://sign.in/?a=1)"],
    ["tools connect wiki", ben, "You may not do this. Who may: slack:U1."],
    ["tools connect mail", ben, "Ben at mail. [Sign in to mail](https://sign.in/?a=1)"],
    ["tools connect mail", guest, "You may not do this. Who may: members of the team."],
    ["tools disconnect wiki", ann, "wiki does not answer."],
    ["tools disconnect wiki", ben, "You may not do this."],
    ["tools connect", ann, "Which one? `tools connect NAME`."],
    ["tools connect nope", ann, "There is no server named “nope” in tools.json."],
  ])("%s of %o: the home's sign-in is for administrators, one's own for who may talk, the link for who asked", async (text, by, said) => {
    const reply = await say(text, by);
    expect(reply.to).toBe("asker");
    expect(await words(text, by)).toContain(said);
  });

  test("tools names the tools of each server, and tools with a server's name what they do", async () => {
    put("tools.json", "{}");
    const all = await words("tools");
    expect(all).toContain("• **ops**: `ops/deploy`");
    expect(all).toContain("`tools ops` says what those of ops do");
    expect(await words("tools ops")).toBe("Tools of ops\n• `ops/deploy`: Deploys.");
  });

  test("tools names what is there and what is not; skills names each, and one that is broken", async () => {
    expect(await words("tools")).toContain("No tool servers are set up");
    put("tools.json", '{"mcpServers": {}}');
    expect(await words("tools")).toContain("logs: not available, it did not start");
    expect(await words("tools")).toContain("**ops**: `ops/deploy`");
    put("skills/lifts/SKILL.md", "---\nname: lifts\ndescription: How lifts are built.\n---\n\nBuild.");
    expect(await words("skills")).toContain("**lifts**: How lifts are built.");
    for (const [description, shown] of [
      ["word ".repeat(40).trim(), `${"word ".repeat(24)}…`],
      [`PDF ${"文".repeat(200)}`, `PDF ${"文".repeat(116)} …`],
      [`${"😀".repeat(130)}`, `${"😀".repeat(120)} …`],
    ]) {
      put("skills/lifts/SKILL.md", `---\nname: lifts\ndescription: ${description}\n---\n\nBuild.`);
      expect(await words("skills")).toContain(`**lifts**: ${shown}`);
    }
    put("skills/lifts/SKILL.md", "no head");
    expect(await words("skills")).toContain("⚠️");
  });

  test("usage names what is used and what of it there is", async () => {
    expect(await words("usage")).toBe("Tokens today (UTC)\nYou: 0 of 1,000,000\nThis home: 0 of 5,000,000");
  });
});

describe("todos", () => {
  const plan = async (session: string, scope: Scope, todos: Todo[], title = session) => {
    const [platform = "", team = "", channel = "", thread = ""] = session.split(":");
    const opening = { home: "h", scope, place: { platform, team, channel, thread }, code: session };
    await journal.receive(session, "m", { type: "message.received", at: NOW, id: "m", by: ann, text: title, heard: false }, opening);
    const lease = await journal.lease(session);
    const events: Event[] = [
      { type: "step.opened", at: NOW, turn: 1, step: 1, upTo: 1 },
      { type: "todos.written", at: NOW, todos },
      { type: "turn.ended", at: NOW, turn: 1, how: "silent", text: "", cuts: [] },
    ];
    expect(lease && (await journal.record(lease, [[session, events]]))).toBe(true);
    if (lease) await journal.release(lease);
  };
  const open = (content: string): Todo[] => [
    { content: `${content} begun`, status: "in_progress" },
    { content: `${content} next`, status: "pending" },
    { content: `${content} over`, status: "completed" },
  ];
  beforeEach(async () => {
    await plan("slack:T:C:2.0", "team", open("channel"), "Release plan");
    await plan("slack:T:C9:3.0", "team", open("elsewhere"));
    await plan("discord:G:77:88", "team", open("discord"));
    await plan("slack:T:G1:4.0", "place:slack:G1", open("private"));
    await plan("slack:T:D1:5.0", "person:slack:U1", open("direct"));
    await plan("slack:T:D2:6.0", "person:slack:U2", open("bens"));
    await plan("slack:T:C:7.0", "team", [{ content: "all done", status: "completed" }], "Old plan");
  });
  const seen = (text: string) =>
    ["channel", "elsewhere", "discord", "private", "direct", "bens"].filter((word) => text.includes(`${word} begun`));

  test("P6 tell of the team's places and this one's in a channel, and of one's own and private ones in direct messages", async () => {
    const text = await words("todos", ann, { place: { ...place, thread: null } });
    expect(seen(text)).toEqual(["channel", "elsewhere", "discord"]);
    expect(text).toContain("[Release plan](https://chat/C/2.0) (1 of 3 done)");
    expect(text).toMatch(/▶ channel begun\n☐ channel next/);
    expect(text).not.toContain("channel over");
    const direct = { place: { platform: "slack", team: "T", channel: "D1", thread: null }, channel: "dm" as const };
    expect(seen(await words("todos", ann, direct))).toEqual(["channel", "elsewhere", "discord", "direct"]);
    places = ["place:slack:G1"];
    expect(seen(await words("todos", ann, direct))).toEqual(["channel", "elsewhere", "discord", "private", "direct"]);
    const closed = { place: { platform: "slack", team: "T", channel: "G1", thread: null }, channel: "private" as const };
    expect(seen(await words("todos", ann, closed))).toEqual(["channel", "elsewhere", "discord", "private"]);
  });

  test("P6 tell guests of the channel they are in, and of no other", async () => {
    expect(seen(await words("todos", guest, { place: { ...place, thread: null } }))).toEqual(["channel"]);
  });

  test("fold what is done into a line, and in a thread its own plan comes first", async () => {
    const text = await words("todos", ann, { place: { ...place, thread: null } });
    expect(text).toContain("Done: [Old plan](https://chat/C/7.0)");
    expect(text).not.toContain("all done");
    const own = await words("todos", ann, { place: { ...place, thread: "2.0" } });
    expect(own).toMatch(/In this thread[\s\S]*channel over[\s\S]*In other threads[\s\S]*elsewhere begun/);
  });
});

describe("status", () => {
  test("lists the latest three changes of the home with who, when and a link (P8)", async () => {
    await hello();
    await homes.history("h").look();
    for (let i = 0; i < 4; i++) {
      put("AGENTS.md", `version ${i}`);
      await homes.history("h").look({
        kind: "agent",
        text: `edit_file for Ann, number ${i}`,
        at: NOW + i,
        session: THREAD,
        call: `${i}.1.0`,
        scope: "team",
        by: ann,
      });
    }
    const text = await words("status");
    expect(text).toContain("• 2026-01-05 12:00 UTC, AGENTS.md: [edit_file for Ann, number 3](https://chat/C/1.0)");
    expect(text).toContain("number 1");
    expect(text).not.toContain("number 0");
  });

  test("does not tell in public where in private a change was asked for, and guests see none (P6)", async () => {
    await homes.history("h").look();
    put("AGENTS.md", "changed");
    await homes.history("h").look({
      kind: "agent",
      text: "edit_file for Secret Agent",
      at: NOW,
      session: "slack:T:G:9",
      call: "1.1.0",
      scope: "place:slack:G",
      by: ben,
    });
    const text = await words("status");
    expect(text).toContain("AGENTS.md: in a private place");
    expect(text).not.toMatch(/Secret|chat\/G/);
    expect(await words("status", guest, { channel: "private" })).not.toContain("AGENTS.md");
  });
});

describe("approvals", () => {
  test("lists what is allowed without asking, numbered, and revokes one (P3)", async () => {
    await hello();
    await grant(HOME_SESSION, "a", "ops/deploy");
    await grant(THREAD, "b", "execute", ben);
    const text = await words("approvals");
    expect(text).toContain("• #1 execute, in this thread: by Ben, 2026-01-05");
    expect(text).toContain("• #2 ops/deploy, everywhere: by Ann, 2026-01-05");
    expect(await words("approvals revoke #2")).toContain("ops/deploy asks again from now on.");
    expect((await journal.grants(THREAD)).map(({ grant: { tool } }) => tool)).toEqual(["execute"]);
    expect(await words("approvals revoke 9")).toContain("There is no permission #9");
    expect(await words("approvals revoke")).toContain("There is no permission #N");
  });

  test("may be revoked by who gave it and by who may decide, and by nobody else", async () => {
    await grant(HOME_SESSION, "a", "ops/deploy", ben);
    expect(await words("approvals revoke 1", guest)).toContain("Only Ben, approvers and administrators can revoke this.");
    expect(await words("approvals revoke 1", ben)).toContain("asks again");
  });
});

describe("pause and resume", () => {
  test("are the administrators', seen by all, and said once", async () => {
    expect(await say("pause", ben)).toMatchObject({ to: "asker" });
    expect(await words("pause", ben)).toContain("Only administrators can do this. Who may: slack:U1.");
    expect(await say("pause")).toMatchObject({ to: "all" });
    expect((await journal.state(HOME_SESSION)).paused).toEqual({ by: ann, at: NOW });
    expect(await words("pause")).toContain("I am paused already, by Ann.");
    expect(await words("status")).toContain("Paused by Ann since 2026-01-05 12:00 UTC");
    expect(woken).toBe(0);
    expect(await say("resume")).toMatchObject({ to: "all" });
    expect([(await journal.state(HOME_SESSION)).paused, woken]).toEqual([null, 1]);
    expect(await words("resume")).toContain("I am not paused.");
  });

  test("are nobody's while policy.json cannot be used (P11)", async () => {
    put("policy.json", "{");
    expect(await words("pause")).toContain("policy.json of this home cannot be used");
    expect((await journal.state(HOME_SESSION)).paused).toBeNull();
  });
});
