/**
 * A view outside of messages, where Slack takes no Markdown: the Home tab, and modals that only show something.
 *
 * G1. What does not fit on one page is on the next: a modal has buttons that turn the pages, the Home tab says that there is more.
 */
import type { types } from "@slack/bolt";
import type { Part, View } from "../../src/core/view.ts";
import { clip, hushAll, reveal } from "../shared/escape.ts";
import { LITERAL, literal, partBlocks, pieces, rowsOf, sections } from "./blocks.ts";
import { LIMIT } from "./limits.ts";
import { inline, mrkdwn } from "./text.ts";

type Block = types.KnownBlock;
/** Of a modal: what Slack takes in one view for certain, and a phone still scrolls through. */
const PAGE = 4;
const CUT: Block = { type: "context", elements: [{ type: "mrkdwn", text: "The rest does not fit here." }] };
export const TURN = /^page:\d{1,4}$/;

export function homeView(view: View): types.HomeView {
  const title = view.title ? [heading(view.title)] : [];
  const blocks = [...title, ...view.parts.flatMap(partOf), ...rowsOf(view.buttons)];
  return { type: "home", blocks: blocks.length > LIMIT.modalBlocks ? [...blocks.slice(0, LIMIT.modalBlocks - 1), CUT] : blocks };
}

/** Page `n` (from 0) of all that a view holds. `about` comes back with the buttons that turn the pages. */
export function pageModal(view: View, n: number, about: string): types.ModalView {
  const blocks = view.parts.flatMap(wholeOf);
  const pages = Math.max(1, Math.ceil(blocks.length / PAGE));
  const at = Math.min(Math.max(n, 0), pages - 1);
  const shown = blocks.slice(at * PAGE, (at + 1) * PAGE);
  return {
    type: "modal",
    private_metadata: about,
    title: words("See all", LIMIT.title),
    close: words("Close", LIMIT.title),
    blocks: [heading(view.title ?? "All of it"), ...(shown.length ? shown : [CUT]), ...(pages > 1 ? turning(at, pages) : [])],
  };
}

function turning(at: number, pages: number): Block[] {
  const button = (word: string, to: number): types.Button => ({ type: "button", text: words(word, LIMIT.button), action_id: `page:${to}` });
  const buttons = [...(at > 0 ? [button("Previous", at - 1)] : []), ...(at < pages - 1 ? [button("Next", at + 1)] : [])];
  const where: Block = { type: "context", elements: [{ type: "mrkdwn", text: `Page ${at + 1} of ${pages}` }] };
  return [where, { type: "actions", elements: buttons }];
}

const words = (text: string, most: number): types.PlainTextElement => ({
  type: "plain_text",
  text: clip(hushAll(text), most) || "…",
  emoji: false,
});
const heading = (title: string): Block => ({ type: "header", text: words(title, LIMIT.header) });

function partOf(part: Part): Block[] {
  switch (part.kind) {
    case "text":
      return sections(inline(part.text));
    case "quoted":
      return sections(mrkdwn(part.text).replace(/^/gm, "> "));
    default:
      return partBlocks(part, "card");
  }
}

/** Nothing is left out of what is literal. */
const wholeOf = (part: Part): Block[] =>
  part.kind === "code" || part.kind === "file" ? pieces(reveal(part.text), LITERAL).map(literal) : partOf(part);
