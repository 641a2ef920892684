/** The whole house at a glance: what is well, what is not, what waits, and what today costs; and each home with its policy in words. */
import type { Child } from "hono/jsx";
import type { Cost, HomeNow, ServerNow, SessionRow } from "../../../src/core/ports.ts";
import { isPrivate } from "../../../src/core/scope.ts";
import { count, dollars, Nothing, Pages, query, RoomPage, type Standing } from "./room.tsx";
import { sessionPath } from "./sessions.tsx";

type Health = Record<string, { ok: boolean; detail: string }>;

interface OverviewProps {
  at: Standing;
  health: Health;
  servers: readonly ServerNow[];
  homes: readonly HomeNow[];
  today: readonly Cost[];
  running: readonly { home: string; row: SessionRow }[];
  notice: string | undefined;
}

export function OverviewPage({ at, health, servers, homes, today, running, notice }: OverviewProps): Child {
  const tokens = today.reduce((sum, { input, output }) => sum + input + output, 0);
  const cost = today.reduce((sum, row) => sum + (row.cost ?? 0), 0);
  const ill = homes.filter(({ problems }) => problems.length > 0);
  const down = [...Object.values(health), ...servers].filter(({ ok }) => !ok).length;
  return (
    <RoomPage at={{ ...at, home: "" }} title="Overview" follows>
      {notice && <p class="banner">{notice}</p>}
      <ul class="tiles">
        <Tile href="/approvals" label="wait for a decision" value={count(at.waiting)} bad={at.waiting > 0 ? "ask" : undefined} />
        <Tile href="/usage?days=7" label="tokens today" value={count(tokens)} />
        <Tile href="/usage?days=7" label="today, estimated" value={dollars(cost)} />
        <Tile href="/homes" label={homes.length === 1 ? "home" : "homes"} value={count(homes.length)} />
        <Tile href="#health" label={down ? "not well" : "all connected"} value={down ? count(down) : "✓"} bad={down ? "stop" : undefined} />
      </ul>
      {ill.length > 0 && (
        <section>
          <h2>What needs mending</h2>
          <ul class="problems">
            {ill.flatMap(({ home, problems }) =>
              problems.map((problem) => (
                <li>
                  <a href={`/files${query({ home })}`}>{home}</a> {problem}
                </li>
              )),
            )}
          </ul>
        </section>
      )}
      <UnderWay running={running} />
      <section id="health">
        <h2>Connections</h2>
        <ul class="health">
          {Object.entries(health).map(([name, { ok, detail }]) => (
            <Well name={name} ok={ok} detail={ok ? "" : detail} />
          ))}
          {servers.map(({ home, server, ok, detail }) => (
            <Well name={`${server} (${home})`} ok={ok} detail={detail} />
          ))}
        </ul>
        <Unfit servers={servers} />
      </section>
    </RoomPage>
  );
}

/** Tools that are there and that no model is offered. */
export function Unfit({ servers }: Pick<OverviewProps, "servers">): Child {
  const all = servers.flatMap(({ home, unfit }) => unfit.map(({ label, why }) => ({ home, label, why })));
  if (all.length === 0) return "";
  return (
    <details class="unfit">
      <summary>
        {all.length} {all.length === 1 ? "tool" : "tools"} cannot be offered
      </summary>
      <ul>
        {all.slice(0, MOST_UNFIT).map(({ home, label, why }) => (
          <li>
            <code>{label}</code> ({home}): {why}
          </li>
        ))}
        {all.length > MOST_UNFIT && <li>and {all.length - MOST_UNFIT} more; `/tools` there names them</li>}
      </ul>
    </details>
  );
}
const MOST_UNFIT = 50;

function UnderWay({ running }: Pick<OverviewProps, "running">): Child {
  return (
    <section>
      <h2>Under way</h2>
      {running.length === 0 && <p class="note">Nothing is being worked on.</p>}
      <ol class="rows">
        {running.map(({ home, row }) => (
          <li>
            <a class="row" href={sessionPath(home, row.session)}>
              <span class="row-title" dir="auto">
                {isPrivate(row.scope) ? "A private conversation" : row.title || "Untitled"}
              </span>
              <span class="facts">
                <span>{home}</span>
              </span>
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Tile({ href, label, value, bad }: { href: string; label: string; value: string; bad?: "ask" | "stop" | undefined }): Child {
  return (
    <li>
      <a class={bad ? `tile ${bad}` : "tile"} href={href}>
        <b>{value}</b> <span>{label}</span>
      </a>
    </li>
  );
}

function Well({ name, ok, detail }: { name: string; ok: boolean; detail: string }): Child {
  return (
    <li class={ok ? "well" : "ill"}>
      <b>{name}</b> <span>{ok ? "connected" : "not connected"}</span>
      {detail && <span class="note">{detail}</span>}
    </li>
  );
}

const HOMES = 20;

export function HomesPage({ at, homes, page }: { at: Standing; homes: readonly HomeNow[]; page: number }): Child {
  return (
    <RoomPage at={{ ...at, home: "" }} title="Homes" about="Each team has a home. Who may do what in it stands in its policy.json.">
      {homes.length === 0 && <Nothing>There is no home yet. The first message makes one.</Nothing>}
      {homes.slice(page * HOMES, (page + 1) * HOMES).map(({ home, model, timezone, talk, approve, admin, problems, paused }) => (
        <section class="plan-of">
          <h2 dir="auto">
            {home} {paused && <span class="tag ask">paused</span>}
          </h2>
          {problems.map((problem) => (
            <p class="bad">{problem}</p>
          ))}
          <dl class="fields">
            <Field name="May talk" value={talk} />
            <Field name="May approve" value={approve} />
            <Field name="Administer" value={admin} />
            <Field name="Model" value={model ?? "the product’s own"} />
            <Field name="Time zone" value={timezone} />
          </dl>
          <p class="facts">
            <a href={`/files${query({ home, path: "policy.json" })}`}>policy.json</a>
            <a href={`/files${query({ home, path: "AGENTS.md" })}`}>AGENTS.md</a>
            <a href={`/files${query({ home, path: "tools.json" })}`}>tools.json</a>
            <a href={`/sessions${query({ home })}`}>sessions</a>
          </p>
        </section>
      ))}
      <Pages page={page} more={homes.length > (page + 1) * HOMES} way={(to) => `/homes${query({ page: to })}`} words={["Back", "More"]} />
    </RoomPage>
  );
}

const Field = ({ name, value }: { name: string; value: string }): Child => (
  <div>
    <dt>{name}</dt>
    <dd dir="auto">{value}</dd>
  </div>
);
