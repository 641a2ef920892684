import { describe, expect, it } from "vitest";
import type { Speaker } from "../../src/core/event.ts";
import type { Incoming } from "../../src/core/ports.ts";
import { type Known, type Route, route, type Ways } from "../../src/core/route.ts";
import { ann, bob } from "./make.ts";
import { place } from "./world.ts";

const bot: Speaker = { ...bob, kind: "bot" };
const known: Known = { session: true, talkers: [ann.id], others: [] };
const nobody: Known = { session: false, talkers: [], others: [] };
const ways: Ways = { followUps: "participants", mayTalk: true };

interface Case {
  message?: Partial<Incoming>;
  known?: Partial<Known>;
  ways?: Partial<Ways>;
}
const routed = ({ message = {}, known: more = {}, ways: other = {} }: Case, base: Known): Route =>
  route(
    {
      place,
      channel: "public",
      shared: false,
      id: "m1",
      by: ann,
      text: "hello",
      mentioned: false,
      toOthers: false,
      own: false,
      at: 0,
      ...message,
    },
    { ...base, ...more },
    { ...ways, ...other },
  );

const IN_THREAD: [Case, Route["do"], RegExp][] = [
  [{}, "answer", /follow-up/],
  [{ message: { own: true } }, "ignore", /our own/],
  [{ message: { own: true, mentioned: true } }, "ignore", /our own/],
  [{ message: { text: "  \n" } }, "ignore", /no text/],
  [{ message: { text: "", mentioned: true } }, "answer", /names the agent/],
  [{ message: { text: "", channel: "dm" } }, "ignore", /no text/],
  [{ message: { by: bot } }, "hear", /another bot/],
  [{ message: { by: bot, mentioned: true } }, "hear", /as often as/],
  [{ message: { by: bot, mentioned: true }, ways: { mayTalk: false, botReplies: 5 } }, "hear", /another bot/],
  [{ message: { by: bot }, ways: { botReplies: 5 } }, "hear", /another bot/],
  [{ message: { by: bot, mentioned: true }, ways: { botReplies: 5 } }, "answer", /a bot that policy/],
  [{ message: { by: bot, mentioned: true }, ways: { botReplies: 5 }, known: { byBots: 4 } }, "answer", /a bot that policy/],
  [{ message: { by: bot, mentioned: true }, ways: { botReplies: 5 }, known: { byBots: 5 } }, "hear", /as often as/],
  [{ message: { mentioned: true } }, "answer", /names the agent/],
  [{ message: { channel: "dm" } }, "answer", /direct message/],
  [{ message: { channel: "dm", toOthers: true } }, "answer", /direct message/],
  [{ message: { mentioned: true, toOthers: true } }, "answer", /names the agent/],
  [{ message: { mentioned: true }, ways: { mayTalk: false } }, "refuse", /may not talk/],
  [{ message: { channel: "dm" }, ways: { mayTalk: false } }, "refuse", /may not talk/],
  [{ ways: { mayTalk: false } }, "hear", /may not talk/],
  [{ message: { toOthers: true } }, "hear", /somebody else/],
  [{ message: { toOthers: true }, ways: { followUps: "all" } }, "hear", /somebody else/],
  [{ ways: { followUps: "mention" } }, "hear", /only messages that name/],
  [{ message: { mentioned: true }, ways: { followUps: "mention" } }, "answer", /names the agent/],
  [{ message: { by: bob }, ways: { followUps: "all" } }, "answer", /every message/],
  [{ message: { by: bob } }, "hear", /has not addressed/],
  [{ message: { by: bob, mentioned: true } }, "answer", /names the agent/],
  [{ known: { others: [bob.id] } }, "hear", /joined this thread/],
  [{ known: { others: [bob.id] }, message: { mentioned: true } }, "answer", /names the agent/],
  [{ known: { others: [bob.id] }, ways: { followUps: "all" } }, "answer", /every message/],
];
const ELSEWHERE: [Case, Route["do"], RegExp][] = [
  [{}, "ignore", /not one of its threads/],
  [{ ways: { followUps: "all" } }, "ignore", /not one of its threads/],
  [{ message: { mentioned: true } }, "answer", /names the agent/],
  [{ message: { channel: "dm" } }, "answer", /direct message/],
  [{ message: { by: bot, mentioned: true } }, "ignore", /as often as/],
  [{ message: { by: bot } }, "ignore", /bots are not answered/],
  [{ message: { by: bot, channel: "dm" }, ways: { mayTalk: false } }, "ignore", /bots are not answered/],
  [{ message: { by: bot, mentioned: true }, ways: { botReplies: 5 } }, "answer", /a bot that policy/],
  [{ message: { mentioned: true }, ways: { mayTalk: false } }, "refuse", /may not talk/],
  [{ ways: { mayTalk: false } }, "ignore", /may not talk/],
  [{ message: { own: true, channel: "dm" } }, "ignore", /our own/],
];

describe("where a message goes, and why", () => {
  it.each(IN_THREAD)("in one of its threads: %j", (it, does, reason) => {
    const said = routed(it, known);
    expect([said.do, reason.test(said.reason) || said.reason]).toEqual([does, true]);
  });
  it.each(ELSEWHERE)("elsewhere: %j", (it, does, reason) => {
    const said = routed(it, nobody);
    expect([said.do, reason.test(said.reason) || said.reason]).toEqual([does, true]);
  });
  it("without a session nothing is heard, whatever else is so", () => {
    for (const by of [ann, bob, bot])
      for (const followUps of ["participants", "mention", "all"] as const)
        for (const mayTalk of [true, false])
          for (const toOthers of [true, false])
            for (const channel of ["public", "private", "group", "dm", "unknown"] as const)
              expect(routed({ message: { by, toOthers, channel }, ways: { followUps, mayTalk } }, nobody).do).not.toBe("hear");
  });
});
