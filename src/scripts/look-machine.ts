/** What the doctor looks at on this machine: Node, clock, disk, and the sandbox for commands. */
import { readFile, statfs } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Config } from "../config.ts";
import type { Log } from "../core/ports.ts";
import { ground, whyUnwritable } from "../ground.ts";
import { openSandbox } from "../sandbox/sandbox.ts";
import { type Finding, note, well, wrong } from "./finding.ts";

const GB = 1024 ** 3;
const LOW = GB;
const ADVISED = 24;

export async function lookAtMachine(config: Config): Promise<Finding[]> {
  const looked = await Promise.all([
    node(),
    timeZone(),
    disk("WORKSPACES_DIR", config.workspacesDir),
    disk("DATA_DIR", config.dataDir),
    sandbox(config.sandbox),
  ]);
  return looked.flat();
}

async function node(): Promise<Finding> {
  const { engines } = JSON.parse(await readFile(fileURLToPath(new URL("../../package.json", import.meta.url)), "utf8"));
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const fits = (major > 20 || (major === 20 && minor >= 19)) && major < 27;
  if (!fits) return wrong("Node", `this is ${process.versions.node}, and ${engines.node} is needed. Install Node ${ADVISED}.`);
  if (major < ADVISED)
    return note("Node", `${process.versions.node} works, but gets no more security fixes soon or already. Node ${ADVISED} is advised.`);
  return well("Node", process.versions.node);
}

function timeZone(): Finding {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const text = `${zone}. Homes use it unless their policy.json names a "timezone".`;
  return zone === "UTC" ? note("Time zone", `${text} If your team is elsewhere, set TZ or name it there.`) : well("Time zone", text);
}

async function disk(name: string, dir: string): Promise<Finding[]> {
  const why = await whyUnwritable(name, dir);
  if (why) return [wrong(name, why)];
  const { bavail, bsize } = await statfs(await ground(dir));
  const free = bavail * bsize;
  const text = `${(free / GB).toFixed(1)} GB are free`;
  return [
    free < LOW
      ? wrong(name, `${dir}: only ${text}. Make room: on a full disk nothing is taken or answered.`)
      : well(name, `${dir}: ${text}.`),
  ];
}

async function sandbox(wanted: Config["sandbox"]): Promise<Finding> {
  const why: string[] = [];
  const told = (facts: object): void => void why.push("why" in facts ? String(facts.why) : "");
  const log: Log = { debug: told, info: told, warn: told, error: told };
  const found = await openSandbox(wanted, log);
  const because = why.filter(Boolean).join("; ");
  if (wanted === "off") return note("Sandbox", "off: the agent cannot run commands.");
  if (!found)
    return wrong(
      "Sandbox",
      `SANDBOX is ${wanted}, but it does not work here (${because}). Install what is missing, or set SANDBOX=virtual.`,
    );
  if (found.kind === "virtual" && wanted === "auto")
    return note("Sandbox", `the virtual one; commands there are simulated. For real ones, bubblewrap has to work: ${because}.`);
  return well("Sandbox", found.kind);
}
