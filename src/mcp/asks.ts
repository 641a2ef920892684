/**
 * What a server may ask of us, and of whom: each request is handed to the call that has the floor.
 *
 * A1. Only what was declared when the session began is answered; what can be no call's is answered with a refusal.
 */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { Floor } from "./floor.ts";
import type { Talk } from "./talk.ts";

export interface Asks {
  floor: Floor<Talk>;
  /** Whether it may ask the model. */
  sampling: boolean;
  /** What a server was given to sign in with is nobody's to read, also in what it asks. */
  clean<T>(params: T): T;
}

const elicitation = z.looseObject({ method: z.literal("elicitation/create"), params: z.looseObject({}).optional() });
const completed = z.looseObject({
  method: z.literal("notifications/elicitation/complete"),
  params: z.looseObject({ elicitationId: z.string() }),
});
const sampling = z.looseObject({ method: z.literal("sampling/createMessage"), params: z.looseObject({}).optional() });

export const capabilitiesOf = ({ sampling: may }: Asks): ClientCapabilities => ({
  elicitation: { form: {}, url: {} },
  ...(may ? { sampling: {} } : {}),
});

const UNCLEAR = "The server wanted to ask something, but it cannot be told for which call: nobody was asked.";

export function listen(client: Client, { floor, sampling: may, clean }: Asks): void {
  const asking = (): Talk | undefined => {
    const talk = floor.asking();
    if (!talk) floor.all().forEach((one) => void one.note(UNCLEAR));
    return talk;
  };
  client.setRequestHandler(elicitation, async ({ params }, { signal }) => {
    const talk = asking();
    return talk ? talk.elicit(clean(params), signal) : { action: "cancel" as const };
  });
  client.setNotificationHandler(completed, ({ params }) => floor.all().forEach((talk) => void talk.completed(params.elicitationId)));
  if (!may) return;
  client.setRequestHandler(sampling, async ({ params }, { signal }) => {
    const talk = asking();
    if (!talk) throw new Error("It cannot be told for which call this is asked.");
    return (await talk.sample(clean(params), signal)) as Record<string, unknown>;
  });
}

/** The protocol's code for: people have to open these pages first. */
const PAGES_FIRST = -32042;
const pages = z.object({
  code: z.literal(PAGES_FIRST),
  data: z.looseObject({ elicitations: z.array(z.looseObject({ url: z.string() })) }),
});

/** Pages that people have to open before a call can run, if that is what an error says. */
export function pagesIn(error: unknown): unknown[] {
  const found = pages.safeParse(error);
  return found.success ? found.data.data.elicitations.slice(0, 3) : [];
}
