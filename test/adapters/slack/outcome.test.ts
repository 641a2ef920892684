import { RespondError, webApi } from "@slack/bolt";
import { expect, it } from "vitest";
import { failure } from "../../../adapters/slack/outcome.ts";

const broken = (name: string, code?: string) => {
  const error = Object.assign(new Error("fetch failed", code ? { cause: Object.assign(new Error(code), { code }) } : {}), { name });
  return new webApi.WebAPIRequestError(error);
};
const refused = (error: string, more: object = {}) => new webApi.WebAPIPlatformError({ ok: false, error, ...more } as never);

it.each([
  ["our own timeout", broken("TimeoutError"), true, 2000],
  ["a cut connection", broken("TypeError", "UND_ERR_SOCKET"), true, 2000],
  ["a refused connection", broken("TypeError", "ECONNREFUSED"), false, 2000],
  ["an unknown name", broken("TypeError", "ENOTFOUND"), false, 2000],
  ["no connection in time", broken("TypeError", "UND_ERR_CONNECT_TIMEOUT"), false, 2000],
  ["a rate limit", new webApi.WebAPIRateLimitedError(3), false, 3000],
  ["status 503", new webApi.WebAPIHTTPError(503, "", {}), true, 2000],
  ["status 403", new webApi.WebAPIHTTPError(403, "", {}), false, 30_000],
  ["an address that is over", new RespondError("", 404), false, 30_000],
  ["an address that stumbles", new RespondError("", 502), true, 2000],
  ["an address that is not there", new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } }), false, 2000],
  ["an address that breaks off", new TypeError("fetch failed", { cause: { code: "UND_ERR_SOCKET" } }), true, 2000],
  ["service_unavailable", refused("service_unavailable"), true, 2000],
  ["fatal_error", refused("fatal_error"), true, 2000],
  ["message_not_found", refused("message_not_found"), false, null],
  ["msg_too_long", refused("msg_too_long"), false, null],
  ["channel_not_found", refused("channel_not_found"), false, null],
  ["message_limit_exceeded", refused("message_limit_exceeded"), false, 30_000],
  ["token_revoked", refused("token_revoked"), false, 60_000],
  ["no code at all", refused("<html>Bad gateway</html>"), true, 2000],
  ["something else", new Error("other side closed"), true, 2000],
])("%s: in doubt %s", (_name, error, unsure, retryIn) => {
  expect(failure(error)).toMatchObject({ ok: false, unsure, retryIn });
});

it("a refusal says what is wrong with it", () => {
  expect(failure(refused("invalid_blocks", { response_metadata: { messages: ["[ERROR] no more than 50 items"] } })).reason).toContain(
    "50 items",
  );
});
