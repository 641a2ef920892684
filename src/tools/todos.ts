/** `write_todos`: the plan, replaced as a whole. People see it live; it survives whatever happens to the context. */
import { z } from "zod";
import type { Todo } from "../core/event.ts";
import type { Tool, ToolContext } from "../core/ports.ts";
import { define, failed } from "./define.ts";
import { count } from "./text.ts";

const NAME = "write_todos";

const todo = z.object({
  content: z.string().trim().min(1, "a todo has words").max(500, "a todo has at most 500 characters"),
  status: z.enum(["pending", "in_progress", "completed"]),
});

export const writeTodos = (): Tool =>
  define({
    name: NAME,
    description: "Write your plan for work of three or more steps, and keep it true as you go. The list replaces the old one.",
    input: z.object({ todos: z.array(todo).max(50, "a plan has at most 50 todos") }),
    repeatable: true,
    async run({ todos }, context) {
      if (siblings(context) > 1)
        return failed(`${NAME} was called more than once in one step, so none of the lists was taken. Call it once.`);
      return { ...said(todos), events: [{ type: "todos.written", at: context.now, todos }] };
    },
  });

/** Calls of this tool in the same answer of the model, this one included: which list was meant cannot be known. */
function siblings({ state, call }: ToolContext): number {
  const mine = state.calls.byId[call];
  return Object.values(state.calls.byId).filter((each) => each.tool === NAME && each.turn === mine?.turn && each.step === mine.step).length;
}

function said(todos: readonly Todo[]) {
  if (todos.length === 0) return { content: "The plan is empty now.", failed: false };
  const left = todos.filter((each) => each.status !== "completed").length;
  return { content: `The plan has ${count(todos.length, "todo")}, ${left} of them open.`, failed: false };
}
