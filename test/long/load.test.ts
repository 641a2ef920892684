/** A hundred mentions in twenty threads while each channel takes one update a second; and while it takes one post a second as well. */
import { describe } from "vitest";
import { loadPromises } from "../e2e/load-promises.ts";

const CROWD = { threads: 20, mentions: 100 };

describe("one update a second", () => loadPromises({ ...CROWD, gap: 250, limited: ["chat.update"], sign: 1000 }));
describe("one update and one post a second", () =>
  loadPromises({ ...CROWD, gap: 50, limited: ["chat.update", "chat.postMessage"], sign: 20_000 }));
