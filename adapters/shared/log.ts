/** What adapters need of a log: facts, then a sentence. Any structured logger fits. */
export interface Log {
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
}
