/**
 * `tools`: the servers of a home and what they offer, `tools X` what those of one do; `tools connect X` and `tools disconnect X` sign in there and out.
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
  const own = found.tools.filter(({ label }) => label.startsWith(`${word}/`));
  if (word && own.length)
    return lines(
      `Tools of ${word}`,
      own.map(({ label, description }) => `\`${label}\`: ${brief(description)}`),
      "",
      own.length,
    );
  const has = (name: string) => found.tools.flatMap(({ label }) => (label.startsWith(`${name}/`) ? [`\`${label}\``] : []));
  const names = [...new Set(found.tools.map(({ label }) => label.slice(0, label.indexOf("/"))))];
  const items = [
    ...(found.problem ? [found.problem] : []),
    ...found.down.map(({ server: name, why }) => `${name}: not available, ${why}`),
    ...names.map((name) => `**${name}**: ${has(name).join(", ")}`),
    ...(found.servers ?? []).flatMap(({ server: name, resources, prompts }) => {
      const more = [...(resources ? ["things to read"] : []), ...(prompts ? ["prepared prompts"] : [])];
      return more.length ? [`${name} also has ${more.join(" and ")}`] : [];
    }),
    ...(found.unfit ?? []).map(({ label, why }) => `\`${label}\` cannot be offered: ${why}`),
    ...(names[0] === undefined ? [] : [`\`tools ${names[0]}\` says what those of ${names[0]} do`]),
  ];
  return lines("Tools", items, "No tool servers are set up. They go into tools.json.");
}
const brief = (description: string): string => description.replace(/\s+/g, " ").slice(0, 100);

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
