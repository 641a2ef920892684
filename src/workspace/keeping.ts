/** What the rest of the house asks of the histories of all homes: whose change a call is, what a turn changed, and lists for the operator. */
import type { Cause, Changes, Commit, Files, HomeChange, Journal, OperatorHistory, ToolContext } from "../core/ports.ts";
import { isPrivate } from "../core/scope.ts";
import { CONTROL } from "./control.ts";
import { touches } from "./glob.ts";
import type { OpenHomes } from "./homes.ts";
import { type Link, originLink } from "./origin.ts";
import { recorded } from "./recorded.ts";

/** A turn is looked for among so many of the newest changes. */
const LOOKED = 300;
/** Times of commits are in whole seconds. */
const SECOND = 1_000;

/** The tree a call works on, so that what it changes is kept with its cause and has room. */
export const keeping =
  (homes: Pick<OpenHomes, "history" | "room">) =>
  (files: Files, context: ToolContext): Files =>
    recorded(files, { history: homes.history(context.home), room: homes.room(context.home), cause: () => causeOf(context) });

/** Why a file changes when this call does it. */
export function causeOf({ session, call, scope, by, state }: ToolContext, at = Date.now()): Cause {
  const found = state.calls.byId[call];
  const approved = found?.decided?.how === "approved" ? found.decided.by.map(({ name }) => name) : [];
  const how = approved.length ? `, approved by ${approved.join(" and ")}` : "";
  const text = `${found?.gate?.label ?? found?.tool ?? "A tool"} for ${by.name}${how}`;
  return { kind: "agent", text, by: { id: by.id, name: by.name }, at, session, call, scope, ...(approved.length ? { approved } : {}) };
}

export function changesOf(homes: Pick<OpenHomes, "history" | "home">): Changes {
  return {
    async of(home, session, turn, since) {
      const { commits } = await homes.history(home).commits({ limit: LOOKED });
      const undone = new Set(commits.flatMap(({ undoes = [] }) => undoes));
      const own = commits.filter((commit) => commit.at >= since - SECOND && isOf(commit, session, turn) && !undone.has(commit.id));
      const { policy } = await homes.home(home).policy();
      const paths = own.flatMap(({ files }) => files.map(({ path }) => path));
      const guarded = paths.some(
        (path) => CONTROL.has(path.split("/", 1)[0] ?? "") || policy.protected.some((glob) => touches(glob, path, false)),
      );
      return { ids: own.map(({ id }) => id), level: guarded ? "admin" : "approve" };
    },
    undo: (home, ids, by) => homes.history(home).undo(ids, by),
  };
}

const isOf = ({ kind, session, call }: Commit, root: string, turn: number): boolean =>
  kind === "agent" && ((session === root && call?.startsWith(`${turn}.`)) || session?.startsWith(`${root}/${turn}.`) === true);

const PAGE = 25;
const WHO: Record<Cause["kind"], string> = {
  agent: "the agent",
  person: "somebody",
  job: "a job of the agent",
  undo: "somebody",
  outside: "somebody on the disk",
  begun: "the beginning",
};

/** `link`: to a message of a platform. */
export function operatorHistory(
  homes: Pick<OpenHomes, "history">,
  journal: (home: string) => Promise<Journal>,
  link: Link,
): OperatorHistory {
  const told = async (home: string, { id, at, by, kind, text, files, session, call }: Commit): Promise<HomeChange> => {
    // A journal that is closed takes only its own links down.
    const found = session && (await originLink({ session, ...(call ? { call } : {}) }, await journal(home), link).catch(() => undefined));
    return {
      id,
      at,
      by: by ? `${by.name} (${by.id})` : WHO[kind],
      cause: text,
      paths: files.map(({ path }) => path),
      ...(session ? { session } : {}),
      ...(call ? { call } : {}),
      ...(found ? { link: found } : {}),
    };
  };
  return {
    async changes(home, page) {
      const { commits, more } = await homes.history(home).commits({ skip: page * PAGE, limit: PAGE });
      return { items: await Promise.all(commits.map((commit) => told(home, commit))), more };
    },
    async change(home, id) {
      const commit = await homes.history(home).commit(id);
      return commit && told(home, commit);
    },
    diff: (home, id) => homes.history(home).diff(id),
    undo: async (home, id, by) => {
      const done = await homes.history(home).undo([id], { id: by.id, name: by.name });
      return done.ok ? { ok: true } : done;
    },
  };
}

/** One line each for people; a link only where whoever reads may see the place. */
export function changeLines(
  commits: readonly Commit[],
  visible: readonly string[],
  linkTo: (commit: Commit) => Promise<string | undefined>,
): Promise<string[]> {
  const told = commits.map(async (commit) => {
    const { at, text, files, scope, kind, by } = commit;
    const hidden = scope !== undefined && isPrivate(scope) && !visible.includes(scope);
    const link = hidden ? undefined : await linkTo(commit);
    const names = files.map(({ path, how }) => `${path}${how === "changed" ? "" : ` (${how})`}`);
    const what = names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
    const who = hidden ? "in a private place" : kind === "undo" && by ? `${text} (${by.name})` : text;
    return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC, ${what}: ${link ? `[${who}](${link})` : who}`;
  });
  return Promise.all(told);
}
