/**
 * What people call themselves, brought into a form that can stand anywhere: in a sentence, a card, a prompt.
 *
 * N1. One short line without marks that structure text or hide in it. Only the id says who somebody is.
 */
import type { Speaker } from "./event.ts";

const LONGEST = 80;
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Co}\p{Bidi_Control}\p{Zl}\p{Zp}\u00ad\u115f\u1160\u180e\u200b\u2060-\u2064\u3164\ufeff\uffa0\u{e0000}-\u{e007f}\s]+/gu;
const BRACKETS: Record<string, string> = { "<": "‹", ">": "›", "[": "(", "]": ")", "{": "(", "}": ")", "`": "'" };

export const plainName = (name: string): string =>
  name
    .replace(UNSEEN, " ")
    .replace(/[<>[\]{}`]/g, (mark) => BRACKETS[mark] ?? "")
    .trim()
    .slice(0, LONGEST)
    .replace(/\p{Cs}$/u, "")
    .trim();

export const named = <T extends Pick<Speaker, "id" | "name">>(by: T): T => ({ ...by, name: plainName(by.name) || by.id });
