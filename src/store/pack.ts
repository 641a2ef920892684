/** States in few bytes: a snapshot repeats every key for every entry. */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { State } from "../core/state.ts";

export const pack = (state: State): Buffer => deflateRawSync(JSON.stringify(state), { level: 1 });
/** Throws if it is not what `pack` made. */
export const unpack = (body: Uint8Array): Partial<State> => JSON.parse(inflateRawSync(body).toString());
