/** What the doctor looks at on this machine: Node, clock, disk, and the sandbox for commands. */
import { randomUUID } from "node:crypto";
import { access, constants, mkdir, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../config.ts";
import type { Log } from "../core/ports.ts";
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
  const there = await nearest(dir);
  // Two folders that are not there yet may have one parent, which is tried for both at the same moment.
  const probe = join(there, `.doctor-${randomUUID()}`);
  try {
    await writeFile(probe, "");
    await rm(probe);
  } catch (error) {
    return [
      wrong(name, `${there} cannot be written (${codeOf(error)}). Give the user this runs as the right to write there, or set ${name}.`),
    ];
  }
  const { bavail, bsize } = await statfs(there);
  const free = bavail * bsize;
  const text = `${(free / GB).toFixed(1)} GB are free`;
  return [
    free < LOW
      ? wrong(name, `${dir}: only ${text}. Make room: on a full disk nothing is taken or answered.`)
      : well(name, `${dir}: ${text}.`),
  ];
}

/** The folder itself, or the nearest above it that is there. */
async function nearest(dir: string): Promise<string> {
  try {
    await access(dir, constants.F_OK);
    return dir;
  } catch {
    const above = dirname(dir);
    if (above !== dir) return nearest(above);
    await mkdir(dir, { recursive: true });
    return dir;
  }
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

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : String(error));
