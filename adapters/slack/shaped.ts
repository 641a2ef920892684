/**
 * Sends a view in the best shape that Slack takes: its own plans and tables, else simpler blocks, else text.
 *
 * Z1. Only a refusal of the shape is followed by another try. That plans are not known here is remembered.
 */
import type { View } from "../../src/core/view.ts";
import type { Outcome } from "../shared/failure.ts";
import { bare, type Manner, type Rendered, render } from "./blocks.ts";
import type { Clean } from "./desk.ts";

const SHAPE = /^(invalid_blocks|invalid_blocks_format|msg_blocks_too_long|msg_too_long|only_one_table_allowed|invalid_attachments)$/;

export type Shaped = <T>(view: View, manner: Manner, send: (message: Rendered) => Promise<Outcome<T>>) => Promise<Outcome<T>>;

export function shaped(clean: Clean): Shaped {
  let plans = true;
  return async (unclean, manner, send) => {
    const view = await clean(unclean);
    const first = await send(render(view, manner, manner === "progress" ? plans : true));
    if (first.ok || !SHAPE.test(first.code)) return first;
    if (manner !== "card" && plans) {
      const second = await send(render(view, manner, false));
      if (second.ok && manner === "progress") plans = false;
      if (second.ok || !SHAPE.test(second.code)) return second;
    }
    return send(bare(view));
  };
}
