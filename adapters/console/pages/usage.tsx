/** What was used over the days, by model, person, channel and home: as charts, and in numbers. */
import type { Child } from "hono/jsx";
import type { Cost } from "../../../src/core/ports.ts";
import { Chart, COLOURS, type Series } from "./chart.tsx";
import { count, dollars, Nothing, query, RoomPage, type Standing } from "./room.tsx";

const GROUPS = { model: "Model", person: "Person", channel: "Channel", home: "Home" } as const;
export type Group = keyof typeof GROUPS;
export const isGroup = (name: string | undefined): name is Group => name !== undefined && Object.hasOwn(GROUPS, name);
export const SPANS = [7, 30, 90] as const;

interface UsageProps {
  at: Standing;
  rows: readonly Cost[];
  days: readonly string[];
  by: Group;
  /** Rows of the table to begin with. */
  page: number;
}

interface Line {
  name: string;
  input: number;
  output: number;
  cost: number;
  /** Some of it has no price. */
  unknown: boolean;
}
const PER_PAGE = 50;

export function UsagePage({ at, rows, days, by, page }: UsageProps): Child {
  const lines = linesOf(rows, by);
  const unknown = rows.some(({ cost }) => cost === null);
  const shown = by === "home" ? at.homes.length > 1 : true;
  return (
    <RoomPage
      at={{ ...at, home: "" }}
      title="Usage"
      about="Tokens of all homes by day (UTC). Costs are an estimate from list prices, not a bill."
    >
      <Choices span={days.length} by={by} />
      {rows.length === 0 || !shown ? (
        <Nothing>Nothing was used in these days.</Nothing>
      ) : (
        <>
          <div class="charts">
            <figure>
              <figcaption>Tokens a day</figcaption>
              <Chart
                label={`Tokens a day by ${by}`}
                days={days}
                series={seriesOf(rows, days, by, lines, ({ input, output }) => input + output)}
                format={short}
              />
            </figure>
            <figure>
              <figcaption>Estimated cost a day</figcaption>
              <Chart
                label={`Estimated cost a day by ${by}`}
                days={days}
                series={seriesOf(rows, days, by, lines, ({ cost }) => cost ?? 0)}
                format={dollars}
              />
            </figure>
          </div>
          <Table lines={lines} by={by} page={page} />
          {lines.length > PER_PAGE && (
            <nav class="pages" aria-label="Pages">
              {page > 0 ? <a href={`/usage${query({ days: days.length, by, page: page - 1 })}`}>Back</a> : <span />}
              {lines.length > (page + 1) * PER_PAGE && <a href={`/usage${query({ days: days.length, by, page: page + 1 })}`}>More</a>}
            </nav>
          )}
          {unknown && <p class="note">* There is no list price for some of these models, so their cost is left out.</p>}
        </>
      )}
    </RoomPage>
  );
}

function Choices({ span, by }: { span: number; by: Group }): Child {
  return (
    <div class="choices">
      <nav class="pills" aria-label="Days">
        {SPANS.map((days) => (
          <a href={`/usage${query({ days, by })}`} {...(days === span ? { "aria-current": "true" } : {})}>
            {days} days
          </a>
        ))}
      </nav>
      <nav class="pills" aria-label="By">
        {(Object.keys(GROUPS) as Group[]).map((group) => (
          <a href={`/usage${query({ days: span, by: group })}`} {...(group === by ? { "aria-current": "true" } : {})}>
            {GROUPS[group]}
          </a>
        ))}
      </nav>
    </div>
  );
}

function Table({ lines, by, page }: { lines: readonly Line[]; by: Group; page: number }): Child {
  return (
    <section class="table" tabindex={0} aria-label={`Usage by ${by}`}>
      <table>
        <thead>
          <tr>
            <th>{GROUPS[by]}</th>
            <th class="right">Tokens in</th>
            <th class="right">Tokens out</th>
            <th class="right">Cost, estimated</th>
          </tr>
        </thead>
        <tbody>
          {lines.slice(page * PER_PAGE, (page + 1) * PER_PAGE).map(({ name, input, output, cost, unknown }, i) => (
            <tr>
              <td dir="auto">
                <span class={`swatch c${Math.min(page * PER_PAGE + i, COLOURS)}`} aria-hidden="true" />
                {name}
              </td>
              <td class="right">{count(input)}</td>
              <td class="right">{count(output)}</td>
              <td class="right">
                {unknown && cost === 0 ? "not known" : dollars(cost)}
                {unknown ? " *" : ""}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const nameOf = (row: Cost, by: Group): string => row[by] || (by === "person" ? "the agent’s own work" : "not known");

function linesOf(rows: readonly Cost[], by: Group): Line[] {
  const found = new Map<string, Line>();
  for (const row of rows) {
    const name = nameOf(row, by);
    const line = found.get(name) ?? { name, input: 0, output: 0, cost: 0, unknown: false };
    found.set(name, {
      name,
      input: line.input + row.input,
      output: line.output + row.output,
      cost: line.cost + (row.cost ?? 0),
      unknown: line.unknown || row.cost === null,
    });
  }
  return [...found.values()].sort((a, b) => b.input + b.output - (a.input + a.output));
}

function seriesOf(
  rows: readonly Cost[],
  days: readonly string[],
  by: Group,
  lines: readonly Line[],
  value: (row: Cost) => number,
): Series[] {
  const place = new Map(lines.map(({ name }, i) => [name, Math.min(i, COLOURS)]));
  const names = [...lines.slice(0, COLOURS).map(({ name }) => name), ...(lines.length > COLOURS ? ["others"] : [])];
  const values = names.map(() => days.map(() => 0));
  for (const row of rows) {
    const own = values[place.get(nameOf(row, by)) ?? 0];
    const day = days.indexOf(row.day);
    if (own && day >= 0) own[day] = (own[day] ?? 0) + value(row);
  }
  return names.map((name, i) => ({ name, values: values[i] ?? [] }));
}

const short = (value: number): string =>
  value >= 1_000_000
    ? `${+(value / 1_000_000).toFixed(1)} M`
    : value >= 1_000
      ? `${+(value / 1_000).toFixed(1)} k`
      : String(Math.round(value));
