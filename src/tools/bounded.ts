/** Lines of a result, as many as a page holds; what is left out is said. */
import { weight } from "../core/tokens.ts";
import { count } from "./text.ts";

const PAGE = weight("x") * 80_000;

export function bounded(lines: readonly string[], end: readonly string[] = []): string {
  let left = PAGE;
  const shown: string[] = [];
  for (const line of lines) {
    left -= weight(line) + weight("\n");
    if (left < 0) break;
    shown.push(line);
  }
  const missing = lines.length - shown.length;
  const cut = missing > 0 ? [`[${count(missing, "more line")} left out. Ask for less: a narrower path or pattern.]`] : [];
  return [...shown, ...cut, ...end].join("\n");
}
