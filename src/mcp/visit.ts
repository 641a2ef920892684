/**
 * What a server at an address offers to a stranger: greeted and asked for its tools once, without headers, sign-in or secrets.
 *
 * V1. Nobody has agreed to it yet: only public addresses are asked, whatever is written where, in little time, and nothing is kept.
 */
import type { Probed } from "../core/ports.ts";
import { openSession, type Session } from "./client.ts";
import { fateOf } from "./fate.ts";
import { offeredBy } from "./probe.ts";

const [EACH, ALL] = [5_000, 12_000];

/** `isOpen`: which addresses may be asked; those of the open internet, if absent. */
export async function visit(url: string, signal: AbortSignal, isOpen?: (address: string) => boolean): Promise<Probed> {
  const nothing = (): void => undefined;
  let session: Session | undefined;
  try {
    session = await openSession({
      entry: { name: "visited", kind: "http", url, headers: {}, auth: "home" },
      cwd: "",
      timeout: EACH,
      patience: EACH,
      signal: AbortSignal.any([signal, AbortSignal.timeout(ALL)]),
      written: [],
      isOpen,
      onChanged: nothing,
      onLog: nothing,
      onEnd: nothing,
    });
    return { ok: true, ...offeredBy({ instructions: session.about.instructions, tools: await session.tools() }) };
  } catch (error) {
    const { is, why } = fateOf(error, EACH);
    if (is === "signin") return { ok: false, why: "it tells only those who have signed in" };
    return { ok: false, why: is === "expired" ? "nothing is there (HTTP 404)" : why };
  } finally {
    await session?.close().catch(nothing);
  }
}
