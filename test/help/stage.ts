/** A platform that exists only here: what stands on it outlives the product, and posts can be lost, doubled or refused as on a real one. */
import type { Place, Ref } from "../../src/core/event.ts";
import type { Fetched, Live, Platform, Posted, Reaction, Slot, Standing } from "../../src/core/ports.ts";
import type { View } from "../../src/core/view.ts";
import { plain } from "../../src/core/view.ts";

export interface Stood {
  id: string;
  key: string;
  thread: string;
  slot: Slot;
  mark: boolean;
  /** What was posted as its file. */
  bytes?: string;
  hidden: boolean;
  edits: number;
}
/** What the next post meets: it goes through, is lost on the way there, or arrives while the answer is lost; or it is refused. */
export type Weather = "fine" | "lost" | "arrived" | "refused" | "forbidden";

export class Stage implements Platform {
  readonly name = "stage";
  readonly partLimit: number;
  readonly posts: Stood[] = [];
  readonly whispers: { person: string; text: string }[] = [];
  readonly lives: Live[] = [];
  readonly signs: { message: string; sign: Reaction }[] = [];
  weather: Weather[] = [];
  /** What files hold that come with messages, by their ids; what is not here cannot be had. */
  readonly files: Record<string, string> = {};
  fetches = 0;
  readonly mostParts?: number;
  standings: Record<string, Partial<Standing>> = {};

  constructor(partLimit = 2_000, mostParts?: number) {
    this.partLimit = partLimit;
    if (mostParts !== undefined) this.mostParts = mostParts;
  }

  async fetch(_place: Place, _message: string, file: string): Promise<Fetched> {
    this.fetches++;
    const text = this.files[file];
    return text === undefined ? { ok: false, retryIn: null, why: "it is not there any more" } : { ok: true, bytes: Buffer.from(text) };
  }

  async post(place: Place, slot: Slot, key: string, mark: boolean, bytes?: Uint8Array): Promise<Posted> {
    const weather = this.weather.shift() ?? "fine";
    if (weather === "refused") return { ok: false, unsure: false, retryIn: 1, reason: "rate limited" };
    if (weather === "forbidden") return { ok: false, unsure: false, retryIn: null, reason: "not allowed" };
    if (weather === "lost") return { ok: false, unsure: true, retryIn: 1, reason: "timeout" };
    const id = `p${this.posts.length + 1}`;
    this.posts.push({
      id,
      key,
      thread: place.thread ?? "",
      slot,
      mark,
      ...(bytes ? { bytes: Buffer.from(bytes).toString() } : {}),
      hidden: false,
      edits: 0,
    });
    return weather === "arrived"
      ? { ok: false, unsure: true, retryIn: 1, reason: "timeout" }
      : { ok: true, ref: { channel: place.channel, message: id } };
  }

  async edit(_place: Place, ref: Ref, slot: Slot): Promise<Posted> {
    const post = this.posts.find(({ id }) => id === ref.message);
    if (!post) return { ok: false, unsure: false, retryIn: null, reason: "message not found" };
    post.slot = slot;
    post.edits++;
    return { ok: true, ref };
  }

  async hide(_place: Place, ref: Ref): Promise<Posted> {
    const post = this.posts.find(({ id }) => id === ref.message);
    if (post) post.hidden = true;
    return { ok: true, ref };
  }

  async find(place: Place, key: string): Promise<{ found: Ref } | "absent" | "unknown"> {
    const post = this.posts.find((it) => it.key === key && !it.hidden);
    return post ? { found: { channel: place.channel, message: post.id } } : "absent";
  }

  live(_session: string, _place: Place, live: Live): void {
    this.lives.push(live);
  }

  async whisper(_place: Place, person: string, view: View): Promise<void> {
    this.whispers.push({ person, text: plain(view) });
  }

  async standing(_place: Place, person: string): Promise<Standing> {
    return { member: true, guest: false, external: false, owner: false, bot: false, groups: [], ...this.standings[person] };
  }

  async react(_place: Place, message: string, sign: Reaction): Promise<{ ok: true } | { ok: false; reason: string }> {
    if (this.weather.shift() === "forbidden") return { ok: false, reason: "not allowed" };
    this.signs.push({ message, sign });
    return { ok: true };
  }

  link(): undefined {
    return undefined;
  }

  /** What stands now, oldest first. */
  visible(kind?: Slot["kind"]): Stood[] {
    return this.posts.filter((post) => !post.hidden && (kind === undefined || post.slot.kind === kind));
  }
  answers(): string[] {
    return this.visible("answer").map((post) => plain(post.slot.view));
  }
  buttons(word: string) {
    return this.visible().flatMap((post) => post.slot.view.buttons.filter((button) => button.word === word));
  }
}
