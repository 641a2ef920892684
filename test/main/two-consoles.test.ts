import { join } from "node:path";
import { expect, test } from "vitest";
import { Product } from "../help/product.ts";
import { until } from "../help/until.ts";

test("a second process on the same DATA_DIR keeps no console, says why, and has it once the first one died", {
  timeout: 60_000,
}, async () => {
  const first = new Product();
  const second = new Product({ DATA_DIR: join(first.root, "data") });
  const refused = () => second.log.some(({ msg }) => msg.includes("Another Denizen keeps its console"));
  try {
    await first.start();
    second.spawn();
    await until(() => refused() || undefined, "the second to say that it keeps no console", 30_000);
    expect(first.troubles).toEqual([]);
    await first.kill9();
    await second.ready();
    expect(second.running).toBe(true);
  } finally {
    await second.end();
    await first.end();
  }
});
