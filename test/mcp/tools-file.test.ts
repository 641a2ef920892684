import { describe, expect, it } from "vitest";
import { filled, parseToolsFile, permits, secretsIn } from "../../src/mcp/tools-file.ts";

const file = (value: unknown) => parseToolsFile(typeof value === "string" ? value : JSON.stringify(value));
const servers = (value: unknown) => {
  const parsed = file(value);
  return parsed.ok ? parsed.file.servers : parsed.problem;
};

describe("tools.json", () => {
  it("takes servers as a map and as a list", () => {
    const map = servers({ mcpServers: { a: { command: "x" }, b: { url: "https://b.example/mcp" } } });
    expect(map).toMatchObject([
      { name: "a", kind: "stdio", command: "x", args: [], env: {} },
      { name: "b", kind: "http", url: "https://b.example/mcp", auth: "home" },
    ]);
    expect(
      servers({
        mcpServers: [
          { name: "a", command: "x" },
          { name: "b", url: "https://b.example/mcp" },
        ],
      }),
    ).toEqual(map);
  });

  it("is empty when it says nothing, and leaves out what is disabled", () => {
    for (const text of ["", " \n", "{}", '{"mcpServers":{}}']) expect(servers(text)).toEqual([]);
    expect(servers({ mcpServers: { a: { command: "x", disabled: true } } })).toEqual([]);
  });

  it.each([
    ["no JSON", "{"],
    ["no object", "[]"],
    ["a deny that is no list", { deny: "drop_*" }],
    ["an entry without command and url", { mcpServers: { a: {} } }],
    ["an entry with both", { mcpServers: { a: { command: "x", url: "http://y" } } }],
    ["an entry that is no object", { mcpServers: { a: "x" } }],
    ["a url that is none", { mcpServers: { a: { url: "file:///etc/passwd" } } }],
    ["arguments that are no texts", { mcpServers: { a: { command: "x", args: [1] } } }],
    [
      "two servers of one name",
      {
        mcpServers: [
          { name: "a", command: "x" },
          { name: "a", command: "y" },
        ],
      },
    ],
    ["a time in milliseconds", { mcpServers: { a: { command: "x", timeout: 60_000 } } }],
    ["a transport that is none", { mcpServers: { a: { url: "http://y", transport: "websocket" } } }],
    ["a misspelt way to sign in", { mcpServers: { a: { url: "http://y", oauth: { clientid: "x" } } } }],
    ["a name with a slash", { mcpServers: { "a/b": { command: "x" } } }],
    ["one bad entry among good ones", { mcpServers: { a: { command: "x" }, b: { command: 5 } } }],
  ])("P11: fails closed, with a sentence that names the file, on %s", (_what, value) => {
    const parsed = file(value);
    expect(parsed).toMatchObject({ ok: false });
    expect(parsed.ok ? "" : parsed.problem).toMatch(/^tools\.json is not valid, so no MCP tools are offered until it is mended: .+\.$/);
  });
});

describe("allow and deny", () => {
  it.each<[allow: string[], deny: string[], label: string, offered: boolean]>([
    [[], [], "db/query", true],
    [["query"], [], "db/query", true],
    [["query"], [], "db/drop", false],
    [["db/*"], [], "db/drop", true],
    [["db/*"], [], "other/drop", false],
    [[], ["drop_*"], "db/drop_table", false],
    [[], ["drop_*"], "db/xdrop_table", true],
    [[], ["db/drop_*"], "db/drop_table", false],
    [["*"], ["*"], "db/query", false],
    [["query"], ["db/query"], "db/query", false],
    [["a.b"], [], "s/aXb", false],
    [[], ["*_table"], "s/a/b_table", false],
  ])("allow %j deny %j: %s is offered: %s", (allow, deny, label, offered) => {
    expect(permits({ servers: [], allow, deny }, label)).toBe(offered);
  });

  it.each<[allow: string[] | undefined, deny: string[] | undefined, label: string, offered: boolean]>([
    [undefined, undefined, "db/query", true],
    [["query"], undefined, "db/query", true],
    [["query"], undefined, "db/drop", false],
    [["*"], ["drop*"], "db/drop", false],
    [["query"], ["*"], "other/drop", true],
  ])("an entry's own allow %j deny %j hold for its tools alone: %s is offered: %s", (allow, deny, label, offered) => {
    const parsed = file({ mcpServers: { db: { command: "x", ...(allow && { allow }), ...(deny && { deny }) } } });
    if (!parsed.ok) throw new Error(parsed.problem);
    expect(permits(parsed.file, label)).toBe(offered);
    expect(permits({ ...parsed.file, deny: [label] }, label)).toBe(false);
  });
});

describe("secrets", () => {
  const parsed = file({ mcpServers: { a: { command: "x", args: ["--key", `\${KEY}`], env: { T: `a\${KEY}b\${OTHER}` } } } });
  const entry = parsed.ok ? parsed.file.servers[0] : undefined;
  if (!entry) throw new Error("no entry");

  it("are named by the entry and filled wherever they stand", () => {
    expect(secretsIn(entry)).toEqual(["KEY", "KEY", "OTHER"]);
    const done = filled(entry, (name) => ({ KEY: "1", OTHER: "2" })[name]);
    expect(done).toMatchObject({ ok: true, entry: { args: ["--key", "1"], env: { T: "a1b2" } }, values: ["1", "2"] });
  });

  it("that are missing are named in a sentence, and nothing is filled", () => {
    const done = filled(entry, (name) => (name === "KEY" ? "1" : undefined));
    expect(done).toMatchObject({ ok: false });
    expect(done.ok ? "" : done.problem).toMatch(/^\$\{OTHER\} in tools\.json has no value/);
  });
});
