import { adapterContract, MASKED } from "../../contract/adapter.ts";
import { until } from "../../help/until.ts";
import { buttonsOf, DELETE, EDIT, isPrivate, POST, wordsOf } from "../../rigs/discord.ts";
import { connected } from "./connected.ts";

adapterContract("discord", async () => {
  const wide = { limit: 1000, per: 1000 };
  const on = await connected({
    buckets: { [POST]: wide, [EDIT]: wide, [DELETE]: wide },
    with: { scrub: (text) => text.replaceAll(MASKED, "[masked]") },
  });
  const { rig, ann, channel } = on;
  const said = (thread: string | null) => rig.said(thread ?? "");
  return {
    adapter: on.adapter,
    inbox: on.inbox,
    person: `discord:${ann.id}`,
    stranger: "discord:999",
    shout: `@everyone @here <@${ann.id}> <@&${on.guild.roles[1]?.id}>`,
    async begin(words) {
      const root = rig.as(ann).mention(channel, words);
      await until(() => on.inbox.heard.messages.some(({ id }) => id === root.id), "the message");
      return on.place(root.id);
    },
    shown: ({ thread }) => said(thread).map(wordsOf),
    buttons: ({ thread }) => said(thread).flatMap((one) => buttonsOf(one).map(({ label }) => label ?? "")),
    async press({ thread }, word) {
      const message = said(thread).find((one) => buttonsOf(one).some(({ label }) => label === word));
      if (!message) throw new Error(`There is no button “${word}”.`);
      rig.as(ann).press(message, word);
    },
    whispered: () =>
      [...rig.world.messages.values()]
        .filter((one) => one.author.id === rig.world.bot.id && (isPrivate(one) || one.channel_id === rig.world.direct(ann).id))
        .map(wordsOf),
    calls: () => rig.pings(),
    loseAnswer: () => rig.fault({ route: POST, drop: "after" }),
    limit: (seconds) => rig.rateLimit(POST, seconds),
    close: on.close,
  };
});
