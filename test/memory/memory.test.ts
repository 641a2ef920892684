import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Journal } from "../../src/core/ports.ts";
import { estimateTokens } from "../../src/core/tokens.ts";
import { diskFiles } from "../../src/files/disk.ts";
import { formatFact } from "../../src/memory/facts.ts";
import { homeMemory, type Memory, type Occasion } from "../../src/memory/memory.ts";
import { recall } from "../../src/memory/recall.ts";
import { openJournal } from "../../src/store/journal.ts";
import { folder } from "../files/folder.ts";

let home: string;
let journal: Journal;
let memory: Memory;
const open = (): Memory => homeMemory(home, async () => journal);
beforeEach(async () => {
  home = await folder();
  journal = openJournal(join(home, "agents/main/context/journal.db"));
  memory = open();
});
afterEach(() => journal.close());
const said = (change: Partial<Occasion> = {}): Occasion => ({
  scope: "team",
  session: "slack:T1:C1:17.1",
  call: "1.1.0",
  by: "slack:U1",
  channel: "slack:C1",
  now: Date.UTC(2026, 10, 30),
  ...change,
});

describe("remembering", () => {
  it("P6 the scope alone decides the file", async () => {
    await memory.remember("for all", said());
    await memory.remember("for the channel", said({ scope: "place:slack:C7" }));
    await memory.remember("for Ann", said({ scope: "person:slack:U1" }));
    expect(await readFile(join(home, "MEMORY.md"), "utf8")).toContain("for all");
    expect(await readFile(join(home, "memory/channels/slack_C7/MEMORY.md"), "utf8")).toContain("for the channel");
    expect(await readFile(join(home, "memory/people/slack_U1/MEMORY.md"), "utf8")).toContain("for Ann");
    expect((await readFile(join(home, "MEMORY.md"), "utf8")).match(/^- /gm)).toHaveLength(1);
  });

  it("P2 a call adds its fact once, and so do the same words of another", async () => {
    expect(await memory.remember("Ann likes tea", said())).toEqual({ ok: true, text: "Ann likes tea", fresh: true });
    expect(await open().remember("Ann likes tea", said())).toEqual({ ok: true, text: "Ann likes tea", fresh: false });
    expect(await memory.remember("ann likes  tea!", said({ call: "1.1.1" }))).toMatchObject({ fresh: false });
    expect(await memory.remember("Ann likes coffee", said({ session: "slack:T1:C1:18.1" }))).toMatchObject({ fresh: true });
    expect((await readFile(join(home, "MEMORY.md"), "utf8")).match(/^- /gm)).toHaveLength(2);
  });

  it("P2 a call whose fact was forgotten since does not bring it back", async () => {
    await memory.remember("Ann likes tea", said());
    const [listed] = await memory.list(["team"]);
    await memory.forget(listed?.fact?.id ?? "", ["team"], { id: "slack:U1", admin: false }, 1, "k");
    expect(await memory.remember("Ann likes tea", said())).toMatchObject({ ok: true, fresh: false });
    expect(await memory.list(["team"])).toEqual([]);
  });

  it("loses none of many facts told at once, also while another job rewrites the file", async () => {
    const tidy = () =>
      diskFiles(home).update("/MEMORY.md", (content) => new TextEncoder().encode(`${new TextDecoder().decode(content)}\n`));
    const work = Array.from({ length: 20 }, (_, index) => [memory.remember(`fact ${index}.`, said({ call: `1.1.${index}` })), tidy()]);
    await Promise.all(work.flat());
    const text = await readFile(join(home, "MEMORY.md"), "utf8");
    for (let index = 0; index < 20; index++) expect(text).toContain(`fact ${index}.`);
  });

  it("P11 a MEMORY.md that is a link or a folder is said in words, and nothing is written elsewhere", async () => {
    const outside = await folder();
    await symlink(join(outside, "x"), join(home, "MEMORY.md"));
    expect(await memory.remember("tea", said())).toEqual({
      ok: false,
      error: "MEMORY.md cannot be changed: links are not followed.",
    });
    expect(await readdir(outside)).toEqual([]);
    await mkdir(join(home, "memory/people/slack_U1/MEMORY.md"), { recursive: true });
    expect(await memory.remember("tea", said({ scope: "person:slack:U1" }))).toMatchObject({ ok: false });
    expect(await memory.read(["team", "person:slack:U1"])).toMatchObject([
      { problem: "links are not followed" },
      { problem: "this is a folder" },
    ]);
  });
});

describe("recalling", () => {
  it("P6 gives the scopes asked for and no other, each with where it is from", async () => {
    await memory.remember("for all", said());
    await memory.remember("for Ann", said({ scope: "person:slack:U1" }));
    expect(await memory.read(["team"])).toEqual([
      { scope: "team", text: expect.stringMatching(/^# Memory\n\n- \[[0-9a-f]{8}\] for all \(slack:U1, 2026-11-30\)$/), left: 0 },
    ]);
    expect((await memory.read(["team", "person:slack:U1", "place:slack:C1"])).map((each) => each.scope)).toEqual([
      "team",
      "person:slack:U1",
    ]);
  });

  it("strips people's comments, also over lines and unclosed", () => {
    const text = "# Team\n<!-- a\nb -->- own <!-- c -->\n- fact <!-- id:1 at:2026-11-30 -->\n<!-- open\n- hidden";
    expect(recall("team", text).text).toBe("# Team\n- own \n- [1] fact (2026-11-30)");
  });

  it("keeps people's lines and the newest facts under the budget, in the order of the file", async () => {
    const facts = Array.from({ length: 400 }, (_, index) =>
      formatFact({
        id: `${index}`,
        text: `fact ${index} ${"x".repeat(60)}`,
        by: "slack:U1",
        at: index < 200 ? "2026-11-30" : "2026-11-01",
        in: "c",
        session: "s",
      }),
    );
    const recalled = recall("team", ["# Team", "- own", ...facts].join("\n"));
    expect(estimateTokens(recalled.text)).toBeLessThanOrEqual(4_000);
    expect(estimateTokens(recalled.text)).toBeGreaterThan(3_800);
    const lines = recalled.text.split("\n");
    expect(lines.slice(0, 2)).toEqual(["# Team", "- own"]);
    const shown = lines.slice(2).map((line) => Number(/fact (\d+)/.exec(line)?.[1]));
    expect(shown).toEqual([...shown].sort((a, b) => a - b));
    expect(shown.at(-1)).toBe(199);
    expect(recalled.left).toBe(400 - shown.length);
  });

  it("keeps first what was last learned or used in an answer, and shows it where it stands in the file", async () => {
    const facts = Array.from({ length: 200 }, (_, index) =>
      formatFact({
        id: `${index}`,
        text: `Fact ${index} tells of thing${index} ${"word ".repeat(15)}`,
        by: "slack:U1",
        at: "2026-11-01",
        in: "c",
        session: "s",
      }),
    );
    await writeFile(join(home, "MEMORY.md"), [...facts, ""].join("\n"));
    const shown = async () => [...((await memory.read(["team"]))[0]?.text ?? "").matchAll(/^- \[(\d+)\]/gm)].map(([, id]) => Number(id));
    const before = await shown();
    expect(before).not.toContain(3);
    expect(before.at(-1)).toBe(199);
    await memory.answered("As you know, fact 3 tells of thing3 and word. Fact 4 is something else.", ["team"], Date.UTC(2026, 10, 30));
    const after = await shown();
    expect(after[0]).toBe(3);
    expect(after).not.toContain(4);
    expect(after).toEqual(after.toSorted((a, b) => a - b));
    expect(await open().read(["team"])).toEqual(await memory.read(["team"]));
    await memory.answered("fact 9 tells of thing9 word", ["person:slack:U1"], 1);
    expect(await shown()).toEqual(after);
  });

  it("stays under the budget whatever people wrote", async () => {
    for (const own of ["x".repeat(1_000_000), "word\n".repeat(50_000), "漢".repeat(50_000), "- ".padEnd(300_000), "<!--".repeat(50_000)]) {
      await writeFile(join(home, "MEMORY.md"), own);
      const [recalled] = await memory.read(["team"]);
      expect(estimateTokens(recalled?.text ?? "")).toBeLessThanOrEqual(4_000);
    }
  });
});
