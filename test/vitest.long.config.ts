import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/long/**/*.test.ts"],
    testTimeout: 600_000,
    hookTimeout: 30_000,
    pool: "forks",
  },
});
