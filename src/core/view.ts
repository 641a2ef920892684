/**
 * The one neutral description of what people see. Adapters render it in their platform's idiom; nothing else is ever shown.
 *
 * V1. Text is Markdown and was written by the product, unless a part says `quoted`: then it comes from the model, a tool or a person,
 *     and an adapter must let nothing in it ping, unfurl or imitate a card.
 * V2. A button carries an act and a code, and nothing else: what it does is looked up when it is pressed.
 */
import type { Todo } from "./event.ts";

/** `show`: the whole of what a card had no room for. */
export type Act = "approve" | "edit" | "deny" | "thread" | "always" | "answer" | "stop" | "withdraw" | "undo" | "show";

export interface Button {
  /** The word people see; for fixed acts one of the contract's words. */
  word: string;
  act: Act;
  /** At most 80 characters of [A-Za-z0-9_.-]. */
  code: string;
  style?: "primary" | "danger";
}

export type Part =
  /** The product's own words, Markdown. */
  | { kind: "text"; text: string }
  /** Markdown of the model. */
  | { kind: "quoted"; text: string }
  /** Shown as it is, monospaced: an input, a command, a diff. */
  | { kind: "code"; text: string; lang?: string }
  | { kind: "fields"; rows: [label: string, value: string][] }
  | { kind: "todos"; todos: Todo[] }
  /** Lines of work done: a tool and how it went. */
  | { kind: "steps"; steps: { label: string; state: "running" | "waiting" | "done" | "failed" }[] }
  | { kind: "list"; items: string[] }
  /** A text to keep, handed over as a file; where that cannot be, it stands there. */
  | { kind: "file"; name: string; text: string }
  /** Small print below. */
  | { kind: "note"; text: string }
  /** Buttons about what stands right before them, where a view has several things to press. */
  | { kind: "buttons"; buttons: Button[] };

export interface View {
  title?: string;
  parts: Part[];
  buttons: Button[];
  /** People this calls, platform-qualified: named by policy, never by a text. */
  calls?: string[];
}

/** A form asked for by pressing Edit, Deny with a reason, or Answer. Field ids are stable; values are text as the person left it. */
export interface Form {
  title: string;
  submit: string;
  intro?: string;
  fields: FormField[];
}
export interface FormField {
  id: string;
  label: string;
  value: string;
  multiline: boolean;
  optional: boolean;
  hint?: string;
  /** Chosen, not written: values are those of options, one on a line. */
  menu?: Menu;
}
export interface Menu {
  /** 1 to 25, each with a label. */
  options: { value: string; label: string }[];
  /** So many may be chosen. */
  most: number;
}

export const say = (text: string): View => ({ parts: [{ kind: "text", text }], buttons: [] });

const MARKS: Record<Todo["status"], string> = { completed: "☑", in_progress: "▶", pending: "☐" };
const STATES = { running: "…", waiting: "⏸", done: "✓", failed: "✗" } as const;
export const todoLine = (todo: Todo): string => `${MARKS[todo.status]} ${todo.content}`;
export const stepLine = (step: { label: string; state: keyof typeof STATES }): string => `${STATES[step.state]} ${step.label}`;

/** A view as plain text: for notifications, logs and whatever renders nothing else. */
export function plain(view: View): string {
  return [view.title, ...view.parts.map(partText)].filter(Boolean).join("\n");
}

function partText(part: Part): string {
  switch (part.kind) {
    case "fields":
      return part.rows.map(([label, value]) => `${label}: ${value}`).join("\n");
    case "todos":
      return part.todos.map(todoLine).join("\n");
    case "steps":
      return part.steps.map(stepLine).join("\n");
    case "list":
      return part.items.map((item) => `• ${item}`).join("\n");
    case "buttons":
      return "";
    default:
      return part.text;
  }
}
