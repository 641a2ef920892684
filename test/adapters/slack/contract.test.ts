import { adapterContract, MASKED } from "../../contract/adapter.ts";
import { buttonsOf, wordsOf } from "../../rigs/slack.ts";
import { connected } from "./connected.ts";

adapterContract("slack", async () => {
  const on = await connected({ secret: MASKED });
  const { rig } = on;
  const said = (thread: string | null) => rig.space.said("C1", thread ?? undefined);
  return {
    adapter: on.adapter,
    inbox: on.inbox,
    person: "slack:U1ANN",
    stranger: "slack:U9NOBODY",
    shout: "<!channel> <!here> <@U1ANN> <!subteam^S1> @everyone",
    async begin(words) {
      const root = rig.as("U1ANN").mention("C1", words);
      await root.told;
      return { platform: "slack", team: "T1", channel: "C1", thread: root.ts };
    },
    shown: ({ thread }) => said(thread).map(wordsOf),
    buttons: ({ thread }) => said(thread).flatMap((one) => buttonsOf(one).map(({ word }) => word)),
    async press({ thread }, word) {
      const message = said(thread).find((one) => buttonsOf(one).some((button) => button.word === word));
      if (!message) throw new Error(`There is no button “${word}”.`);
      await rig.as("U1ANN").press(message, word);
    },
    whispered: () => rig.space.whispered("U1ANN").map(wordsOf),
    // Slack calls whom angled words name; escaped, broken by a joiner, or in a header, which is plain text, they name nobody.
    calls: () =>
      rig.space.messages
        .filter(({ bot_id: bot, removed }) => bot !== undefined && !removed)
        .filter((one) =>
          /<(@[UW]|!(channel|here|everyone|subteam))/.test(JSON.stringify([one.text, one.blocks?.filter(({ type }) => type !== "header")])),
        ),
    loseAnswer: () => rig.fault({ method: "chat.postMessage", drop: "after" }),
    limit: (seconds) => rig.rateLimit("chat.postMessage", seconds),
    close: on.close,
  };
});
