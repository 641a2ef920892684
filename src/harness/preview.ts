/**
 * What a call would change, as its tool tells it: shown to people instead of the input, and compared when the call runs.
 *
 * V1. The digest covers the whole diff, the card only its beginning; what is left out is counted.
 * V2. A tool that cannot tell costs only the preview: the card shows the input.
 */
import { createHash } from "node:crypto";
import type { Call } from "../core/calls.ts";
import type { JsonObject, Remark } from "../core/event.ts";
import type { Tool } from "../core/ports.ts";
import { contextOf, type Scene, scrubbed } from "./world.ts";

interface Preview {
  preview: string;
  previewed: string;
}
/** Characters of a diff on a card: a phone is the measure, and every platform takes as much. */
const SHOWN = 2_400;

export async function previewOf(scene: Scene, call: Call, tool: Tool, input: JsonObject): Promise<Preview | undefined> {
  const text = await told(scene, call, tool, input);
  return text === undefined ? undefined : { preview: scrubbed(cut(text), scene.world.scrub), previewed: digestOf(text) };
}

/** Why what was shown is not what would happen now. */
export async function wouldDiffer(scene: Scene, call: Call, tool: Tool): Promise<string | undefined> {
  const seen = call.gate?.previewed;
  const parsed = seen === undefined ? undefined : tool.parse(call.input);
  if (!parsed?.ok) return undefined;
  const text = await told(scene, call, tool, parsed.input);
  if (text !== undefined && digestOf(text) === seen) return undefined;
  return "Not run: the file has changed since this change of it was shown and approved. Read it again, and call the tool anew.";
}

async function told(scene: Scene, call: Call, tool: Tool, input: JsonObject): Promise<string | undefined> {
  try {
    return await tool.preview?.(input, contextOf(scene, call.id));
  } catch (error) {
    scene.world.log.error({ tool: tool.label, session: scene.session, call: call.id, err: error }, "a preview failed");
    return undefined;
  }
}

/** What else people should know. A tool that cannot tell says so: they decide with less, and see that. */
export async function remarksOf(scene: Scene, call: Call, tool: Tool, input: JsonObject): Promise<Remark[]> {
  try {
    return scrubbed((await tool.remarks?.(input, contextOf(scene, call.id))) ?? [], scene.world.scrub);
  } catch (error) {
    scene.world.log.error({ tool: tool.label, session: scene.session, call: call.id, err: error }, "remarks on a call failed");
    return [{ kind: "text", text: "What else there is to know about this could not be found out." }];
  }
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 32);

function cut(text: string): string {
  if (text.length <= SHOWN) return text;
  const end = text.lastIndexOf("\n", SHOWN);
  const shown = text.slice(0, end > 0 ? end : SHOWN);
  const left = text.slice(shown.length).split("\n");
  const count = (mark: string): number => left.filter((line) => line.startsWith(mark)).length;
  return `${shown}\n\n[This is not all of it: ${count("+")} more lines are added and ${count("-")} more removed. Edit shows the whole input.]`;
}
