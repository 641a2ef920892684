import { expect, it } from "vitest";
import { failureOf, retryAfter } from "../../src/model/failure.ts";

const plain = (text: string) => text;
const NOW = Date.parse("2026-01-01T00:00:00Z");

it("an overflow counts even when it is wrapped in the cause of another error", () => {
  const inner = Object.assign(new Error("400 prompt is too long"), { status: 400, type: "invalid_request_error" });
  const outer = new Error("the stream failed", { cause: new Error("gateway", { cause: inner }) });
  expect(failureOf(outer, plain, NOW)).toMatchObject({ ok: false, kind: "overflow" });
});

it.each([new Error("terminated"), new TypeError("fetch failed"), "a text", undefined, null, { odd: true }, 5])(
  "%s is worth another try",
  (thrown) => {
    expect(failureOf(thrown, plain, NOW)).toMatchObject({ ok: false, kind: "retry" });
  },
);

it("a circle of causes is not followed for ever", () => {
  const error = new Error("round");
  error.cause = error;
  expect(failureOf(error, plain, NOW).kind).toBe("retry");
});

it.each([
  ["2", 2000],
  ["0.5", 500],
  ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
  ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
  ["never", undefined],
])("retry-after %s is %s ms", (value, ms) => {
  expect(retryAfter(new Headers({ "retry-after": value }), NOW)).toBe(ms);
});
