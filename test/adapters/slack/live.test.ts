import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { statusOf } from "../../../adapters/slack/status.ts";
import type { Place, Ref, Todo } from "../../../src/core/event.ts";
import type { Live } from "../../../src/core/ports.ts";
import { say, type View } from "../../../src/core/view.ts";
import { until } from "../../help/until.ts";
import { wordsOf } from "../../rigs/slack.ts";
import { type Connected, connected, slot } from "./connected.ts";

let on: Connected;
let place: Place;
let ref: Ref;
beforeEach(async () => {
  on = await connected();
  const root = on.rig.as("U1ANN").say("C1", "a root");
  await root.told;
  place = { platform: "slack", team: "T1", channel: "C1", thread: root.ts };
  const posted = await on.adapter.post(place, slot(say("Working…"), "progress", false), "k", false);
  if (!posted.ok) throw new Error(posted.reason);
  ref = posted.ref;
});
afterEach(() => on.close());
const live = (words: string, phase: Live["phase"] = "working"): Live => ({ phase, draft: "", progress: { view: say(words), ref } });
const shown = () => wordsOf(on.rig.space.message("C1", ref.message) as never);

describe("the progress message", () => {
  it("shows the newest state, at most one update a second", async () => {
    for (let n = 1; n <= 20; n++) on.adapter.live("s", place, live(`step ${n}`));
    await until(() => shown() === "step 20", "the newest state");
    const at = on.rig.callsTo("chat.update").map((call) => call.at);
    expect(at).toHaveLength(2);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(1000);
  });
  it("never overwrites what was journaled as its end", async () => {
    on.rig.fault({ method: "chat.update", delay: 150 });
    on.adapter.live("s", place, live("under way"));
    on.adapter.live("s", place, live("waiting"));
    await on.adapter.edit(place, ref, slot(say("Done."), "progress"));
    on.adapter.live("s", place, live("too late"));
    const other = await on.adapter.post(place, slot(say("Another."), "progress", false), "k2", false);
    if (!other.ok) throw new Error(other.reason);
    // What comes after it in the same lane has arrived: nothing is left to overwrite the end.
    on.adapter.live("t", place, { phase: "working", draft: "", progress: { view: say("Another, changed."), ref: other.ref } });
    await until(() => wordsOf(on.rig.space.message("C1", other.ref.message) as never) === "Another, changed.", "the other update");
    expect(shown()).toBe("Done.");
    expect(on.rig.callsTo("chat.update").map((call) => call.args.text)).toEqual(["under way", "Done.", "Another, changed."]);
  });
  it("that Slack does not take as a plan is shown in other blocks, and plans are not tried again", async () => {
    const plan: View = { title: "Working", parts: [{ kind: "steps", steps: [{ label: "look", state: "done" }] }], buttons: [] };
    on.rig.fault({ method: "chat.update", body: { ok: false, error: "invalid_blocks" } });
    await on.adapter.edit(place, ref, slot(plan, "progress", false));
    expect(shown()).toBe("Working\n✓ look");
    await on.adapter.edit(place, ref, slot({ ...plan, title: "Work done" }, "progress"));
    expect(on.rig.callsTo("chat.update")).toHaveLength(3);
    expect(shown()).toBe("Work done\n✓ look");
  });
  it("rests as long as Slack says, and the answer does not wait for it", async () => {
    on.rig.rateLimit("chat.update", 30);
    on.adapter.live("s", place, live("limited"));
    await until(() => on.rig.callsTo("chat.update").length === 1, "the limit");
    on.adapter.live("s", place, live("later"));
    expect(await on.adapter.post(place, slot(say("The answer.")), "k2", false)).toMatchObject({ ok: true });
    expect(on.rig.callsTo("chat.update")).toHaveLength(1);
  });
});

describe("the status", () => {
  const statuses = () => on.rig.space.statuses.map((status) => status.status);
  it("says that it thinks, and is taken away while a person is waited for", async () => {
    on.adapter.live("s", place, { phase: "thinking", draft: "" });
    await until(() => statuses().length === 1, "the status");
    on.adapter.live("s", place, { phase: "thinking", draft: "more words" });
    on.adapter.live("s", place, { phase: "waiting", draft: "" });
    await until(() => statuses().at(-1) === "", "the empty status");
    expect(statuses()).toEqual(["is thinking…", ""]);
  });
  it("comes back after a post took it away", async () => {
    on.adapter.live("s", place, { phase: "thinking", draft: "" });
    await until(() => statuses().length === 1, "the status");
    await on.adapter.post(place, slot(say("An interim word.")), "k3", false);
    on.adapter.live("s", place, { phase: "thinking", draft: "" });
    await until(() => statuses().length === 2, "the status again");
  });
  it("is not tried again where Slack has none", async () => {
    on.rig.fault({ method: "assistant.threads.setStatus", body: { ok: false, error: "missing_scope" }, times: 9 });
    on.adapter.live("s", place, { phase: "thinking", draft: "" });
    await until(() => on.rig.callsTo("assistant.threads.setStatus").length === 1, "the refusal");
    await new Promise((done) => setImmediate(done));
    on.adapter.live("s", place, { phase: "working", draft: "" });
    await new Promise((done) => setTimeout(done, 700));
    expect(on.rig.callsTo("assistant.threads.setStatus")).toHaveLength(1);
  });
  it("of a thread that an earlier life left is cleared at the first word about it, and where people talked last", async () => {
    on.rig.as("U1ANN").mention("C1", "hello", place.thread ?? undefined);
    on.inbox.session = () => "s";
    const second = on.rig.as("U1ANN").mention("C2", "and here");
    await second.told;
    await on.away(async () => on.rig.space.statuses.splice(0));
    await until(() => on.rig.space.statuses.some((one) => one.thread_ts === second.ts && one.status === ""), "the sweep");
    on.adapter.live("s", place, { phase: "waiting", draft: "" });
    await until(() => on.rig.space.statuses.some((one) => one.thread_ts === place.thread && one.status === ""), "the first word");
  });
  it("is taken away when the product ends", async () => {
    on.adapter.live("s", place, { phase: "working", draft: "" });
    await until(() => statuses().length === 1, "the status");
    await on.adapter.stop();
    expect(statuses()).toEqual(["is working…", ""]);
  });
  it("is taken away even if Slack did not take that at first", async () => {
    on.adapter.live("s", place, { phase: "thinking", draft: "" });
    await until(() => statuses().length === 1, "the status");
    on.rig.rateLimit("assistant.threads.setStatus", 1);
    on.adapter.live("s", place, { phase: "idle", draft: "" });
    await until(() => statuses().at(-1) === "", "the empty status");
  });
  it("that did not go through is said again with the next word", async () => {
    on.rig.fault({ method: "assistant.threads.setStatus", status: 503, body: "" });
    on.adapter.live("s", place, { phase: "thinking", draft: "" });
    await until(() => on.rig.callsTo("assistant.threads.setStatus").length === 1, "the failure");
    await until(() => {
      on.adapter.live("s", place, { phase: "thinking", draft: "" });
      return statuses().length === 1;
    }, "the status");
  });
  it("P10: names the todo that is worked on, and calls nobody", () => {
    const todos: Todo[] = [
      { content: "Sweep", status: "completed" },
      { content: "Paint the hangar", status: "in_progress" },
    ];
    const view: View = { parts: [{ kind: "todos", todos }], buttons: [] };
    expect(statusOf({ phase: "working", draft: "", progress: { view, ref } })).toBe("is working on: Paint the hangar");
    const calling = (content: string) =>
      statusOf({
        phase: "working",
        draft: "",
        progress: { view: { parts: [{ kind: "todos", todos: [{ content, status: "in_progress" }] }], buttons: [] }, ref },
      });
    expect(calling("call `@channel`, <!here> and <@U1ANN>")).not.toMatch(/@channel|<!here|<@U/);
    expect(statusOf({ phase: "working", draft: "" })).toBe("is working…");
    expect(statusOf({ phase: "idle", draft: "" })).toBe("");
  });
});
