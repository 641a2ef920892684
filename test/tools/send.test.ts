import { beforeEach, describe, expect, it } from "vitest";
import type { Files } from "../../src/core/ports.ts";
import { scrubber } from "../../src/core/scrub.ts";
import { stateFiles } from "../../src/files/state.ts";
import { sendFile } from "../../src/tools/send-file.ts";
import { context, run } from "./context.ts";

let files: Files;
let aside: Files;
beforeEach(() => {
  files = stateFiles();
  aside = stateFiles();
});
const tool = () =>
  sendFile(
    () => files,
    () => aside,
    scrubber(["own-secret-77"]),
  );
const send = (input: { file_path: string; comment?: string }, given = context()) => run(tool(), input, given);

describe("send_file", () => {
  it("sets the bytes aside under its call, and says what is posted", async () => {
    await files.write("/out/report.csv", Buffer.from("a,b\n"));
    const sent = await send(
      { file_path: "/out/report.csv", comment: "The numbers." },
      context({ call: "1.2.0", session: "console:h:1/1.1.0" }),
    );
    expect(sent).toMatchObject({
      failed: false,
      text: "report.csv (4 bytes) is posted in this thread.",
      file: { name: "report.csv", mime: "text/csv", size: 4, comment: "The numbers." },
    });
    expect(sent.file?.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(await aside.walk("/", 9)).toMatchObject({ files: [{ path: "/1.1.0-1.2.0", size: 4 }] });
  });
  it("run again after a crash it hands over the same", async () => {
    await files.write("/a.txt", Buffer.from("a"));
    const [one, two] = [await send({ file_path: "/a.txt" }), await send({ file_path: "/a.txt" })];
    expect(one.file).toEqual(two.file);
    expect(tool().repeatable).toBe(true);
  });
  it.each([
    ["a missing file", "/none", /there is no such file/],
    ["a folder", "/d", /this is a folder/],
    ["an empty file", "/empty", /the file is empty/],
    ["a file that no platform takes", "/huge", /11 MB are too much, 10 MB are the most/],
  ])("%s is an error of the tool, and nothing is posted", async (_, path, words) => {
    await files.write("/d/f", Buffer.from("x"));
    await files.write("/empty", Buffer.alloc(0));
    await files.write("/huge", Buffer.alloc(11 * 1024 * 1024));
    const sent = await send({ file_path: path });
    expect(sent.failed).toBe(true);
    expect(sent.text).toMatch(words);
    expect(sent.file).toBeUndefined();
  });
  const TOKEN = `xoxb-${"1".repeat(24)}`;
  it("P9 secrets in a text are masked in what is posted and in what people are shown, and that is said", async () => {
    await files.write("/env.txt", Buffer.from(`\uFEFFSLACK=${TOKEN}\r\nOWN=own-secret-77\n`));
    const sent = await send({ file_path: "/env.txt" });
    expect(sent).toMatchObject({ failed: false, text: expect.stringContaining("2 secrets in it were masked.") });
    const kept = await aside.read("/1.1.0");
    expect(Buffer.from(kept as Uint8Array).toString()).toBe("\uFEFFSLACK=[masked]\r\nOWN=[masked]\n");
    expect(sent.file?.size).toBe((kept as Uint8Array).byteLength);
    expect(await tool().preview?.({ file_path: "/env.txt" }, context())).toContain(`SHA-256 ${sent.file?.digest})\n\nSLACK=[masked]`);
  });
  it.each([
    ["as it is", Buffer.from(`\0\u00ff ${TOKEN} \0`, "latin1")],
    ["in letters of two bytes", Buffer.from(`\u20ac ${TOKEN}`, "utf16le")],
    ["across the pieces it is read in", Buffer.concat([Buffer.alloc(512 * 1024 - 5), Buffer.from(TOKEN), Buffer.alloc(9)])],
  ])("P9 a file that is no text and shows a secret %s is not sent", async (_, bytes) => {
    await files.write("/a.bin", bytes);
    const sent = await send({ file_path: "/a.bin" });
    expect([sent.failed, sent.text, sent.file]).toEqual([true, expect.stringMatching(/there is a secret in it/), undefined]);
    expect(await aside.walk("/", 9)).toMatchObject({ files: [] });
    expect(await tool().preview?.({ file_path: "/a.bin" }, context())).toBeUndefined();
  });
  it("asks nobody by itself: what it sends stays in its thread", () => {
    const parsed = tool().parse({ file_path: "/a" });
    if (!parsed.ok) throw new Error(parsed.error);
    expect([tool().risk(parsed.input, "place:slack:G1"), tool().leaves]).toEqual(["none", undefined]);
  });
  it("P3: where policy asks, people see what is in it: another content is another card", async () => {
    await files.write("/a.txt", Buffer.from("first"));
    const shown = await tool().preview?.({ file_path: "/a.txt" }, context());
    expect(shown).toMatch(/^Send \/a.txt \(text\/plain, 5 bytes, SHA-256 [0-9a-f]{64}\)\n\nfirst$/);
    await files.write("/a.txt", Buffer.from("other"));
    expect(await tool().preview?.({ file_path: "/a.txt" }, context())).not.toBe(shown);
  });
});
