/**
 * Names of those who hold leases. A name tells the machine and the process, so that after a crash the next process on the same machine
 * need not wait until the lease of the dead one runs out.
 */
import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

export const newHolder = (): string => `${machine()} ${process.pid} ${randomUUID()}`;

/** True only if it is certain: same machine, and no process of that number. */
export function isGone(holder: string): boolean {
  const [where, pid] = holder.split(" ");
  if (where !== machine() || pid === undefined || Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** The host, since its start, and the space its process numbers are counted in: two containers of one host do not see each other's. */
function machine(): string {
  const boot = attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const space = attempt(() => readlinkSync("/proc/self/ns/pid"));
  return [hostname(), boot, space].join("/").replaceAll(" ", "_");
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
