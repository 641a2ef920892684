/** How much of each request is, byte by byte, the beginning of the next: what the provider's cache can hold. Cache marks aside. */
import type { Request } from "../../src/core/ports.ts";
import { bodyOf } from "../../src/model/body.ts";
import { withFolder } from "../rig/folder.ts";
import { seed } from "../rig/history.ts";
import { openHouse, says } from "../rig/house.ts";
import { asks } from "../rig/lookup.ts";
import { scripted } from "../rig/scripted.ts";
import type { Row } from "../row.ts";

const MARK = /,"cache_control":\{"type":"ephemeral"\}/g;
const END = "]}";
/** Turns that the session has behind it, so that some of it is sent from what was encoded before. */
const BEFORE = 40;
const TURNS = 4;
const CALLS = 5;

export const prefix = (): Promise<Row[]> =>
  withFolder(async (dir) => {
    const bodies: string[] = [];
    const house = await openHouse(
      dir,
      scripted((request) => void bodies.push(bodyWithoutMarks(request))),
    );
    await seed(house.journal, "t", BEFORE);
    for (let turn = 0; turn < TURNS; turn++) {
      const folded = house.stage.folded("t");
      await house.inbox.message(says("t", asks(CALLS)));
      await folded;
    }
    await house.close();
    const shares = bodies.slice(1).map((body, at) => kept(bodies[at] ?? "", body));
    const least = Math.min(...shares);
    const note = `${bodies.length} requests in ${TURNS} turns; tools, system and messages as they are sent`;
    const ok = least === 1 && bodies.length === TURNS * (CALLS + 1);
    return [{ what: "prefix kept from request to request", ours: `${(least * 100).toFixed(1)} %`, target: "100 %", ok, note }];
  });

/** Throws if what is sent does not say what was asked. */
function bodyWithoutMarks(request: Request): string {
  const body = Buffer.from(bodyOf(request)).toString().replace(MARK, "");
  const { messages } = JSON.parse(body) as { messages: unknown };
  if (JSON.stringify(messages) !== JSON.stringify(request.messages)) throw new Error("the body does not hold the request's messages");
  return body;
}

function kept(before: string, after: string): number {
  const whole = before.length - END.length;
  let same = 0;
  while (same < whole && before[same] === after[same]) same++;
  return same / whole;
}
