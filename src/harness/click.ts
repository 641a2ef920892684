/**
 * A pressed button: what it means is looked up by its code, and rights are checked now, not when the card was shown.
 *
 * Q1. The code names the digest of the card it was on: what was pressed on an older card decides nothing.
 * Q2. A grant is written with its click, only if the click applies.
 * Q3. Who may not is told so privately, and who may.
 * Q4. A changed input is judged anew: one that others would have to decide about, or nobody may, is not run on this decision.
 */
import { randomUUID } from "node:crypto";
import { type Call, decisionOf, openQuestion } from "../core/calls.ts";
import { denyForm, editedInput, editForm, wholeCard } from "../core/card.ts";
import { type Decider, onlyAgrees, whyNot } from "../core/decide.ts";
import type { Decision, Grant, Place, Received, Verdict } from "../core/event.ts";
import { HOME_SESSION, rootOf, type SessionId } from "../core/id.ts";
import type { ApprovalRow, Click, Journal, Reply, Rules } from "../core/ports.ts";
import type { Opened, State } from "../core/state.ts";
import { say } from "../core/view.ts";
import { beyond, callDigest, newCode } from "./gate.ts";
import { toolFor, turnHome } from "./home.ts";
import { inquired } from "./inquiry.ts";
import { previewOf } from "./preview.ts";
import { standingOf } from "./standing.ts";
import { undo, undoNight } from "./undo.ts";
import type { World } from "./world.ts";

type Wake = (home: string, session: SessionId) => void;
const NOBODY: Reply = { to: "nobody" };
const tell = (text: string): Reply => ({ to: "asker", view: say(text) });

export interface Pressed {
  world: World;
  click: Click;
  home: string;
  journal: Journal;
  rules: Rules;
  wake: Wake;
}

export async function click(world: World, given: Click, wake: Wake): Promise<Reply> {
  const found = await world.homes.find(given.platform, given.place.team);
  if (!found.ok) return tell(found.why);
  const journal = await world.journal(found.home);
  const pressed: Pressed = { world, click: given, home: found.home, journal, rules: await world.homes.rules(found.home), wake };
  const [code = "", argument = ""] = given.code.split(".");
  const row = await journal.byCode(code);
  if (!row) return tell(given.act === "stop" ? "Nothing is running here." : "I do not know this button any more.");
  if (given.act === "stop") return stop(pressed, row.session);
  if (given.act === "withdraw") return withdraw(pressed, row.session, Number(argument));
  const state = await journal.state(row.session);
  if (given.act === "undo" && state.digest) return undoNight(world, given, { ...pressed, session: row.session, state, what: argument });
  if (given.act === "undo") return undo(pressed, row.session, state, Number(argument));
  const call = state.calls.byId[row.call];
  if (!call?.gate || !state.opened) return tell("This has been settled already.");
  const open = decisionOf(call);
  const question = openQuestion(call);
  if (!open || (question && row.digest !== open.digest)) return tell(settledText(call, row));
  if (open.digest !== row.digest) return tell("This card has changed since. Please look at it again.");
  if (question) {
    const meant = await inquired(world, given, question, state.opened.place, pressed.rules);
    return "reply" in meant ? meant.reply : record(pressed, row, meant.decision);
  }
  if (given.act === "show") return { to: "asker", view: wholeCard(call, call.gate) };
  const who = await deciderOf(pressed, state.opened.place);
  const refused = whyNot(call.gate, given.act, who, pressed.rules);
  if (refused) return tell(refused);
  const right = onlyAgrees(call.gate, given.act, who, pressed.rules) ? { agrees: true as const } : {};
  return decide({ ...pressed, right }, row, state, state.opened, call, call.gate, Number(argument));
}

async function deciderOf({ world, click: { by, place, platform } }: Pressed, about: Place): Promise<Decider> {
  const standing = await world.platforms.get(platform)?.standing(place, by.id);
  return { id: by.id, at: { platform, team: place.team }, about, standing };
}

type Deciding = Pressed & { right: { agrees?: true } };
async function decide(
  on: Deciding,
  row: ApprovalRow,
  state: State,
  opened: Opened,
  call: Call,
  gate: Verdict,
  index: number,
): Promise<Reply> {
  const { act, values, code } = on.click;
  if ((act === "approve" || act === "edit") && !gate.offers.includes(act)) return tell("This is not among what may be decided here.");
  switch (act) {
    case "approve":
      return record(on, row, { verdict: "approve", ...on.right }, pinned(on, gate));
    case "thread":
    case "always":
      return grant(on, row, gate, act);
    case "deny":
      if (!values) return { to: "asker", form: denyForm(call), act, code };
      return record(on, row, { verdict: "deny", reason: on.world.scrub((values.reason ?? "").trim().slice(0, 500)) });
    case "edit": {
      if (!values) return { to: "asker", form: editForm(call), act, code };
      const decision = await edited(on, row, state, opened, call, gate, values);
      return typeof decision === "string" ? tell(decision) : record(on, row, { ...decision, ...on.right }, pinned(on, gate));
    }
    case "answer": {
      const text = gate.question?.options[index];
      return text === undefined ? tell("I do not know this answer.") : record(on, row, { verdict: "answer", text });
    }
    default:
      return NOBODY;
  }
}

async function grant(on: Deciding, row: ApprovalRow, gate: Verdict, act: "thread" | "always"): Promise<Reply> {
  if (gate.subject === null || !gate.offers.includes(act)) return tell("This cannot be allowed once and for all.");
  const { by, at } = on.click;
  const pin = gate.pin === undefined ? {} : { pin: gate.pin };
  const given: Grant = { id: randomUUID(), tool: gate.label, subject: gate.subject, by, at, ...pin };
  const where = act === "always" ? HOME_SESSION : rootOf(row.session);
  return record(on, row, { verdict: "approve" }, [[where, { type: "grant.given", at, grant: given }], ...pinned(on, gate)]);
}

/** What the tool said of itself when somebody who decides approved it, so that a change of that can be told. */
const pinned = ({ click: { at }, right }: Deciding, { label, pin }: Verdict): [SessionId, Received][] =>
  pin === undefined || right.agrees ? [] : [[HOME_SESSION, { type: "tool.pinned", at, tool: label, pin }]];

/** The changed input as a decision, or what is wrong with it. Validated against the tool as it is now. */
async function edited(
  on: Pressed,
  row: ApprovalRow,
  state: State,
  opened: Opened,
  call: Call,
  gate: Verdict,
  values: Record<string, string>,
): Promise<Extract<Decision, { verdict: "edit" }> | string> {
  const { world, home, journal } = on;
  const found = editedInput(call, values);
  if (!found.ok) return found.error;
  const platform = world.platforms.get(opened.place.platform);
  if (!platform) return "This platform is not connected.";
  const signal = new AbortController().signal;
  const scene = { world, home, journal, session: row.session, state, opened, platform, signal, draft: () => {} };
  const offered = await turnHome(scene);
  const tool = toolFor(offered, call.tool, found.input);
  if (!tool) return "The tool is not there any more.";
  const input = JSON.parse(world.scrub(JSON.stringify(found.input)));
  const parsed = tool.parse(input);
  if (!parsed.ok) return parsed.error;
  const other = await beyond(scene, gate, tool, parsed.input);
  if (other) return other;
  const shown = await previewOf(scene, call, tool, parsed.input);
  return { verdict: "edit", input, newDigest: callDigest(tool, parsed.input), newCode: newCode(), ...shown };
}

async function record(on: Pressed, row: ApprovalRow, decision: Decision, also: [SessionId, Received][] = []): Promise<Reply> {
  const { click: given, journal, home, wake } = on;
  const { by, at } = given;
  const event: Received = { type: "approval.decided", at, call: row.call, digest: row.digest, by, ...decision };
  const receipt = await journal.receive(row.session, `k:${row.code}:${decision.verdict}:${by.id}`, event, undefined, also);
  if (receipt.fresh) {
    wake(home, row.session);
    return NOBODY;
  }
  const call = (await journal.state(row.session)).calls.byId[row.call];
  if (call && call.status === "asked" && call.votes.some((vote) => vote.id === by.id) && !openQuestion(call))
    return tell("You have approved this already. It waits for somebody else.");
  return tell(call ? settledText(call, row) : "This has been settled already.");
}

/** What became of the very decision that a card was about. */
function settledText({ decided: ran, questions }: Call, { digest }: ApprovalRow): string {
  const asked = questions.find((question) => question.digest === digest);
  const decided = asked ? asked.answered : ran;
  const who = decided?.by.map((by) => by.name).join(", ");
  return decided ? `This has been ${decided.how} already${who ? ` by ${who}` : ""}.` : "This has been settled already.";
}

async function stop({ world, click: given, home, journal, rules, wake }: Pressed, session: SessionId): Promise<Reply> {
  const { by, place, platform, at, message } = given;
  const root = rootOf(session);
  const { talk, opened } = await journal.state(root);
  const standing = await standingOf(world, given, opened?.place ?? place, rules);
  const asked = talk.by?.id === by.id || talk.queue.some((item) => item.must && item.by.id === by.id);
  const may = asked || (standing && (rules.may("approve", by.id, standing) || rules.may("admin", by.id, standing)));
  if (!may) return tell(`Only who asked, approvers and administrators can stop this. ${rules.who("approve", platform)}.`);
  const key = message ? `m:${message}` : `s:${talk.turn}:${talk.phase}:${talk.received}`;
  const receipt = await journal.receive(root, key, { type: "turn.stopped", at, by });
  if (!receipt.fresh) return tell("Nothing is running here.");
  wake(home, root);
  return NOBODY;
}

async function withdraw({ world, click: given, home, journal, rules, wake }: Pressed, session: SessionId, n: number): Promise<Reply> {
  const { by, place, at } = given;
  const { talk, opened } = await journal.state(session);
  const item = talk.queue.find((it) => it.n === n);
  if (!item) return tell("This message has been taken up already.");
  const standing = await standingOf(world, given, opened?.place ?? place, rules);
  if (item.by.id !== by.id && !(standing && rules.may("admin", by.id, standing)))
    return tell("Only its author and administrators can withdraw a message.");
  const receipt = await journal.receive(session, `w:${item.id}`, { type: "message.withdrawn", at, id: item.id, by });
  if (!receipt.fresh) return tell("This message has been taken up already.");
  wake(home, session);
  return NOBODY;
}
