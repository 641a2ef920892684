/**
 * A turn's plan, or its work where there is none, as the tasks of one of Slack's plans.
 *
 * L1. Titles are plain text to Slack: they call nobody.
 */
import type { types } from "@slack/bolt";
import type { Part, View } from "../../src/core/view.ts";
import { clip, hushAll } from "../shared/escape.ts";
import { LIMIT } from "./limits.ts";

export interface Task {
  id: string;
  title: string;
  status: "pending" | "in_progress" | "complete" | "error";
}
type Of<K extends Part["kind"]> = Extract<Part, { kind: K }>;

const STATUSES = { pending: "pending", in_progress: "in_progress", completed: "complete" } as const;
const STEP = { running: "in_progress", waiting: "pending", done: "complete", failed: "error" } as const;
const titled = (text: string): string => clip(hushAll(text.replace(/\s+/g, " ").trim()), LIMIT.task) || "…";

const todoTasks = ({ todos }: Of<"todos">): Task[] =>
  todos.map(({ content, status }, at) => ({ id: `todo-${at}`, title: titled(content), status: STATUSES[status] }));
const stepTasks = ({ steps }: Of<"steps">): Task[] =>
  steps.map(({ label, state }, at) => ({ id: `step-${at}`, title: titled(label), status: STEP[state] }));

/** The part of a view that a plan shows, and what shows it. */
export function planned({ title = "Working", parts }: View): { of: Part; blocks: types.KnownBlock[] } | undefined {
  const of = parts.find((part) => part.kind === "todos") ?? parts.find((part) => part.kind === "steps");
  if (of?.kind !== "todos" && of?.kind !== "steps") return undefined;
  const all = of.kind === "todos" ? todoTasks(of) : stepTasks(of);
  if (!all.length) return undefined;
  const tasks = all.slice(0, LIMIT.tasks).map(({ id, ...task }) => ({ task_id: id, ...task }));
  const done = all.filter(({ status }) => status === "complete").length;
  const plan: types.PlanBlock = {
    type: "plan",
    title: of.kind === "todos" ? `${titled(title)} · ${done} of ${all.length}` : titled(title),
    tasks,
  };
  const more = all.length - tasks.length;
  const note: types.KnownBlock[] = more > 0 ? [{ type: "context", elements: [{ type: "plain_text", text: `… and ${more} more` }] }] : [];
  return { of, blocks: [plan, ...note] };
}

/** Plan and work together, for a stream: what stands in it is changed by its id. Undefined: there is more to show than tasks. */
export function tasksOf({ parts }: View): Task[] | undefined {
  const tasks: Task[] = [];
  for (const part of parts) {
    if (part.kind === "todos") tasks.push(...todoTasks(part));
    else if (part.kind === "steps") tasks.push(...stepTasks(part));
    else if (part.kind !== "quoted") return undefined;
  }
  return tasks.length && tasks.length <= LIMIT.tasks ? tasks : undefined;
}
