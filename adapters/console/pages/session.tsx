/** One session, step by step: what was said, thought, asked, decided, used and sent. */
import type { Child } from "hono/jsx";
import type { LogLine, SessionLog } from "../../../src/core/ports.ts";
import { isPrivate } from "../../../src/core/scope.ts";
import { Card } from "./approvals.tsx";
import { Long } from "./long.tsx";
import { Closed, count, duration, query, RoomPage, ScopeTag, type Standing, scopeWords, When } from "./room.tsx";
import { sessionPath, titleOf } from "./sessions.tsx";

/** What the address of a call within the page of its session is. */
export const anchorOf = (call: string): string => `call-${call}`;

interface SessionProps {
  at: Standing;
  log: SessionLog;
  /** It is private, and the operator asked for it. */
  open: boolean;
}

export function SessionPage({ at, log, open }: SessionProps): Child {
  const { row, page, pages, used } = log;
  const { home } = at;
  const shown = open || !isPrivate(row.scope);
  const flag = open ? 1 : 0;
  const way = (to: number) => sessionPath(home, row.session, { page: to + 1, open: flag });
  // Only the latest page grows.
  const follows = shown && page === pages - 1 ? `/session/seen${query({ home, id: row.session })}` : undefined;
  return (
    <RoomPage at={{ ...at, homes: [home] }} title={titleOf(row, open)}>
      <div id="now" {...(follows ? { "data-seen": String(log.seen), "data-grows": follows } : {})}>
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
            <Helpers log={log} home={home} flag={flag} />
            <PagesOf page={page} pages={pages} way={way} />
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
            <Waiting log={log} home={home} />
            <PagesOf page={page} pages={pages} way={way} />
          </>
        )}
      </div>
    </RoomPage>
  );
}

function Helpers({ log: { row, helpers }, home, flag }: { log: SessionLog; home: string; flag: number }): Child {
  if (helpers.length === 0) return "";
  return (
    <p class="facts">
      Helpers:
      {helpers.map((helper) => (
        <a href={sessionPath(home, helper, { open: flag })}>{helper.slice(row.session.length + 1)}</a>
      ))}
    </p>
  );
}

/** What waits for a person here, with its buttons; and the way to stop what runs. */
function Waiting({ log: { pending, stop }, home }: { log: SessionLog; home: string }): Child {
  return (
    <>
      {pending.map((one) => (
        <Card pending={one} open />
      ))}
      {stop !== undefined && (
        <div class="buttons" data-home={home}>
          <button type="button" class="danger" data-act="stop" data-code={stop}>
            Stop
          </button>
          <span class="note">You act as the operator.</span>
        </div>
      )}
    </>
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
        <div class="call" id={anchorOf(call.call)}>
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
