/** Everything the model was sent in one step, and whether it is what was sent or was made again. */
import type { Child } from "hono/jsx";
import type { Block } from "../../../src/core/event.ts";
import type { SentStep } from "../../../src/core/ports.ts";
import { isPrivate } from "../../../src/core/scope.ts";
import { reveal } from "../../shared/escape.ts";
import { Code } from "../markdown.tsx";
import { Long } from "./long.tsx";
import { Closed, count, RoomPage, ScopeTag, type Standing } from "./room.tsx";
import { sessionPath, titleOf } from "./sessions.tsx";

export function StepPage({ at, sent, open }: { at: Standing; sent: SentStep; open: boolean }): Child {
  const { row, turn, step, messages, offered } = sent;
  const shown = open || !isPrivate(row.scope);
  const about = "Everything the model was sent in this step, in its order: system prompt, tools, messages.";
  return (
    <RoomPage at={{ ...at, homes: [at.home] }} title={`Turn ${turn}, step ${step}`} about={about}>
      <p class="facts">
        <a href={sessionPath(at.home, row.session, { open: open ? 1 : 0 })}>{titleOf(row, open)}</a>
        <ScopeTag scope={row.scope} />
        {shown && offered && <code>{offered.model}</code>}
      </p>
      {!shown && <Closed href={sessionPath(at.home, row.session, { open: 1 })} what="This step is of a private conversation." />}
      {shown && <Before offered={offered} />}
      {shown && (
        <section>
          <h2>Messages</h2>
          <p class="note">Made again from the log, which gives the same messages; what was deleted since is left out.</p>
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
        </section>
      )}
    </RoomPage>
  );
}

/** What stands before the messages, and whether it is what was sent. */
function Before({ offered }: Pick<SentStep, "offered">): Child {
  if (!offered) return <p class="banner">The system prompt and the tools of this step are not kept any more, and cannot be made again.</p>;
  const { kept, system, tools } = offered;
  return (
    <>
      <p class={kept ? "note" : "banner"}>
        {kept
          ? "The system prompt and the tools are kept as they were sent."
          : "The system prompt and the tools of this step are not kept any more. These are the ones that would be sent now, from the home as it is."}
      </p>
      <section>
        <h2>System prompt</h2>
        <ol class="rows">
          {system.map((text) => (
            <li class="row">
              <Long text={text} />
            </li>
          ))}
        </ol>
      </section>
      <section>
        <h2>Tools ({count(tools.length)})</h2>
        <ol class="rows">
          {tools.map(({ name, description, schema }) => (
            <li class="row">
              <details>
                <summary>
                  <b>{name}</b> <span class="note">{description.split("\n", 1)[0]?.slice(0, 120)}</span>
                </summary>
                <div class="plain">{reveal(description)}</div>
                <Code text={reveal(JSON.stringify(schema, null, 2))} />
              </details>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}

function BlockOf({ block }: { block: Block }): Child {
  if (block.type === "text") return <Long text={String(block.text)} />;
  if (block.type === "thinking" || block.type === "redacted_thinking")
    return <p class="note">(its thoughts, as the provider sealed them)</p>;
  return <Long text={JSON.stringify(block, null, 2)} code />;
}
