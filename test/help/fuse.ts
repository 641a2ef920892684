/**
 * A fuse through which every call of a port goes, before and after. When it blows the process is as good as dead: no call gets through
 * any more, and none that is under way is answered. What was done before stays done.
 */
export interface Fuse {
  /** How many boundaries were passed. */
  passed: number;
  blown: boolean;
}
export const fuse = (): Fuse => ({ passed: 0, blown: false });
const NEVER = new Promise<never>(() => {});

/** Wraps the asynchronous methods of a port. `at`: blows when that many boundaries have been passed (0: never). */
export function fused<T extends object>(port: T, on: Fuse, at: number, methods: readonly (keyof T & string)[]): T {
  const boundary = (): Promise<void> => {
    if (!on.blown) on.passed++;
    if (at > 0 && on.passed >= at) on.blown = true;
    return on.blown ? NEVER : Promise.resolve();
  };
  return new Proxy(port, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== "function" || !methods.includes(name as keyof T & string)) return value;
      return async (...args: unknown[]) => {
        await boundary();
        const result: unknown = await value.apply(target, args);
        await boundary();
        return result;
      };
    },
  });
}
