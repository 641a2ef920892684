/**
 * Counters and histograms, told to OpenTelemetry and kept for whoever reads them in the text form of Prometheus.
 *
 * R1. Bounded: a metric has at most so many series; what comes beyond is counted under `other`.
 * R2. A name or a value from outside cannot forge a line.
 */
import { metrics } from "@opentelemetry/api";

export type Labels = Record<string, string>;
export interface Counter {
  add(value: number, labels?: Labels): void;
}
export interface Histogram {
  record(value: number, labels?: Labels): void;
}
export interface Registry {
  counter(name: string, help: string): Counter;
  /** In seconds, or whatever `bounds` are in. */
  histogram(name: string, help: string, unit: string, bounds: readonly number[]): Histogram;
  /** Everything so far, as Prometheus reads it. */
  text(): string;
}

const SERIES = 500;
const METER = "denizen";

interface Series {
  labels: Labels;
  sum: number;
  count: number;
  buckets: number[];
}

export function registry(): Registry {
  const pages: (() => string)[] = [];
  const meter = metrics.getMeter(METER);
  return {
    counter(name, help) {
      const told = meter.createCounter(name, { description: help });
      const series = table([]);
      const plain = `${spelled(name)}_total`;
      pages.push(() => `${head(plain, help, "counter")}${[...series.all()].map((one) => line(plain, one.labels, one.sum)).join("")}`);
      return {
        add(value, labels = {}) {
          told.add(value, labels);
          series.of(labels).sum += value;
        },
      };
    },
    histogram(name, help, unit, bounds) {
      const told = meter.createHistogram(name, { description: help, unit, advice: { explicitBucketBoundaries: [...bounds] } });
      const series = table(bounds);
      const plain = `${spelled(name)}${unit === "s" ? "_seconds" : ""}`;
      pages.push(() => `${head(plain, help, "histogram")}${[...series.all()].map((one) => histogramLines(plain, one, bounds)).join("")}`);
      return {
        record(value, labels = {}) {
          told.record(value, labels);
          const one = series.of(labels);
          one.sum += value;
          one.count++;
          bounds.forEach((bound, i) => {
            if (value <= bound) one.buckets[i] = (one.buckets[i] ?? 0) + 1;
          });
        },
      };
    },
    text: () => pages.map((page) => page()).join(""),
  };
}

function table(bounds: readonly number[]): { of(labels: Labels): Series; all(): Iterable<Series> } {
  const known = new Map<string, Series>();
  const make = (labels: Labels): Series => ({ labels, sum: 0, count: 0, buckets: bounds.map(() => 0) });
  return {
    of(labels) {
      const key = JSON.stringify(labels);
      const found = known.get(key);
      if (found) return found;
      if (known.size >= SERIES) {
        const other = known.get("other") ?? make(Object.fromEntries(Object.keys(labels).map((name) => [name, "other"])));
        known.set("other", other);
        return other;
      }
      const made = make(labels);
      known.set(key, made);
      return made;
    },
    all: () => known.values(),
  };
}

function histogramLines(name: string, { labels, buckets, count, sum }: Series, bounds: readonly number[]): string {
  const each = bounds.map((bound, i) => line(`${name}_bucket`, { ...labels, le: String(bound) }, buckets[i] ?? 0)).join("");
  return `${each}${line(`${name}_bucket`, { ...labels, le: "+Inf" }, count)}${line(`${name}_sum`, labels, sum)}${line(`${name}_count`, labels, count)}`;
}

const spelled = (name: string): string => name.replace(/[^A-Za-z0-9_]/g, "_");
const head = (name: string, help: string, type: string): string => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${spelled(key)}="${escaped(text)}"`);
  return `${name}${pairs.length ? `{${pairs.join(",")}}` : ""} ${value}\n`;
}
const escaped = (text: string): string => text.slice(0, 200).replace(/[\\"\n]/g, (char) => (char === "\n" ? "\\n" : `\\${char}`));
