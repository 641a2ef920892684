/** Who may do what: roles × tools × places × decisions, each row tried by pressing the button. */
import { afterAll, describe, expect, test } from "vitest";
import type { JsonObject, Speaker } from "../../src/core/event.ts";
import type { Standing } from "../../src/core/ports.ts";
import { approval } from "../../src/hooks/approval.ts";
import { parsePolicy } from "../../src/workspace/policy.ts";
import { rulesOf } from "../../src/workspace/rules.ts";
import { Bot, tool } from "../help/bot.ts";
import { calls, Script, says } from "../help/script.ts";
import { until } from "../help/until.ts";

const POLICY = {
  people: { talk: ["*"], approve: ["members", "stage:named"], admin: ["owners", "stage:group:ops"] },
  protected: ["files/legal/**"],
  access: { "finance/*": { people: ["stage:group:fin"], places: ["stage:C"] } },
};
const nobody: Standing = { member: false, guest: false, external: false, owner: false, bot: false, groups: [] };
const ROLES: Record<string, Partial<Standing>> = {
  asker: { member: true, groups: ["stage:group:fin"] },
  owner: { member: true, owner: true },
  ops: { member: true, groups: ["stage:group:ops"] },
  member: { member: true },
  guest: { guest: true },
  named: { guest: true },
  external: { external: true },
  bot: { bot: true, groups: ["stage:group:ops"] },
};
const PLACES = { public: "public", private: "private" } as const;
type Place = keyof typeof PLACES;
const DECISIONS = ["approve", "edit", "deny", "thread", "always"] as const;
type Decision = (typeof DECISIONS)[number];

/** What a call of each tool meets in each place: `runs`, `never`, or who decides about it. */
const MEETS: Record<string, Record<Place, "runs" | "never" | "approvers" | "admins" | "asker" | "admins and asker">> = {
  read_file: { public: "runs", private: "runs" },
  "a file of the team": { public: "runs", private: "asker" },
  "the character": { public: "admins", private: "admins and asker" },
  "a protected file": { public: "admins", private: "admins and asker" },
  "ops/deploy": { public: "approvers", private: "approvers" },
  "finance/query": { public: "approvers", private: "never" },
};
/** Who decides, by what a call meets. Whoever lists nobody else is refused. */
const MAY: Record<string, string[]> = {
  approvers: ["asker", "owner", "ops", "member", "named"],
  admins: ["owner", "ops"],
  asker: ["asker"],
  "admins and asker": ["asker", "owner", "ops"],
};
const ADMINS = MAY.admins ?? [];

const labelOf = (name: string): string => (name.startsWith("a ") || name.startsWith("the ") ? "write_file" : name);
const PATHS: Record<string, string> = {
  "a file of the team": "/home/files/a.md",
  "the character": "/home/AGENTS.md",
  "a protected file": "/home/files/legal/a.md",
};
const made = (name: string) =>
  tool(name.replaceAll(/\W/g, "_"), () => "ran", {
    label: labelOf(name),
    risk: () => (name === "the character" ? "admin" : name.includes("/") ? "ask" : "none"),
    subject: ({ n }) => (PATHS[name] ? null : `target ${String(n)}`),
    leaves: () => PATHS[name] !== undefined,
  });

const parsed = parsePolicy(JSON.stringify(POLICY));
if (!parsed.ok) throw new Error(parsed.wrong);
const now = { policy: parsed.policy, broken: undefined };
const rules = rulesOf(now, 50);
const speaker = (role: string): Speaker => ({ id: `stage:${role}`, name: role, kind: role === "bot" ? "bot" : "member" });
const standing = (role: string): Standing => ({ ...nobody, ...ROLES[role] });

/** What pressing a button comes to. */
function expected(name: string, place: Place, role: string, decision: Decision): "decided" | "refused" {
  const meets = MEETS[name]?.[place] ?? "never";
  if (!MAY[meets]?.includes(role)) return "refused";
  if (decision === "thread" || decision === "always")
    return meets === "approvers" && (decision === "thread" || ADMINS.includes(role)) ? "decided" : "refused";
  return "decided";
}

const bots: Bot[] = [];
afterAll(() => Promise.all(bots.map((bot) => bot.end())));

function startIn(name: string, place: Place): { bot: Bot; next(): Promise<string> } {
  const own = made(name);
  let n = 0;
  const script = new Script();
  const home = { name: "home", dir: "/none", read: async () => ({ text: undefined, problem: undefined }), policy: async () => now };
  const bot: Bot = new Bot({
    model: script,
    tools: [own],
    rules,
    hooks: [
      approval({
        homes: { home: () => home, rules: async () => rules },
        grants: (_home, session) => bot.journal.grants(session),
        standing: async (_place, person) => standing(person.replace("stage:", "")),
      }),
    ],
  });
  for (const role of Object.keys(ROLES)) bot.stage.standings[`stage:${role}`] = standing(role);
  bots.push(bot);
  return {
    bot,
    async next() {
      const input: JsonObject = { n: ++n, ...(PATHS[name] ? { file_path: PATHS[name] } : {}) };
      script.lines.push(calls([own.name, input]), says(`End of ${n}.`));
      await bot.say(speaker("asker"), `work ${n}`, { channel: PLACES[place], place: placeOf(place) });
      return `End of ${n}.`;
    },
  };
}
const placeOf = (place: Place) => ({ platform: "stage", team: "T", channel: place === "public" ? "C" : "P", thread: "t1" });
const sessionOf = (place: Place) => `stage:T:${placeOf(place).channel}:t1`;
/** The card that is open, if any. */
const openCall = async (bot: Bot, place: Place) => {
  const { calls: found } = await bot.journal.state(sessionOf(place));
  return Object.values(found.byId).find(({ status }) => status === "asked");
};

const ROWS = Object.keys(MEETS).flatMap((name) =>
  (Object.keys(PLACES) as Place[]).map((place) => [name, place, MEETS[name]?.[place] ?? "never"] as const),
);

describe("the table of who may do what", () => {
  test("has at least 200 rows", () => {
    expect(ROWS.length * Object.keys(ROLES).length * DECISIONS.length).toBeGreaterThanOrEqual(400);
  });

  test.each(ROWS)(
    "%s in a %s place: %s",
    async (name, place, meets) => {
      const { bot, next } = startIn(name, place);
      const end = await next();
      if (meets === "runs" || meets === "never") {
        await bot.answer(end);
        expect(bot.stage.visible("card")).toEqual([]);
        const told = JSON.stringify(bot.model.requests.at(-1)?.messages);
        expect(told.includes('"ran"')).toBe(meets === "runs");
        return;
      }
      let current = end;
      for (const role of Object.keys(ROLES))
        for (const decision of DECISIONS) {
          const call = await until(() => openCall(bot, place), "an open card");
          const press = {
            platform: "stage",
            act: decision,
            code: call.gate?.code ?? "",
            by: speaker(role),
            place: placeOf(place),
            at: Date.now(),
            ...(decision === "edit"
              ? { values: { n: String(1_000 + Math.random()) } }
              : decision === "deny"
                ? { values: { reason: "no" } }
                : {}),
          } as const;
          const reply = await bot.house.click(press);
          const after = (await bot.journal.state(sessionOf(place))).calls.byId[call.id];
          const touched = after?.status !== "asked" || after.votes.length > 0;
          expect([role, decision, touched ? "decided" : "refused"]).toEqual([role, decision, expected(name, place, role, decision)]);
          expect(reply.to).toBe(touched ? "nobody" : "asker");
          if (!touched) continue;
          // One that both have to approve goes on with the other's word; then the next card.
          if (after?.status === "asked") {
            await bot.house.click({ ...press, act: "deny", code: after.gate?.code ?? "", values: { reason: "enough" } });
          }
          await bot.answer(current);
          current = await next();
        }
    },
    30_000,
  );
});
