/**
 * `approvals`: what waits for a decision here, and what needs none because somebody allowed it for good; `approvals revoke N` ends that.
 *
 * P1. Whoever gave a permission, whoever may decide and administrators may revoke it: taking back never widens anything.
 */
import type { Grant } from "../core/event.ts";
import { HOME_SESSION, type SessionId } from "../core/id.ts";
import type { Reply } from "../core/ports.ts";
import type { Part } from "../core/view.ts";
import { type Asked, here, page, titleOf } from "./asked.ts";

const MOST = 30;
interface Standing {
  session: SessionId;
  grant: Grant;
}

export async function approvals(asked: Asked): Promise<Reply> {
  const [verb, number] = asked.rest.split(/\s+/).filter(Boolean);
  const standing = await grantsHere(asked);
  if (verb === "revoke") return revoke(asked, standing, number);
  const [open, granted] = [await waiting(asked), standing.map(grantLine)];
  const parts: Part[] = [
    open.length ? { kind: "list", items: open } : { kind: "note", text: "Nothing waits for a decision in this channel." },
    ...(granted.length ? listOf(granted) : []),
  ];
  return page("Waiting for a decision", parts);
}

const listOf = (lines: string[]): Part[] => [
  { kind: "text", text: "**Allowed without asking**" },
  { kind: "list", items: lines.slice(0, MOST) },
  { kind: "note", text: "`approvals revoke N` ends one of them." },
];

async function waiting(asked: Asked): Promise<string[]> {
  const rows = await here(asked);
  const known = new Map(rows.map((row) => [row.session, row]));
  const open = await asked.journal.approvals();
  const items = await Promise.all(
    open.map(async ({ session, call }) => {
      const row = known.get(session.split("/", 1)[0] ?? "");
      const found = row && (await asked.journal.state(session)).calls.byId[call];
      return row && found?.gate ? [`${found.gate.label}: ${titleOf(asked.on, row)}`] : [];
    }),
  );
  return items.flat().slice(0, MOST);
}

/** The thread's first, then the home's; each in the order they were given. */
async function grantsHere({ journal, session }: Asked): Promise<Standing[]> {
  const found = await journal.grants(session);
  return [...found].sort((a, b) => Number(a.session === HOME_SESSION) - Number(b.session === HOME_SESSION) || a.grant.at - b.grant.at);
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
const grantLine = ({ session, grant: { tool, subject, by, at } }: Standing, index: number): string => {
  const what = subject === "*" ? "" : ` for \`${subject.replaceAll("`", "'").slice(0, 100)}\``;
  return `#${index + 1} ${tool}${what}, ${session === HOME_SESSION ? "everywhere" : "in this thread"}: by ${by.name}, ${day(at)}`;
};

async function revoke(
  { journal, rules, who, command: { by, at, place } }: Asked,
  standing: readonly Standing[],
  number = "",
): Promise<Reply> {
  const found = standing[Number(number.replace(/^#/, "")) - 1];
  if (!found) return note(`There is no permission #${number || "N"}. \`approvals\` numbers them.`);
  const { session, grant } = found;
  const may = grant.by.id === by.id || (who && (rules.may("approve", by.id, who) || rules.may("admin", by.id, who)));
  if (!may) return note(`Only ${grant.by.name}, approvers and administrators can revoke this. ${rules.who("approve", place.platform)}.`);
  const receipt = await journal.receive(session, `revoke:${grant.id}`, { type: "grant.revoked", at, id: grant.id, by });
  return note(receipt.fresh ? `${grant.tool} asks again from now on.` : "This was revoked already.");
}
const note = (text: string): Reply => page("Allowed without asking", [{ kind: "text", text }]);
