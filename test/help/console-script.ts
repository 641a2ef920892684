/**
 * An inbox that needs no harness: it answers the console with scripted views, as the real one would, so that pages can be driven.
 * It remembers what it was handed. What it does depends on words in the message; see `PLAYS`.
 */
import type { Todo } from "../../src/core/event.ts";
import type { Click, Command, Inbox, Incoming, Platform, Reply, Slot } from "../../src/core/ports.ts";
import { type Button, type Part, say, type View } from "../../src/core/view.ts";

export interface Script extends Inbox {
  messages: Incoming[];
  clicks: Click[];
  commands: Command[];
  /** Makes the next messages fail as if their journal could not be written. */
  broken: boolean;
}

interface Scene {
  platform: Platform;
  thread: string;
  text: string;
  pause: () => Promise<void>;
}

const ANSWER = `The release is ready. Here is what I checked:

| Check | Result | Seconds |
| --- | --- | ---: |
| Unit tests | 412 passed | 38 |
| Migration, dry run | no changes lost | 12 |

1. The changelog lists **three** breaking changes; each has a note on how to move over.
2. \`npm publish --dry-run\` packs 41 files.

\`\`\`sh
git tag v2.4.0 && git push --tags
\`\`\`

Tell me when the window opens, and I will ask again before I push. The runbook is at [the wiki](https://wiki.example/releases).`;

const button = (word: string, act: Button["act"], code: string, style?: Button["style"]): Button => ({
  word,
  act,
  code,
  ...(style ? { style } : {}),
});
const slot = (key: string, kind: Slot["kind"], view: View, final = false): Slot => ({
  key,
  kind,
  view,
  digest: JSON.stringify(view),
  final,
});

const TODOS: Todo[] = [
  { content: "Read the changelog since v2.3", status: "completed" },
  { content: "Run the tests and the migration dry", status: "in_progress" },
  { content: "Tag and publish once Ann agrees", status: "pending" },
];
const STEPS: Extract<Part, { kind: "steps" }>["steps"] = [
  { label: "read_file CHANGELOG.md", state: "done" },
  { label: "grep BREAKING", state: "done" },
  { label: "ci/run_tests suite=all", state: "running" },
];

const progress = (open: boolean): View => ({
  title: open ? "Working" : "Work done",
  parts: [
    { kind: "todos", todos: open ? TODOS : TODOS.map((todo) => ({ ...todo, status: "completed" })) },
    { kind: "steps", steps: open ? STEPS : STEPS.map((step) => ({ ...step, state: "done" })) },
  ],
  buttons: open ? [button("Stop", "stop", "s1")] : [],
});

export const approval: View = {
  title: "May I run ci/publish?",
  parts: [
    { kind: "code", text: "version: 2.4.0\nchannel: latest\nnotes: Three breaking changes, see the changelog" },
    { kind: "note", text: "It reaches a server outside. Ann or anybody who may approve decides. Expires 2026-12-01 19:30 UTC." },
  ],
  buttons: [
    button("Approve", "approve", "c1", "primary"),
    button("Edit", "edit", "c1"),
    button("Deny", "deny", "c1", "danger"),
    button("Allow in this thread", "thread", "c1"),
    button("Always allow", "always", "c1"),
  ],
};
const decided = (words: string): View => ({
  ...approval,
  title: "Approved: ci/publish",
  parts: [...approval.parts.slice(0, 1), { kind: "text", text: words }],
  buttons: [],
});

const question: View = {
  title: "A question",
  parts: [
    { kind: "quoted", text: "Which **channel** does the release go to?" },
    { kind: "note", text: "Choose, or reply in your own words." },
  ],
  buttons: [button("latest", "answer", "q1.0"), button("next", "answer", "q1.1")],
};

async function write({ platform, thread, pause }: Scene, text: string, parts = 12): Promise<void> {
  const place = at(thread);
  for (let i = 1; i <= parts; i++) {
    platform.live(`console:console:${thread}`, place, { phase: "thinking", draft: text.slice(0, Math.ceil((text.length * i) / parts)) });
    await pause();
  }
  await platform.post(
    place,
    slot("answer/1/0", "answer", { parts: [{ kind: "quoted", text }], buttons: [] }, true),
    `${thread} answer`,
    false,
  );
  platform.live(`console:console:${thread}`, place, { phase: "idle", draft: "" });
}

const at = (thread: string) => ({ platform: "console", team: "console", channel: "console", thread });

async function plan(scene: Scene): Promise<void> {
  const { platform, thread } = scene;
  await platform.post(at(thread), slot("progress/1", "progress", progress(true)), `${thread} progress`, false);
  platform.live(`console:console:${thread}`, at(thread), { phase: "working", draft: "" });
  await scene.pause();
}
async function card(scene: Scene, view: View, key: string): Promise<void> {
  await scene.platform.post(at(scene.thread), slot(key, "card", view), `${scene.thread} ${key}`, false);
  scene.platform.live(`console:console:${scene.thread}`, at(scene.thread), { phase: "waiting", draft: "" });
}

/** Words in a message, and what they set off. */
const PLAYS: [RegExp, (scene: Scene) => Promise<unknown>][] = [
  [/publish/, async (scene) => plan(scene).then(() => card(scene, approval, "card/1"))],
  [/question/, (scene) => card(scene, question, "card/q")],
  [/work/, plan],
  [/say (.*)/s, (scene) => write(scene, scene.text.replace(/^.*?say /s, ""))],
  [/./, (scene) => write(scene, ANSWER)],
];

/** `pause`: between two pieces of a streamed answer. */
export function consoleScript(platform: () => Platform, pause: () => Promise<void> = async () => undefined): Script {
  const script: Script = {
    messages: [],
    clicks: [],
    commands: [],
    broken: false,
    async message(incoming) {
      if (script.broken) throw new Error("disk full");
      script.messages.push(incoming);
      if (incoming.by.kind === "guest")
        return { taken: false, reason: "guest", reply: { to: "asker", view: say("You may not talk to the agent here, Cleo.") } };
      const thread = incoming.place.thread ?? incoming.id;
      const scene = { platform: platform(), thread, text: incoming.text, pause };
      const play = PLAYS.find(([words]) => words.test(incoming.text))?.[1];
      void play?.(scene);
      return { taken: true, reason: "answer", session: `console:console:${thread}` };
    },
    edited: async () => undefined,
    deleted: async () => undefined,
    async click(click) {
      script.clicks.push(click);
      return reply(click, platform());
    },
    async command(command) {
      script.commands.push(command);
      if (command.text === "stop") return { to: "all", view: say(`Stopped by ${command.by.name}.`) };
      return { to: "asker", view: { title: "Todos", parts: [{ kind: "todos", todos: TODOS }], buttons: [] } };
    },
    suggestions: async () => [],
    said: async () => [],
    notice: () => "offline model",
  };
  return script;
}

async function reply(click: Click, platform: Platform): Promise<Reply> {
  const { act, by, values } = click;
  const thread = click.place.thread ?? "";
  const edit = async (key: string, view: View, kind: Slot["kind"] = "card") => {
    const found = await platform.find(at(thread), `${thread} ${key}`);
    if (typeof found === "object") await platform.edit(at(thread), found.found, slot(key, kind, view, true));
  };
  if (by.name === "Ben" && act !== "answer") return { to: "asker", view: say("Ann decides this one: it needs an owner.") };
  if (act === "edit" && !values)
    return {
      to: "asker",
      act,
      code: click.code,
      form: {
        title: "Edit before it runs",
        submit: "Approve",
        intro: "ci/publish",
        fields: [
          { id: "version", label: "version", value: "2.4.0", multiline: false, optional: true },
          { id: "notes", label: "notes", value: "\nThree breaking changes", multiline: true, optional: true },
        ],
      },
    };
  if (act === "deny" && !values)
    return {
      to: "asker",
      act,
      code: click.code,
      form: {
        title: "Deny",
        submit: "Deny",
        fields: [{ id: "reason", label: "Reason (the agent is told)", value: "", multiline: true, optional: true }],
      },
    };
  if (act === "edit" && !/^\d+\.\d+\.\d+$/.test(values?.version ?? ""))
    return { to: "asker", view: say("“version” has to look like 1.2.3.") };
  if (act === "stop") {
    platform.live(`console:console:${thread}`, at(thread), { phase: "idle", draft: "" });
    await edit("progress", progress(false), "progress");
  } else if (act === "answer")
    await edit("card/q", {
      ...question,
      parts: [...question.parts.slice(0, 1), { kind: "text", text: `💬 ${by.name}: ${click.code === "q1.0" ? "latest" : "next"}` }],
      buttons: [],
    });
  else
    await edit(
      "card/1",
      decided(act === "deny" ? `⛔ Denied by ${by.name}: ${values?.reason ?? ""}` : `✅ Approved by ${by.name}, 2026-11-30 19:31 UTC`),
    );
  if (act === "approve") void write({ platform, thread, text: "", pause: async () => undefined }, ANSWER, 1);
  return { to: "nobody" };
}
