/**
 * A script as it is run in the simulated shell, so that it behaves as on a terminal. Pure.
 *
 * T1. Errors come in between the output: the shell keeps the two apart until its end otherwise. Only those are moved that would be seen: not
 *     those of a pipeline's earlier parts, of what is captured, or that the script leads elsewhere.
 * T2. What happens inside a function, `eval` or another shell comes together as one: its output, then its errors.
 * T3. A file that cannot be written fails its own command: the shell would give up the whole script, with all it had printed.
 * T4. What a command says of the one before it (`$?`) stays true: one that does is left as it is.
 */
import { Bash } from "just-bash";

/** As the shell's own parser has it. */
const parsed = (command) => new Bash().transform(command).ast.statements[0].pipelines[0].commands[0];
/** In front of the other redirections, so that where the output goes by them the errors do not go. */
const [JOIN] = parsed(": 2>&1").redirections;
/** A subshell survives what its files throw. */
const GUARD = parsed("{ ( : >> file ) && :; }");
const WRITES = new Set([">", ">>", ">|", "&>", "&>>"]);

/** Whoever steers the streams of the whole shell, or what may be written over, keeps them as they are. */
const STEERS = /\bexec\b|\bnoclobber\b|\bset -\w*C/;

export const asOnTerminal = (script, text) => (STEERS.test(text) ? script : { ...script, statements: all(script.statements, true) });

/** `seen`: errors of these would be seen. */
const all = (statements, seen) => statements.map((it) => ({ ...it, pipelines: it.pipelines.map((pipeline) => piped(pipeline, seen)) }));
const piped = (pipeline, seen) => ({
  ...pipeline,
  commands: pipeline.commands.map((command, at, { length }) => rebuilt(command, seen && at === length - 1)),
});

function rebuilt(command, seen) {
  const { type, name, redirections = [], body } = command;
  if (type === "FunctionDef") return { ...command, body: inside(body, false) };
  const own = inside(command, seen && redirections.length === 0);
  const joins = seen && (type === "SimpleCommand" ? name : redirections.length);
  return guarded(joins ? { ...own, redirections: [JOIN, ...redirections] } : own, seen);
}

/** The commands in a compound one. */
function inside(command, seen) {
  const { body, clauses, elseBody, condition, items } = command;
  const within = (statements) => all(statements, seen);
  return {
    ...command,
    ...(Array.isArray(body) ? { body: within(body) } : {}),
    ...(clauses ? { clauses: clauses.map((each) => ({ ...each, condition: within(each.condition), body: within(each.body) })) } : {}),
    ...(elseBody ? { elseBody: within(elseBody) } : {}),
    ...(Array.isArray(condition) ? { condition: within(condition) } : {}),
    ...(items ? { items: items.map((each) => ({ ...each, body: within(each.body) })) } : {}),
  };
}

/** How what ran before ended: trying a file would be what ran before. */
const LOOKS_BACK = /"parameter":"(?:\?|PIPESTATUS\b)/;

/** The command behind a try of each file that it writes to. */
function guarded(command, seen) {
  if (LOOKS_BACK.test(JSON.stringify(command))) return command;
  const files = (command.redirections ?? []).filter(({ operator, target }) => WRITES.has(operator) && isPlain(target));
  return files.reduceRight((then, { target }) => {
    const [statement] = GUARD.body;
    const [first, second] = statement.pipelines;
    const [subshell] = first.commands;
    const [inner] = subshell.body;
    const [empty] = inner.pipelines[0].commands;
    const attempt = { ...empty, redirections: [{ ...empty.redirections[0], target }] };
    const tried = {
      ...subshell,
      body: [{ ...inner, pipelines: [{ ...inner.pipelines[0], commands: [attempt] }] }],
      redirections: seen ? [JOIN] : [],
    };
    const pipelines = [
      { ...first, commands: [tried] },
      { ...second, commands: [then] },
    ];
    return { ...GUARD, body: [{ ...statement, pipelines }] };
  }, command);
}

/** A name that can be looked at twice, and is no device. */
function isPlain(target) {
  const text = JSON.stringify(target);
  return target?.type === "Word" && !/Substitution|Arithmetic|"value":"\/dev\//.test(text);
}
