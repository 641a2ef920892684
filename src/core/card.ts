/**
 * The card of a decision: what will run, for whom it is to decide, and afterwards who decided. What it shows is what runs.
 *
 * K1. Nothing in an input is hidden from the eye: direction marks and invisible characters are spelled out.
 * K2. A question names who asks and cannot use the words of approval buttons (the tool refuses them).
 */
import { asksOf, type Call, counted, type Decided, deciding, openQuestion } from "./calls.ts";
import type { JsonObject, Offer, Verdict } from "./event.ts";
import type { Button, Form, FormField, Part, View } from "./view.ts";

const WORDS: Record<Offer, Omit<Button, "code">> = {
  approve: { word: "Approve", act: "approve", style: "primary" },
  edit: { word: "Edit", act: "edit" },
  deny: { word: "Deny", act: "deny", style: "danger" },
  thread: { word: "Allow in this thread", act: "thread" },
  always: { word: "Always allow", act: "always" },
};
/** Words no question may use for its buttons. */
export const RESERVED = ["Approve", "Edit", "Deny", "Allow in this thread", "Always allow", "Stop", "Withdraw", "Undo"];

/** `helper`: the name of the helper whose call it is. */
export function cardView(call: Call, gate: Verdict, helper?: string): View {
  const who = helper === undefined ? "" : ` for the helper ${reveal(helper)}`;
  return gate.question ? questionView(call, gate, gate.question, who) : approvalView(call, gate, who);
}

function approvalView(call: Call, gate: Verdict, who: string): View {
  const open = call.status === "asked" && !openQuestion(call);
  const parts: Part[] = [shown(call, gate), ...(gate.remarks ?? [])];
  if (call.edited) parts.push({ kind: "note", text: `Input changed by ${call.edited.by.name}.` });
  if (open) {
    const late = gate.expires ? ` Expires ${time(gate.expires)}.` : "";
    parts.push({
      kind: "note",
      text: `${gate.asker ? `For ${gate.asker}. ` : ""}${gate.reason} ${gate.deciders}${votesText(call, gate)}${late}`.trim(),
    });
  } else {
    const agreed = call.decided?.how === "approved" ? call.votes.filter(({ agrees }) => agrees) : [];
    parts.push({ kind: "text", text: `${decidedText(call)}${agreed.length ? `. Agreed${names(agreed)}.` : ""}` });
  }
  return {
    title: open ? `May I run ${gate.label}${who}?` : `${FATES[call.decided?.how ?? "none"]}: ${gate.label}${who}`,
    parts,
    buttons: open ? gate.offers.map((offer) => ({ ...WORDS[offer], code: gate.code })) : [],
  };
}

/** What is there of a decision that takes several: those who decide, and those whose words leave, each for themselves. */
function votesText({ votes }: Call, gate: Verdict): string {
  const { quorum, consent } = gate;
  const decided = deciding(votes);
  const agreed = votes.filter(({ id }) => asksOf(consent).includes(id));
  const count = counted(votes, gate);
  const apart = count < decided.length ? " Only people of one platform are counted together." : "";
  const some = quorum > 1 || (quorum === 1 && consent && decided.length > 0);
  const approved = some ? ` ${count} of ${quorum} ${quorum === 1 ? "has" : "have"} approved${names(decided)}.${apart}` : "";
  return `${approved}${agreed.length ? ` Agreed${names(agreed)}.` : ""}`;
}

/** All that a card is about, for a reader who was shown only its beginning. */
export const wholeCard = (call: Call, gate: Verdict): View => ({ title: gate.label, parts: [shown(call, gate)], buttons: [] });

const shown = (call: Call, gate: Verdict): Part =>
  gate.preview === undefined ? { kind: "code", text: inputText(call.input) } : { kind: "code", text: reveal(gate.preview), lang: "diff" };

function questionView(call: Call, gate: Verdict, question: NonNullable<Verdict["question"]>, who: string): View {
  const open = call.status === "asked";
  const from = `${question.from ? `${question.from} asks` : "A question"}${who}`;
  const parts: Part[] = [{ kind: "quoted", text: question.text }];
  if (open)
    parts.push({ kind: "note", text: question.options.length ? "Choose, or reply in your own words." : "Reply in this thread to answer." });
  else parts.push({ kind: "text", text: decidedText(call) });
  const buttons = question.options.map((word, index): Button => ({ word, act: "answer", code: `${gate.code}.${index}` }));
  return { title: from, parts, buttons: open ? buttons : [] };
}

/** Said once before a decision expires, to those whose it is: people named by id are called, all others are only named. */
export function reminderView({ question, label, asker, deciders, expires, named = [] }: Verdict): View {
  const what = question ? "A question still waits for an answer." : `This still waits for a decision: may I run ${label}?`;
  const late = expires ? ` It expires ${time(expires)}.` : "";
  const text = `⏰ ${what}${asker ? ` For ${asker}.` : ""} ${deciders}${late}`.replace(/ {2,}/g, " ").trim();
  return { parts: [{ kind: "text", text }], buttons: [], ...(named.length ? { calls: named } : {}) };
}

/** When people are reminded of what expires: late, but with time left to decide. */
export function remindAt(asked: number, expires: number): number {
  return Math.round(expires - Math.min((expires - asked) / 4, LAST_HOURS));
}
const LAST_HOURS = 2 * 60 * 60_000;

/** What came of it, at its head: a decided card is no question any more. */
const FATES: Record<Decided["how"] | "none", string> = {
  approved: "Approved",
  denied: "Denied",
  answered: "Answered",
  expired: "Expired",
  stopped: "Stopped",
  none: "Not needed any more",
};

export function decidedText({ decided, status }: Pick<Call, "decided" | "status">): string {
  const at = decided ? time(decided.at) : "";
  const who = decided?.by.map((by) => `${by.name} (${by.id})`).join(", ") ?? "";
  switch (decided?.how) {
    case "approved":
      return `✅ Approved by ${who}, ${at}`;
    case "denied":
      return `⛔ Denied by ${who}, ${at}${decided.reason ? `: ${oneLine(decided.reason)}` : ""}`;
    case "answered":
      return `💬 ${who}, ${at}: ${oneLine(decided.reason)}`;
    case "expired":
      return `⌛ Expired ${at}: nobody decided`;
    case "stopped":
      return `⏹ Stopped by ${who}, ${at}`;
    default:
      return status === "done" ? "No longer needed" : "";
  }
}

const names = (people: readonly { name: string }[]): string => (people.length ? `: ${people.map(({ name }) => name).join(", ")}` : "");
export const time = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;

const HIDDEN = /(?![\n\t])[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029]/gu;
/** Spells out what an eye would miss or be misled by. */
export const reveal = (text: string): string =>
  text.replace(HIDDEN, (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

/** What a person wrote, inside a sentence of the card: it cannot begin a line that looks like another decision. */
const oneLine = (text: string): string => reveal(text.replace(/\s+/g, " ").trim());

/** An input as people read it: one line a value where it is flat, JSON else. */
export function inputText(input: JsonObject): string {
  const entries = Object.entries(input);
  if (!entries.length) return "(no input)";
  const flat = entries.every(([, value]) => value === null || typeof value !== "object");
  const text = flat ? entries.map(([key, value]) => `${key}: ${String(value)}`).join("\n") : JSON.stringify(input, null, 2);
  return reveal(text);
}

/** The form behind Edit: one field a value; values that are not text are edited as JSON. */
export function editForm(call: Call): Form {
  const fields = Object.entries(call.input).map(([id, value]): FormField => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return { id, label: id, value: text, multiline: text.length > 60 || text.includes("\n"), optional: true };
  });
  return { title: "Edit before it runs", submit: "Approve", intro: call.gate?.label ?? call.tool, fields };
}

/** The input a submitted form means, or the fields that cannot be read. */
export function editedInput(
  call: Call,
  values: Record<string, string>,
): { ok: true; input: JsonObject } | { ok: false; field: string; error: string } {
  const input: JsonObject = { ...call.input };
  for (const [key, before] of Object.entries(call.input)) {
    const text = values[key];
    if (text === undefined) continue;
    if (typeof before === "string") input[key] = text;
    else
      try {
        input[key] = JSON.parse(text);
      } catch {
        return { ok: false, field: key, error: `“${key}” was ${before === null ? "null" : typeof before}: write it as JSON.` };
      }
  }
  return { ok: true, input };
}

export const denyForm = (call: Call): Form => ({
  title: "Deny",
  submit: "Deny",
  intro: call.gate?.label ?? call.tool,
  fields: [{ id: "reason", label: "Reason (the agent is told)", value: "", multiline: true, optional: true }],
});
