import fc from "fast-check";
import { expect, test } from "vitest";
import { argv, isSafeCommand } from "../../src/workspace/command.ts";

test.each<[string, string[] | undefined]>([
  ["ls", ["ls"]],
  ["  ls   -la  ", ["ls", "-la"]],
  ["git log --oneline -n 5", ["git", "log", "--oneline", "-n", "5"]],
  ["echo 'a b' \"c d\"", ["echo", "a b", "c d"]],
  ["echo a'b'\"c\"", ["echo", "abc"]],
  ["grep -e '$(rm -rf /)' a.txt", ["grep", "-e", "$(rm -rf /)", "a.txt"]],
  ["", undefined],
  ["'unclosed", undefined],
])("%j is one plain program", (command, words) => expect(argv(command)).toEqual(words));

const UNSAFE = [
  "ls; rm -rf /",
  "ls;rm x",
  "ls && rm x",
  "ls || rm x",
  "ls | sh",
  "ls & rm x",
  "ls > /home/files/x",
  "ls >> x",
  "ls < x",
  "ls $(rm x)",
  "ls `rm x`",
  "ls \u0024{IFS}x",
  "ls $HOME",
  'ls "$(rm x)"',
  'ls "`rm x`"',
  'ls "$HOME"',
  "ls\nrm x",
  "ls\rrm x",
  "ls\u0085rm x",
  "ls *",
  "ls ?",
  "ls [a]",
  "ls {a,b}",
  "ls ~",
  "ls ~root",
  "ls !!",
  "ls # comment",
  "ls \\; rm",
  "ls <(rm x)",
  "(ls)",
  "{ ls; }",
  "! ls",
  "PATH=/tmp ls",
  "LD_PRELOAD=/tmp/x ls",
  "env ls",
  "sudo ls",
  "/bin/ls",
  "./ls",
  "LS",
  "lsof",
  "ls-x",
  "'ls' ; rm",
  "l's; rm'",
  "\u200bls",
  "ls\u00a0; rm",
  "ls\0rm",
  "git push",
  "git",
  "gitstatus",
  "git -c core.pager=sh status",
  "git  push status",
];
test.each(UNSAFE)("%j is never safe because ls and git status are", (command) => {
  expect(isSafeCommand(["ls", "git status"], command)).toBe(false);
});

test.each(["ls", "ls -la /home/files", "git status", "git  status --short", "'ls'", "git 'status'"])(
  "%j is safe because ls and git status are",
  (command) => {
    expect(isSafeCommand(["ls", "git status"], command)).toBe(true);
  },
);

test("an entry that is no plain command makes nothing safe", () => {
  for (const entry of ["", "ls;", "*", "ls *", "$(x)"]) expect(isSafeCommand([entry], "ls")).toBe(false);
});

test("whatever text is added, a shell reads nothing into a safe command but one program's words", () => {
  const piece = fc.oneof(
    fc.constantFrom(";", "|", "&", "$", "`", "(", ")", "<", ">", "\n", "'", '"', "\\", "*", "~", " ", "#", "!"),
    fc.string({ maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const command = `ls ${pieces.join("")}`;
      const words = argv(command);
      if (!words) return;
      // Outside of quotes only plain characters are left.
      const bare = command.replace(/'[^']*'|"[^"]*"/g, "");
      expect(bare).toMatch(/^[A-Za-z0-9_@%+=:,./ \t-]*$/);
      for (const quoted of command.match(/'[^']*'|"[^"]*"/g) ?? [])
        if (quoted.startsWith('"')) expect(quoted.slice(1, -1)).not.toMatch(/[$`\\!"]/);
    }),
    { numRuns: 2_000 },
  );
});
