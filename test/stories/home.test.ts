/** The agent changes its home: the card shows the diff, what runs is what it showed, and what was done can be taken back. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ToolContext } from "../../src/core/ports.ts";
import { plain } from "../../src/core/view.ts";
import { mounts } from "../../src/files/mounts.ts";
import { deleteFile, editFile, writeFile } from "../../src/tools/change-files.ts";
import { openHomes } from "../../src/workspace/homes.ts";
import { changesOf, keeping } from "../../src/workspace/keeping.ts";
import { ANN, BEN, Bot, type BotOptions } from "../help/bot.ts";
import { calls, heard, Script, says } from "../help/script.ts";

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
let root: string;
let dir: string;
let bot: Bot;
let homes: ReturnType<typeof openHomes>;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "home-story-"));
  dir = join(root, "w", "home");
  mkdirSync(join(dir, "files"), { recursive: true });
  writeFileSync(join(dir, "AGENTS.md"), "You are Denizen.\nBe brief.\n");
  writeFileSync(join(dir, "policy.json"), "{}");
});
afterEach(async () => {
  await bot.end();
  rmSync(root, { recursive: true, force: true });
});

function start(model: Script, more: Partial<BotOptions> = {}): Bot {
  homes = openHomes({ workspacesDir: join(root, "w"), templateDir: "none", dataDir: join(root, "data"), stepLimit: 50, log: QUIET });
  const keep = keeping({ history: () => homes.history("home"), room: () => homes.room("home") });
  const filesFor = (context: ToolContext) => keep(mounts({ homeDir: dir, session: context.session, scope: context.scope }), context);
  bot = new Bot({
    model,
    tools: [writeFile(filesFor), editFile(filesFor), deleteFile(filesFor)],
    gate: () => ({ verdict: "ask", risky: true, reason: "It changes how this home works.", level: "admin" }),
    changes: changesOf({ history: () => homes.history("home"), home: () => homes.home("home") }),
    ...more,
  });
  return bot;
}
const card = () => bot.stage.visible("card")[0]?.slot.view;
const agents = () => readFileSync(join(dir, "AGENTS.md"), "utf8");
const edit = calls(["edit_file", { file_path: "/home/AGENTS.md", old_string: "Be brief.", new_string: "Be kind." }]);

describe("a change of the home", () => {
  test("is shown as a diff, runs as shown, and is in the history with who asked and who approved (P3, P8)", async () => {
    start(new Script(edit, says("Changed.")));
    await bot.say(BEN, "be kind");
    await bot.button("Approve");
    expect(card()?.parts[0]).toEqual({
      kind: "code",
      lang: "diff",
      text: "--- /home/AGENTS.md\n+++ /home/AGENTS.md\n@@ -1,2 +1,2 @@\n You are Denizen.\n-Be brief.\n+Be kind.",
    });
    await bot.click(ANN, "Approve");
    await bot.answer("Changed.");
    expect(agents()).toBe("You are Denizen.\nBe kind.\n");
    const { commits } = await homes.history("home").commits();
    expect(commits[0]).toMatchObject({
      kind: "agent",
      text: "edit_file for Ben, approved by Ann",
      by: { id: BEN.id },
      approved: ["Ann"],
      session: "stage:T:C:t1",
      call: "1.1.0",
      files: [{ path: "AGENTS.md", how: "changed" }],
    });
  });

  test.each<[string, ReturnType<typeof calls>]>([
    ["an edit", edit],
    ["a write", calls(["write_file", { file_path: "/home/AGENTS.md", content: "All new.\n" }])],
    ["a deletion", calls(["delete", { file_path: "/home/AGENTS.md" }])],
  ])("P3: %s does not run if the file was changed after people saw the diff", async (_, call) => {
    start(new Script(call, says("Then not.")));
    await bot.say(BEN, "change it");
    await bot.button("Approve");
    writeFileSync(join(dir, "AGENTS.md"), "You are Marvin.\nBe brief.\n");
    await bot.click(ANN, "Approve");
    await bot.answer("Then not.");
    expect(agents()).toBe("You are Marvin.\nBe brief.\n");
    expect(heard(bot.model.requests[1])).toContain("Not run: the file has changed since this change of it was shown");
  });

  test("P3: an edited input is shown as its own diff, and that is what runs", async () => {
    start(new Script(calls(["write_file", { file_path: "/home/AGENTS.md", content: "Loud.\n" }]), says("Changed.")));
    await bot.say(BEN, "be loud");
    await bot.button("Edit");
    await bot.click(ANN, "Edit", 0, { file_path: "/home/AGENTS.md", content: "Quiet.\n" });
    await bot.answer("Changed.");
    expect(plain(card() ?? { parts: [], buttons: [] })).toContain("+Quiet.");
    expect(agents()).toBe("Quiet.\n");
  });

  test("a long diff is cut on the card, and says how much is left out; its end still binds (P3)", async () => {
    const content = (last: string) => `${Array.from({ length: 400 }, (_, i) => `line ${i}`).join("\n")}\n${last}\n`;
    start(new Script(calls(["write_file", { file_path: "/home/AGENTS.md", content: content("end") }]), says("Then not.")));
    writeFileSync(join(dir, "AGENTS.md"), content("old end"));
    await bot.say(BEN, "change it");
    await bot.button("Approve");
    await bot.click(ANN, "Deny", 0, { reason: "" });
    await bot.answer("Then not.");
    await bot.end();
    start(new Script(calls(["write_file", { file_path: "/home/KNOWLEDGE.md", content: content("end") }]), says("Written.")));
    await bot.say(BEN, "write it");
    await bot.button("Approve");
    const text = plain(card() ?? { parts: [], buttons: [] });
    expect(text.length).toBeLessThan(3_000);
    expect(text).toMatch(/\[This is not all of it: 1\d\d more lines are added and 0 more removed\. Edit shows the whole input\.\]/);
    writeFileSync(join(dir, "KNOWLEDGE.md"), content("other"));
    await bot.click(ANN, "Approve");
    await bot.answer("Written.");
    expect(readFileSync(join(dir, "KNOWLEDGE.md"), "utf8")).toContain("other");
  });

  test("P9: a token in a file is masked in the diff", async () => {
    start(new Script(edit, says("Done.")));
    writeFileSync(join(dir, "AGENTS.md"), "xoxb-secret\nBe brief.\n");
    await bot.say(BEN, "be kind");
    await bot.button("Approve");
    expect(plain(card() ?? { parts: [], buttons: [] })).toContain("[masked]");
    expect(JSON.stringify(await bot.journal.events("stage:T:C:t1"))).not.toContain("xoxb-secret");
  });
});

describe("Undo", () => {
  const changed = async () => {
    await bot.say(BEN, "be kind");
    await bot.button("Approve");
    await bot.click(ANN, "Approve");
    await bot.answer("Changed.");
    await bot.button("Undo");
  };

  test("stands below the work of a turn that changed the home, not on the decided card, and takes it back once (P2, P8)", async () => {
    start(new Script(edit, says("Changed.")));
    await changed();
    expect(card()?.buttons).toEqual([]);
    const reply = await bot.click(ANN, "Undo");
    expect(reply).toMatchObject({ to: "all" });
    expect("view" in reply && plain(reply.view)).toBe("↩️ Ann took back what was changed here: AGENTS.md.");
    expect(agents()).toBe("You are Denizen.\nBe brief.\n");
    expect(await bot.click(ANN, "Undo")).toMatchObject({ to: "asker" });
    expect(agents()).toBe("You are Denizen.\nBe brief.\n");
  });

  test("is an administrator's where an administrator had to allow the change", async () => {
    const may = (what: string, person: string) => what !== "admin" || person === ANN.id;
    start(new Script(edit, says("Changed.")), { rules: { may } });
    await changed();
    const reply = await bot.click(BEN, "Undo");
    expect("view" in reply && plain(reply.view)).toContain("You may not take this back.");
    expect(agents()).toBe("You are Denizen.\nBe kind.\n");
  });

  test("explains a conflict and changes nothing (P8)", async () => {
    start(new Script(edit, says("Changed.")));
    await changed();
    writeFileSync(join(dir, "AGENTS.md"), "You are Denizen.\nBe rude.\n");
    const reply = await bot.click(ANN, "Undo");
    expect("view" in reply && plain(reply.view)).toContain("Nothing was taken back. AGENTS.md has been changed in the same place since");
    expect(agents()).toBe("You are Denizen.\nBe rude.\n");
  });

  test("is not offered by a turn that changed nothing of the home", async () => {
    start(new Script(calls(["write_file", { file_path: "/notes.md", content: "scratch" }]), says("Noted.")), { gate: undefined });
    await bot.say(BEN, "note");
    await bot.answer("Noted.");
    await bot.quiet();
    expect(bot.stage.buttons("Undo")).toEqual([]);
  });
});
