/** Every call that the adapter can make, in one table. */
import type { REST } from "discord.js";
import { describe, expect, it } from "vitest";
import { type Door, door } from "../../../adapters/discord/door.ts";
import { render } from "../../../adapters/discord/render.ts";
import type { View } from "../../../src/core/view.ts";

const shout = "@everyone @here <@42> <@&7>";
const view: View = { title: shout, parts: [{ kind: "quoted", text: shout }], buttons: [{ word: shout, act: "answer", code: "c.0" }] };
const to = { id: "1", token: "t", application_id: "2" };
type Sent = { how: string; body: Record<string, unknown> | undefined };

function recording(): { rest: REST; sent: Sent[] } {
  const sent: Sent[] = [];
  const take =
    (how: string) =>
    async (_route: string, options: { body?: Record<string, unknown> } = {}) => {
      sent.push({ how, body: options.body });
      return {};
    };
  const rest = { get: take("GET"), post: take("POST"), patch: take("PATCH"), put: take("PUT"), delete: take("DELETE") };
  return { rest: rest as unknown as REST, sent };
}
const messages = { answer: render(view, "answer"), card: render(view, "card") };
const withCalls = {
  answer: render({ ...view, calls: ["discord:42", "slack:U1"] }, "answer"),
  card: render({ ...view, calls: ["discord:42"] }, "card"),
};

/** What each call is made with. */
const CALLS: Record<keyof Door, (out: Door, message: (typeof messages)["card"]) => Promise<unknown>> = {
  create: (out, message) => out.create("1", message, { key: "k", replyTo: "5" }),
  edit: (out, message) => out.edit("1", "2", message),
  followUp: (out, message) => out.followUp(to, message),
  fulfil: (out, message) => out.fulfil(to, message),
  answer: async (out, message) => {
    await out.answer(to, { kind: "say", message, toAll: true });
    await out.answer(to, { kind: "say", message, toAll: false });
    await out.answer(to, { kind: "promise" });
    await out.answer(to, { kind: "later" });
    await out.answer(to, { kind: "form", form: { custom_id: "c", title: shout, components: [] } });
    await out.answer(to, { kind: "choices", choices: [{ name: shout, value: shout }] });
  },
  startThread: (out) => out.startThread("1", "2", shout),
  message: (out) => out.message("1", "2"),
  newest: (out) => out.newest("1", "5"),
  remove: (out) => out.remove("1", "2"),
  wake: (out) => out.wake("1"),
  typing: (out) => out.typing("1"),
  react: (out) => out.react("1", "2", "👍"),
  direct: (out) => out.direct("42"),
  setCommands: (out) => out.setCommands("2", []),
};
/** Those that put words before people. */
const WORDED = new Set<keyof Door>(["create", "edit", "followUp", "fulfil", "answer"]);
const MAY_SPEAK = /content|embeds/;
const worded = (sent: readonly Sent[]): Record<string, unknown>[] =>
  sent.flatMap(({ body = {} }) => {
    const data = (body.data ?? body) as Record<string, unknown>;
    return Object.keys(data).some((key) => MAY_SPEAK.test(key)) || body.type === 5 ? [data] : [];
  });

describe.each(Object.keys(CALLS) as (keyof Door)[])("%s", (name) => {
  it("is in the table because the adapter can make it", () => {
    expect(Object.keys(door(recording().rest, recording().rest)).sort()).toEqual(Object.keys(CALLS).sort());
  });
  it("calls nobody, whatever its words are (P10), and unfolds no links of an answer", async () => {
    for (const [manner, message] of Object.entries(messages)) {
      const { rest, sent } = recording();
      await CALLS[name](door(rest, rest), message);
      const found = worded(sent);
      expect(found.length > 0).toBe(WORDED.has(name));
      for (const one of found) {
        expect(one.allowed_mentions).toEqual({ parse: [] });
        if (manner === "answer" && name !== "fulfil" && "flags" in one && "content" in one) expect(Number(one.flags) & 4).toBe(4);
      }
      expect(sent.length).toBeGreaterThan(0);
    }
  });
  it("calls those and only those whom the product itself calls", async () => {
    for (const message of Object.values(withCalls)) {
      const { rest, sent } = recording();
      await CALLS[name](door(rest, rest), message);
      for (const one of worded(sent))
        if ("content" in one)
          expect(one).toMatchObject({ content: expect.stringContaining("<@42>"), allowed_mentions: { parse: [], users: ["42"] } });
    }
  });
});

it("a post with a key bears an enforced nonce made of it", async () => {
  const { rest, sent } = recording();
  await door(rest, rest).create("1", messages.answer, { key: "k" });
  await door(rest, rest).create("1", messages.answer, { key: "k" });
  await door(rest, rest).create("1", messages.answer, { key: "another" });
  const nonces = sent.map(({ body }) => [body?.nonce, body?.enforce_nonce]);
  expect(nonces).toEqual([[expect.stringMatching(/^.{25}$/), true], nonces[0], [expect.not.stringMatching(String(nonces[0]?.[0])), true]]);
});

it("an answer calls a person whom it does not name in Discord's way behind its words, as far as there is room", () => {
  const say = (text: string) => render({ parts: [{ kind: "quoted", text }], buttons: [], calls: ["discord:42"] }, "answer");
  expect(say("Please look, Ann.")).toMatchObject({ content: "Please look, Ann.\n<@42>", called: ["42"] });
  expect(say("Please look, <@42>.").content).toBe("Please look, <@42>.");
  expect(say("x".repeat(2000)).content).toBe("x".repeat(2000));
});
