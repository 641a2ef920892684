/** The files of a home: a tree, and one of them in an editor that checks and compares while people type. */
import type { Child } from "hono/jsx";
import type { FileDiff, HomeChange, HomeFile, OpenedFile, Page } from "../../../src/core/ports.ts";
import { Diff } from "../diff.tsx";
import { count, Nothing, Pages, query, RoomPage, type Standing, When } from "./room.tsx";
import { anchorOf } from "./session.tsx";
import { sessionPath } from "./sessions.tsx";

/** What is open: a file, a new one, or why it cannot be opened. */
export type Opened = OpenedFile | { error: string } | "new" | undefined;

interface FilesProps {
  at: Standing;
  tree: { files: HomeFile[]; truncated: boolean };
  path: string;
  opened: Opened;
  history: boolean;
  /** In the paths that are listed. */
  words: string;
  page: number;
}

/** Files on one page of the tree. */
const PER_PAGE = 200;

export function FilesPage({ at, tree, path, opened, history, words, page }: FilesProps): Child {
  const { home } = at;
  const found = tree.files.filter((file) => file.path.toLowerCase().includes(words.toLowerCase()));
  const way = (to: string, from = page) => `/files${query({ home, path: to, words, page: from })}`;
  const many = found.length > PER_PAGE || words !== "";
  return (
    <RoomPage
      at={at}
      title="Files"
      about="The home is the whole agent. It reads these files at every step: what you save holds from then on."
    >
      <div class={opened === undefined ? "split" : "split with-file"}>
        <nav class="tree" aria-label="Files">
          <p class="facts">
            <a class="button" href={`/files${query({ home, path: "?" })}`}>
              New file
            </a>
            {history && <a href={`/changes${query({ home })}`}>History</a>}
          </p>
          {(many || tree.truncated) && (
            <form method="get" action="/files" class="filter">
              <input type="hidden" name="home" value={home} />
              <label class="unseen" for="words">
                Words in the path
              </label>
              <input id="words" type="search" name="words" value={words} placeholder="Words in the path" maxlength={100} />
              <button type="submit">Filter</button>
            </form>
          )}
          {found.length === 0 && <Nothing>No file has this in its path.</Nothing>}
          <Tree way={way} files={found.slice(page * PER_PAGE, (page + 1) * PER_PAGE)} path={path} />
          <Pages page={page} more={found.length > (page + 1) * PER_PAGE} way={(to) => way(path, to)} words={["Back", "More"]} />
          {tree.truncated && <p class="note">There are more files than are listed here.</p>}
        </nav>
        <div class="paper">
          <a class="to-tree" href={way("")}>
            All files
          </a>
          <Paper home={home} path={path} opened={opened} />
        </div>
      </div>
    </RoomPage>
  );
}

/** Folders as headings of what lies in them; the home's own files first. */
function Tree({ way, files, path }: { way: (path: string) => string; files: readonly HomeFile[]; path: string }): Child {
  const folders = new Map<string, HomeFile[]>();
  for (const file of files) {
    const folder = file.path.slice(0, Math.max(0, file.path.lastIndexOf("/")));
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return (
    <>
      {[...folders].map(([folder, own]) => (
        <>
          {folder && <h2 dir="auto">{folder}</h2>}
          <ul>
            {own.map((file) => (
              <li>
                <a href={way(file.path)} {...(file.path === path ? { "aria-current": "page" } : {})}>
                  <span dir="auto">{file.path.slice(folder ? folder.length + 1 : 0)}</span> <small>{sizeOf(file.size)}</small>
                </a>
              </li>
            ))}
          </ul>
        </>
      ))}
    </>
  );
}

const sizeOf = (bytes: number): string => (bytes < 1_000 ? `${bytes} B` : `${count(Math.round(bytes / 1_000))} KB`);

function Paper({ home, path, opened }: { home: string; path: string; opened: Opened }): Child {
  if (opened === undefined) return <Nothing>Choose a file. AGENTS.md is the agent’s character, policy.json says who may do what.</Nothing>;
  if (opened !== "new" && "error" in opened) return <Nothing>{opened.error}</Nothing>;
  if (opened !== "new" && opened.text === undefined)
    return <Nothing>{`${opened.path} is no text, or too large to be edited here (${sizeOf(opened.size)}).`}</Nothing>;
  const fresh = opened === "new";
  return (
    <form id="edit" data-home={home} data-path={fresh ? "" : path} data-version={fresh ? "" : opened.version}>
      {fresh ? (
        <div>
          <label for="path">Path of the new file</label>
          <input id="path" name="path" required placeholder="files/notes.md" autocomplete="off" spellcheck={false} />
        </div>
      ) : (
        <label class="path" for="body" dir="auto">
          {path}
        </label>
      )}
      <textarea id="body" name="body" rows={20} spellcheck={false} {...(fresh ? { "aria-label": "Text" } : {})}>
        {`\n${fresh ? "" : (opened.text ?? "")}`}
      </textarea>
      <p class="check" id="check" role="status" />
      <div class="buttons">
        <button type="submit" class="primary" disabled>
          Save
        </button>
        <button type="button" data-revert disabled>
          Take back
        </button>
        {!fresh && (
          <button type="button" class="danger" data-remove>
            Delete
          </button>
        )}
      </div>
      <section class="changes" aria-label="What would change" hidden>
        <h2>What would change</h2>
        <div id="diff" />
      </section>
    </form>
  );
}

// ---- history --------------------------------------------------------------------------------------------------------

export function ChangesPage({ at, changes, page }: { at: Standing; changes: Page<HomeChange>; page: number }): Child {
  const { home } = at;
  return (
    <RoomPage at={at} title="History" about="Every change of this home: who, when, why. Each can be looked at and undone.">
      <p class="facts">
        <a href={`/files${query({ home })}`}>Files</a>
      </p>
      {changes.items.length === 0 && <Nothing>Nothing has been changed yet.</Nothing>}
      <ol class="rows">
        {changes.items.map((change) => (
          <li class="row">
            <a class="row-title" dir="auto" href={`/change${query({ home, id: change.id })}`}>
              {change.cause}
            </a>
            <Whence home={home} change={change} />
          </li>
        ))}
      </ol>
      <Pages page={page} more={changes.more} way={(to) => `/changes${query({ home, page: to })}`} />
    </RoomPage>
  );
}

/** Who, when, what, and the way to the conversation it came from. */
function Whence({ home, change }: { home: string; change: HomeChange }): Child {
  const { by, at, paths, session, call, link } = change;
  return (
    <span class="facts">
      <span dir="auto">{by}</span>
      <When at={at} />
      <span dir="auto">
        {paths.slice(0, 4).join(", ")}
        {paths.length > 4 ? ` and ${paths.length - 4} more` : ""}
      </span>
      {session && <a href={`${sessionPath(home, session, { call })}${call ? `#${anchorOf(call)}` : ""}`}>the step it came from</a>}
      {link && (
        <a href={link} target="_blank" rel="noopener noreferrer">
          its message
        </a>
      )}
    </span>
  );
}

interface ChangeProps {
  at: Standing;
  id: string;
  change: HomeChange | undefined;
  diff: FileDiff[] | undefined;
}

export function ChangePage({ at, id, change, diff }: ChangeProps): Child {
  const { home } = at;
  return (
    <RoomPage at={{ ...at, homes: [home] }} title={change?.cause ?? "A change"}>
      <p class="facts">
        <a href={`/changes${query({ home })}`}>History</a>
        <code>{id.slice(0, 10)}</code>
        {change && <Whence home={home} change={change} />}
      </p>
      {diff === undefined ? (
        <Nothing>This change is not kept any more.</Nothing>
      ) : (
        <>
          {diff.length === 0 && <Nothing>What it changed is not kept any more.</Nothing>}
          {diff.map((file) => (
            <section class="file-diff">
              <h2 dir="auto">
                {file.path} <span class="note">{file.how}</span>
              </h2>
              <Diff text={file.diff} />
            </section>
          ))}
          <div class="buttons">
            <button type="button" data-do="undo" data-id={id} data-sure="Undo this change? What came after it stays.">
              Undo
            </button>
          </div>
        </>
      )}
    </RoomPage>
  );
}
