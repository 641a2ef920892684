/**
 * Markdown as elements. The only place that reads it.
 *
 * M1. Text never becomes markup: what looks like HTML is shown as text.
 * M2. A link goes to http, https or mailto, or is no link. Nothing is loaded: an image is a link to itself.
 * M3. No text costs more than a moment: what would is shown as it is, in its lines.
 */
import type { Child } from "hono/jsx";
import { createElement } from "hono/jsx";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { cheap } from "./cost.ts";

type Root = ReturnType<typeof fromMarkdown>;
type Node = Root | Root["children"][number];
type Table = Extract<Node, { type: "table" }>;
type Link = Extract<Node, { type: "link" }>;
const NO_HTML = { disable: { null: ["htmlFlow", "htmlText"] } };
/** Where `[text][label]` goes. */
type Targets = ReadonlyMap<string, string>;

export function Markdown({ text }: { text: string }): Child {
  if (!cheap(text)) return <pre class="as-is">{text}</pre>;
  const root = fromMarkdown(text, { extensions: [gfm(), NO_HTML], mdastExtensions: [gfmFromMarkdown()] });
  const targets = new Map<string, string>();
  for (const node of root.children) if (node.type === "definition") targets.set(node.identifier, node.url);
  return <>{root.children.map((node) => draw(node, targets))}</>;
}

const inside = (node: { children: Node[] }, targets: Targets): Child[] => node.children.map((child) => draw(child, targets));

function draw(node: Node, targets: Targets): Child {
  switch (node.type) {
    case "text":
      return node.value;
    case "paragraph":
      return <p dir="auto">{inside(node, targets)}</p>;
    case "heading":
      // Below the page's own headings, so that its outline stays true.
      return createElement(`h${Math.min(node.depth + 2, 6)}`, { dir: "auto" }, ...inside(node, targets));
    case "blockquote":
      return <blockquote>{inside(node, targets)}</blockquote>;
    case "list":
      return createElement(
        node.ordered ? "ol" : "ul",
        node.ordered && node.start != null ? { start: node.start } : {},
        ...inside(node, targets),
      );
    case "listItem":
      return <li dir="auto">{[node.checked == null ? "" : node.checked ? "☑ " : "☐ ", ...inside(node, targets)]}</li>;
    case "code":
      return <Code text={node.value} lang={node.lang ?? undefined} />;
    case "inlineCode":
      return <code>{node.value}</code>;
    case "emphasis":
      return <em>{inside(node, targets)}</em>;
    case "strong":
      return <strong>{inside(node, targets)}</strong>;
    case "delete":
      return <del>{inside(node, targets)}</del>;
    case "break":
      return <br />;
    case "thematicBreak":
      return <hr />;
    case "table":
      return drawTable(node, targets);
    case "link":
      return drawLink(node.url, inside(node, targets));
    case "linkReference":
      return drawLink(targets.get(node.identifier) ?? "", inside(node, targets));
    case "image":
      return drawLink(node.url, [`${node.alt || node.url} (image)`]);
    case "imageReference":
      return drawLink(targets.get(node.identifier) ?? "", [`${node.alt || node.identifier} (image)`]);
    case "footnoteReference":
      return <sup>{node.label ?? node.identifier}</sup>;
    case "footnoteDefinition":
      return (
        <div class="footnote">
          <sup>{node.label ?? node.identifier}</sup> {inside(node, targets)}
        </div>
      );
    default:
      return "";
  }
}

function drawTable(table: Table, targets: Targets): Child {
  const row = (cells: Table["children"][number], cell: "th" | "td"): Child => (
    <tr>
      {cells.children.map((one, i) => createElement(cell, { class: table.align?.[i] ?? "left", dir: "auto" }, ...inside(one, targets)))}
    </tr>
  );
  const [head, ...rows] = table.children;
  return (
    <section class="table" tabindex={0} aria-label="Table">
      <table>
        <thead>{head && row(head, "th")}</thead>
        <tbody>{rows.map((cells) => row(cells, "td"))}</tbody>
      </table>
    </section>
  );
}

function drawLink(url: Link["url"], children: Child[]): Child {
  const href = safe(url);
  if (!href) return <>{children}</>;
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** The address as a browser will read it, if it is one that may be followed. */
function safe(url: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed && ["http:", "https:", "mailto:"].includes(parsed.protocol) ? parsed.href : undefined;
}

/** Monospaced text; can be reached and scrolled with the keyboard. */
export function Code({ text, lang }: { text: string; lang?: string | undefined }): Child {
  return (
    <pre class="code" tabindex={0} {...(lang ? { "data-lang": lang } : {})}>
      <code>{text}</code>
    </pre>
  );
}
