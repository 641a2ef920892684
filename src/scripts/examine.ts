/** Everything the doctor looks at, one finding a line; secrets that an answer repeats are masked. */
import { type Config, readConfig } from "../config.ts";
import { UserError } from "../core/ports.ts";
import { scrubber } from "../core/scrub.ts";
import { ownHooks } from "../hooks/own.ts";
import { openLog } from "../log.ts";
import { misspelt } from "../misspelt.ts";
import { openHomes } from "../workspace/homes.ts";
import { type Finding, note, well, wrong } from "./finding.ts";
import { lookAtHomes } from "./look-homes.ts";
import { lookAtMachine } from "./look-machine.ts";
import { lookOutside } from "./look-outside.ts";

export async function examineAll(env: NodeJS.ProcessEnv, mend: boolean, start = true): Promise<Finding[]> {
  const config = configured(env);
  if (Array.isArray(config)) return config;
  const { workspacesDir, templateDir, dataDir, stepLimit } = config;
  const homes = openHomes({ workspacesDir, templateDir, dataDir, stepLimit, log: openLog({ level: "silent", secrets: config.masked }) });
  const machine = await lookAtMachine(config);
  const closed = machine.some(({ about, how }) => how === "wrong" && /_DIR$/.test(about));
  const looked = await Promise.all([
    lookAtHooks(config),
    lookOutside(config),
    ...(closed ? [] : [lookAtHomes(homes, config, mend, start)]),
  ]);
  const scrub = scrubber(config.masked);
  const names = misspelt(env).map(({ text, near }) => (near ? wrong : note)("Environment", text));
  return [...settings(config), ...names, ...machine, ...looked.flat()].map((finding) => ({ ...finding, text: scrub(finding.text) }));
}

function configured(env: NodeJS.ProcessEnv): Config | Finding[] {
  try {
    return readConfig(env);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.message.split("\n").map((line) => wrong("Environment", line));
  }
}

function settings({ console, slack, discord }: Config): Finding[] {
  const clear = well("Environment", "can be understood.");
  const none = !console && !slack && !discord;
  if (none) return [clear, wrong("Adapters", "nothing is configured. Set tokens of a platform, or take CONSOLE_PORT=off out.")];
  if (!console) return [clear, note("Console", "off.")];
  const open = console.token ? "with a token: it shows all homes." : "without a token: it shows only the home “console”.";
  return [clear, well("Console", `http://${console.host}:${console.port}, ${open}`)];
}

async function lookAtHooks({ hooks }: Config): Promise<Finding[]> {
  if (hooks === undefined) return [];
  try {
    const own = await ownHooks(hooks);
    return [well("Hooks", `${hooks} has ${own.length}.`)];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [wrong("Hooks", error.message)];
  }
}
