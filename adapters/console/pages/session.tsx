/** One session, step by step: what was said, thought, asked, decided, used and sent. */
import type { Child } from "hono/jsx";
import type { Block } from "../../../src/core/event.ts";
import type { LogLine, SentStep, SessionLog, SessionRow } from "../../../src/core/ports.ts";
import { isPrivate } from "../../../src/core/scope.ts";
import { reveal } from "../../shared/escape.ts";
import { Code } from "../markdown.tsx";
import { Closed, count, duration, query, RoomPage, ScopeTag, type Standing, scopeWords, When } from "./room.tsx";
import { sessionPath } from "./sessions.tsx";

const titleOf = (row: SessionRow, open: boolean): string =>
  isPrivate(row.scope) && !open ? "A private conversation" : row.title || "Untitled";

/** Texts longer than this are folded. */
const FOLDED = 700;

/** `open`: it is private, and the operator asked for it. */
export function SessionPage({ at, log, open }: { at: Standing; log: SessionLog; open: boolean }): Child {
  const { row, helpers, page, pages, used } = log;
  const { home } = at;
  const shown = open || !isPrivate(row.scope);
  const flag = open ? 1 : 0;
  return (
    <RoomPage at={{ ...at, homes: [home] }} title={titleOf(row, open)}>
      <p class="facts">
        <a href={`/sessions${query({ home })}`}>All sessions</a>
        <code>{row.session}</code>
        <ScopeTag scope={row.scope} />
        <span>
          {count(used.input)} tokens in, {count(used.output)} out
        </span>
        {!row.settled && <span class="state working">under way</span>}
      </p>
      {!shown && (
        <Closed href={sessionPath(home, row.session, { open: 1 })} what={`This is a conversation in the ${scopeWords(row.scope)}.`} />
      )}
      {shown && (
        <>
          {helpers.length > 0 && (
            <p class="facts">
              Helpers:
              {helpers.map((helper) => (
                <a href={sessionPath(home, helper, { open: flag })}>{helper.slice(row.session.length + 1)}</a>
              ))}
            </p>
          )}
          <PagesOf page={page} pages={pages} way={(to) => sessionPath(home, row.session, { page: to + 1, open: flag })} />
          <ol class="log">
            {log.lines.map((line) => (
              <li class={`line ${line.kind}`}>
                <When at={line.at} seconds />
                <div>
                  <Line line={line} step={(turn, step) => `/step${query({ home, id: row.session, turn, step, open: flag })}`} />
                </div>
              </li>
            ))}
          </ol>
          <PagesOf page={page} pages={pages} way={(to) => sessionPath(home, row.session, { page: to + 1, open: flag })} />
        </>
      )}
    </RoomPage>
  );
}

function PagesOf({ page, pages, way }: { page: number; pages: number; way: (page: number) => string }): Child {
  if (pages < 2) return "";
  return (
    <nav class="pages" aria-label="Pages">
      {page > 0 ? <a href={way(page - 1)}>Earlier</a> : <span />}
      <span>
        Page {page + 1} of {pages}
      </span>
      {page < pages - 1 ? <a href={way(page + 1)}>Later</a> : <span />}
    </nav>
  );
}

type Way = (turn: number, step: number) => string;

function Line({ line, step }: { line: LogLine; step: Way }): Child {
  switch (line.kind) {
    case "said":
      return (
        <>
          <b>{line.by.name}</b> <span class="note">{line.heard ? "was overheard" : "said"}</span>
          <Long text={line.text} />
        </>
      );
    case "edited":
      return <Noted label="A message was corrected" text={line.text} />;
    case "note":
      return <span class="note">{line.text}</span>;
    case "step":
      return (
        <h2>
          Turn {line.turn}, step {line.step} <a href={step(line.turn, line.step)}>What the model was sent</a>
        </h2>
      );
    case "answered":
      return <Answered line={line} />;
    case "failed":
      return <span class="bad">{line.text}</span>;
    case "ended":
      return <Noted label={`Turn ${line.turn} ended: ${line.how}`} text={line.how === "answered" ? "" : line.text} />;
    default:
      return <CallLine line={line} />;
  }
}

function CallLine({ line }: { line: Extract<LogLine, { kind: "asked" | "decided" | "result" | "sent" }> }): Child {
  switch (line.kind) {
    case "asked":
      return (
        <>
          <b>{line.label}</b> <span class={`tag ${line.verdict}`}>{VERDICTS[line.verdict] ?? line.verdict}</span>{" "}
          <CallName call={line.call} />
          {(line.reason || line.deciders) && <p class="note">{[line.reason, line.deciders].filter(Boolean).join(" ")}</p>}
        </>
      );
    case "decided":
      return (
        <>
          <b>{line.by}</b> {line.how} <CallName call={line.call} />
          {line.text && <Long text={line.text} />}
        </>
      );
    case "result":
      return (
        <>
          <span class={line.failed ? "bad" : "note"}>{line.failed ? "Failed" : "Result"}</span> <CallName call={line.call} />{" "}
          {line.took !== undefined && <span class="note">after {duration(line.took)}</span>}
          <Long text={line.text} code />
        </>
      );
    case "sent":
      return (
        <span class={line.ok ? "note" : "bad"}>
          {line.ok ? "Shown" : "Not shown"}: {line.link ? <a href={line.link}>{line.slot}</a> : line.slot} {line.text}
        </span>
      );
  }
}

const VERDICTS: Record<string, string> = { allow: "allowed", ask: "asked", question: "asked a question", deny: "refused" };
const CallName = ({ call }: { call: string }): Child => <span class="call-name">call {call}</span>;

function Answered({ line }: { line: Extract<LogLine, { kind: "answered" }> }): Child {
  const { usage, took } = line;
  const cached = usage.cacheRead > 0 ? ` (${count(usage.cacheRead)} from the cache)` : "";
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  return (
    <>
      <b>The agent</b>{" "}
      <span class="note">
        {usage.model} · {count(input)} tokens in{cached} · {count(usage.output)} out
        {took === undefined ? "" : ` · ${duration(took)}`}
        {line.thought ? " · thought first" : ""}
      </span>
      {line.text && <Long text={line.text} />}
      {line.calls.map((call) => (
        <div class="call">
          <p>
            calls <b>{call.tool}</b> <CallName call={call.call} />
          </p>
          <Long text={call.input} code />
          {call.broken && <p class="bad">Not run: {call.broken}</p>}
        </div>
      ))}
    </>
  );
}

const Noted = ({ label, text }: { label: string; text: string }): Child => (
  <>
    <span class="note">{label}</span>
    {text && <Long text={text} />}
  </>
);

/** Text as it is; a long one is folded behind its beginning. */
function Long({ text, code }: { text: string; code?: boolean }): Child {
  const draw = (part: string): Child =>
    code ? (
      <Code text={reveal(part)} />
    ) : (
      <div class="plain" dir="auto">
        {reveal(part)}
      </div>
    );
  if (text.length <= FOLDED) return draw(text);
  return (
    <details>
      <summary>
        <span dir="auto">{reveal(text.slice(0, 160))}…</span> <span class="note">({count(text.length)} characters)</span>
      </summary>
      {draw(text)}
    </details>
  );
}

export function StepPage({ at, sent, open }: { at: Standing; sent: SentStep; open: boolean }): Child {
  const { row, turn, step, messages } = sent;
  const shown = open || !isPrivate(row.scope);
  const about = "The conversation as it went to the model, made again from the log. Before it stood the home's files as they were then.";
  return (
    <RoomPage at={{ ...at, homes: [at.home] }} title={`Turn ${turn}, step ${step}`} about={about}>
      <p class="facts">
        <a href={sessionPath(at.home, row.session, { open: open ? 1 : 0 })}>{titleOf(row, open)}</a>
        <ScopeTag scope={row.scope} />
      </p>
      {!shown && <Closed href={sessionPath(at.home, row.session, { open: 1 })} what="This step is of a private conversation." />}
      {shown && (
        <ol class="log">
          {messages.map(({ role, content }) => (
            <li class={`line ${role}`}>
              <span class="role">{role}</span>
              <div>
                {content.map((block) => (
                  <BlockOf block={block} />
                ))}
              </div>
            </li>
          ))}
        </ol>
      )}
    </RoomPage>
  );
}

function BlockOf({ block }: { block: Block }): Child {
  if (block.type === "text") return <Long text={String(block.text)} />;
  if (block.type === "thinking" || block.type === "redacted_thinking")
    return <p class="note">(its thoughts, as the provider sealed them)</p>;
  return <Long text={JSON.stringify(block, null, 2)} code />;
}
