/**
 * `tools`: the servers of a home and what they offer; `tools connect X` and `tools disconnect X` sign in there and out.
 *
 * G1. What signs the whole home in is for administrators; what is each person's own is for them, if they may talk.
 * G2. A link is for who asked, and nobody else sees it.
 */
import type { Reply, WantedServers } from "../core/ports.ts";
import { type Asked, lines, page } from "./asked.ts";

export async function tools(asked: Asked): Promise<Reply> {
  const [word = "", server = ""] = asked.rest.trim().split(/\s+/);
  const wanted = await wantedBy(asked);
  if (word === "connect" || word === "disconnect") return sign(asked, wanted, word, server);
  const found = await asked.on.offer(wanted);
  const items = [
    ...(found.problem ? [found.problem] : []),
    ...found.down.map(({ server: name, why }) => `${name}: not available, ${why}`),
    ...(found.servers ?? []).flatMap(({ server: name, resources, prompts }) => {
      const has = [...(resources ? ["things to read"] : []), ...(prompts ? ["prepared prompts"] : [])];
      return has.length ? [`${name} also has ${has.join(" and ")}`] : [];
    }),
    ...(found.unfit ?? []).map(({ label, why }) => `\`${label}\` cannot be offered: ${why}`),
    ...found.tools.map(({ label, description }) => `\`${label}\`: ${description.slice(0, 80)}`),
  ];
  return lines("Tools", items, "No tool servers are set up. They go into tools.json.");
}

async function wantedBy({ on, home, command: { by } }: Asked): Promise<WantedServers> {
  const one = on.homes.home(home);
  const [{ text }, { policy }] = await Promise.all([one.read("tools.json"), one.policy()]);
  const { trust, secrets, sampling } = policy;
  return { home, directory: one.dir, text: text ?? "", trust, secrets, sampling, by };
}

async function sign(
  { on, rules, who, command }: Asked,
  wanted: WantedServers,
  word: "connect" | "disconnect",
  server: string,
): Promise<Reply> {
  const { by, place } = command;
  const whose = on.signing.whose(wanted, server);
  if (!whose)
    return told(server ? `There is no server named “${server.slice(0, 40)}” in tools.json.` : `Which one? \`tools ${word} NAME\`.`);
  const right = whose === "home" ? "admin" : "talk";
  if (!who || !rules.may(right, by.id, who))
    return told(`You may not do this. ${rules.broken ?? `Who may: ${rules.who(right, place.platform)}.`}`);
  const done = await on.signing[word](wanted, server);
  if (!done.ok) return told(done.why);
  return told(done.link ? `${done.text} [Sign in to ${server}](${done.link})` : done.text);
}

const told = (text: string): Reply => page("Tools", [{ kind: "text", text }]);
