/**
 * A team that goes on talking, approving and denying while the product is killed again and again. What happens when is drawn from a seed;
 * where exactly a kill lands is up to the machine.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../help/until.ts";
import { buttonsOf, type Delivery, type Message, type Said, wordsOf } from "../rigs/slack.ts";
import { brain, targetOf, WORDS, type Word } from "./brain.ts";
import { HOME, slotOf, Team } from "./team.ts";

const MARK = "may be a repeat";
const CHANNELS = ["C1", "C2"];
const ASKERS = ["U1ANN", "U2BEN", "U4OLA"];
const DECIDERS = ["U2BEN", "U4OLA"];
const THREADS = 8;
/** People wait while so many of their messages have not reached the product. */
const PATIENT = 20;

export interface Asked {
  n: number;
  word: Word;
  said: Said;
}
export interface Storm {
  team: Team;
  asked: Asked[];
  /** Kills, and how many of them came before the product was ready. */
  kills: number;
  early: number;
  /** Sessions that did not come to rest. */
  unsettled: string[];
  /** Sessions that a last, undisturbed start found something to do in. */
  woken: number;
}

/** A small generator of chance, the same for the same seed. */
export function chanceFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `life`: how long the product may live after it was ready, at most. */
export async function storm(kills: number, seed: number, life = 3_000): Promise<Storm> {
  const repeatAfter = [200, 800, 1_500, ...Array.from({ length: 40 }, () => 3_000)];
  const team = await Team.open({ slack: { repeatAfter, ackWithin: 1_500 }, ops: { env: { LINGER: "200" } } });
  const run = new Run(team, seed);
  team.model.fallback = brain(run.chance);
  const deciding = run.decide();
  const talking = run.talk();
  const early = await run.kill(kills, life);
  await team.product.start();
  run.talking = false;
  await talking;
  await run.calm();
  run.deciding = false;
  await deciding;
  const unsettled = await team.product.unsettled(HOME);
  await team.product.sigterm();
  const { woken } = await team.product.start();
  return { team, asked: run.asked, kills, early, unsettled, woken: Number(woken) };
}

class Run {
  readonly team: Team;
  readonly chance: () => number;
  readonly asked: Asked[] = [];
  readonly #told: Promise<Delivery[]>[] = [];
  #untold = 0;
  talking = true;
  deciding = true;

  constructor(team: Team, seed: number) {
    this.team = team;
    this.chance = chanceFrom(seed);
  }
  #pick<T>(of: readonly T[]): T {
    return of[Math.floor(this.chance() * of.length)] as T;
  }
  #between(from: number, to: number): number {
    return from + Math.floor(this.chance() * (to - from));
  }

  /** Lives of the product, each ended at a random moment, some before it was ready. */
  async kill(times: number, life: number): Promise<number> {
    let early = 0;
    for (let n = 0; n < times; n++) {
      this.team.product.spawn();
      if (this.chance() < 0.15) {
        early++;
        await sleep(this.#between(100, 1_200));
      } else {
        const from = Date.now();
        await this.team.product.ready();
        // On a busy machine a life is longer, or nothing would ever come of one.
        await sleep(this.#between(20, Math.max(life, 2 * (Date.now() - from))));
      }
      await this.team.product.kill9();
    }
    return early;
  }

  async talk(): Promise<void> {
    while (this.talking) {
      if (this.#untold < PATIENT) this.#say();
      if (this.chance() < 0.1) this.#weather();
      await sleep(this.#between(50, 400));
    }
  }
  /** Begins a thread, or goes on in one: naming the bot, or without where the thread is known to be the bot's. */
  #say(): void {
    const n = this.asked.length + 1;
    const word = this.#pick(WORDS);
    const text = `[n${n}] ${word} please`;
    const threads = this.asked.filter(({ said }) => said.message.thread_ts === undefined).slice(-THREADS);
    const by = this.team.slack.as(this.#pick(ASKERS));
    const open = threads.length && this.chance() < 0.75 ? this.#pick(threads) : undefined;
    const root = open?.said.ts;
    const known = open && open.said.message.user === by.id && this.#taken(open.said);
    const channel = open?.said.channel ?? this.#pick(CHANNELS);
    const said = known && root ? by.say(channel, text, { thread: root }) : by.mention(channel, text, root);
    this.asked.push({ n, word, said });
    this.#untold++;
    this.#told.push(said.told.finally(() => this.#untold--));
    if (this.chance() < 0.1) this.#told.push(by.edit(said.message, `${said.message.text} today`).then((told) => [told]));
  }
  #taken({ ts }: Said): boolean {
    return this.team.slack.deliveries.some(({ acked, body }) => acked && (body.event as { ts?: string } | undefined)?.ts === ts);
  }
  #weather(): void {
    if (this.chance() < 0.5) this.team.slack.rateLimit("chat.postMessage", 1);
    else this.team.slack.fault({ method: this.#pick(["chat.postMessage", "chat.update"]), drop: "after" });
  }

  /** Each round somebody decides some of what is open; now and then two do at once. */
  async decide(): Promise<void> {
    while (this.deciding) {
      const open = this.team.slack.space.messages.filter((message) => !message.removed && has(message, "Approve"));
      for (const card of open) if (this.chance() < 0.6 && has(card, "Approve")) await this.#decideOne(card);
      await sleep(50);
    }
  }
  async #decideOne(card: Message): Promise<void> {
    const person = this.#pick(DECIDERS);
    const deny = this.chance() < 0.3;
    const twice = this.chance() < 0.2 ? [this.team.slack.as(this.#pick(DECIDERS)).press(card, "Approve")] : [];
    if (!deny) await Promise.all([...twice, this.team.slack.as(person).press(card, "Approve")]);
    else await this.team.fill(person, card, "Deny", { reason: "not today" });
    await Promise.all(twice);
  }

  /** Resolves when everything was told and nothing more can happen, or after a minute. */
  async calm(): Promise<void> {
    await Promise.all(this.#told);
    const over = async () => (await this.team.product.unsettled(HOME)).length === 0 && stillPressable(this.team).length === 0;
    await until(over, "the end", 60_000).catch(() => undefined);
  }
}
const has = (message: Message, word: string): boolean => buttonsOf(message).some((button) => button.word === word);

// ---- what came of it ------------------------------------------------------------------------------------------------

const answers = (team: Team): Message[] =>
  team.slack.space.messages.filter((message) => !message.removed && slotOf(message).startsWith("answer/"));
const isMarked = (message: Message): boolean => wordsOf(message).includes(MARK);
const lineOf = (message: Message, n: number): string | undefined => new RegExp(`^done n${n}\\b ?(\\w*)`, "m").exec(wordsOf(message))?.[1];
const answersTo = (team: Team, { n, said }: Asked): Message[] => {
  const root = said.message.thread_ts ?? said.ts;
  return answers(team).filter((message) => message.thread_ts === root && lineOf(message, n) !== undefined);
};

/** A step that was cut short or failed too often is given up: then people are told so. */
const isRefused = (team: Team, { said }: Asked): boolean => {
  const root = said.message.thread_ts ?? said.ts;
  const later = answers(team).filter((message) => message.thread_ts === root && message.ts > said.ts);
  return later.some((message) => /after several tries|again and again/.test(wordsOf(message)));
};
/** Numbers of messages that nothing in their thread answers. */
export const lost = (team: Team, asked: readonly Asked[]): number[] =>
  asked.filter((one) => answersTo(team, one).length === 0 && !isRefused(team, one)).map(({ n }) => n);

/** Messages answered more than once, without a mark on the repeat; and answers of one turn that stand twice without. */
export function doubled(team: Team, asked: readonly Asked[]): string[] {
  const twice = asked.filter((one) => answersTo(team, one).filter((message) => !isMarked(message)).length > 1).map(({ n }) => `n${n}`);
  const keys = answers(team)
    .filter((message) => !isMarked(message))
    .map((message) => JSON.stringify(message.metadata));
  return [...twice, ...keys.filter((key, at) => keys.indexOf(key) !== at)];
}

/** Deploys that ran more often than once, or not as their card and the answer say. */
export function wrongDeploys(team: Team, asked: readonly Asked[]): string[] {
  const cards = team.slack.space.messages.filter((message) => !message.removed && slotOf(message).startsWith("card/")).map(wordsOf);
  return asked
    .filter(({ word }) => word === "deploy")
    .flatMap((one) => {
      const ran = team.deploys(targetOf(one.n));
      const own = cards.filter((words) => new RegExp(`target: ${targetOf(one.n)}$`, "m").test(words) && !words.includes(MARK));
      const approved = own.some((words) => words.includes("Approved by"));
      const denied = own.some((words) => words.includes("Denied by"));
      const [answer] = answersTo(team, one);
      const how = answer && lineOf(answer, one.n);
      const known = isRefused(team, one) || own.length === 1;
      const right = how === "ran" ? approved && ran === 1 : how === "unknown" ? approved : how === "denied" ? denied : isRefused(team, one);
      return known && right && own.length <= 1 && ran <= (approved ? 1 : 0)
        ? []
        : [`n${one.n}: ${how}, ran ${ran} times, cards: ${JSON.stringify(own)}`];
    });
}

/** Everything of the bot that still has a button, though nothing is open. */
export const stillPressable = (team: Team): string[] =>
  team.slack.space.messages.filter((message) => !message.removed && message.bot_id && buttonsOf(message).length).map(wordsOf);

export function figures({ team, asked, kills, early }: Storm): Record<string, number> {
  const how = (word: string) => asked.filter((one) => answersTo(team, one).some((message) => lineOf(message, one.n) === word)).length;
  const events = team.slack.deliveries.filter(({ kind }) => kind === "events_api");
  return {
    kills,
    early,
    messages: asked.length,
    threads: asked.filter(({ said }) => said.message.thread_ts === undefined).length,
    redelivered: events.filter(({ attempts }) => attempts > 1).length,
    clicksLost: team.slack.deliveries.filter(({ kind, acked }) => kind === "interactive" && !acked).length,
    answers: answers(team).length,
    refused: asked.filter((one) => answersTo(team, one).length === 0 && isRefused(team, one)).length,
    lost: lost(team, asked).length,
    doubled: doubled(team, asked).length,
    marked: answers(team).filter(isMarked).length,
    ran: how("ran"),
    denied: how("denied"),
    unknown: how("unknown"),
    requests: team.model.calls.length,
  };
}

/** All that may not have happened, by name: each list is empty if it did not. */
export function faults({ team, asked, unsettled, woken }: Storm): Record<string, unknown[]> {
  return {
    lost: lost(team, asked),
    "never acknowledged": team.slack.deliveries.filter(({ kind, acked }) => kind === "events_api" && !acked),
    doubled: doubled(team, asked),
    "deploys that are wrong": wrongDeploys(team, asked),
    "requests that were not valid": team.model.problems,
    "still with buttons": stillPressable(team),
    unsettled: woken ? [...unsettled, `${woken} woken`] : unsettled,
    "troubles in the log": team.product.troubles,
  };
}
