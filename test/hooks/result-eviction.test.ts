import { beforeEach, describe, expect, it } from "vitest";
import type { Result } from "../../src/core/event.ts";
import type { Files, Tool } from "../../src/core/ports.ts";
import { roomFor, weight } from "../../src/core/tokens.ts";
import { diskFiles } from "../../src/files/disk.ts";
import { evictedFiles, mounts } from "../../src/files/mounts.ts";
import { stateFiles } from "../../src/files/state.ts";
import { resultEviction } from "../../src/hooks/result-eviction.ts";
import { text } from "../contract/files.ts";
import { folder } from "../files/folder.ts";
import { context, run, tools } from "../tools/context.ts";

const LARGEST = Math.floor(roomFor(20_000) / weight("x"));
const tool = (paging: boolean): Tool => ({ ...(tools(stateFiles()).get("ls") as Tool), paging });

let files: Files;
beforeEach(() => {
  files = stateFiles();
});
const evict = async (content: Result["content"], { call = "1.1.0", session = "console:h:1", failed = false, paging = false } = {}) =>
  (await resultEviction(() => files).postActing?.(context({ session }), tool(paging), call, { content, failed })) ?? { content, failed };
const words = (result: Result) => (typeof result.content === "string" ? result.content : JSON.stringify(result.content));
const pathIn = (result: Result) => /\/evicted(\/[^\s"]+)/.exec(words(result))?.[1] ?? "/none";

describe("results too large for the context", () => {
  it("a result exactly at the threshold stays, one character more goes", async () => {
    const fits = "x".repeat(LARGEST);
    expect(words(await evict(fits))).toBe(fits);
    const gone = await evict(`${fits}x`);
    expect(words(gone).length).toBeLessThan(1_500);
    expect(text(await files.read(pathIn(gone)))).toBe(`${fits}x`);
  });

  it("is counted by what it costs, not by its length", async () => {
    expect(words(await evict("漢".repeat(20_000)))).toContain("/evicted/");
  });

  const long = "y".repeat(10_000);
  it.each([
    ["one line of 100,000 characters", "z".repeat(100_000), 1, 0],
    ["exactly ten lines", Array(10).fill(long).join("\n"), 10, 0],
    ["eleven lines", Array(11).fill(long).join("\n"), 10, 1],
    ["many Windows lines", Array(20_000).fill("line").join("\r\n"), 10, 19_990],
  ])("leaves of %s the first and last five, each cut", async (_, content, shown, left) => {
    const result = await evict(content);
    const [, , ...preview] = words(result).split("\n");
    const lines = preview.filter((line) => !line.includes("left out"));
    expect(lines).toHaveLength(shown);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(1_001);
    expect(words(result).includes("left out")).toBe(left > 0);
    if (left > 0) expect(words(result)).toContain(`${left.toLocaleString("en")} lines left out`);
    expect(words(result)).not.toContain("\r");
    expect(text(await files.read(pathIn(result)))).toBe(content);
  });

  it("can be read back to the end by the tool that reads files, and is not evicted again", async () => {
    const home = await folder();
    files = evictedFiles(home, "console:h:1");
    const content = Array.from({ length: 30_000 }, (_, index) => `log line ${index}`).join("\n");
    const result = await evict(content, { session: "console:h:1/1.2.0" });
    const path = `/evicted${pathIn(result)}`;
    const read = tools(mounts({ homeDir: home, session: "console:h:1", scope: "team" })).get("read_file");
    const page = await run(read, { path, offset: 29_000, limit: 1_000 });
    expect(page.text).toContain("log line 29999");
    expect(read?.paging).toBe(true);
    expect(words(await evict(content, { paging: true }))).toBe(content);
  });

  it.each(["a/../../b.c", "x".repeat(400), "..", "1.1.0"])("has a safe and only name for the call %j", async (call) => {
    const home = await folder();
    files = diskFiles(home);
    const content = "x".repeat(100_000);
    const path = pathIn(await evict(content, { call }));
    expect(path).toMatch(/^\/[A-Za-z0-9=_-][A-Za-z0-9._=-]{0,130}\.txt$/);
    expect(text(await files.read(path))).toBe(content);
    const again = pathIn(await evict(content, { call }));
    const other = pathIn(await evict(`${content}!`, { call }));
    const helper = pathIn(await evict(content, { call, session: "console:h:1/1.2.0" }));
    expect(again).toBe(path);
    expect(new Set([path, other, helper]).size).toBe(3);
    expect(text(await files.read(path))).toBe(content);
  });

  it("is bounded and says so when it could not be saved", async () => {
    files.write = async () => ({ error: "failed", detail: "the disk is full" });
    const result = await evict("x\n".repeat(100_000));
    expect(words(result)).toContain("could not be saved (the disk is full)");
    expect(words(result)).not.toContain("/evicted");
    expect(words(result).length).toBeLessThan(1_500);
  });

  it("keeps images where they were, and an error an error", async () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(200_000) } };
    const large = { type: "text", text: "t".repeat(60_000) };
    const result = await evict([image, large, image, large], { failed: true });
    expect(result.failed).toBe(true);
    expect(Array.isArray(result.content) && result.content.map((block) => block.type)).toEqual(["image", "text", "image"]);
    expect(text(await files.read(pathIn(result)))).toBe(`${large.text}\n${large.text}`);
    expect(await evict([image])).toEqual({ content: [image], failed: false });
  });
});
