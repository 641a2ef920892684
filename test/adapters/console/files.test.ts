/** Files in and out at the console: kept by itself, handed out only to be saved. */
import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Slot } from "../../../src/core/ports.ts";
import { type ConsoleHouse, consoleHouse } from "../../help/console-house.ts";

const open: ConsoleHouse[] = [];
const house = async (): Promise<ConsoleHouse> => {
  const made = await consoleHouse();
  open.push(made);
  return made;
};
afterEach(async () => {
  for (const one of open.splice(0)) await one.end();
});

const upload = (at: ConsoleHouse, body: string | Buffer, headers: Record<string, string> = {}) =>
  fetch(`${at.url}/uploads`, {
    method: "POST",
    headers: { "content-type": "application/octet-stream", "x-console": "1", origin: at.url, ...headers },
    body: new Blob([new Uint8Array(Buffer.from(body))]),
  });
const idOf = async (answer: Response): Promise<string> => ((await answer.json()) as { id: string }).id;
const place = { platform: "console", team: "console", channel: "console", thread: "m00000001" };
const page = async (at: ConsoleHouse) => (await fetch(`${at.url}/threads/m00000001`, { headers: { accept: "text/html" } })).text();

describe("an upload", () => {
  test("goes with its message to the inbox, by its id, and can be had again after a restart", async () => {
    const at = await house();
    const id = await idOf(await upload(at, "the plan"));
    const file = { id, name: "plan.txt", mime: "text/plain", size: 8 };
    const sent = await at.post("/messages", { id: "m00000001", text: "", files: [file] });
    expect(sent.status).toBe(200);
    expect(at.script.messages).toMatchObject([{ text: "", files: [file] }]);
    const again = await at.restart();
    open.push(again);
    const found = await again.console.fetch?.(place, "m00000001", id, 100, new AbortController().signal);
    expect(found?.ok && Buffer.from(found.bytes).toString()).toBe("the plan");
    expect(await page(again)).toContain(`href="/files/${id}/plan.txt"`);
  });
  test.each([
    ["from another site", { origin: "https://evil.example" }],
    ["that a form could send", { "content-type": "multipart/form-data" }],
    ["without the header of our pages", { "x-console": "" }],
  ])("%s is refused", async (_, headers) => {
    const at = await house();
    expect((await upload(at, "x", headers)).status).toBe(403);
    expect(await readdir(join(at.folder, "files"))).toEqual([]);
  });
  test("of more than 20 MB is refused in words; one of more than a megabyte is not", async () => {
    const at = await house();
    expect((await upload(at, Buffer.alloc(2_000_000, 1))).status).toBe(200);
    const large = await upload(at, Buffer.alloc(21 * 1024 * 1024, 1));
    expect([large.status, await large.json()]).toEqual([413, { error: "That file is too large: 20 MB are the most." }]);
    expect((await upload(at, "")).status).toBe(400);
  });
  test("a message may speak only of ids, and of ten at most", async () => {
    const at = await house();
    const file = { id: `f${"0".repeat(32)}`, name: "x", mime: "", size: 1 };
    for (const [files, status] of [
      [[{ ...file, id: "../../etc/passwd" }], 400],
      [[{ ...file, size: "1" }], 400],
      ["x", 400],
      [Array(11).fill(file), 400],
      [[file], 200],
    ])
      expect((await at.post("/messages", { id: "m00000002", text: "x", files })).status).toBe(status);
  });
  test("that nothing speaks of is cleared away at a start, once it is a day old", async () => {
    const at = await house();
    const [old, fresh, kept] = [
      await idOf(await upload(at, "old")),
      await idOf(await upload(at, "new")),
      await idOf(await upload(at, "kept")),
    ];
    await at.post("/messages", { id: "m00000001", text: "x", files: [{ id: kept, name: "k", mime: "", size: 4 }] });
    const before = new Date(Date.now() - 2 * 86_400_000);
    for (const id of [old, kept]) await utimes(join(at.folder, "files", id), before, before);
    const again = await at.restart();
    open.push(again);
    expect((await readdir(join(at.folder, "files"))).sort()).toEqual([fresh, kept].sort());
  });
});

describe("a file that is posted", () => {
  const slot: Slot = {
    key: "file/1.1.0",
    kind: "file",
    view: { parts: [{ kind: "quoted", text: "The numbers." }], buttons: [] },
    digest: "d",
    final: true,
    file: { name: "report <b>.html", mime: "text/html", size: 25 },
  };
  const BYTES = Buffer.from("<script>alert(1)</script>");
  test("is a link that saves it, and is never shown as a page", async () => {
    const at = await house();
    await at.post("/messages", { id: "m00000001", text: "go" });
    expect(await at.console.post(place, slot, "k", false, BYTES)).toMatchObject({ ok: true });
    const html = await page(at);
    const href = /href="(\/files\/f[0-9a-f]{32}\/[^"]+)"/.exec(html)?.[1] ?? "";
    expect(html).toContain("report &lt;b&gt;.html");
    const answer = await fetch(at.url + href);
    expect(await answer.text()).toBe(BYTES.toString());
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": "attachment; filename*=UTF-8''report%20%3Cb%3E.html",
      "x-content-type-options": "nosniff",
    });
    expect((await fetch(at.url + href, { headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" } })).status).toBe(403);
  });
  test("P5: stands once under its key, also when it is posted again after a restart", async () => {
    const at = await house();
    await at.post("/messages", { id: "m00000001", text: "go" });
    const first = await at.console.post(place, slot, "k", false, BYTES);
    const again = await at.restart();
    open.push(again);
    expect(await again.console.post(place, slot, "k", true, BYTES)).toEqual(first);
    expect((await page(again)).match(/class="files"/g)).toHaveLength(2);
  });
  test.each(["/files/../board.jsonl/x", "/files/%2e%2e%2fboard.jsonl/x", `/files/f${"0".repeat(32)}/x`, "/files/f/x"])(
    "%s is nothing",
    async (path) => {
      const at = await house();
      expect((await fetch(at.url + path)).status).toBe(404);
    },
  );
});

test("a file in an answer for one person alone is a link on their page that saves it", async () => {
  const at = await house();
  await at.post("/messages", { id: "m00000001", text: "go" });
  const text = "- <b>one</b> ✓\n";
  await at.console.whisper(place, "console:ben", { parts: [{ kind: "file", name: "memory.md", text }], buttons: [] });
  const html = await (await fetch(`${at.url}/threads/m00000001?as=ben`, { headers: { accept: "text/html" } })).text();
  const [, href = ""] = /download="memory.md" href="([^"]+)"/.exec(html) ?? [];
  expect(await (await fetch(href)).text()).toBe(text);
  expect(href).toMatch(/^data:text\/plain;/);
});
