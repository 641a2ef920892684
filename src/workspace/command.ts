/**
 * Which commands people have called safe. A command is taken apart as a shell would, and only if it is one plain program with plain words:
 * whatever a shell could read as more than that makes it unsafe. Never by the beginning of its text. Pure.
 */

/** A program and its words, or undefined where a shell could do anything else with the text. */
export function argv(command: string): string[] | undefined {
  const words: string[] = [];
  let rest = command.replace(/^[ \t]+|[ \t]+$/g, "");
  if (!rest) return undefined;
  while (rest) {
    const word = WORD.exec(rest);
    if (!word) return undefined;
    words.push(word[0].replace(PIECE, (piece) => (/^['"]/.test(piece) ? piece.slice(1, -1) : piece)));
    rest = rest.slice(word[0].length);
    const gap = /^[ \t]+/.exec(rest);
    if (rest && !gap) return undefined;
    rest = rest.slice(gap?.[0].length ?? 0);
  }
  // A word in front that sets a variable changes what the program is or does.
  return words[0]?.includes("=") ? undefined : words;
}

/** Plain characters, a text in single quotes, or one in double quotes in which nothing is put in. */
const PIECE = /[A-Za-z0-9_@%+=:,./-]+|'[^'\n\r]*'|"[^"$`\\!\n\r]*"/g;
const WORD = new RegExp(`^(?:${PIECE.source})+`);

/** Whether a list of safe commands names the program with the first of its words, e.g. `git status`. */
export function isSafeCommand(safe: readonly string[], command: string): boolean {
  const words = argv(command);
  if (!words) return false;
  return safe.some((entry) => {
    const wanted = argv(entry);
    return wanted?.every((word, index) => words[index] === word) ?? false;
  });
}
