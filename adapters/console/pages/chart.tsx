/** Bars by day, stacked by group, as an SVG that needs no script and no style of its own. Pure. */
import type { Child } from "hono/jsx";

export interface Series {
  name: string;
  /** One value a day. */
  values: readonly number[];
}

const WIDTH = 720;
const HEIGHT = 220;
const LEFT = 70;
const TOP = 12;
const BOTTOM = 30;
/** Colours there are; what comes behind them is summed up. */
export const COLOURS = 6;

interface ChartProps {
  label: string;
  days: readonly string[];
  series: readonly Series[];
  format: (value: number) => string;
}

export function Chart({ label, days, series, format }: ChartProps): Child {
  const totals = days.map((_, day) => series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0));
  const top = roundUp(Math.max(...totals, 0));
  const wide = (WIDTH - LEFT) / Math.max(days.length, 1);
  const y = (value: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top);
  // Where half of a small whole number would be told as the whole.
  const marks = format(top / 2) === format(top) ? [0, 1] : [0, 0.5, 1];
  const every = Math.ceil(days.length / 7);
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${label}. In all ${format(sum(totals))}.`}>
      {marks.map((part) => (
        <>
          <line class="grid" x1={LEFT} x2={WIDTH} y1={y(top * part)} y2={y(top * part)} />
          <text class="scale" x={LEFT - 8} y={y(top * part) + 4} text-anchor="end">
            {format(top * part)}
          </text>
        </>
      ))}
      {days.map((day, i) => (
        <>
          <Bars day={day} index={i} series={series} x={LEFT + i * wide + wide * 0.12} width={wide * 0.76} y={y} format={format} />
          {(days.length - 1 - i) % every === 0 && (
            <text
              class="scale"
              x={LEFT + (i + 0.5) * wide}
              y={HEIGHT - 8}
              text-anchor={i === days.length - 1 && days.length > 7 ? "end" : "middle"}
            >
              {dayWords(day)}
            </text>
          )}
        </>
      ))}
    </svg>
  );
}

interface BarsProps extends Pick<ChartProps, "series" | "format"> {
  day: string;
  index: number;
  x: number;
  width: number;
  y: (value: number) => number;
}

function Bars({ day, index, series, x, width, y, format }: BarsProps): Child {
  let below = 0;
  return (
    <g>
      {series.map(({ name, values }, i) => {
        const value = values[index] ?? 0;
        const from = below;
        below += value;
        if (value === 0) return "";
        return (
          <rect class={`c${i}`} x={round(x)} width={round(width)} y={round(y(below))} height={round(Math.max(0.5, y(from) - y(below)))}>
            <title>{`${day}, ${name}: ${format(value)}`}</title>
          </rect>
        );
      })}
    </g>
  );
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
const round = (value: number): number => Math.round(value * 100) / 100;
const dayWords = (day: string): string =>
  new Date(`${day}T12:00:00Z`).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** The next of 1, 2, 5, 10, 20 … */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((step) => step * power >= value) ?? 10) * power;
}
