/**
 * What the doctor looks at in a home's tools.json: each server is started or reached as a step would, and asked for its tools; nothing is called.
 *
 * L2. Starts no program where that is not wanted.
 * L1. Signs in nowhere: what was kept to sign in with is the running product's to use, since some servers take it once only.
 */
import { join } from "node:path";
import type { Config } from "../config.ts";
import { openServers } from "../mcp/servers.ts";
import { isPersons, parseToolsFile } from "../mcp/tools-file.ts";
import { signedInAt } from "../mcp/vault.ts";
import type { Home } from "../workspace/homes.ts";
import { type Finding, note, well, wrong } from "./finding.ts";

/** Longer than any server may take to start by itself. */
const PATIENCE = 15_000;

export async function lookAtServers(config: Config, name: string, { dir, read, policy }: Home, start: boolean): Promise<Finding[]> {
  const about = `Tools of ${name}`;
  const [{ text = "" }, { policy: rules }] = await Promise.all([read("tools.json"), policy()]);
  const parsed = parseToolsFile(text);
  if (!parsed.ok || !parsed.file.servers.length) return [];
  const { trust, secrets } = rules;
  const servers = openServers({
    log: () => undefined,
    stdio: config.mcpStdio && start,
    secret: (secret) => config.secrets[secret],
    patience: PATIENCE,
  });
  try {
    const found = await servers.offer({ home: name, directory: dir, text, trust, secrets, sampling: [] });
    const signed = await signedIn(config, name);
    const looked = parsed.file.servers.map((entry): Finding => {
      if (entry.kind === "stdio" && config.mcpStdio && !start) return note(about, `${entry.name} is a program: it was not started.`);
      const down = found.down.find(({ server }) => server === entry.name);
      if (isPersons(entry) || down?.signIn) return signInOf(config, about, entry.name, isPersons(entry), signed);
      if (down) return wrong(about, `${entry.name} is not available: ${down.why}. Mend its entry in tools.json, or take it out.`);
      const count = found.tools.filter(({ label }) => label.startsWith(`${entry.name}/`)).length;
      return well(about, `${entry.name} offers ${count} ${count === 1 ? "tool" : "tools"}.`);
    });
    const unfit = (found.unfit ?? []).map(({ label, why }) => note(about, `${label} cannot be offered: ${why}`));
    return [...looked, ...unfit];
  } finally {
    await servers.close();
  }
}

const signedIn = ({ dataDir, encryptionKey }: Config, home: string) =>
  encryptionKey ? signedInAt(join(dataDir, "mcp"), encryptionKey, home) : [];

function signInOf(config: Config, about: string, server: string, persons: boolean, signed: readonly string[] | "unreadable"): Finding {
  const missing = missingIn(config);
  if (missing.length)
    return wrong(about, `${server} wants people to sign in, and nobody can. Set ${missing.join(" and ")} (see docs/servers.md).`);
  if (signed === "unreadable")
    return wrong(
      about,
      `what was kept to sign in at ${server} cannot be read with this ENCRYPTION_KEY. Set the one it was made with, or connect it again: \`/tools connect ${server}\`.`,
    );
  const count = signed.filter((slot) => slot.split(" ", 1)[0] === server).length;
  if (persons) return note(about, `${server} is used in people's own names; signed in: ${count}. Each says \`/tools connect ${server}\`.`);
  return count
    ? note(about, `${server} is signed in to; whether that still holds, the running product finds out.`)
    : note(about, `${server} wants a sign-in: an administrator says \`/tools connect ${server}\`.`);
}

function missingIn({ encryptionKey, publicUrl, console, healthPort }: Config): string[] {
  // Browsers on this machine reach a console without a token; the outside does not.
  const near = publicUrl !== undefined && /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|$)/.test(publicUrl);
  const heard = console ? (console.token || near ? [] : ["CONSOLE_TOKEN"]) : healthPort === undefined ? ["HEALTH_PORT"] : [];
  return [...(encryptionKey ? [] : ["ENCRYPTION_KEY"]), ...(publicUrl ? [] : ["PUBLIC_URL"]), ...heard];
}
