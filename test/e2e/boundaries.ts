/**
 * One story with a plan, an approval and a message that waits behind it, told again and again to a real process at a local platform. Each
 * time the process is killed at another boundary, counted from when the story begins: before or after any call to the platform, anything it
 * tells, any request to the model, and after the deed itself. People say and press again only what came to nothing.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../help/until.ts";
import { targetOf, think } from "./brain.ts";
import type { House } from "./house.ts";
import { type Shown, type Stage, type Talk, WAYS, type Way } from "./stages.ts";

const MARK = "may be a repeat";
const WITHIN = 60_000;

/** The nth boundary (from 1), or the first of a name. */
export type Kill = number | string;
export interface Told {
  /** Where it was killed; undefined: the story ended before. */
  at: string | undefined;
  faults: string[];
  /** Answers that bear the mark, and deeds whose outcome was unknown. */
  marked: number;
  unknown: number;
}

export class Boundaries {
  readonly #stage: Stage;
  readonly #house: House;
  /** Boundaries passed in the story so far, by name. */
  #passed: string[] = [];
  #kill: Kill = 0;
  #counting = false;
  #stories = 0;

  private constructor(stage: Stage) {
    this.#stage = stage;
    this.#house = stage.house;
    stage.watch((name) => this.#boundary(name));
    stage.house.model.fallback = think;
  }
  static async open(way: Way): Promise<Boundaries> {
    const stage = await WAYS[way]();
    await stage.house.product.start();
    return new Boundaries(stage);
  }
  end(): Promise<void> {
    return this.#house.end();
  }

  #boundary(name: string): boolean {
    if (!this.#counting) return false;
    this.#passed.push(name);
    if (this.#passed.length !== this.#kill && name !== this.#kill) return false;
    this.#counting = false;
    void this.#house.product.kill9();
    return true;
  }

  /** Without a boundary it lives. */
  async tell(kill: Kill = 0): Promise<Told> {
    const { product, model } = this.#house;
    const n = 10 * ++this.#stories;
    this.#passed = [];
    this.#kill = kill;
    this.#counting = true;
    const troubles = product.troubles.length;
    const problems = model.problems.length;
    const story = new Story(this.#stage, n);
    const deed = this.#watchDeed(n);
    await this.#living(story);
    clearInterval(deed);
    // A status goes a moment after the answer has come.
    await until(() => story.faults().length === 0, "nothing to be wrong", 5_000).catch(() => undefined);
    const killed = !this.#counting;
    this.#counting = false;
    return {
      at: killed ? `${this.#passed.length}: ${this.#passed.at(-1)}` : undefined,
      faults: [
        ...story.faults(),
        ...product.troubles
          .slice(troubles)
          .map(({ msg, err }) => `the log says: ${msg}${err ? `: ${JSON.stringify(err).slice(0, 500)}` : ""}`),
        ...model.problems.slice(problems),
      ],
      marked: story.shown().filter(({ words }) => words.includes(MARK)).length,
      unknown: story.answers(n).filter(({ words }) => words.includes("unknown")).length,
    };
  }

  /** The deed is done in a process that tells nobody here: its file is watched. */
  #watchDeed(n: number): NodeJS.Timeout {
    let seen = false;
    return setInterval(() => {
      if (seen || !this.#house.deploys(targetOf(n))) return;
      seen = true;
      this.#boundary("after the deed");
    }, 10);
  }

  async #living(story: Story): Promise<void> {
    const { product, home } = this.#house;
    const end = Date.now() + WITHIN;
    for (;;) {
      if (!product.running) await product.start();
      story.go();
      if (story.over() && product.running) {
        const rests = await product.unsettled(home);
        if (!rests.length && product.running && story.over()) return;
      }
      if (Date.now() > end) return;
      await sleep(15);
    }
  }
}

/** What people do, step by step, each once what it follows stands. */
class Story {
  readonly #house: House;
  readonly #n: number;
  readonly #talk: Talk;
  #saidMore = false;
  #pressed: { card: string; over: boolean } | undefined;

  constructor(stage: Stage, n: number) {
    this.#house = stage.house;
    this.#n = n;
    this.#talk = stage.begin(`[n${n}] deploy please`);
  }
  shown = (): Shown[] => this.#talk.shown();
  answers = (n: number): Shown[] => this.shown().filter(({ words }) => new RegExp(`^done n${n}\\b`, "m").test(words));

  go(): void {
    const card = this.shown().find(({ buttons }) => buttons.includes("Approve"));
    if (!card) return;
    if (!this.#saidMore) {
      this.#saidMore = true;
      this.#talk.say(`[n${this.#n + 1}] say please`);
      return;
    }
    const waits = this.shown().some(({ buttons }) => buttons.includes("Withdraw"));
    if (!waits || (this.#pressed && !this.#pressed.over && this.#pressed.card === card.id)) return;
    const pressed = { card: card.id, over: false };
    this.#pressed = pressed;
    // A click that nobody took came to nothing: whoever pressed presses again.
    void this.#talk.press(card.id, "Approve").then((taken) => {
      pressed.over = !taken;
    });
  }
  over(): boolean {
    return [this.#n, this.#n + 1].every((n) => this.answers(n).length > 0) && this.shown().every(({ buttons }) => !buttons.length);
  }

  faults(): string[] {
    const shown = this.shown();
    const marked = ({ words }: Shown) => words.includes(MARK);
    const unmarked = (n: number) => this.answers(n).filter((one) => !marked(one)).length;
    const ran = this.#house.deploys(targetOf(this.#n));
    const unknown = this.answers(this.#n).some(({ words }) => words.includes("unknown"));
    const keys = shown.filter((one) => one.slot.startsWith("answer/") && !marked(one)).map(({ slot }) => slot);
    const found: [string, boolean][] = [
      ["the first message is lost", !this.answers(this.#n).length],
      ["the second message is lost", !this.answers(this.#n + 1).length],
      ["something is answered twice unmarked", [this.#n, this.#n + 1].some((n) => unmarked(n) > 1) || new Set(keys).size < keys.length],
      ["the deed was done twice", ran > 1],
      ["the deed was not done, and nobody knows", ran === 0 && !unknown],
      ["something can still be pressed", shown.some(({ buttons }) => buttons.length > 0)],
      ["more than one progress message is left", shown.filter(({ words }) => /^Work/.test(words)).length > 1],
      ...this.#talk.faults().map((fault): [string, boolean] => [fault, true]),
    ];
    return found.flatMap(([fault, is]) => (is ? [`${fault}; in the thread: ${JSON.stringify(shown.map(({ words }) => words))}`] : []));
  }
}

/** Tells the story with a kill at each of these boundaries. */
export async function atBoundaries(way: Way, kills: readonly Kill[]): Promise<Told[]> {
  const stage = await Boundaries.open(way);
  const told: Told[] = [];
  try {
    for (const kill of kills) told.push(await stage.tell(kill));
    return told;
  } finally {
    await stage.end();
  }
}

/** Tells the story with a kill at every `step`th boundary until it ends before it is killed. */
export async function everyBoundary(way: Way, step: number): Promise<Told[]> {
  const stage = await Boundaries.open(way);
  const told: Told[] = [];
  try {
    for (let at = 1; ; at += step) {
      const one = await stage.tell(at);
      told.push(one);
      if (one.at === undefined) return told;
    }
  } finally {
    await stage.end();
  }
}

export const faultsOf = (told: readonly Told[]): string[] =>
  told.flatMap(({ at, faults }) => faults.map((fault) => `${at ?? "alive"}: ${fault}`));
