/** Failures of the model: how long to wait before the next attempt, and the sentence people read when there is none. */
type Kind = "auth" | "billing" | "invalid" | "too_large" | "refusal" | "empty" | "attempts" | "interrupted" | "overflow" | "steps";

const TEXTS: Record<Kind, string> = {
  auth: "I cannot reach my model: its key was refused. An operator has to put a valid ANTHROPIC_API_KEY into the environment and restart me.",
  billing:
    "I cannot reach my model: the account behind its key has no credit or may not use it. An operator has to mend that with the provider.",
  invalid: "My model refused the request as invalid, and trying again would not help. The details are in the log.",
  too_large: "This conversation has become too large for my model to take. Please start a new thread.",
  refusal: "My model declined to answer this. Please put it differently, or ask a person.",
  empty: "My model gave an empty answer. Please ask again.",
  attempts: "My model could not be reached after several tries (overloaded or cut off). Please ask again in a few minutes.",
  interrupted: "I was interrupted again and again while I worked on this, so I stop here. Please ask again.",
  overflow: "This conversation does not fit my model's context even after summarising it. Please start a new thread.",
  steps: "I have used up the steps allowed for one turn. Reply here if I should go on.",
};

/** `detail` is added where it helps the person who can mend it. */
export function failureText(kind: Kind, detail: string): string {
  const helps = (kind === "refusal" || kind === "invalid") && detail;
  return helps ? `${TEXTS[kind]} (${detail.slice(0, 300)})` : TEXTS[kind];
}

const FIRST = 1_000;
const LONGEST = 30_000;
/** Milliseconds to wait after an attempt failed: doubling with jitter, never shorter than the provider asks (up to a minute). */
export function retryDelay(attempt: number, retryAfter = 0, random = Math.random()): number {
  const backoff = Math.min(FIRST * 2 ** (attempt - 1), LONGEST) * (0.5 + random / 2);
  return Math.round(Math.max(backoff, Math.min(retryAfter, 60_000)));
}
