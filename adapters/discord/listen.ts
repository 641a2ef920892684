/** What the gateway tells, each kind to who takes it. */
import {
  type APIInteraction,
  type Client,
  Events,
  GatewayDispatchEvents,
  type GatewayGuildCreateDispatchData,
  type GatewayMessageDeleteBulkDispatchData,
  type GatewayMessageDeleteDispatchData,
  type GatewayReadyDispatchData,
} from "discord.js";
import { catchUp } from "./catch-up.ts";
import type { Desk } from "./desk.ts";
import { hear } from "./hear.ts";
import { press } from "./press.ts";
import type { MessageData } from "./told.ts";
import type { Patience, Watch } from "./watch.ts";

export function listen(client: Client, desk: Desk, watching: Watch, patience: Patience): void {
  const { log } = desk;
  const hearing = hear(desk, patience);
  const catching = catchUp(client, desk, hearing);
  /** Nobody waits for what an event leads to, and one that is not as it should be ends nothing. */
  const on = <T>(event: GatewayDispatchEvents, take: (data: T) => Promise<void> | void): void => {
    client.ws.on(event, async (data: T) => {
      try {
        await take(data);
      } catch (error) {
        log.error({ adapter: "discord", event, err: error }, "an event could not be taken");
      }
    });
  };
  client.on(Events.Raw, (_, shard: number) => watching.heard(shard));
  on<GatewayReadyDispatchData>(GatewayDispatchEvents.Ready, ({ shard }) => {
    catching.begun();
    // Direct messages are told by the first.
    return (shard?.[0] ?? 0) === 0 ? catching.directs() : undefined;
  });
  on<GatewayGuildCreateDispatchData>(GatewayDispatchEvents.GuildCreate, ({ id, channels, threads, joined_at: joined, unavailable }) =>
    unavailable || !desk.places.serves(id) ? undefined : catching.guild(id, [...channels, ...threads] as { id: string }[], joined),
  );
  on<MessageData>(GatewayDispatchEvents.MessageCreate, (message) => {
    if (message.author.id === desk.self.id) watching.echoed(message.id);
    return hearing.created(message);
  });
  on<MessageData>(GatewayDispatchEvents.MessageUpdate, hearing.updated);
  on<GatewayMessageDeleteDispatchData>(GatewayDispatchEvents.MessageDelete, ({ channel_id: channel, id }) =>
    hearing.deleted(channel, [id]),
  );
  on<GatewayMessageDeleteBulkDispatchData>(GatewayDispatchEvents.MessageDeleteBulk, ({ channel_id: channel, ids }) =>
    hearing.deleted(channel, ids),
  );
  on<APIInteraction>(GatewayDispatchEvents.InteractionCreate, (interaction) => press(desk, interaction));
}
