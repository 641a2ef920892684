/**
 * What the operator's pages do: each by a POST of a script of ours, in a home that may be seen, and by the operator's name.
 */
import type { Context, Hono } from "hono";
import type { Speaker } from "../../../src/core/event.ts";
import { type Log, type Operator, UserError } from "../../../src/core/ports.ts";
import type { Scope } from "../../../src/core/scope.ts";
import { body, fail } from "../answer.ts";
import type { Desk } from "../desk.ts";
import { Diff } from "../diff.tsx";
import { OPERATOR, speaker } from "../people.ts";
import { readAct, readOperated } from "../request.ts";
import { FormBody } from "../view.tsx";
import type { Sight } from "./sight.ts";

export interface ActsHouse {
  operator: Operator;
  log: Log;
  desk(): Desk | undefined;
}

type Given = Partial<Record<string, string>>;
type Done = { ok: true } | { ok: false; why: string };

const BY: Speaker = speaker(OPERATOR);
const UNKNOWN = { error: "There is no such home." };

export function operatorActs(site: Hono, house: ActsHouse, see: Sight): void {
  const { operator, log } = house;
  site.post("/acts/press", async (c) => {
    const pressed = readOperated(await body(c));
    if (typeof pressed === "string") return c.json({ error: pressed }, 400);
    if (!(await see.homes()).includes(pressed.home)) return c.json(UNKNOWN, 404);
    const desk = house.desk();
    if (!desk) return c.json({ error: "Denizen is stopping. Try again in a moment." }, 503);
    return within(c, log, async () => {
      const { form, ...outcome } = await desk.operate(pressed);
      return { ...outcome, ...(form ? { form: String(<FormBody {...form} />) } : {}) };
    });
  });

  const act = (name: string, work: (home: string, given: Given) => Promise<object>): void => {
    site.post(`/acts/${name}`, async (c) => {
      const asked = readAct(await body(c));
      if (typeof asked === "string") return c.json({ error: asked }, 400);
      if (!(await see.homes()).includes(asked.home)) return c.json(UNKNOWN, 404);
      return within(c, log, () => work(asked.home, asked.given));
    });
  };
  act("check", async (home, { path = "", text = "" }) => {
    const checked = await operator.files.check(home, path, text);
    return "error" in checked
      ? { problem: checked.error, hint: "", diff: "" }
      : { ...checked, diff: checked.diff && String(<Diff text={checked.diff} />) };
  });
  act("save", async (home, { path = "", text = "", version = "" }) => said(await operator.files.write(home, path, text, version, BY)));
  act("remove", async (home, { path = "" }) => said(await operator.files.remove(home, path, BY)));
  act("revoke", async (home, { session = "", id = "" }) => said(await operator.revoke(home, session, id, BY)));
  const { memory } = operator;
  if (memory) {
    const scoped = async (home: string, given: Given, work: (scope: Scope) => Promise<Done>): Promise<object> => {
      const scope = (await memory.scopes(home)).find((one) => one === given.scope);
      return scope === undefined ? { error: "There is no such scope." } : said(await work(scope));
    };
    const number = (text = ""): number => (/^\d{1,9}$/.test(text) ? Number(text) : -1);
    act("forget", (home, given) => scoped(home, given, (scope) => memory.forget(home, scope, given.id ?? "", BY)));
    act("rewrite", (home, given) => scoped(home, given, (scope) => memory.rewrite(home, scope, given.before ?? "", given.after ?? "")));
    act("unlearn", (home, given) =>
      scoped(home, given, (scope) => memory.undo(home, scope, number(given.n), given.edit === undefined ? null : number(given.edit), BY)),
    );
  }
  act("undo", async (home, { id = "" }) => {
    if (!operator.history) return { error: "This house keeps no history." };
    return said(await operator.history.undo(home, id, BY));
  });
}

const said = (done: Done): object => (done.ok ? { ok: true } : { error: done.why });

async function within(c: Context, log: Log, work: () => Promise<object>): Promise<Response> {
  try {
    return c.json(await work());
  } catch (error) {
    if (error instanceof UserError) return c.json({ error: error.message }, 503);
    return c.json({ error: `Denizen could not do this (it is in its log as ${fail(log, error, c)}). Try again in a moment.` }, 500);
  }
}
