/**
 * What a session is called: the first words that were said in it. Pure.
 *
 * N1. What its author deleted does not live on in a title, and what was corrected is corrected there as well.
 */
import type { Event } from "../core/event.ts";
import type { State } from "../core/state.ts";

const TITLE = 60;

/** The title after an event; `before` and `after` are the session's states around it. */
export function retitled(title: string, before: State, event: Event, after: State): string {
  switch (event.type) {
    case "message.received":
      return title || titleOf(wordsOf(after, event.id) ?? "");
    case "message.edited":
      return isFrom(title, before, event.id) ? titleOf(event.text) : title;
    case "message.deleted":
      return isFrom(title, before, event.id) ? "" : title;
    case "digest.told":
      return event.title;
    default:
      return title;
  }
}

const isFrom = (title: string, { talk }: State, id: string): boolean =>
  title !== "" &&
  [...talk.queue, ...talk.entries.filter((entry) => entry.as === "said")].some((it) => it.id === id && titleOf(wordsIn(it)) === title);

/** Of a message that has just come. */
function wordsOf({ talk }: State, id: string): string | undefined {
  const item = talk.queue.findLast((it) => it.id === id);
  return item && wordsIn(item);
}
/** Where nothing was said, the names of what came. */
const wordsIn = ({ text, files = [] }: Worded): string => text || files.map(({ name }) => name).join(", ");
interface Worded {
  text: string;
  files?: readonly { name: string }[];
}

/** The first words of a message, cut between words where there are any. */
function titleOf(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const characters = [...line];
  if (characters.length <= TITLE) return line;
  const cut = characters.slice(0, TITLE).join("");
  const space = cut.lastIndexOf(" ");
  return `${space > TITLE / 2 ? cut.slice(0, space) : cut}…`;
}
