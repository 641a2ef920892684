/**
 * What a person is told privately beside a message that was taken.
 *
 * A1. What is kept and who can see it: once for each person of a home, at their first message that is answered.
 * A2. That the home is paused: once for each thread, with its first message that waits.
 */
import { HOME_SESSION } from "../core/id.ts";
import type { Incoming, Journal, Reply } from "../core/ports.ts";
import { scopeOf } from "../core/scope.ts";
import { mustAnswer, type Talk } from "../core/talk.ts";
import { say } from "../core/view.ts";

/** `before`: the talk of the thread as it was without this message. */
export async function aside(journal: Journal, incoming: Incoming, before: Talk): Promise<Reply | undefined> {
  const { paused, told } = await journal.state(HOME_SESSION);
  const { by, at } = incoming;
  const texts: string[] = [];
  if (paused && !mustAnswer(before))
    texts.push(`I am paused since ${time(paused.at)} by ${paused.by.name}. Your message is kept, and I answer it when I am resumed.`);
  if (by.kind !== "bot" && !told.includes(by.id)) {
    const { fresh } = await journal.receive(HOME_SESSION, `told:${by.id}`, { type: "person.told", at, person: by.id });
    if (fresh) texts.push(kept(incoming));
  }
  return texts.length ? { to: "asker", view: say(texts.join("\n\n")) } : undefined;
}

const time = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;

function kept({ place, channel, shared, by }: Incoming): string {
  const scope = scopeOf(channel, shared, `${place.platform}:${place.channel}`, by.id);
  const whose = scope === "team" ? "the whole team" : scope.startsWith("person:") ? "you alone" : "the members of this place";
  return (
    "As this is the first time we talk: what is said to me is kept on the machine of your team's operator, who can read it, and is sent to " +
    `the model that answers. What I remember from here can be seen by ${whose}. \`/memory about me\` shows what I remember of you.`
  );
}
