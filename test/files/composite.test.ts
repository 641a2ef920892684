import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Files } from "../../src/core/ports.ts";
import { compositeFiles } from "../../src/files/composite.ts";
import { evictedFiles, type MountOptions, memoryPath, mounts, sandboxMounts } from "../../src/files/mounts.ts";
import { isError } from "../../src/files/refusal.ts";
import { stateFiles } from "../../src/files/state.ts";
import { bytes, kind, put, text } from "../contract/files.ts";
import { folder } from "./folder.ts";

const names = async (files: Files, path: string) => {
  const found = await files.list(path);
  return isError(found) ? found.error : found.map((info) => info.path + (info.directory ? "/" : ""));
};
const walked = async (files: Files, path: string, limit = 100) => {
  const found = await files.walk(path, limit);
  return isError(found) ? found.error : found.files.map((info) => info.path);
};

describe("composite", () => {
  const tree = () =>
    compositeFiles({
      "/": stateFiles({ "/memory.txt": "root", "/x/y": "root" }),
      "/mem": stateFiles({ "/a.txt": "mem" }),
      "/mem/deep": stateFiles({ "/b.txt": "deep" }),
      "/far/away/z": stateFiles({ "/c.txt": "far" }),
    });

  it("gives a path to the mount with the longest prefix of whole names", async () => {
    const files = tree();
    for (const [path, content] of [
      ["/memory.txt", "root"],
      ["/mem/a.txt", "mem"],
      ["/mem/deep/b.txt", "deep"],
      ["/far/away/z/c.txt", "far"],
    ] as const) {
      expect(text(await files.read(path))).toBe(content);
    }
    await put(files, { "/member": "1", "/mem/new": "2" });
    expect(await names(files, "/mem")).toEqual(["/mem/a.txt", "/mem/deep/", "/mem/new"]);
  });

  it("lists mounts as folders where they are, also on the way to one", async () => {
    expect(await names(tree(), "/")).toEqual(["/far/", "/mem/", "/memory.txt", "/x/"]);
    expect(await names(tree(), "/far")).toEqual(["/far/away/"]);
    expect(await names(tree(), "/none")).toBe("file_not_found");
  });

  it("walks every mount once, and nothing that a mount covers", async () => {
    const covered = compositeFiles({ "/": stateFiles({ "/m/hidden": "no", "/own": "1" }), "/m": stateFiles({ "/shown": "1" }) });
    expect(await walked(covered, "/")).toEqual(["/m/shown", "/own"]);
    expect(await names(covered, "/m")).toEqual(["/m/shown"]);
    expect(await walked(tree(), "/")).toEqual(["/far/away/z/c.txt", "/mem/a.txt", "/mem/deep/b.txt", "/memory.txt", "/x/y"]);
    expect(await walked(tree(), "/far")).toEqual(["/far/away/z/c.txt"]);
    expect(await walked(tree(), "/none")).toBe("file_not_found");
  });

  it("gives every mount its share of a limit", async () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`/f${index}`, "x"]));
    const files = compositeFiles({ "/": stateFiles(many), "/m": stateFiles({ "/wanted": "1" }) });
    const found = await files.walk("/", 10);
    expect(found).toMatchObject({ truncated: true });
    expect(await walked(files, "/", 10)).toContain("/m/wanted");
  });

  it("deletes neither a mount nor a folder that holds one", async () => {
    for (const path of ["/", "/mem", "/far", "/far/away"]) expect(kind(await tree().remove(path))).toBe("permission_denied");
    expect(kind(await tree().write("/mem", bytes("x")))).toBe("is_directory");
    expect(kind(await tree().write("/far", bytes("x")))).toBe("is_directory");
  });
});

describe("the mounts of a session", () => {
  let home: string;
  const seen = (options: Partial<MountOptions> = {}) => mounts({ homeDir: home, session: "console:h:1", scope: "team", ...options });

  beforeEach(async () => {
    home = await folder();
    for (const path of [
      "AGENTS.md",
      "KNOWLEDGE.md",
      "MEMORY.md",
      "tools.json",
      "policy.json",
      "skills/x/SKILL.md",
      "subagents/r.md",
      "files/f.txt",
      "files/.git/config",
      ".git/config",
      "notes.txt",
      "memory/people/slack_U1/MEMORY.md",
      "agents/main/context/journal.db",
    ]) {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), `content of ${path}`);
    }
  });

  it("P7 shows of the home what is named and nothing else", async () => {
    expect(await walked(seen(), "/home")).toEqual([
      "/home/AGENTS.md",
      "/home/KNOWLEDGE.md",
      "/home/MEMORY.md",
      "/home/files/f.txt",
      "/home/policy.json",
      "/home/skills/x/SKILL.md",
      "/home/subagents/r.md",
      "/home/tools.json",
    ]);
    for (const path of [
      "/home/.git/config",
      "/home/files/.git/config",
      "/home/notes.txt",
      "/home/memory/people/slack_U1/MEMORY.md",
      "/home/agents/main/context/journal.db",
    ]) {
      expect(kind(await seen().read(path))).toBe("permission_denied");
      expect(kind(await seen().write(path, bytes("x")))).toBe("permission_denied");
      expect(kind(await seen().remove(path))).toBe("permission_denied");
    }
  });

  it("P7 lets nobody's tool write MEMORY.md, policy.json, the shared skills, kept results or the history", async () => {
    const shared = await folder();
    await writeFile(join(shared, "s.md"), "shared");
    const files = seen({ sharedSkillsDir: shared, history: () => ({ "/conversation.md": "# so far" }) });
    expect(text(await files.read("/skills/s.md"))).toBe("shared");
    expect(text(await files.read("/history/conversation.md"))).toBe("# so far");
    for (const path of ["/home/MEMORY.md", "/home/policy.json", "/skills/s.md", "/evicted/1.txt", "/history/conversation.md"]) {
      expect(kind(await files.write(path, bytes("x")))).toBe("permission_denied");
    }
    expect(await readFile(join(home, "policy.json"), "utf8")).toBe("content of policy.json");
  });

  it("P11 changes nothing of the home while it is frozen, and says why", async () => {
    const files = seen({ frozen: "policy.json is broken" });
    expect(await files.write("/home/files/f.txt", bytes("x"))).toEqual({ error: "permission_denied", detail: "policy.json is broken" });
    await put(files, { "/scratch.txt": "goes on" });
  });

  it("P7 a link in the home to another part of it opens nothing", async () => {
    await symlink("../memory", join(home, "files", "m"));
    expect(kind(await seen().read("/home/files/m/people/slack_U1/MEMORY.md"))).toBe("permission_denied");
    expect(await walked(seen(), "/home/files")).toEqual(["/home/files/f.txt"]);
  });

  it("P6 keeps notes of each scope apart", async () => {
    const scopes = ["team", "place:slack:C1", "place:slack:C_1", "person:slack:C1"] as const;
    for (const scope of scopes) await put(seen({ scope }), { "/memories/n.md": scope });
    for (const scope of scopes) expect(text(await seen({ scope }).read("/memories/n.md"))).toBe(scope);
    expect(await readFile(join(home, "memory/team/notes/n.md"), "utf8")).toBe("team");
    expect(memoryPath("place:slack:C1")).toBe("/memory/channels/slack_C1/MEMORY.md");
    expect(memoryPath("person:slack:U1")).toBe("/memory/people/slack_U1/MEMORY.md");
    expect(memoryPath("team")).toBe("/MEMORY.md");
  });

  it("P6 shows neither the team's facts nor its files where the team's memory is not to be seen", async () => {
    expect(await walked(seen({ scope: "place:slack:C9", seesTeam: false }), "/home")).toEqual([
      "/home/AGENTS.md",
      "/home/skills/x/SKILL.md",
      "/home/subagents/r.md",
    ]);
  });

  it("gives a helper the scratch and kept results of its root, and no other session", async () => {
    await put(seen(), { "/draft": "1" });
    await put(evictedFiles(home, "console:h:1"), { "/1.1.0.txt": "kept" });
    const helper = seen({ session: "console:h:1/1.2.0" });
    expect(text(await helper.read("/draft"))).toBe("1");
    expect(text(await helper.read("/evicted/1.1.0.txt"))).toBe("kept");
    const other = seen({ session: "console:h:2" });
    expect(kind(await other.read("/draft"))).toBe("file_not_found");
    expect(kind(await other.read("/evicted/1.1.0.txt"))).toBe("file_not_found");
  });

  it("two helpers that write at once both succeed, and of one file the last stands", async () => {
    const [a, b] = [seen({ session: "console:h:1/1.2.0" }), seen({ session: "console:h:1/1.2.1" })];
    await Promise.all([
      a.write("/a", bytes("a")),
      b.write("/b", bytes("b")),
      a.write("/both", bytes("from a")),
      b.write("/both", bytes("from b")),
    ]);
    expect(await names(seen(), "/")).toEqual(["/a", "/attachments/", "/b", "/both", "/evicted/", "/home/", "/memories/"]);
    expect(text(await seen().read("/both"))).toBe("from b");
  });

  it("P6 shows a command the same folders at the same paths, those of its own scope, and lets it write to scratch and files at most", async () => {
    const shared = await folder();
    const session = "console:h:1";
    for (const [scope, seesTeam] of [
      ["team", true],
      ["place:slack:C1", true],
      ["place:slack:C9", false],
    ] as const) {
      const all = await sandboxMounts({ homeDir: home, sharedSkillsDir: shared, session, scope, seesTeam, filesWritable: false });
      const tools = seen({ scope, seesTeam, sharedSkillsDir: shared });
      for (const { at, dir } of all) {
        await writeFile(join(dir, "same.txt"), `${scope} ${at}`);
        expect(text(await tools.read(`${at === "/" ? "" : at}/same.txt`)), at).toBe(`${scope} ${at}`);
      }
      expect(all.filter(({ writable }) => writable).map(({ at }) => at)).toEqual(["/"]);
      expect(all.some(({ at }) => at === "/home/files")).toBe(seesTeam);
      expect(all.some(({ dir }) => dir.includes("journal") || dir === home)).toBe(false);
    }
  });

  it("keeps the names of what comes and goes for itself: nothing written there is covered later", async () => {
    for (const name of ["history", "memories", "attachments", "usr", "tmp"]) {
      const written = await seen().write(`/${name}/x`, bytes("x"));
      if (name !== "memories") expect(kind(written), name).toBe("permission_denied");
    }
  });
});
