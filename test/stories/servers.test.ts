/** Servers in a conversation: one that describes a tool anew, and one that the agent proposes. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HOME_SESSION } from "../../src/core/id.ts";
import type { Probed, ToolContext } from "../../src/core/ports.ts";
import { plain } from "../../src/core/view.ts";
import { mounts } from "../../src/files/mounts.ts";
import { approval } from "../../src/hooks/approval.ts";
import { dynamicTools } from "../../src/hooks/dynamic-tools.ts";
import { probing } from "../../src/main/probing.ts";
import { openServers, type Servers } from "../../src/mcp/servers.ts";
import { openSandbox } from "../../src/sandbox/sandbox.ts";
import { proposeServer } from "../../src/tools/propose-server.ts";
import { openHomes } from "../../src/workspace/homes.ts";
import { changesOf, keeping } from "../../src/workspace/keeping.ts";
import { ANN, BEN, Bot } from "../help/bot.ts";
import { calls, heard, Script, says } from "../help/script.ts";
import { until } from "../help/until.ts";
import { asking, mcpEntry, toolsJson } from "../rigs/mcp.ts";

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
let root: string;
let dir: string;
let bot: Bot;
let servers: Servers;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "servers-story-"));
  dir = join(root, "w", "home");
  mkdirSync(join(dir, "files"), { recursive: true });
  writeFileSync(join(dir, "policy.json"), JSON.stringify({ secrets: ["SHOP_KEY"] }));
});
afterEach(async () => {
  await bot.end();
  await servers.close();
  rmSync(root, { recursive: true, force: true });
});

function start(model: Script, probe?: () => Promise<Probed>): void {
  const homes = openHomes({ workspacesDir: join(root, "w"), templateDir: "none", dataDir: join(root, "data"), stepLimit: 50, log: QUIET });
  servers = openServers({ log: () => undefined, stdio: true, secret: () => undefined, patience: 8_000 });
  const keep = keeping({ history: () => homes.history("home"), room: () => homes.room("home") });
  const filesFor = (context: ToolContext) => keep(mounts({ homeDir: dir, session: context.session, scope: context.scope }), context);
  const policy = async () => (await homes.home("home").policy()).policy;
  const proposals = { ...probing(undefined, true), secrets: async () => (await policy()).secrets, ...(probe ? { probe } : {}) };
  bot = new Bot({
    model,
    tools: [proposeServer(filesFor, proposals)],
    gate: (tool, input) =>
      tool.risk(input, "team") === "admin"
        ? { verdict: "ask", level: "admin", risky: true, reason: "It changes how this home works." }
        : undefined,
    rules: { may: (what, person) => what !== "admin" || person === ANN.id, who: () => "Ann" },
    changes: changesOf({ history: () => homes.history("home"), home: () => homes.home("home") }),
    hooks: [
      dynamicTools({
        servers,
        readTools: async () => ({ text: (await homes.home("home").read("tools.json")).text ?? "" }),
        directory: () => dir,
        policy,
      }),
      approval({
        homes: { home: () => homes.home("home"), rules: async () => homes.rules("home") },
        grants: (_, session) => bot.journal.grants(session),
        pins: async () => (await bot.journal.state(HOME_SESSION)).pins,
        standing: (_, person) => bot.stage.standing({ platform: "stage", team: "T", channel: "C", thread: null }, person),
      }),
    ],
  });
  bot.stage.standings[ANN.id] = { owner: true };
}
const card = () => plain(bot.stage.visible("card").at(-1)?.slot.view ?? { parts: [], buttons: [] });
const file = () => readFileSync(join(dir, "tools.json"), "utf8");
const cards = (count: number) =>
  until(() => bot.stage.visible("card").length === count && bot.stage.buttons("Approve").length > 0, `card ${count}`);

describe("a tool of a server", () => {
  const say = (words: string) => writeFileSync(join(dir, "tools.json"), toolsJson({ shop: asking(words ? { SAYS: words } : {}) }));
  const order = calls(["shop__confirm"]);

  test("P3: allowed for good or approved, asks again when it says something else of itself, and its card says what changed", async () => {
    writeFileSync(join(dir, "tools.json"), toolsJson({ shop: mcpEntry() }));
    const deploy = calls(["shop__deploy", { target: "blue" }]);
    start(new Script(deploy, deploy, says("Both."), deploy, says("Third.")));
    await bot.say(ANN, "deploy");
    await cards(1);
    expect(card()).not.toContain("not what was approved");
    await bot.click(ANN, "Always allow");
    await bot.answer("Both.");
    expect(bot.stage.visible("card")).toHaveLength(1);
    // Its entry is another one now.
    writeFileSync(join(dir, "tools.json"), toolsJson({ shop: mcpEntry("", { NEW: "1" }) }));
    await bot.quiet();
    await bot.say(ANN, "once more");
    await cards(2);
    expect(card()).toMatch(/⚠️ This tool is not what was approved before: the entry of its server has changed since \d{4}-\d\d-\d\d\./);
    await bot.click(ANN, "Approve");
    await bot.answer("Third.");
  });

  test("that asks people, asks in the thread and goes on", async () => {
    say("");
    const model = new Script(order, says("Confirmed."));
    start(model);
    await bot.say(ANN, "confirm");
    await cards(1);
    await bot.click(ANN, "Approve");
    await bot.button("Continue");
    expect(card()).toMatch(/^shop asks\nReally\?/);
    await bot.click(ANN, "Continue");
    await bot.answer("Confirmed.");
    expect(heard(model.requests[1])).toMatch(/shop\/confirm[^}]*action[^}]*accept/);
  });

  test("P3: is cancelled at the server when the turn is stopped while people are asked", async () => {
    const effects = join(root, "effects.jsonl");
    writeFileSync(join(dir, "tools.json"), toolsJson({ shop: asking({ EFFECTS: effects }) }));
    start(new Script(order));
    await bot.say(ANN, "confirm");
    await cards(1);
    await bot.click(ANN, "Approve");
    await bot.button("Continue");
    await bot.click(ANN, "Stop");
    await bot.answer("Stopped by Ann.");
    await until(() => existsSync(effects) && readFileSync(effects, "utf8").includes("cancelled"), "the server to hear of it");
  });
});

describe("a server that the agent proposes", () => {
  const entry = asking();
  const propose = (more: object = {}) =>
    calls([
      "propose_server",
      {
        name: "shop",
        command: entry.command,
        args: [...entry.args, "--for", "it's me"],
        env: { SHOP_API_KEY: `\${SHOP_KEY}` },
        why: "To order things.",
        ...more,
      },
    ]);

  test("is on a card with its exact command, its secrets and what it offers; an administrator decides, and the next step has it", async () => {
    writeFileSync(join(dir, "tools.json"), JSON.stringify({ mcpServers: {}, deny: ["shop/login"] }));
    const model = new Script(propose({ env: { PLAIN: "1" } }), says("It is there."));
    start(model, async () => ({ ok: true, tools: [{ name: "order", description: "Orders\nsomething" }], instructions: "Be nice." }));
    await bot.say(BEN, "get a shop");
    await cards(1);
    const words = card();
    expect(words).toContain("outside of any sandbox");
    expect(words).toContain(`${entry.command} ${entry.args[0]} --for 'it'\\''s me'`);
    expect(words).toContain("It is given no secrets.");
    expect(words).toMatch(/Tried in the sandbox.*\n- order: Orders something\nIt says of itself:\nBe nice\./);
    expect(words).toMatch(/\+ {4}"shop": \{\n\+ {6}"command"/);
    expect(JSON.stringify(await bot.click(BEN, "Approve"))).toContain("Ann");
    await bot.click(ANN, "Approve");
    await bot.answer("It is there.");
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["propose_server"]);
    const offered = model.requests[1]?.tools.map(({ name }) => name) ?? [];
    expect(offered).toContain("shop__order");
    expect(offered).not.toContain("shop__login");
    expect(JSON.parse(file())).toMatchObject({ deny: ["shop/login"], mcpServers: { shop: { env: { PLAIN: "1" } } } });
  });

  test("P8: can be taken back", async () => {
    writeFileSync(join(dir, "tools.json"), '{\n  "mcpServers": {}\n}\n');
    start(new Script(propose(), says("It is there.")));
    await bot.say(BEN, "get a shop");
    await cards(1);
    await bot.click(ANN, "Approve");
    await bot.answer("It is there.");
    expect(file()).toContain("shop");
    await bot.button("Undo");
    await bot.click(ANN, "Undo");
    await until(() => !file().includes("shop"), "tools.json as it was");
  });

  test("without a real sandbox is not started before somebody approved it, and its card says so", async () => {
    start(new Script(propose(), says("Well.")));
    await bot.say(BEN, "get a shop");
    await cards(1);
    expect(card()).toContain("There is no real sandbox here, and it is not started outside of one.");
    expect(card()).toContain("Secrets: SHOP_KEY goes to it in the variable SHOP_API_KEY.");
    await bot.click(ANN, "Deny", 0, { reason: "no" });
    await bot.answer("Well.");
  });

  test("at an address is not asked before somebody approved it; a secret that policy does not list is said", async () => {
    start(
      new Script(
        calls([
          "propose_server",
          { name: "far", url: "https://mcp.example/x", headers: { Authorization: `Bearer \${FAR_KEY}` }, why: "To reach it." },
        ]),
        says("Well."),
      ),
    );
    await bot.say(BEN, "get it");
    await cards(1);
    expect(card()).toMatch(/https:\/\/mcp\.example\/x[\s\S]*nothing is sent to an address before somebody approved it/);
    expect(card()).toContain("It does not start before policy.json lists FAR_KEY under secrets.");
  });

  test.each<[string, object, RegExp]>([
    ["a secret as it is", { env: { SHOP_API_KEY: "hunter22x" } }, /looks like a secret: write it as/],
    ["a token anywhere", { args: [`ghp_${"a".repeat(36)}`] }, /looks like a token/],
    ["both ways", { url: "https://x.example" }, /either a command or a url/],
    ["a name with a path in it", { name: "../x" }, /letters, digits/],
    ["hidden characters", { args: ["a\u202eb"] }, /nobody can see/],
  ])("P7 P9: with %s is refused before anybody is asked", async (_what, more, why) => {
    const model = new Script(propose(more), says("All right."));
    start(model);
    await bot.say(BEN, "get a shop");
    await bot.answer("All right.");
    expect(bot.stage.visible("card")).toEqual([]);
    expect(heard(model.requests[1])).toMatch(why);
  });

  test("P11: is not written into a tools.json that cannot be read", async () => {
    writeFileSync(join(dir, "tools.json"), "{ not json");
    const model = new Script(propose(), says("Broken."));
    start(model);
    await bot.say(BEN, "get a shop");
    await cards(1);
    await bot.click(ANN, "Approve");
    await bot.answer("Broken.");
    expect(file()).toBe("{ not json");
    expect(heard(model.requests[1])).toContain("has to be mended first");
  });
});

test("a program is tried in the real sandbox, where there is one: it offers its tools, or its words say why not", async () => {
  servers = openServers({ log: () => undefined, stdio: false, secret: () => undefined });
  bot = new Bot();
  const sandbox = await openSandbox("auto", QUIET);
  const { probe } = probing(sandbox, true);
  const program = (command: string, args: string[] = []) => probe({ command, args, env: { A: "it's" } }, new AbortController().signal);
  if (sandbox?.kind !== "bubblewrap") return expect((await program("bash")).ok).toBe(false);
  const hello = '{"jsonrpc":"2.0","id":1,"result":{"instructions":"Hi, $A"}}';
  const list = '{"jsonrpc": "2.0", "id": 2, "result": {"tools": [{"name": "one"}]}}';
  const script = `echo starting; read a; printf '%s\\n' '${hello.replace("$A", "'\"$A\"'")}'; read b; read c; printf '%s\\n' '${list}'; sleep 60`;
  expect(await program("bash", ["-c", script])).toEqual({ ok: true, instructions: "Hi, it's", tools: [{ name: "one", description: "" }] });
  expect(await program("bash", ["-c", "echo no key is set >&2; exit 1"])).toEqual({
    ok: false,
    why: expect.stringContaining("no key is set") as string,
  });
});
