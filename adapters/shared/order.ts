/** Runs the tasks of each key one after the other, in the order they were handed in; different keys side by side. */
export interface Order {
  /** Resolves or rejects as the task does. A failed task does not stop those behind it. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>;
}

export function order(): Order {
  const last = new Map<string, Promise<unknown>>();
  return {
    run(key, task) {
      const before = last.get(key) ?? Promise.resolve();
      const mine = before.then(task, task);
      last.set(key, mine);
      const tidy = () => {
        if (last.get(key) === mine) last.delete(key);
      };
      mine.then(tidy, tidy);
      return mine;
    },
    async idle() {
      while (last.size > 0) await Promise.allSettled(last.values());
    },
  };
}
