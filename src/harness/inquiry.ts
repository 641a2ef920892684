/**
 * What a running call asks people: how it is put to them, and what a press on its card means.
 *
 * I1. The person the turn is for answers, or who may approve; rights are those of the moment of the press.
 * I2. Values are checked before they are taken, and scrubbed like all that people write.
 * I3. Nothing is held while people think: what came of it is a fact, and the call is run again with it.
 */
import type { Asked, Call } from "../core/calls.ts";
import type { Decision, Event, Place, Question } from "../core/event.ts";
import { inquiryForm, inquiryValues, NO, YES } from "../core/inquiry.ts";
import type { Click, Reply, Rules } from "../core/ports.ts";
import { say } from "../core/view.ts";
import { newCode } from "./gate.ts";
import { standingOf } from "./standing.ts";
import { contextOf, type Scene, scrubbed, type World } from "./world.ts";

/** Servers wait with their call open, and lose it when the process ends: not for days. */
const EXPIRES = 60 * 60_000;

export async function asked(scene: Scene, call: Call, question: Question): Promise<Event> {
  const { world, home, opened } = scene;
  const { by } = contextOf(scene, call.id);
  const rules = await world.homes.rules(home);
  const at = world.now();
  const deciders = `${by.name} answers this, or who may approve (${rules.who("approve", opened.place.platform)}).`;
  const clean = scrubbed(question, world.scrub);
  return {
    type: "call.asked",
    at,
    call: call.id,
    question: clean,
    digest: newCode(),
    code: newCode(),
    expires: at + EXPIRES,
    by: by.id,
    deciders,
  };
}

type Meant = { decision: Decision } | { reply: Reply };
const tell = (text: string): Meant => ({ reply: { to: "asker", view: say(text) } });

export async function inquired(world: World, given: Click, { question, by: whose }: Asked, about: Place, rules: Rules): Promise<Meant> {
  const { act, code, by, platform, values } = given;
  if (act !== "answer") return tell("This is a question: answer or decline it.");
  const standing = await standingOf(world, given, about, rules);
  const may = standing !== undefined && ((by.id === whose && rules.may("talk", by.id, standing)) || rules.may("approve", by.id, standing));
  if (!may) return tell(`Only the person this is done for can answer it, or who may approve: ${rules.who("approve", platform)}.`);
  switch (Number(code.split(".")[1])) {
    case NO:
      return { decision: { verdict: "deny", reason: "" } };
    case YES:
      return question.fields?.length
        ? filled(world, question, act, code, values)
        : { decision: { verdict: "answer", text: "yes", values: {} } };
    default:
      return tell("I do not know this answer.");
  }
}

function filled(world: World, question: Question, act: "answer", code: string, given: Click["values"]): Meant {
  if (!given) return { reply: { to: "asker", form: inquiryForm(question), act, code } };
  const read = inquiryValues(question, scrubbed(given, world.scrub));
  return read.ok ? { decision: { verdict: "answer", text: read.text, values: read.values } } : tell(read.error);
}
