/** What is said to the bot with a slash in front is a command, whatever platform it is said on: its words without the slash. */
const COMMAND = /^\/[a-z][a-z-]*(?=\s|$)/i;

export const slashed = (text: string): string | undefined => (COMMAND.test(text) ? text.slice(1).trim() : undefined);
