/**
 * Runs something that others can make slow, and gives up after some time: patterns that go back and forth, references that multiply.
 * Nothing else can run meanwhile, so the time is short.
 */
import { createContext, Script } from "node:vm";

const SHORT = 500;
const bench: { work: () => void } = { work: () => undefined };
let ready: { script: Script; context: object } | undefined;

/** Undefined: it took too long. */
export function limited<T>(work: () => T, ms = SHORT): { value: T } | undefined {
  ready ??= { script: new Script("work()"), context: createContext(bench) };
  let value: { value: T } | undefined;
  bench.work = () => {
    value = { value: work() };
  };
  try {
    ready.script.runInContext(ready.context, { timeout: ms });
    return value;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  }
}
