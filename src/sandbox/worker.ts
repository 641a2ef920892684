/** One answer of a thread that holds something nobody trusts: without environment and input, in bounded memory, ended when its time is over. */
import { Worker } from "node:worker_threads";

/** Megabytes. */
const MEMORY = 256;

/** `failed`: it threw, or took more memory; `ended`: it ended without an answer. */
export type Answered<T> = { how: "answered"; answer: T } | { how: "failed"; why: string } | { how: "ended" | "stopped" | "time" };

/** `ms`: after which it is given up. Never rejects, and leaves no thread behind. */
export function inWorker<T>(file: URL, workerData: object, { signal, ms }: { signal: AbortSignal; ms: number }): Promise<Answered<T>> {
  return new Promise((done) => {
    const worker = new Worker(file, {
      workerData,
      env: {},
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY },
    });
    const end = (answered: Answered<T>) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      void worker.terminate();
      done(answered);
    };
    const stop = () => end({ how: "stopped" });
    const timer = setTimeout(() => end({ how: "time" }), ms);
    worker.once("message", (answer: T) => end({ how: "answered", answer }));
    worker.once("error", ({ message }) => end({ how: "failed", why: message }));
    worker.once("exit", () => end({ how: "ended" }));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  });
}
