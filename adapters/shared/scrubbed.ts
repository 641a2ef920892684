/** A view with every text passed through the scrubber: the last door before people see it. */
import type { Button, Part, View } from "../../src/core/view.ts";

export type Scrub = (text: string) => string;

export function scrubbed(view: View, scrub: Scrub): View {
  return {
    ...(view.title === undefined ? {} : { title: scrub(view.title) }),
    parts: view.parts.map((part) => scrubbedPart(part, scrub)),
    buttons: scrubbedButtons(view.buttons, scrub),
    ...(view.calls === undefined ? {} : { calls: view.calls }),
  };
}

const scrubbedButtons = (buttons: readonly Button[], scrub: Scrub): Button[] =>
  buttons.map((button) => ({ ...button, word: scrub(button.word) }));

function scrubbedPart(part: Part, scrub: Scrub): Part {
  switch (part.kind) {
    case "fields":
      return { ...part, rows: part.rows.map(([label, value]) => [scrub(label), scrub(value)]) };
    case "todos":
      return { ...part, todos: part.todos.map((todo) => ({ ...todo, content: scrub(todo.content) })) };
    case "steps":
      return { ...part, steps: part.steps.map((step) => ({ ...step, label: scrub(step.label) })) };
    case "list":
      return { ...part, items: part.items.map(scrub) };
    case "buttons":
      return { ...part, buttons: scrubbedButtons(part.buttons, scrub) };
    default:
      return { ...part, text: scrub(part.text) };
  }
}
