import { expect, test } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { redacted, wantedOf } from "../../src/store/redact.ts";

test("the card of a question that a running call asked no longer says by name whose answer it was", () => {
  const asked: Event = {
    type: "call.asked",
    at: 1,
    call: "1.1.0",
    question: { text: "Which plan, Ann?", options: [], from: "billing" },
    digest: "d",
    code: "c",
    expires: 2,
    by: "stage:ann-lee",
    deciders: "Ann Lee answers this, or who may approve (everybody).",
  };
  const after = redacted(asked, wantedOf("stage:ann-lee", [], [], new Set(["Ann Lee"])), true, new Set());
  expect(JSON.stringify(after)).not.toMatch(/ann/i);
  expect(after).toMatchObject({ deciders: "Somebody answers this, or who may approve (everybody)." });
});

test("what somebody had open beside their words goes with them", () => {
  const said: Event = {
    type: "message.received",
    at: 1,
    id: "m1",
    by: { id: "stage:ann-lee", name: "Ann Lee", kind: "member" },
    text: "what is going on here?",
    heard: false,
    viewing: "#layoffs (stage:C7)",
  };
  const after = redacted(said, wantedOf("stage:ann-lee", [], [], new Set(["Ann Lee"])), false, new Set());
  expect(JSON.stringify(after)).not.toMatch(/layoffs|going on/);
  expect(redacted(said, wantedOf("stage:ben", [], [], new Set()), false, new Set())).toEqual(said);
});
