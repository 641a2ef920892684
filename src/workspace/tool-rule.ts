/**
 * Which rule of policy.json is meant for a tool. Pure.
 *
 * An exact name wins, then the patterns with the longest literal part; of several that are equally close, all hold, which is the stricter.
 * The order in which a file lists its rules never matters.
 */
import { literalLength, matchesLabel } from "./glob.ts";
import type { Decision, Policy, ToolRule } from "./policy.ts";

/** True asks, false does not, `allow` asks and lists the decisions offered; undefined: the file says nothing about this tool. */
export function rule(policy: Pick<Policy, "interruptOn">, label: string): ToolRule | undefined {
  const closest = closestTo(policy.interruptOn, label);
  const asking = closest.filter((it) => it !== false);
  if (closest.length === 0) return undefined;
  if (asking.length === 0) return false;
  const lists = asking.filter((it) => it !== true).map(({ allow }) => allow);
  return lists.length === 0 ? true : { allow: inAll(lists) };
}

/** The restrictions on who may use a tool, and where. All of them hold. */
export function restrictions(policy: Pick<Policy, "access">, label: string): Policy["access"][string][] {
  return closestTo(policy.access, label);
}

function closestTo<T>(rules: Record<string, T>, label: string): T[] {
  const exact = Object.entries(rules).find(([name]) => name === label);
  if (exact) return [exact[1]];
  const matching = Object.entries(rules).filter(([pattern]) => matchesLabel(pattern, label));
  const longest = Math.max(...matching.map(([pattern]) => literalLength(pattern)));
  return matching.filter(([pattern]) => literalLength(pattern) === longest).map(([, value]) => value);
}

/** Denying is always possible, also where two lists have nothing in common. */
function inAll(lists: Decision[][]): Decision[] {
  const order: Decision[] = ["approve", "edit", "deny"];
  const common = order.filter((decision) => lists.every((list) => list.includes(decision)));
  return common.length ? common : ["deny"];
}
