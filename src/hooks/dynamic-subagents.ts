/**
 * Before each step: the helpers of the home, and for a helper's own session what it is told and may do.
 *
 * H1. Files in `subagents/` are read anew at every step; one that is broken costs only itself and is told to people once.
 * H2. A helper's prompt takes the place of the home's character. Base rules, knowledge, notes of tools and memory stay.
 * H3. A helper is offered what its file names of what the session would be offered anyway; nothing is ever added. One whose file is gone
 *     or broken by now is offered nothing more: what it might have is not known.
 * H4. Helpers have helpers down to a fixed depth, and a turn calls no more than a fixed number of them.
 * H5. What is told of them is bounded, however many there are; one that is not told can be called all the same.
 */
import { depthOf } from "../core/id.ts";
import type { Gate, Hook, Moment, Offer, Tool } from "../core/ports.ts";
import { FIND_TOOLS } from "../tools/find-tools.ts";
import { type Choice, task } from "../tools/task.ts";
import { matchesLabel } from "../workspace/glob.ts";
import type { OpenHomes } from "../workspace/homes.ts";
import { readSubagents, type Subagent } from "../workspace/subagents.ts";

const DEEPEST = 2;
const ALWAYS = ["write_todos", FIND_TOOLS];
const A_TURN = 20;
const GENERAL = "general-purpose";
/** More would crowd the prompt. */
const TOLD = 50;
const LINE = 500;
const LOST =
  "Your file in the home cannot be used any more, so your tools are gone. Report what you have found so far, and what is left open.";
const GENERAL_TEXT =
  "Any self-contained piece of work: looking things up, reading much to report little, steps that would crowd this conversation.";

/** What a helper may use of what its session would be offered; undefined: all of it. */
export async function helperMay(homes: Pick<OpenHomes, "home">, { home, state }: Moment): Promise<((tool: Tool) => boolean) | undefined> {
  const agent = state.opened?.parent?.agent;
  if (agent === undefined) return undefined;
  const { found } = await readSubagents(homes.home(home));
  return helperOffer(
    agent,
    found.find(({ name }) => name === agent),
  ).keeps;
}

export function dynamicSubagents({ homes }: { homes: Pick<OpenHomes, "home"> }): Hook {
  return {
    name: "dynamic-subagents",
    async preReasoning(moment): Promise<Offer> {
      const { found, warnings } = await readSubagents(homes.home(moment.home));
      const parent = moment.state.opened?.parent;
      const own = parent ? found.find(({ name }) => name === parent.agent) : undefined;
      const offer: Offer = parent ? helperOffer(parent.agent, own) : {};
      const tool = task(choicesOf(found));
      const lost = parent !== undefined && !own && parent.agent !== GENERAL;
      const calls = !lost && depthOf(moment.session) < DEEPEST && (own?.tools === undefined || isAmong(own.tools, tool));
      return {
        ...offer,
        system: [...(offer.system ?? []), ...(calls ? [{ rank: "helpers" as const, text: described(found) }] : [])],
        tools: calls ? [tool] : [],
        warnings,
      };
    },
    async preActing(moment, tool): Promise<Gate | undefined> {
      if (!tool.helper || callsOf(moment) <= A_TURN) return undefined;
      return { verdict: "deny", reason: `A turn calls at most ${A_TURN} helpers. Go on with what they have reported.` };
    },
  };
}

function choicesOf(found: readonly Subagent[]): Choice[] {
  const own = found.map((helper) => ({ name: helper.name, description: helper.description, print: JSON.stringify(helper) }));
  return own.some(({ name }) => name === GENERAL) ? own : [{ name: GENERAL, description: GENERAL_TEXT, print: "" }, ...own];
}

function described(found: readonly Subagent[]): string {
  const choices = choicesOf(found);
  return [
    "# Helpers",
    "With `task` you hand a self-contained piece of work to a helper. It works alone, and only its report comes back. Use one where the work is separate, long, or fits a helper below better than you; not for what one or two calls do.",
    "",
    ...choices.slice(0, TOLD).map(({ name, description }) => `- ${name}: ${clipped(description)}`),
    ...(choices.length > TOLD ? [`- and ${choices.length - TOLD} more, one file each in /home/subagents`] : []),
  ].join("\n");
}
const clipped = (text: string): string => (text.length > LINE ? `${text.slice(0, LINE)}…` : text);

function helperOffer(agent: string, own: Subagent | undefined): Offer {
  const brief = [
    `# You are the helper ${agent}`,
    "The agent of this home has given you the task in the first message. Do it alone, to its end. You see nothing of the agent's conversation, and it sees nothing of your work but your last answer: make that a report that stands for itself, with findings, paths and what is left open. Ask people only where you cannot go on without them.",
  ].join("\n\n");
  if (!own && agent === GENERAL) return { system: [{ rank: "character", text: brief }] };
  if (!own) return { system: [{ rank: "character", text: `${brief}\n\n${LOST}` }], keeps: ({ name }) => name === "write_todos" };
  const { tools, model, steps } = own;
  return {
    system: [{ rank: "character", text: `${own.prompt}\n\n${brief}`, alone: true }],
    // Its plan touches nothing, and a turn without any tool would be no turn. What can be found is narrowed where it is looked for.
    ...(tools ? { keeps: (tool: Tool) => ALWAYS.includes(tool.name) || isAmong(tools, tool) } : {}),
    ...(model ? { model } : {}),
    ...(steps ? { steps } : {}),
  };
}

/** By the name towards the model, the label, or a server's tool by its bare name; each may be a pattern. */
function isAmong(patterns: readonly string[], { name, label }: Tool): boolean {
  const bare = label.slice(label.indexOf("/") + 1);
  return patterns.some((pattern) => [name, label, bare].some((it) => matchesLabel(pattern, it)));
}

function callsOf({ state }: Moment): number {
  return Object.values(state.calls.byId).filter((call) => call.turn === state.talk.turn && (call.gate?.helper || call.tool === "task"))
    .length;
}
