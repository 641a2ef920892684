/**
 * A neutral view as elements: the console's idiom for what every platform shows.
 *
 * What the product says is Markdown too; only what is quoted stands in a frame of its own, in which nothing can look like a card
 * or a button. Titles, fields, labels and todos are plain text.
 */
import type { Child } from "hono/jsx";
import type { Todo } from "../../src/core/event.ts";
import type { Button, Form, FormField, Menu, Part, View } from "../../src/core/view.ts";
import { reveal } from "../shared/escape.ts";
import { Diff } from "./diff.tsx";
import { Code, Markdown } from "./markdown.tsx";

/** `id`: of the entry this stands in; what its buttons are described by. */
export function ViewBody({ view, id }: { view: View; id: string }): Child {
  return (
    <>
      {view.title && (
        <h2 class="title" id={`${id}-title`}>
          {view.title}
        </h2>
      )}
      {view.parts.map((part) => drawPart(part))}
      <Buttons buttons={view.buttons} label={view.title} id={id} />
    </>
  );
}

function Buttons({ buttons, label, id }: { buttons: readonly Button[]; label?: string | undefined; id?: string }): Child {
  if (buttons.length === 0) return "";
  return (
    <fieldset class="buttons" aria-label={label ?? "What to do"}>
      {buttons.map((button) => drawButton(button, label && id ? `${id}-title` : undefined))}
    </fieldset>
  );
}

function drawButton(button: Button, describedBy: string | undefined): Child {
  return (
    <button
      type="button"
      class={button.style ?? "plain"}
      data-act={button.act}
      data-code={button.code}
      {...(describedBy ? { "aria-describedby": describedBy } : {})}
    >
      {button.word}
    </button>
  );
}

function drawPart(part: Part): Child {
  switch (part.kind) {
    case "text":
    case "quoted":
      return (
        <div class={part.kind === "quoted" ? "words quoted" : "words"}>
          <Markdown text={part.text} />
        </div>
      );
    case "code":
      return part.lang === "diff" ? <Diff text={part.text} whole /> : <Code lang={part.lang} text={reveal(part.text)} />;
    case "fields":
      return (
        <dl class="fields">
          {part.rows.map(([label, value]) => (
            <div>
              <dt>{label}</dt>
              <dd dir="auto">{reveal(value)}</dd>
            </div>
          ))}
        </dl>
      );
    case "todos":
      return <Todos todos={part.todos} />;
    case "steps":
      return (
        <ul class="steps" aria-label="Work">
          {part.steps.map((step) => (
            <li class={step.state}>
              <span class="mark" role="img" aria-label={step.state} />
              <span>{step.label}</span>
            </li>
          ))}
        </ul>
      );
    case "list":
      return (
        <ul class="words">
          {part.items.map((item) => (
            <li dir="auto">
              <Markdown text={item} />
            </li>
          ))}
        </ul>
      );
    case "file":
      return <Save name={part.name} text={part.text} />;
    case "note":
      return (
        <div class="note">
          <Markdown text={part.text} />
        </div>
      );
    case "buttons":
      return <Buttons buttons={part.buttons} />;
  }
}

/** Kept nowhere: the whole of it is in the link. */
function Save({ name, text }: { name: string; text: string }): Child {
  return (
    <p>
      <a class="save" download={name} href={`data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString("base64")}`}>
        Save {name}
      </a>
    </p>
  );
}

const STATUS = { pending: "to do", in_progress: "being done", completed: "done" } as const;

function Todos({ todos }: { todos: Todo[] }): Child {
  const done = todos.filter((todo) => todo.status === "completed").length;
  return (
    <div class="plan">
      <div class="plan-head">
        <span>Plan</span>
        <progress value={done} max={Math.max(todos.length, 1)} aria-label="Plan" />
        <span>
          {done} of {todos.length}
        </span>
      </div>
      <ol class="todos">
        {todos.map((todo) => (
          <li class={todo.status} dir="auto">
            <span class="mark" role="img" aria-label={STATUS[todo.status]} />
            <span>{todo.content}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** A form that pressing a button asked for. It is shown in the page's dialog, outside of everything that changes by itself. */
export function FormBody({ form, act, code }: { form: Form; act: string; code: string }): Child {
  return (
    <form class="asked" data-act={act} data-code={code}>
      <h2 id="dialog-title">{form.title}</h2>
      {form.intro && (
        <div class="words">
          <Markdown text={form.intro} />
        </div>
      )}
      {form.fields.map((field) => (
        <Field field={field} />
      ))}
      <div class="reply" role="alert" />
      <div class="buttons">
        <button type="submit" class={act === "deny" ? "danger" : "primary"}>
          {form.submit}
        </button>
        <button type="button" data-close>
          Cancel
        </button>
      </div>
    </form>
  );
}

function Field({ field }: { field: FormField }): Child {
  const id = `field-${field.id}`;
  if (field.menu && field.menu.most > 1) return <Ticks field={field} menu={field.menu} />;
  return (
    <div>
      <label for={id}>
        {field.label}
        {field.optional && !field.value && <small> (optional)</small>}
      </label>
      {field.menu ? (
        <select id={id} name={field.id} required={!field.optional}>
          <option value="">{field.optional ? "" : "Choose…"}</option>
          {field.menu.options.map(({ value, label }) => (
            <option value={value} selected={value === field.value}>
              {label}
            </option>
          ))}
        </select>
      ) : field.multiline ? (
        // The first line break of a text area is not part of its value.
        <textarea id={id} name={field.id} rows={6} spellcheck={false} required={!field.optional}>
          {`\n${field.value}`}
        </textarea>
      ) : (
        <input id={id} name={field.id} value={field.value} required={!field.optional} autocomplete="off" />
      )}
      {field.hint && <small class="hint">{field.hint}</small>}
    </div>
  );
}

function Ticks({ field, menu }: { field: FormField; menu: Menu }): Child {
  const first = field.value.split("\n");
  return (
    <fieldset class="ticks">
      <legend>
        {field.label}
        {field.optional && <small> (optional)</small>}
      </legend>
      {menu.options.map(({ value, label }) => (
        <label>
          <input type="checkbox" name={field.id} value={value} checked={first.includes(value)} /> {label}
        </label>
      ))}
      {field.hint && <small class="hint">{field.hint}</small>}
    </fieldset>
  );
}
