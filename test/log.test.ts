import fc from "fast-check";
import { expect, test } from "vitest";
import { MASK, scrubber } from "../src/core/scrub.ts";
import { openLog } from "../src/log.ts";

/** Made up, in the shapes of real ones; joined so that no scanner takes this file for a leak. */
const j = (...parts: string[]) => parts.join("");
const TOKENS: [string, string][] = [
  ["a Slack bot's token", j("xox", "b-100200300400-500600700800-AbCdEfGhIjKlMnOpQrStUvWx")],
  ["a Slack user's token", j("xox", "p-100200300-400500600-700800900-abcdef0123456789")],
  ["a Slack app's token", j("xapp", "-1-A0123456789-900800700600-0123456789abcdef0123456789abcdef")],
  ["a rotated Slack token", j("xox", "e.xoxb-1-Mi0yLTEwMDIwMDMwMDQwMC0")],
  ["a Slack webhook", j("hooks.slack.com/serv", "ices/T00000000/B00000000/abcdefghijklmnopqrstuvwx")],
  ["a Discord bot's token", j("MTk4NjIyNDgzNDcxOTI1", "MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs")],
  ["a Discord webhook", j("discord.com/api/web", "hooks/123456789012345678/abcdefghijklmnopqrstuvwxyz-_01")],
  ["an Anthropic key", j("sk-", "ant-api03-AbCdEf0123456789_-AbCdEf")],
  ["another provider's key", j("sk-", "proj-abcdefghijklmnop0123456789")],
  ["a GitHub token", j("gh", "p_abcdefghijklmnopqrstuvwxyz0123456789")],
  ["a fine-grained GitHub token", j("github_", "pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz")],
  ["an AWS key", j("AK", "IAIOSFODNN7EXAMPLE")],
  ["a web token", j("ey", "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U")],
  ["a private key", j("-----BEGIN RSA PRIV", "ATE KEY-----\nMIIEowIBAAKCAQEA0123456789abcdef\nABCDEF==\n-----END RSA PRIVATE KEY-----")],
  [
    "the first part of a private key",
    j("-----BEGIN PRIV", "ATE KEY-----\nMIIEowIBAAKCAQEA0123456789abcdef\nMIIEowIBAAKCAQEA0123456789abcdef"),
  ],
];
const OWN = ["hunter2-hunter2", 'quo"ted\nsecret', "a b&c/d?e", "x+y(z)*"];
const scrub = scrubber(OWN);

function logged(facts: object, msg = "msg"): { line: string; fact: Record<string, unknown> } {
  const lines: string[] = [];
  openLog({ level: "debug", secrets: OWN, write: (text) => void lines.push(text) }).warn(facts, msg);
  const line = lines.join("");
  return { line, fact: JSON.parse(line) };
}

test.each(TOKENS)("P9: %s is masked wherever it stands", (_, token) => {
  for (const around of [
    (t: string) => t,
    (t: string) => `key=${t}`,
    (t: string) => `"${t}",`,
    (t: string) => `so:\n${t}\nthen`,
    (t: string) => `(${t})`,
  ]) {
    const masked = scrub(around(token));
    expect(masked).toBe(around(token).replace(token, MASK));
  }
});

test.each([...TOKENS.map(([, token]) => token), ...OWN])("P9: a log line shows %j nowhere, and stays one line of JSON", (secret) => {
  const error = new Error(`refused: ${secret}`, { cause: new Error(`because of\n${secret}`) });
  const { line, fact } = logged({ err: error, deep: { er: [{ [secret]: secret, tail: `a\n${secret}` }] } }, `said ${secret}!`);
  const body = secret.split("\n").at(1) ?? secret;
  expect(line.trimEnd()).not.toContain("\n");
  expect(JSON.stringify(fact)).not.toContain(JSON.stringify(body).slice(1, -1));
  expect(fact).toMatchObject({ level: "warn", msg: `said ${MASK}!` });
});

test("P9: what is behind Bearer, and a password in an address, is masked; the words around stay", () => {
  expect(scrub("Authorization: Bearer abcdef012345, then")).toBe(`Authorization: Bearer ${MASK}, then`);
  expect(scrub("postgres://app:pass-word@db:5432/x")).toBe(`postgres://app:${MASK}@db:5432/x`);
});

test.each([
  "Bearer authentication is used",
  "https://example.com:8080/path@2",
  "see xox and sk-learn-contrib-something-quite-long",
  "eyJ is how they begin",
  "commit 0123456789abcdef0123456789abcdef01234567",
  "Slack tokens begin with xoxb- or xapp-",
  "-----BEGIN CERTIFICATE-----\nMIIEowIBAAKCAQEA\n-----END CERTIFICATE-----",
  "short",
])("%s holds nothing to mask", (text) => {
  expect(scrub(text)).toBe(text);
});

test("a secret is masked as JSON and as an address write it, and longer ones before those in them", () => {
  expect(scrub(JSON.stringify({ a: 'quo"ted\nsecret' }))).toBe(`{"a":"${MASK}"}`);
  expect(scrub("https://x/?q=a%20b%26c%2Fd%3Fe")).toBe(`https://x/?q=${MASK}`);
  expect(scrubber(["secret", "secret-longer"])("secret-longer")).toBe(MASK);
});

test("values that are in every text by chance are not taken for secrets", () => {
  expect(scrubber(["", "on", "4321"])("on port 4321")).toBe("on port 4321");
});

test("what is masked once stays as it is when masked again", () => {
  const piece = fc.oneof(fc.string(), fc.constantFrom(...OWN, ...TOKENS.map(([, token]) => token), "Bearer ", "://a:", "@", "\\n"));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const once = scrub(pieces.join(""));
      expect(scrub(once)).toBe(once);
    }),
  );
});

test("masking takes time in proportion to the text, also for text made to slow it down", () => {
  const evil = [
    "eyJ",
    "eyJaaaaaaaa.",
    "eyJaaaaaaaa.eyJ",
    "-----BEGIN PRIVATE KEY-----",
    "Bearer ",
    "://",
    "://a:",
    "xoxb-",
    "M",
    "sk-",
    "a-",
    "-----",
  ];
  for (const piece of evil) {
    const begun = performance.now();
    scrub(piece.repeat(1_000_000 / piece.length));
    expect(performance.now() - begun, piece).toBeLessThan(2_000);
  }
});

test("a fact is one line with its level, time and words; what is below the level is not written", () => {
  const { fact } = logged({ home: "slack-T1" }, "ready");
  expect(fact).toEqual({ level: "warn", time: expect.stringMatching(/^\d{4}-.*Z$/), home: "slack-T1", msg: "ready" });
  const written: string[] = [];
  openLog({ level: "warn", secrets: [], write: (text) => void written.push(text) }).info({}, "no");
  expect(written).toEqual([]);
});
