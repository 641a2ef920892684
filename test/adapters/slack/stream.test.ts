import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Place, Ref } from "../../../src/core/event.ts";
import type { Live } from "../../../src/core/ports.ts";
import { say, type View } from "../../../src/core/view.ts";
import { until } from "../../help/until.ts";
import { buttonsOf, type Message, wordsOf } from "../../rigs/slack.ts";
import { type Connected, connected, slot } from "./connected.ts";

let on: Connected;
let place: Place;
beforeEach(async () => {
  on = await connected();
  const root = on.rig.as("U1ANN").dm("please");
  await root.told;
  place = { platform: "slack", team: "T1", channel: root.channel, thread: root.ts };
});
afterEach(() => on.close());

type State = "running" | "done" | "waiting";
const working = (...steps: [string, State][]): View => ({
  title: "Working",
  parts: [{ kind: "steps", steps: steps.map(([label, state]) => ({ label, state })) }],
  buttons: [{ word: "Stop", act: "stop", code: "c" }],
});
const done: View = { ...working(["look", "done"]), title: "Work done", buttons: [] };
const begin = async (view = working(["look", "running"]), key = "s progress/1 0"): Promise<Ref> => {
  const posted = await on.adapter.post(place, slot(view, "progress", false), key, false);
  if (!posted.ok) throw new Error(posted.reason);
  return posted.ref;
};
const show = (ref: Ref, view: View, phase: Live["phase"] = "working") =>
  on.adapter.live("s", place, { phase, draft: "", progress: { view, ref } });
const said = (): Message[] => on.rig.space.said(place.channel, place.thread ?? undefined);
const tasks = () =>
  said().flatMap(({ blocks }) => blocks.flatMap(({ tasks: some }) => (some ?? []) as { title: string; status: string }[]));
const calls = (...methods: string[]) => on.rig.calls.map(({ method }) => method).filter((method) => methods.includes(method));
const all = ["chat.startStream", "chat.appendStream", "chat.stopStream", "chat.update", "chat.postMessage"];

describe("progress in a conversation with one person", () => {
  it("is streamed as tasks that change in place, with Stop below, and is an ordinary message in the end", async () => {
    const ref = await begin();
    expect(buttonsOf(said()[0] as Message).map(({ word }) => word)).toEqual(["Stop"]);
    show(ref, working(["look", "done"], ["read", "running"]));
    await until(() => tasks().length === 2, "the second task");
    expect(tasks().map(({ title, status }) => [title, status])).toEqual([
      ["look", "complete"],
      ["read", "in_progress"],
    ]);
    await on.adapter.edit(place, ref, slot(done, "progress"));
    expect(calls(...all)).toEqual(["chat.startStream", "chat.appendStream", "chat.stopStream", "chat.update"]);
    expect(said()).toHaveLength(1);
    expect(said().flatMap(buttonsOf)).toEqual([]);
    expect(wordsOf(said()[0] as Message)).toContain("Work done");
    show(ref, working(["late", "running"]));
    await new Promise((next) => setTimeout(next, 50));
    expect(calls("chat.update", "chat.appendStream"), "nothing lands behind the end").toHaveLength(2);
  });
  it("sends only what changed, and nothing where nothing did", async () => {
    const ref = await begin(working(["look", "running"], ["read", "running"]));
    show(ref, working(["look", "running"], ["read", "running"]));
    show(ref, working(["look", "done"], ["read", "running"]));
    await until(() => calls("chat.appendStream").length === 1, "the change");
    const sent = on.rig.callsTo("chat.appendStream")[0]?.args.chunks;
    expect(sent).toEqual([{ type: "task_update", id: "step-0", title: "look", status: "complete" }]);
  });
  it("P5: in doubt it is found by its key before it was closed, and after", async () => {
    on.rig.fault({ method: "chat.startStream", drop: "after" });
    const posted = await on.adapter.post(place, slot(working(["look", "running"]), "progress", false), "s progress/1 0", false);
    expect(posted).toMatchObject({ ok: false, unsure: true });
    const found = { found: { channel: place.channel, message: said()[0]?.ts } };
    expect(await on.adapter.find(place, "s progress/1 0")).toEqual(found);
    expect(await on.adapter.find(place, "s progress/2 0")).toBe("absent");
    const ref = await begin(working(["more", "running"]), "s progress/3 0");
    await on.adapter.edit(place, ref, slot(done, "progress", false));
    expect(await on.adapter.find(place, "s progress/3 0")).toEqual({ found: ref });
  });
  it("P5: what a killed life streamed is closed and edited by the next one", async () => {
    const ref = await begin();
    const killed = on.adapter;
    await on.away(async () => {
      const message = on.rig.space.message(place.channel, ref.message) as Message;
      // The life before did not get to close it.
      message.stream = { from: Date.now(), ended: false };
    });
    expect(killed).not.toBe(on.adapter);
    expect(await on.adapter.edit(place, ref, slot(done, "progress"))).toMatchObject({ ok: true });
    expect(said().map(wordsOf)).toEqual(["Work done\nlook"]);
  });
  it("goes on as edits of the same message when Slack has ended the stream", async () => {
    on.rig.space.streamsLast = 1;
    const ref = await begin();
    await new Promise((next) => setTimeout(next, 10));
    show(ref, working(["look", "done"], ["read", "running"]));
    await until(() => tasks().length === 2, "the second task");
    show(ref, working(["look", "done"], ["read", "done"]));
    await until(() => tasks().every(({ status }) => status === "complete"), "the newest state");
    expect(calls("chat.startStream", "chat.update")).toEqual(["chat.startStream", "chat.update", "chat.update"]);
    expect(said()).toHaveLength(1);
    expect(said().flatMap(buttonsOf)).toHaveLength(1);
  });
  it("is closed while a person is waited for, and keeps its button", async () => {
    const ref = await begin();
    show(ref, working(["deploy", "waiting"]), "waiting");
    await until(() => calls("chat.update").length === 1, "the edit");
    expect(calls(...all)).toEqual(["chat.startStream", "chat.stopStream", "chat.update"]);
    expect(said().flatMap(buttonsOf)).toHaveLength(1);
  });
  it("is closed when there is more to show than tasks", async () => {
    const ref = await begin();
    const { parts } = working(["look", "done"]);
    show(ref, { ...working(), parts: [{ kind: "note", text: "3 earlier steps" }, ...parts] });
    await until(() => wordsOf(said()[0] as Message).includes("3 earlier steps"), "the note");
  });
  it("is closed when the product ends", async () => {
    await begin();
    await on.adapter.stop();
    expect(calls("chat.stopStream")).toHaveLength(1);
  });
  it("masks and calls nobody", async () => {
    const ref = await begin(working(["<!channel> @everyone sk-very-secret", "running"]));
    show(ref, working(["<!channel> @everyone sk-very-secret again", "running"]));
    await until(() => calls("chat.appendStream").length === 1, "the change");
    expect(JSON.stringify(said())).not.toMatch(/sk-very-secret|<!channel>|@everyone/);
    expect(JSON.stringify(on.rig.calls)).not.toContain("sk-very-secret");
  });
});

describe("a stream that Slack refuses", () => {
  it.each(["missing_scope", "unknown_method", "channel_type_not_supported"])(
    "for good (%s) is posted instead, and none is tried again",
    async (error) => {
      on.rig.fault({ method: "chat.startStream", body: { ok: false, error } });
      await begin();
      await begin(working(["again", "running"]), "s progress/2 0");
      expect(calls("chat.startStream", "chat.postMessage")).toEqual(["chat.startStream", "chat.postMessage", "chat.postMessage"]);
      expect(said().flatMap(buttonsOf)).toHaveLength(2);
    },
  );
  it("for this moment is posted instead, and the next one is streamed", async () => {
    on.rig.rateLimit("chat.startStream", 20);
    await begin();
    await begin(working(["again", "running"]), "s progress/2 0");
    expect(calls("chat.startStream", "chat.postMessage")).toEqual(["chat.startStream", "chat.postMessage", "chat.startStream"]);
  });
});

it("in a channel progress is posted and edited, since all who read there see it and may press Stop", async () => {
  const root = on.rig.as("U1ANN").mention("C1", "please");
  await on.adapter.post({ ...place, channel: "C1", thread: root.ts }, slot(working(["look", "running"]), "progress", false), "k", false);
  expect(calls("chat.startStream", "chat.postMessage")).toEqual(["chat.postMessage"]);
});
it("what has no tasks yet is posted", async () => {
  await begin(say("Working…"));
  expect(calls("chat.startStream", "chat.postMessage")).toEqual(["chat.postMessage"]);
});
