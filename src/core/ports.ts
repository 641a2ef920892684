/**
 * What the core and the harness need from outside, and what they offer to it. Every room behind a port has one contract suite.
 *
 * Nothing here throws for what can be expected: outcomes are values. What is thrown is a bug.
 */

export * from "./ports/attachments.ts";
export * from "./ports/files.ts";
export * from "./ports/history.ts";
export * from "./ports/homes.ts";
export * from "./ports/hook.ts";
export * from "./ports/inbox.ts";
export * from "./ports/journal.ts";
export * from "./ports/log.ts";
export * from "./ports/memory.ts";
export * from "./ports/model.ts";
export * from "./ports/operator.ts";
export * from "./ports/platform.ts";
export * from "./ports/tool.ts";
export type { Slot } from "./slots.ts";
