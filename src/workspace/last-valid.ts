/**
 * The policy that holds in a home: the one in policy.json, or the last valid one while that file is missing or cannot be used.
 *
 * V1. The last valid text is kept outside the home, where neither the agent nor a slip of a person's hand reaches it.
 * V2. While the file cannot be used, `broken` names it, says what is wrong and what mends it; nothing is widened meanwhile.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fingerprint } from "../core/id.ts";
import type { Log } from "../core/ports.ts";
import { defaults, type Policy, parsePolicy } from "./policy.ts";
import type { PolicyNow } from "./rules.ts";
import { codeOf, type Problem, type Text } from "./text.ts";

/** `read` gives policy.json as it is now; `kept` is the file in which its last valid text stands. */
export function openPolicy(read: () => Promise<Text>, kept: string, log: Log): () => Promise<PolicyNow> {
  let last: { text: string; policy: Policy } | undefined;
  let now: { from: Text; is: PolicyNow } | undefined;
  return async () => {
    const from = await read();
    if (now && now.from.text === from.text && now.from.problem?.version === from.problem?.version) return now.is;
    const found = understood(from);
    if (found.ok && last?.text !== found.text) {
      last = found;
      await keep(kept, found.text, log);
    }
    last ??= await lastKept(kept);
    const is = found.ok
      ? { policy: found.policy, broken: undefined }
      : { policy: last?.policy ?? defaults(), broken: broken(found.wrong, from) };
    now = { from, is };
    return is;
  };
}

function understood({ text, problem }: Text): { ok: true; text: string; policy: Policy } | { ok: false; wrong: string } {
  if (problem) return { ok: false, wrong: problem.what };
  if (text === undefined) return { ok: false, wrong: "It is missing; the template has one to copy" };
  const parsed = parsePolicy(text);
  return parsed.ok
    ? { ok: true, text, policy: parsed.policy }
    : { ok: false, wrong: `${parsed.wrong.charAt(0).toUpperCase()}${parsed.wrong.slice(1)}` };
}

const broken = (wrong: string, from: Text): Problem => ({
  file: "policy.json",
  what:
    `policy.json of this home cannot be used. ${wrong.replace(/\.$/, "")}. Until a person mends it, nobody can approve and the home cannot change; ` +
    "who may talk and what asks stays as it was last valid.",
  version: from.problem?.version ?? fingerprint(from.text ?? ""),
});

async function lastKept(file: string): Promise<{ text: string; policy: Policy } | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  const parsed = text === undefined ? undefined : parsePolicy(text);
  return text !== undefined && parsed?.ok ? { text, policy: parsed.policy } : undefined;
}

async function keep(file: string, text: string, log: Log): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    if ((await readFile(file, "utf8").catch(() => undefined)) === text) return;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, text, { mode: 0o600, flush: true });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    log.error({ file, code: codeOf(error) }, "The last valid policy could not be kept.");
  }
}
