/**
 * The connection to Discord's gateway, through discord.js: resumed by the library after cuts, judged here.
 *
 * Y1. What no new attempt can mend (a wrong token, an intent that is not switched on) is said in words and not tried again and again.
 * Y2. Healthy means: every shard is ready, and what we post comes back as an event. Who was told nothing for too long connects anew.
 *     There are as many shards as Discord recommends.
 * Y3. Nothing the library throws where nobody can catch it ends the process.
 */
import {
  Client,
  type CloseEvent,
  Events,
  GatewayIntentBits,
  GatewayOpcodes,
  type GuildMember,
  Options,
  REST,
  type RESTOptions,
  type Snowflake,
  Status,
  type User,
} from "discord.js";
import { type Log, UserError } from "../../src/core/ports.ts";
import type { Scrub } from "../shared/scrubbed.ts";
import { failure } from "./outcome.ts";

const READY_WITHIN = 60_000;
const WAIT_FOR_GUILDS = 8000;

/** What the library would keep and nobody here asks for: everything is looked at as it comes. */
const UNUSED = ["Message", "Reaction", "Presence", "VoiceState", "ThreadMember"];
const keeperOf = (kind: string): string => `${kind}Manager`;
const KEPT = {
  ...Options.DefaultMakeCacheSettings,
  ...Object.fromEntries(UNUSED.map((kind) => [keeperOf(kind), 0])),
  [keeperOf("GuildMember")]: { maxSize: 200, keepOverLimit: (member: GuildMember) => member.id === member.client.user.id },
  [keeperOf("User")]: { maxSize: 5000, keepOverLimit: (user: User) => user.id === user.client.user.id },
};

export interface GatewayOptions {
  token: string;
  log: Log;
  scrub: Scrub;
  /** What cannot be mended from here, at any time. */
  lost(error: UserError): void;
}

export function newClient(apiUrl: string | undefined): Client {
  return new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.DirectMessages,
      GatewayIntentBits.MessageContent,
    ],
    shards: "auto",
    allowedMentions: { parse: [], repliedUser: false },
    waitGuildTimeout: WAIT_FOR_GUILDS,
    makeCache: Options.cacheWithLimits(KEPT),
    rest: restOptions(apiUrl),
  });
}

const restOptions = (apiUrl: string | undefined): Partial<RESTOptions> => ({
  ...(apiUrl === undefined ? {} : { api: apiUrl }),
  version: "10",
  retries: 0,
  timeout: 15_000,
  // Look-ups wait for their turn; whoever writes is told how long it takes.
  rejectOnRateLimit: ({ method }) => method.toUpperCase() !== "GET",
});

/** For answers to interactions: Discord's limit of everything else is not theirs, and the library keeps one for each of these. */
export const answering = (apiUrl: string | undefined): REST => new REST(restOptions(apiUrl));

/** Hears nothing more. What is under way may still be looked up and written: it was taken. */
export function leave(client: Client, answers: REST, token: string): void {
  answers.clearHashSweeper();
  answers.clearHandlerSweeper();
  // The library forgets the token with the connection.
  const writes = () => void client.rest.setToken(token);
  client.destroy().then(writes, writes);
}

/** Resolves once events come. Rejects with a sentence that says what to mend. */
export async function connect(client: Client, { token, log, scrub, lost }: GatewayOptions): Promise<void> {
  const sentence = (error: Error) => scrub(error.message).slice(0, 300);
  client.on(Events.Error, (error) => log.warn({ from: "discord library" }, sentence(error)));
  client.on(Events.ShardError, (error, shard) => log.warn({ from: "discord library", shard }, sentence(error)));
  client.on(Events.Warn, (text) => log.warn({ from: "discord library" }, scrub(text).slice(0, 300)));
  let gone: UserError | undefined;
  let timer: NodeJS.Timeout | undefined;
  const ready = new Promise<void>((done, fail) => {
    client.once(Events.ClientReady, () => done());
    client.on(Events.ShardDisconnect, ({ code }: CloseEvent) => {
      gone = fatal(code);
      lost(gone);
      fail(gone);
    });
    timer = setTimeout(() => fail(new UserError("Discord opened no connection in time. Check the network.")), READY_WITHIN);
  });
  ready.catch(() => {});
  try {
    await client.login(token);
    await ready;
  } catch (error) {
    void client.destroy().catch(() => {});
    // The library's own error says less than the code of the close before it.
    throw gone ?? (error instanceof UserError ? error : unusable(error, lost));
  } finally {
    clearTimeout(timer);
  }
}

function unusable(error: unknown, lost: (error: UserError) => void): UserError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "TokenInvalid") {
    const wrong = fatal(4004);
    lost(wrong);
    return wrong;
  }
  return new UserError(`Discord: ${failure(error).reason} Check the network and DISCORD_API_URL.`);
}

/** Close codes after which connecting again is no use. */
export function fatal(code: number): UserError {
  switch (code) {
    case 4004:
      return new UserError(
        "DISCORD_TOKEN: Discord refuses the token. Copy it once more from discord.com/developers/applications, under Bot, and start again.",
      );
    case 4014:
      return new UserError(
        "Discord refuses what Denizen wants to read. Switch on “Message Content Intent” for the app at discord.com/developers/applications, under Bot; then it connects within 15 minutes, or at a new start.",
      );
    case 4010:
    case 4011:
      return new UserError(`Discord wants this bot's guilds shared out differently (${code}). Start Denizen again.`);
    default:
      return new UserError(`Discord ended the connection for good (${code}). This version of Denizen may be too old.`);
  }
}

export function standing(client: Client): { ok: boolean; detail: string } {
  const shards = [...client.ws.shards.values()];
  const ready = shards.filter(({ status }) => status === Status.Ready).length;
  if (!shards.length || ready < shards.length) return { ok: false, detail: `${ready} of ${Math.max(1, shards.length)} connections stand` };
  return { ok: true, detail: "connected" };
}

/** Whether a guild is there and not in the middle of an outage. */
export const isPresent = (client: Client, guild: Snowflake): boolean => client.guilds.cache.get(guild)?.available === true;

/** Asks a shard for our own membership, which it answers with an event. False: it has no guild to ask about. */
export function ask(client: Client, shard: number): boolean {
  const guild = client.guilds.cache.find(({ shardId, available }) => shardId === shard && available);
  if (!guild || !client.user) return false;
  guild.shard.send({ op: GatewayOpcodes.RequestGuildMembers, d: { guild_id: guild.id, user_ids: [client.user.id], limit: 0 } });
  return true;
}
