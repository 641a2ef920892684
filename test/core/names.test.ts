/** Ids, scopes, versions, estimates and plain views. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { upcast, VERSION } from "../../src/core/event.ts";
import { callId, childOf, fingerprint, postKey, rootOf, wireId } from "../../src/core/id.ts";
import { isPrivate, scopeOf, visibleScopes } from "../../src/core/scope.ts";
import { estimateTokens } from "../../src/core/tokens.ts";
import { plain, say, type View } from "../../src/core/view.ts";
import { ann } from "./make.ts";

describe("ids", () => {
  it("I1: a call is named by its place, and so on the wire", () => {
    expect([callId(3, 12, 0), wireId("3.12.0")]).toEqual(["3.12.0", "c_3_12_0"]);
  });
  it("I2: everything before the first slash is a session's root", () => {
    const child = childOf("slack:T:C:1", "1.1.0");
    expect([child, rootOf(child), rootOf(childOf(child, "2.1.1")), rootOf("slack:T:C:1")]).toEqual([
      "slack:T:C:1/1.1.0",
      "slack:T:C:1",
      "slack:T:C:1",
      "slack:T:C:1",
    ]);
  });
  it("a post's key differs by session, slot, generation and life", () => {
    const keys = ["a", "b"].flatMap((session) =>
      ["x", "y"].flatMap((slot) => [0, 1].flatMap((generation) => ["one", "two"].map((life) => postKey(session, slot, generation, life)))),
    );
    expect(new Set(keys).size).toBe(16);
  });
  it("a fingerprint is short, the same for the same, and another for another", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => a === b || fingerprint(a) !== fingerprint(b)),
      { numRuns: 2000 },
    );
    expect(fingerprint("a")).toBe(fingerprint("a"));
    expect(fingerprint("x".repeat(9999))).toMatch(/^[0-9a-z]{1,11}$/);
    const many = Array.from({ length: 20_000 }, (_, n) => fingerprint(`card ${n}`));
    expect(new Set(many).size).toBe(many.length);
  });
});

describe("scopes", () => {
  it("P6 S1: only what is public and not shared is the team's; in doubt a place is private", () => {
    const table = [
      ["public", false, "team"],
      ["public", true, "place:slack:C1"],
      ["private", false, "place:slack:C1"],
      ["group", false, "place:slack:C1"],
      ["unknown", false, "place:slack:C1"],
      ["dm", false, "person:slack:U1"],
      ["dm", true, "person:slack:U1"],
    ] as const;
    for (const [kind, shared, scope] of table) {
      expect(scopeOf(kind, shared, "slack:C1", "slack:U1")).toBe(scope);
      expect(isPrivate(scope)).toBe(scope !== "team");
    }
  });
  it("P6 S2: a session sees the team's and its own; only a person's own also their places", () => {
    const places = ["place:slack:C2"] as const;
    expect(visibleScopes("team", ann, places)).toEqual(["team"]);
    expect(visibleScopes("place:slack:C1", ann, places)).toEqual(["team", "place:slack:C1"]);
    expect(visibleScopes("person:slack:U1", ann, places)).toEqual(["team", "person:slack:U1", "place:slack:C2"]);
    expect(visibleScopes("person:slack:U1", ann)).toEqual(["team", "person:slack:U1"]);
    expect(visibleScopes("team", undefined)).toEqual(["team"]);
  });
  it("P6 S3: guests and externals see the place they are in and nothing else", () => {
    for (const kind of ["guest", "external"] as const) {
      const by = { ...ann, kind };
      expect(visibleScopes("place:slack:C1", by, ["place:slack:C2"])).toEqual(["place:slack:C1"]);
      expect(visibleScopes("person:slack:U1", by, ["place:slack:C2"])).toEqual(["person:slack:U1"]);
      expect(visibleScopes("team", by)).toEqual(["team"]);
    }
  });
});

describe("events", () => {
  it("E1: are read as they were written; from a newer version not at all", () => {
    const event = { type: "noted", at: 1, text: "x" };
    expect(upcast(VERSION, event)).toBe(event);
    expect(() => upcast(VERSION + 1, event)).toThrow(/newer version/);
  });
});

describe("estimates", () => {
  it("T1 T2: are a little too high for every alphabet", () => {
    expect(estimateTokens("")).toBe(0);
    expect([estimateTokens("a".repeat(350)), estimateTokens("ж".repeat(200)), estimateTokens("漢".repeat(100))]).toEqual([115, 115, 115]);
  });
  it("grow with the text", () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => estimateTokens(a + b) >= Math.max(estimateTokens(a), estimateTokens(b))));
  });
});

describe("a view as plain text", () => {
  it("says everything but the buttons", () => {
    const view: View = {
      title: "Title",
      parts: [
        { kind: "text", text: "text" },
        { kind: "quoted", text: "quoted" },
        { kind: "code", text: "code" },
        {
          kind: "fields",
          rows: [
            ["a", "1"],
            ["b", "2"],
          ],
        },
        {
          kind: "todos",
          todos: [
            { content: "x", status: "pending" },
            { content: "y", status: "in_progress" },
            { content: "z", status: "completed" },
          ],
        },
        { kind: "steps", steps: (["running", "waiting", "done", "failed"] as const).map((state) => ({ label: state, state })) },
        { kind: "list", items: ["i", "j"] },
        { kind: "note", text: "note" },
      ],
      buttons: [{ word: "Stop", act: "stop", code: "c" }],
    };
    expect(plain(view)).toBe(
      "Title\ntext\nquoted\ncode\na: 1\nb: 2\n☐ x\n▶ y\n☑ z\n… running\n⏸ waiting\n✓ done\n✗ failed\n• i\n• j\nnote",
    );
  });
  it("of a plain sentence is the sentence", () => expect(plain(say("Hello."))).toBe("Hello."));
});
