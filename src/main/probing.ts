/**
 * Trying out what is proposed as a server: a program where a real sandbox is, and nowhere else is anything started before people approved
 * it; an address as a stranger.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Probed, Program } from "../core/ports.ts";
import { probeRead, probeScript } from "../mcp/probe.ts";
import { parseToolsFile } from "../mcp/tools-file.ts";
import { visit } from "../mcp/visit.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

const SECONDS = 30;

export const probing = (sandbox: Sandbox | undefined, stdio: boolean) => ({
  problemOf(text: string): string | undefined {
    const parsed = parseToolsFile(text);
    return parsed.ok ? undefined : parsed.problem;
  },
  visit: (url: string, signal: AbortSignal): Promise<Probed> => visit(url, signal),
  async probe(program: Program, signal: AbortSignal): Promise<Probed> {
    if (!stdio) return { ok: false, why: "The operator has switched servers that run as programs off (MCP_STDIO=off): it will not start." };
    if (sandbox?.kind !== "bubblewrap") return { ok: false, why: "There is no real sandbox here, and it is not started outside of one." };
    const dir = await mkdtemp(join(tmpdir(), "denizen-probe-"));
    try {
      const ran = await sandbox.run({
        command: probeScript(program),
        mounts: [{ at: "/", dir, writable: true }],
        seconds: SECONDS,
        signal,
      });
      return probeRead(ran.output);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  },
});
