/** The files of a home: a tree, and one of them in an editor that checks and compares while people type. */
import type { Child } from "hono/jsx";
import type { FileDiff, HomeChange, HomeFile, OpenedFile, Page } from "../../../src/core/ports.ts";
import { Diff } from "./diff.tsx";
import { count, Nothing, Pages, query, RoomPage, type Standing, When } from "./room.tsx";

/** What is open: a file, a new one, or why it cannot be opened. */
export type Opened = OpenedFile | { error: string } | "new" | undefined;

interface FilesProps {
  at: Standing;
  tree: { files: HomeFile[]; truncated: boolean };
  path: string;
  opened: Opened;
  history: boolean;
}

export function FilesPage({ at, tree, path, opened, history }: FilesProps): Child {
  const { home } = at;
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
          <Tree home={home} files={tree.files} path={path} />
          {tree.truncated && <p class="note">There are more files than are listed here.</p>}
        </nav>
        <div class="paper">
          <a class="to-tree" href={`/files${query({ home })}`}>
            All files
          </a>
          <Paper home={home} path={path} opened={opened} />
        </div>
      </div>
    </RoomPage>
  );
}

/** Folders as headings of what lies in them; the home's own files first. */
function Tree({ home, files, path }: { home: string; files: readonly HomeFile[]; path: string }): Child {
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
                <a href={`/files${query({ home, path: file.path })}`} {...(file.path === path ? { "aria-current": "page" } : {})}>
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
          <li>
            <a class="row" href={`/change${query({ home, id: change.id })}`}>
              <span class="row-title" dir="auto">
                {change.cause}
              </span>
              <span class="facts">
                <span dir="auto">{change.by}</span>
                <When at={change.at} />
                <span dir="auto">
                  {change.paths.slice(0, 4).join(", ")}
                  {change.paths.length > 4 ? ` and ${change.paths.length - 4} more` : ""}
                </span>
              </span>
            </a>
          </li>
        ))}
      </ol>
      <Pages page={page} more={changes.more} way={(to) => `/changes${query({ home, page: to })}`} />
    </RoomPage>
  );
}

export function ChangePage({ at, id, diff }: { at: Standing; id: string; diff: FileDiff[] | undefined }): Child {
  const { home } = at;
  return (
    <RoomPage at={{ ...at, homes: [home] }} title="A change">
      <p class="facts">
        <a href={`/changes${query({ home })}`}>History</a>
        <code>{id.slice(0, 10)}</code>
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
