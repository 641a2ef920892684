/** Files in and out at Slack: who gets the token, what is taken for a file, and what is found again. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { download } from "../../../adapters/shared/download.ts";
import type { Place } from "../../../src/core/event.ts";
import type { Reply, Slot } from "../../../src/core/ports.ts";
import { type Connected, connected, FakeInbox, SECRET } from "./connected.ts";

let on: Connected;
let place: Place;
beforeAll(async () => {
  on = await connected();
});
afterAll(() => on.close());
beforeEach(async () => {
  Object.assign(on.inbox, new FakeInbox());
  on.rig.clearFaults();
  on.rig.downloads.length = 0;
  const root = on.rig.as("U1ANN").say("C1", "a root");
  await root.told;
  place = { platform: "slack", team: "T1", channel: "C1", thread: root.ts };
});
const keep = (name: string, mime: string, text: string, more = {}) => on.rig.space.keep(name, mime, Buffer.from(text), on.rig.url, more);
const fetched = async (id: unknown, most = 1000) => {
  const found = await on.adapter.fetch?.(place, "", String(id), most, new AbortController().signal);
  return found?.ok ? Buffer.from(found.bytes).toString() : found;
};

describe("a file that came", () => {
  it("is told of with its message by Slack's own id, not by a link", async () => {
    const file = keep("plan.pdf", "application/pdf", "the plan");
    await on.rig.as("U1ANN").say("C1", "<@UBOT> look", { files: [file] }).told;
    expect(on.inbox.heard.messages.at(-1)).toMatchObject({
      text: "look",
      files: [{ id: file.id, name: "plan.pdf", mime: "application/pdf", size: 8 }],
    });
    expect(JSON.stringify(on.inbox.heard.messages)).not.toContain("files-pri");
  });
  it("is a message of its own without a word, also below a thread's root that it is called into", async () => {
    const file = keep("plan.pdf", "application/pdf", "the plan");
    const root = on.rig.as("U1ANN").say("C1", "", { files: [file] });
    await root.told;
    expect(on.inbox.heard.messages.at(-1)).toMatchObject({ text: "", files: [{ id: file.id }] });
    await on.rig.as("U2BEN").mention("C1", "what is in it?", root.ts).told;
    expect(on.inbox.heard.messages.at(-1)?.background).toMatchObject([{ text: "", files: [{ id: file.id, name: "plan.pdf" }] }]);
  });
  it("is fetched with the token", async () => {
    expect(await fetched(keep("plan.txt", "text/plain", "the plan").id)).toBe("the plan");
    expect(on.rig.downloads.map(({ token }) => token)).toEqual([`Bearer ${on.rig.botToken}`]);
  });
  it("P7: the token goes to Slack's own hosts alone, also where Slack sends us elsewhere", async () => {
    const seen: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end("stolen");
    });
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const at = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const file = keep("plan.txt", "text/plain", "the plan");
    on.rig.redirects.set(String(file.id), `${at}/plan.txt`);
    expect(await fetched(file.id)).toMatchObject({ ok: false, retryIn: null, why: expect.stringContaining("outside Slack") });
    expect(await fetched(keep("x", "text/plain", "x", { url_private: `${at}/x` }).id)).toMatchObject({ ok: false });
    expect(await fetched(keep("x", "text/plain", "x", { url_private: "https://slack.com.evil.example/x" }).id)).toMatchObject({
      ok: false,
    });
    expect(seen).toEqual([]);
    await new Promise((done) => other.close(done));
  });
  it("is no page that asks to sign in", async () => {
    const file = keep("plan.pdf", "application/pdf", "the plan");
    const page = keep("page.html", "text/html", "<!doctype html><p>mine");
    expect(await fetched(page.id)).toBe("<!doctype html><p>mine");
    on.rig.space.files.set(String(file.id), { info: file, bytes: Buffer.from("<!DOCTYPE html><title>Sign in</title>") });
    expect(await fetched(file.id)).toMatchObject({ ok: false, why: expect.stringContaining("files:read") });
  });
  it.each([
    ["too large, whatever was announced", () => keep("big", "text/plain", "x".repeat(2000), { size: 5 }).id, "too large"],
    ["only linked", () => keep("x", "text/plain", "x", { is_external: true, mode: "external" }).id, "kept somewhere else"],
    ["deleted since", () => keep("x", "text/plain", "x", { mode: "tombstone" }).id, "not there any more"],
    ["unknown", () => "F0NONE", "not there any more"],
  ])("%s cannot be had, and why is said", async (_, id, why) => {
    expect(await fetched(id())).toMatchObject({ ok: false, retryIn: null, why: expect.stringContaining(why) });
  });
  it("is asked for again where Slack limits the rate, and not where the scope is missing", async () => {
    const { id } = keep("plan.txt", "text/plain", "the plan");
    on.rig.rateLimit("files.info", 2);
    expect(await fetched(id)).toMatchObject({ ok: false, retryIn: 2000 });
    on.rig.fault({ method: "files.info", body: { ok: false, error: "missing_scope", needed: "files:read" } });
    expect(await fetched(id)).toMatchObject({ ok: false, retryIn: null, why: expect.stringContaining("needs the scope files:read") });
  });
});

describe("a file that is posted", () => {
  const slot = (comment?: string): Slot => ({
    key: "file/1.1.0",
    kind: "file",
    view: { parts: comment ? [{ kind: "quoted", text: comment }] : [], buttons: [] },
    digest: "d",
    final: true,
    file: { name: "report.csv", mime: "text/csv", size: 8 },
  });
  const post = (key = "s file/1.1.0 0", comment?: string, mark = false) =>
    on.adapter.post(place, slot(comment), key, mark, Buffer.from("a,b\n1,2\n"));
  const shown = () => on.rig.space.said("C1", place.thread ?? undefined);
  const sent = () => shown().flatMap(({ files = [] }) => files.map(({ id }) => on.rig.space.files.get(String(id))?.bytes?.toString()));

  it("stands in the thread with its words, which call nobody, and is known by its message", async () => {
    const posted = await post(undefined, `For <!channel> and <@U1ANN>: ${SECRET}`);
    expect(posted).toMatchObject({ ok: true, ref: { channel: "C1", message: shown()[0]?.ts } });
    expect(sent()).toEqual(["a,b\n1,2\n"]);
    const [words] = shown()[0]?.blocks ?? [];
    expect(words).toMatchObject({ type: "section", text: { text: "For &lt;!channel&gt; and &lt;@U1ANN&gt;: [masked]" } });
  });
  it("P5: is found by its key in the process that comes after, and only there", async () => {
    const before = on.rig.callsTo("files.completeUploadExternal").length;
    on.rig.fault({ method: "files.completeUploadExternal", drop: "after" });
    expect(await post("s file/1.1.0 7")).toMatchObject({ ok: false, unsure: true });
    await on.away(async () => undefined);
    expect(await on.adapter.find(place, "s file/1.1.0 7")).toEqual({ found: { channel: "C1", message: shown()[0]?.ts } });
    expect(await on.adapter.find(place, "s file/1.1.0 8")).toBe("absent");
    expect(on.rig.callsTo("files.completeUploadExternal").length).toBe(before + 1);
  });
  it("P5: bears the mark where it may be a repeat", async () => {
    await post("k", undefined, true);
    expect(JSON.stringify(shown()[0]?.blocks)).toContain("may be a repeat");
  });
  it.each([
    ["files.getUploadURLExternal", { drop: "after" as const }, { unsure: false }],
    [
      "files.getUploadURLExternal",
      { body: { ok: false, error: "missing_scope", needed: "files:write" } },
      { unsure: false, retryIn: null },
    ],
    ["files.completeUploadExternal", { drop: "before" as const }, { unsure: true }],
    ["files.completeUploadExternal", { body: { ok: false, error: "channel_not_found" } }, { unsure: false, retryIn: null }],
  ])("is in doubt only once it was shared: %s %j", async (method, fault, fate) => {
    on.rig.fault({ method, ...fault });
    expect(await post("k2")).toMatchObject({ ok: false, ...fate });
    expect(shown()).toEqual([]);
  });
});

describe("fetching", () => {
  const wish = { platform: "Slack", most: 100, signal: new AbortController().signal, allowed: () => true };
  it("goes round in no circle, and says when nothing listens", async () => {
    const server = createServer((_, response) => void response.writeHead(302, { location: "/again" }).end());
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await download(at, wish)).toMatchObject({ ok: false, retryIn: null, why: "Slack does not say where it is" });
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    const closed = createServer();
    await new Promise<void>((done) => closed.listen(0, "127.0.0.1", done));
    const nobody = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/`;
    await new Promise((done) => closed.close(done));
    expect(await download(nobody, wish)).toMatchObject({ ok: false, retryIn: 1000, why: "Slack cannot be reached (ECONNREFUSED)" });
    expect(await download("not an address", wish)).toMatchObject({ ok: false, retryIn: null });
  });
});

describe("a file in an answer for one person alone", () => {
  const answer = {
    to: "asker",
    view: {
      title: "What I know",
      parts: [
        { kind: "text", text: "Two facts." },
        { kind: "file", name: "memory.md", text: "- one\n- two 😀\n" },
      ],
      buttons: [],
    },
  } satisfies Reply;
  beforeEach(() => {
    on.inbox.onCommand = () => answer;
  });
  const direct = () => {
    const sent = on.rig.space.messages.filter(({ files, channel }) => files?.length && on.rig.space.channel(channel).kind === "im");
    return sent.map(({ files, channel }) => ({ people: on.rig.space.channel(channel).members, id: String(files?.[0]?.id) }));
  };
  it("is in their direct messages, and the answer says so", async () => {
    const { answer: said } = await on.rig.as("U2BEN").slash("C1", "/memory", "export");
    expect(said).toMatchObject({ response_type: "ephemeral", text: expect.stringContaining("memory.md is in our direct messages.") });
    expect(JSON.stringify(said)).not.toContain("- one");
    const [sent] = direct();
    expect(sent?.people).toContain("U2BEN");
    expect(Buffer.from(on.rig.space.files.get(sent?.id ?? "")?.bytes ?? []).toString()).toBe("- one\n- two 😀\n");
  });
  it("stays in the answer as text where Slack does not take it", async () => {
    on.rig.fault({ method: "files.getUploadURLExternal", body: { ok: false, error: "missing_scope", needed: "files:write" } });
    const { answer: said } = await on.rig.as("U2BEN").slash("C1", "/memory", "export");
    expect(JSON.stringify(said)).toContain("- one\\n- two 😀");
  });
});
