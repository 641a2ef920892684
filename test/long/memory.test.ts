/**
 * A model of the night that works against the house: it puts facts into the wrong scopes, invents and drops them. And a year of nights
 * with one that errs now and then.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import type { JsonObject, Speaker } from "../../src/core/event.ts";
import type { Request } from "../../src/core/ports.ts";
import { type Scope, visibleScopes } from "../../src/core/scope.ts";
import { estimateTokens } from "../../src/core/tokens.ts";
import { factsIn, parseFacts } from "../../src/memory/facts.ts";
import { Home } from "../memory/place.ts";
import { askable } from "./askable.ts";

let home: Home;
afterEach(() => home.end());

const PEOPLE: Speaker[] = ["slack:UANN", "slack:UBEN", "discord:1234567890", "discord:9876543210"].map((id) => ({
  id,
  name: id.slice(-4),
  kind: "member",
}));
const SCOPES: Scope[] = ["team", "place:slack:G1", "place:discord:77", ...PEOPLE.map((by): Scope => `person:${by.id}`)];
const THINGS = "budget deadline server invoice release holiday salary contract garden password-policy merger hiring".split(" ");
const VALUES = "Monday Berlin granite seventeen violet Oslo walnut Saturday copper Lisbon".split(" ");
const ALL_REFS = /\[m:([^\]\s]+)\]/g;
const textIn = (request: Request): string =>
  request.messages.flatMap(({ content }) => content.map((block) => String(block.text))).join("\n");
const G1: Scope = "place:slack:G1";
const tokenOf = (text: string): string => /fact-\d+-\d+/.exec(text)?.[0] ?? text;
const pick = <T>(from: readonly T[], n: number): T => from[n % from.length] as T;

it("P6 0 leaks, 0 lost, 0 invented: 200 facts in 7 scopes, three nights with a model that does everything wrong", async () => {
  home = new Home();
  const truth = Array.from({ length: 200 }, (_, n) => {
    const scope = pick(SCOPES, n * 5 + Math.floor(n / 7));
    const by = scope.startsWith("person:") ? (PEOPLE.find(({ id }) => scope === `person:${id}`) as Speaker) : pick(PEOPLE, n * 3);
    return {
      n,
      scope,
      by,
      night: n % 3,
      text: `The ${pick(THINGS, n)} number fact-${n}-${(n * 7919) % 1000} is ${pick(VALUES, n * 3)}`,
      token: `${(n * 7919) % 1000}`,
    };
  });
  home.brain = (request) => {
    const text = textIn(request);
    const refs = [...text.matchAll(ALL_REFS)].map((match) => match[1] ?? "");
    const facts = [...(/<facts>([\s\S]*)<\/facts>/.exec(text)?.[1] ?? "").matchAll(/^([0-9a-f]{8}): /gm)].map((match) => match[1] ?? "");
    const said = [...text.matchAll(/\[m:([^\]\s]+)\] (The \S+ number fact-.*)/g)];
    const own: JsonObject[] = said.map(([, ref = "", words = ""]) => ({ op: "add", text: words, evidence: [ref] }));
    const foreign: JsonObject[] = truth.map((it, n) => ({ op: "add", text: it.text, evidence: [pick(refs, n)] }));
    const invented: JsonObject[] = refs.map((ref, n) => ({
      op: "add",
      text: `The ${pick(THINGS, n + 1)} was sold to Mars for ${n}`,
      evidence: [ref],
    }));
    const drops: JsonObject[] = facts.flatMap((fact, n) => [
      { op: "retire", fact, reason: "nobody needs it", evidence: [pick(refs, n)] },
      { op: "update", fact, text: pick(truth, n).text, evidence: [pick(refs, n)] },
      { op: "merge", facts: [fact, pick(facts, n + 1)], text: "The number is something", evidence: [pick(refs, n)] },
    ]);
    return [...foreign, ...drops, ...invented, ...own];
  };
  for (let night = 0; night < 3; night++) {
    for (const fact of truth.filter((it) => it.night === night)) await home.say(fact.by, fact.text, fact.scope);
    for (const report of await home.night()) expect(report.problem).toBeUndefined();
    home.now += 86_400_000;
  }
  for (const scope of SCOPES) {
    const kept = home.texts(scope);
    const expected = truth.filter((it) => it.scope === scope).map(({ text }) => text);
    expect([...kept].sort(), scope).toEqual([...expected].sort());
  }
  // Each room is asked for every fact, by every way there is.
  const everywhere = askable(home);
  await everywhere.told();
  let asked = 0;
  for (const by of PEOPLE) {
    for (const own of SCOPES.filter((scope) => !scope.startsWith("person:") || scope === `person:${by.id}`)) {
      for (const kind of ["member", "guest", "external"] as const) {
        // A member of one private place, who left the other; guests are members of what they are in.
        const seen = visibleScopes(own, { ...by, kind }, own.startsWith("person:") ? [G1] : []);
        const shown = await everywhere.ask(
          { ...by, kind },
          own,
          truth.map(({ text }) => text),
        );
        const leaks = truth.filter(({ scope, text }) => !seen.includes(scope) && shown.includes(tokenOf(text)));
        expect(leaks, `${by.id} as ${kind} in ${own}`).toEqual([]);
        const known = truth.filter(({ scope, text }) => seen.includes(scope) && shown.includes(tokenOf(text)));
        expect(known.length, `${by.id} as ${kind} in ${own}`).toBe(truth.filter(({ scope }) => seen.includes(scope)).length);
        if (kind !== "member" && own !== "team") expect(seen).not.toContain("team");
        asked++;
      }
    }
  }
  expect(asked).toBe(48);
  // A private place that turned public keeps what was said in it before to those who were there.
  const turned = await everywhere.ask(
    pick(PEOPLE, 0),
    "team",
    truth.map(({ text }) => text),
    "G1",
  );
  expect(truth.filter(({ scope, text }) => scope !== "team" && turned.includes(tokenOf(text)))).toEqual([]);
});

it("365 nights with a model that errs: people's lines stand, loss keeps to the rules, the size to the budget, and all of it can be taken back", async () => {
  home = new Home();
  const own = "# Team\n\n- written by people\n- also by people <!-- a note -->\n";
  writeFileSync(join(home.dir, "MEMORY.md"), own);
  const random = fc.sample(fc.nat(9_999), { numRuns: 4_000, seed: 7 });
  let at = 0;
  const roll = (): number => random[at++ % random.length] as number;
  home.brain = (request) => {
    const text = textIn(request);
    const lines = [...text.matchAll(/\[m:([^\]\s]+)\] (The .*)/g)];
    const facts = [...text.matchAll(/^([0-9a-f]{8}): (.*?) \(slack/gm)];
    return lines.flatMap(([, ref = "", words = ""]): JsonObject[] => {
      if (roll() % 100 === 0) return [{ op: "retire", fact: pick(facts, roll())?.[1] ?? "", reason: "erred", evidence: [ref] }];
      const topic = `${words.split(" ").slice(0, 5).join(" ")} `;
      const old = facts.find(([, , known = ""]) => known.startsWith(topic));
      return [old ? { op: "update", fact: old[1] ?? "", text: words, evidence: [ref] } : { op: "add", text: words, evidence: [ref] }];
    });
  };
  for (let night = 0; night < 365; night++) {
    const before = factsIn(home.file()).length;
    for (let n = 0; n < 1 + (roll() % 3); n++) {
      const topic = roll() % 300;
      await home.say(pick(PEOPLE, 0), `The ${pick(THINGS, topic)} of project P${topic} is ${pick(VALUES, roll())} since day ${night}`);
    }
    const [report] = await home.night();
    expect(report?.problem).toBeUndefined();
    expect(report?.gone ?? 0).toBeLessThanOrEqual(before / 4);
    const lines = parseFacts(home.file());
    expect(lines.flatMap((line) => (line.kind === "own" && line.text ? [line.text] : []))).toEqual(own.split("\n").filter(Boolean));
    expect(estimateTokens(home.texts().join("\n"))).toBeLessThanOrEqual(4_000);
    home.now += 86_400_000;
  }
  expect(home.texts().length).toBeGreaterThan(50);
  const memory = home.memory();
  const me = { id: PEOPLE[0]?.id ?? "", admin: true };
  for (const { n } of await memory.history(["team"], 10_000)) {
    home.now++;
    expect(await memory.undo(n, null, ["team"], me, home.now)).toMatchObject({ ok: true });
  }
  expect(home.texts()).toEqual([]);
  expect(home.file()).toBe(own);
});
