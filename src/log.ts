/**
 * The log: one JSON line per fact on stdout, `msg` saying what happened.
 *
 * Secrets are masked in the finished line, so it does not matter how deep in a fact or an error's text they stood.
 */
import pino from "pino";
import type { Log } from "./core/ports.ts";
import { scrubber } from "./core/scrub.ts";

export interface LogOptions {
  level: string;
  /** Values that no line may show. */
  secrets: readonly string[];
  write?(line: string): void;
}

export function openLog({ level, secrets, write = (line) => process.stdout.write(line) }: LogOptions): Log {
  const scrub = scrubber(secrets);
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: pino.stdSerializers.errWithCause, err: pino.stdSerializers.errWithCause },
  };
  return pino(options, { write: (line: string) => void write(scrub(line)) });
}
