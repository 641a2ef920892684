/**
 * How much a server may send. Pure, but for the clock.
 *
 * W1. One message has a bound, and so has everything within some time, whatever it is made of.
 */
const MB = 1024 * 1024;
const LARGEST = 16;
const [ALL, WITHIN] = [64, 10_000];

/** Told of each piece, and how long the message is by now that it belongs to; why the server is cut off, once it has to be. */
export type Flow = (piece: number, message: number) => string | undefined;

export function flow(now: () => number = Date.now): Flow {
  let [since, sum] = [now(), 0];
  return (piece, message) => {
    if (now() - since > WITHIN) [since, sum] = [now(), 0];
    sum += piece;
    if (message > LARGEST * MB) return `it sent more than ${LARGEST} MB at once`;
    return sum > ALL * MB ? `it sent more than ${ALL} MB in ${WITHIN / 1000} s` : undefined;
  };
}
