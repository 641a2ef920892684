/**
 * The commands as Discord lists them, and what an option means as a word.
 *
 * C1. Registered only when they differ from what Discord has: it counts registrations.
 */
import {
  type APIApplicationCommand,
  type APIAutocompleteApplicationCommandInteractionData,
  type APIChatInputApplicationCommandInteractionData,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  type REST,
  Routes,
} from "discord.js";
import { behindOf, WORDS } from "../../src/core/words.ts";
import type { Outcome } from "../shared/failure.ts";
import type { Door } from "./door.ts";
import { attempt } from "./outcome.ts";

export const ASK = "Ask Denizen";

const everywhere = {
  contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
  integration_types: [ApplicationIntegrationType.GuildInstall],
};
const slash = (name: string, description: string, options: object[] = []) => ({
  type: ApplicationCommandType.ChatInput,
  name,
  description,
  ...everywhere,
  ...(options.length ? { options } : {}),
});
const text = (name: string, description: string, more: object) => ({
  type: ApplicationCommandOptionType.String,
  name,
  description,
  ...more,
});
const onMessage = (name: string) => ({ type: ApplicationCommandType.Message, name, ...everywhere });

export const COMMANDS: readonly { type: number; name: string }[] = [
  slash("todos", "The plan of this thread, or the open plans of this channel"),
  slash("memory", "What I remember and may show here", [text("words", WORDS.memory.behind.join(", "), { autocomplete: true })]),
  slash("denizen", "Ask how I am, stop me, see what waits", [
    text("word", "What you want to know or do", { required: true, autocomplete: true }),
    text("rest", "What it is about", { autocomplete: true }),
  ]),
  onMessage(ASK),
  onMessage("Stop"),
];

export async function register(rest: REST, door: Door, application: string): Promise<Outcome<unknown>> {
  const there = await attempt(rest.get(Routes.applicationCommands(application)) as Promise<APIApplicationCommand[]>);
  if (there.ok && isSame(there.value)) return there;
  return door.setCommands(application, COMMANDS);
}

const isSame = (there: readonly APIApplicationCommand[]): boolean =>
  there.length === COMMANDS.length &&
  COMMANDS.every((wanted) => {
    const found = there.find(({ type, name }) => type === wanted.type && name === wanted.name);
    return found !== undefined && covers(found, wanted);
  });

/** Whether everything that is wanted stands there; Discord adds fields of its own. */
function covers(there: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(there) && there.length === wanted.length && wanted.every((one, at) => covers(there[at], one));
  if (typeof wanted !== "object" || wanted === null) return there === wanted;
  return typeof there === "object" && there !== null && Object.entries(wanted).every(([key, one]) => covers(Reflect.get(there, key), one));
}

/** A command and its options as the word it stands for. */
export function wordOf({ name, options = [] }: APIChatInputApplicationCommandInteractionData): string {
  const values = options.map((option) => ("value" in option ? String(option.value).trim() : "")).filter(Boolean);
  return (name === "denizen" ? (values.length ? values : ["help"]) : [name, ...values]).join(" ");
}

type Data = APIAutocompleteApplicationCommandInteractionData;

export function choicesFor({ options = [] }: Pick<Data, "options">): { name: string; value: string }[] {
  const given = (name: string) => options.find((option) => option.name === name);
  const asked = options.find((option) => "focused" in option && option.focused);
  const typed = typedIn(asked).trimStart().slice(0, 99);
  const word = typed.toLowerCase();
  const behind = typedIn(given("word")).trim().toLowerCase();
  const all = asked?.name === "word" ? Object.keys(WORDS) : asked?.name === "words" ? behindOf("memory") : behindOf(behind);
  const fitting = all.filter((one) => one.startsWith(word) || word.startsWith(one)).map((one) => (word.startsWith(one) ? typed : one));
  return [...new Set(fitting)].map((value) => ({ name: value.endsWith(" ") ? `${value}…` : value, value }));
}
const typedIn = (option: NonNullable<Data["options"]>[number] | undefined): string =>
  option && "value" in option ? String(option.value) : "";
