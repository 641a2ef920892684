/**
 * Discord's gateway over WebSockets: hello, identify, resume with replay, heartbeats and the close codes.
 *
 * G1. A session outlives its connection, unless it was closed with 1000 or 1001, or declared invalid; what it missed is replayed.
 * G2. Without the intent for it, the words of others' messages that do not name the bot are not told.
 */
import { randomUUID } from "node:crypto";
import type { WebSocket } from "ws";
import { DM, type Message, type World } from "./discord-world.ts";

interface Session {
  id: string;
  sequence: number;
  told: { s: number; t: string; d: object }[];
  intents: number;
  ws: WebSocket | undefined;
  resumable: boolean;
  shard: [number, number];
}
interface Frame {
  op: number;
  d: {
    token?: string;
    intents?: number;
    session_id?: string;
    seq?: number;
    shard?: [number, number];
    guild_id?: string;
    user_ids?: string[];
  } | null;
}
export interface GatewayOptions {
  token: string;
  /** Privileged intents that are switched on for the app. */
  privileged: number;
  heartbeat: number;
  /** As many as are recommended. */
  shards: number;
}

export const MESSAGE_CONTENT = 1 << 15;
const PRIVILEGED = (1 << 1) | (1 << 8) | MESSAGE_CONTENT;
const NEEDED = { GUILD: 1, GUILD_MESSAGES: 1 << 9, DIRECT_MESSAGES: 1 << 12 } as const;

export class Gateway {
  readonly world: World;
  readonly options: GatewayOptions;
  identified = 0;
  resumed = 0;
  heartbeats = 0;
  /** How often a shard asked for a member. */
  probes = 0;
  /** Set: heartbeats are not answered any more. */
  silent = false;
  /** Set: connections stand, and nothing is told on them. */
  mute = false;
  url = "";
  /** Asked before and after each event is told; if it says so, nothing more comes of it. */
  boundary: (name: string) => boolean = () => false;
  #sessions = new Map<string, Session>();

  constructor(world: World, options: GatewayOptions) {
    this.world = world;
    this.options = options;
    world.tell = (t, d, guild) => this.tell(t, d, guild);
  }

  connected(ws: WebSocket): void {
    let session: Session | undefined;
    const send = (frame: object) => ws.readyState === ws.OPEN && ws.send(JSON.stringify(frame));
    ws.on("error", () => {});
    ws.on("close", (code) => {
      if (session?.ws === ws) session.ws = undefined;
      if (session && (code === 1000 || code === 1001)) session.resumable = false;
    });
    ws.on("message", (raw) => {
      const { op, d } = JSON.parse(String(raw)) as Frame;
      if (op === 1) {
        this.heartbeats++;
        if (!this.silent) send({ op: 11 });
      } else if (op === 2) session = this.#identify(ws, d ?? {}, send);
      else if (op === 6) session = this.#resume(ws, d ?? {}, send);
      else if (op === 8 && session) this.#members(session, d ?? {});
    });
    send({ op: 10, d: { heartbeat_interval: this.options.heartbeat }, s: null, t: null });
  }
  #identify(ws: WebSocket, d: NonNullable<Frame["d"]>, send: (frame: object) => void): Session | undefined {
    this.identified++;
    if (d.token !== this.options.token) return void ws.close(4004, "Authentication failed.");
    const intents = d.intents ?? 0;
    if (intents & PRIVILEGED & ~this.options.privileged) return void ws.close(4014, "Disallowed intent(s).");
    const session: Session = { id: randomUUID(), sequence: 0, told: [], intents, ws, resumable: true, shard: d.shard ?? [0, 1] };
    this.#sessions.set(session.id, session);
    const { bot } = this.world;
    const guilds = [...this.world.guilds.keys()].filter((id) => isFor(session, id));
    this.#push(session, "READY", {
      v: 10,
      user: { ...bot, discriminator: "0", avatar: null },
      guilds: guilds.map((id) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: this.url,
      application: { id: bot.id, flags: 0 },
      shard: session.shard,
    });
    for (const id of guilds) this.#push(session, "GUILD_CREATE", this.guildData(id));
    void send;
    return session;
  }
  #resume(ws: WebSocket, d: NonNullable<Frame["d"]>, send: (frame: object) => void): Session | undefined {
    const session = this.#sessions.get(d.session_id ?? "");
    if (!session?.resumable) {
      send({ op: 9, d: false });
      return undefined;
    }
    this.resumed++;
    session.ws = ws;
    for (const missed of session.told) if (missed.s > (d.seq ?? 0)) send({ op: 0, ...missed });
    this.#push(session, "RESUMED", {});
    return session;
  }
  #members(session: Session, { guild_id: id = "", user_ids: ids = [] }: NonNullable<Frame["d"]>): void {
    this.probes++;
    if (this.mute) return;
    const members = ids.flatMap((user) => this.world.guilds.get(id)?.members.get(user) ?? []);
    this.#push(session, "GUILD_MEMBERS_CHUNK", { guild_id: id, members, chunk_index: 0, chunk_count: 1, not_found: [] });
  }
  guildData(id: string): object {
    const guild = this.world.guilds.get(id);
    const own = [...this.world.channels.values()].filter((one) => one.guild_id === id);
    return {
      ...guild,
      roles: guild?.roles.map((role) => ({ color: 0, position: 0, hoist: false, managed: false, mentionable: false, flags: 0, ...role })),
      members: [guild?.members.get(this.world.bot.id)],
      channels: own.filter((one) => !one.thread_metadata).map((one) => ({ position: 0, ...one })),
      threads: own.filter((one) => one.thread_metadata?.archived === false),
      joined_at: new Date(0).toISOString(),
      member_count: guild?.members.size,
      large: false,
      unavailable: false,
      emojis: [],
      stickers: [],
      features: [],
      voice_states: [],
      presences: [],
      stage_instances: [],
      guild_scheduled_events: [],
      soundboard_sounds: [],
    };
  }

  /** To every session that wanted such events. */
  tell(t: string, d: object, guild: string | undefined): void {
    if (this.mute) return;
    this.boundary(`before ${t}`);
    const isMessage = t.startsWith("MESSAGE_");
    const need = guild === undefined ? (isMessage ? NEEDED.DIRECT_MESSAGES : 0) : isMessage ? NEEDED.GUILD_MESSAGES : NEEDED.GUILD;
    for (const session of this.#sessions.values()) {
      if (!session.resumable || (session.intents & need) !== need || !isFor(session, guild)) continue;
      this.#push(session, t, "author" in d ? this.#told(d as Message, guild, session.intents) : d);
    }
    this.boundary(`after ${t}`);
  }
  #told(message: Message, guild: string | undefined, intents: number): object {
    const { user: _, ...member } = this.world.guilds.get(guild ?? "")?.members.get(message.author.id) ?? { user: undefined };
    const about = guild ? { guild_id: guild, ...(message.webhook_id ? {} : { member }) } : { channel_type: DM };
    const shown = message.author.id === this.world.bot.id || message.mentions.some(({ id }) => id === this.world.bot.id);
    const blank = { content: "", embeds: [], attachments: [], components: [] };
    return { ...message, ...about, ...(guild && !shown && !(intents & MESSAGE_CONTENT) ? blank : {}) };
  }
  #push(session: Session, t: string, d: object): void {
    const told = { s: ++session.sequence, t, d: structuredClone(d) };
    session.told.push(told);
    if (session.told.length > 500) session.told.shift();
    if (session.ws?.readyState === 1) session.ws.send(JSON.stringify({ op: 0, ...told }));
  }

  get connections(): number {
    return [...this.#sessions.values()].filter(({ ws }) => ws?.readyState === 1).length;
  }
  #each(task: (ws: WebSocket) => void): void {
    for (const { ws } of this.#sessions.values()) if (ws?.readyState === 1) task(ws);
  }
  /** The network breaks: no closing frame. */
  cut(): void {
    this.#each((ws) => ws.terminate());
  }
  close(code: number): void {
    this.#each((ws) => ws.close(code));
  }
  /** “Go and connect again”, as Discord says every few hours. */
  reconnect(): void {
    this.#each((ws) => ws.send(JSON.stringify({ op: 7, d: null, s: null, t: null })));
  }
  /** The sessions are worth nothing any more, or have only to be taken up again. */
  invalidate(resumable = false): void {
    this.#each((ws) => ws.send(JSON.stringify({ op: 9, d: resumable, s: null, t: null })));
    for (const session of this.#sessions.values()) Object.assign(session, { resumable: session.resumable && resumable, ws: undefined });
  }
}

/** Guilds are shared out by their ids; direct messages, and what belongs to no guild, are the first shard's. */
const isFor = ({ shard: [own, all] }: Session, guild: string | undefined): boolean =>
  own === (guild === undefined ? 0 : Number((BigInt(guild) >> 22n) % BigInt(all)));
