/** Servers in a conversation: one that describes a tool anew, and one that the agent proposes. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HOME_SESSION } from "../../src/core/id.ts";
import type { Probed, ToolContext, WantedServers } from "../../src/core/ports.ts";
import { plain } from "../../src/core/view.ts";
import { mounts } from "../../src/files/mounts.ts";
import { approval } from "../../src/hooks/approval.ts";
import { dynamicTools } from "../../src/hooks/dynamic-tools.ts";
import { probing } from "../../src/main/probing.ts";
import { openServers, type Servers, type ServersOptions } from "../../src/mcp/servers.ts";
import { openSandbox } from "../../src/sandbox/sandbox.ts";
import { proposeServer, type ServerProposals } from "../../src/tools/propose-server.ts";
import { openHomes } from "../../src/workspace/homes.ts";
import { changesOf, keeping } from "../../src/workspace/keeping.ts";
import { ANN, BEN, Bot } from "../help/bot.ts";
import { calls, heard, Script, says } from "../help/script.ts";
import { until } from "../help/until.ts";
import { asking, mcpEntry, toolsJson } from "../rigs/mcp.ts";
import { mcpHttp } from "../rigs/mcp-http.ts";

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

const wanted = async (): Promise<WantedServers> => {
  const text = readFileSync(join(dir, "tools.json"), "utf8");
  return { home: "home", directory: dir, text, trust: [], secrets: ["SHOP_KEY"], sampling: [] };
};

type Trial = Partial<Pick<ServerProposals, "probe" | "visit">>;
function start(model: Script, { probe, visit, ...options }: Partial<ServersOptions> & Trial = {}): void {
  const homes = openHomes({ workspacesDir: join(root, "w"), templateDir: "none", dataDir: join(root, "data"), stepLimit: 50, log: QUIET });
  servers = openServers({ log: () => undefined, stdio: true, secret: () => undefined, patience: 8_000, ...options });
  const keep = keeping({ history: () => homes.history("home"), room: () => homes.room("home") });
  const filesFor = (context: ToolContext) => keep(mounts({ homeDir: dir, session: context.session, scope: context.scope }), context);
  const policy = async () => (await homes.home("home").policy()).policy;
  const proposals = {
    ...probing(undefined, true),
    secrets: async () => (await policy()).secrets,
    ...(probe ? { probe } : {}),
    ...(visit ? { visit } : {}),
  };
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

  test.each<[string, (file: string) => void, RegExp]>([
    [
      "server was taken out of tools.json",
      (file) => writeFileSync(file, toolsJson({})),
      /Not run: the tool shop\/deploy is not there any more/,
    ],
    [
      "server's entry was changed",
      (file) => writeFileSync(file, toolsJson({ shop: mcpEntry("", { NEW: "1" }) })),
      /has changed since this was decided/,
    ],
    ["tools.json was broken", (file) => writeFileSync(file, "{ not json"), /Not run: the tool shop\/deploy is not there any more/],
    ["tool was denied", (file) => writeFileSync(file, toolsJson({ shop: mcpEntry() }, { deny: ["deploy"] })), /is not there any more/],
  ])("P3: does not run if its %s while its card was open", async (_how, change, why) => {
    const effects = join(root, "effects.jsonl");
    const entry = mcpEntry("", { EFFECTS: effects });
    writeFileSync(join(dir, "tools.json"), toolsJson({ shop: entry }));
    const model = new Script(calls(["shop__deploy", { target: "blue" }]), says("I see."));
    start(model);
    await bot.say(ANN, "deploy");
    await cards(1);
    change(join(dir, "tools.json"));
    await bot.click(ANN, "Approve");
    await bot.answer("I see.");
    expect(heard(model.requests[1])).toMatch(why);
    expect(readFileSync(effects, "utf8")).not.toContain("deploy");
  });

  test("P3: does not run if its server describes it anew while its card was open", async () => {
    const rig = await mcpHttp();
    writeFileSync(join(dir, "tools.json"), toolsJson({ shop: { url: rig.url } }));
    const model = new Script(calls(["shop__deploy"]), says("I see."));
    start(model);
    await bot.say(ANN, "deploy");
    await cards(1);
    rig.tools.deploy = { inputSchema: { type: "object" }, description: "Deploys, and tells everybody." };
    const lists = () => rig.asked.filter(({ rpc }) => rpc === "tools/list").length;
    const before = lists();
    rig.say({ method: "notifications/tools/list_changed" });
    await until(() => lists() > before, "the list to be had again");
    await bot.click(ANN, "Approve");
    await bot.answer("I see.");
    expect(heard(model.requests[1])).toMatch(/has changed since this was decided|is not what it was when it was offered/);
    expect(rig.deployed()).toBe(0);
    await rig.stop();
  });

  test("runs when it is approved although its server was closed meanwhile and is slow to start", async () => {
    const effects = join(root, "effects.jsonl");
    writeFileSync(join(dir, "tools.json"), toolsJson({ shop: mcpEntry("slow", { EFFECTS: effects, SLOW: "600" }) }));
    const model = new Script(calls(["shop__deploy", { target: "blue" }]), says("Done."));
    start(model, { patience: 2_000, idle: 150, startTimeout: 20_000 });
    await until(async () => (await servers.offer(await wanted())).tools.length > 0, "the server to be there");
    await bot.say(ANN, "deploy");
    await cards(1);
    await until(() => servers.now("home")[0]?.detail === "it starts when it is wanted", "the server to be closed");
    await bot.click(ANN, "Approve");
    await bot.answer("Done.");
    expect(heard(model.requests[1])).toContain("deployed to blue");
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
    start(model, {
      probe: async () => ({ ok: true, tools: [{ name: "order", description: "Orders\nsomething" }], instructions: "Be nice." }),
    });
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

  const far = (more: object = {}) => calls(["propose_server", { name: "far", url: "https://mcp.example/x", why: "To reach it.", ...more }]);
  test.each<[string, Probed, RegExp]>([
    [
      "offers",
      { ok: true, tools: [{ name: "order", description: "Orders" }], instructions: "Be nice." },
      /Asked as a stranger, without secrets, it offers, in its own words:\n- order: Orders\nIt says of itself:\nBe nice\./,
    ],
    [
      "does not say",
      { ok: false, why: "it tells only those who have signed in" },
      /asked what it offers, and did not say:\nit tells only those/,
    ],
  ])("at an address that a member wrote here is asked as a stranger, and its card tells what it %s", async (_how, found, words) => {
    const asked: string[] = [];
    const visit = async (url: string) => {
      asked.push(url);
      return found;
    };
    start(new Script(far({ headers: { Authorization: `Bearer \${SHOP_KEY}` } })), { visit });
    await bot.say(BEN, "get https://mcp.example/x please");
    await cards(1);
    expect(card()).toMatch(words);
    expect(asked).toEqual(["https://mcp.example/x"]);
  });

  test("P7: at an address inside this machine's network is not asked, whoever wrote it", async () => {
    const rig = await mcpHttp();
    start(new Script(far({ url: rig.url })));
    await bot.say(BEN, `get ${rig.url}`);
    await cards(1);
    expect(card()).toMatch(/127\.0\.0\.1, an address inside this machine's network/);
    expect(rig.asked).toEqual([]);
    await rig.stop();
  });

  test("P6: at an address is asked with what people wrote and nothing more", async () => {
    const visit = async (): Promise<Probed> => {
      throw new Error("it was asked");
    };
    start(new Script(far({ url: "https://mcp.example/x?said=in-private" })), { visit });
    await bot.say(BEN, "get https://mcp.example/x");
    await cards(1);
    expect(card()).toContain("nothing is sent to an address that nobody wrote here");
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
    expect(card()).toMatch(
      /https:\/\/mcp\.example\/x[\s\S]*nothing is sent to an address that nobody wrote here before somebody approved it/,
    );
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
