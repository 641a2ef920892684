/** The frame of every page: its head, its files, and the place where what went wrong is said. */
import type { Child } from "hono/jsx";
import { urlOf } from "./assets.ts";

interface Framed {
  title: string;
  script?: "console.js" | "operator.js";
  /** Where the page follows what happens. */
  live?: string;
  /** What is lost without a script. */
  without?: string;
  children?: Child;
}

export function Frame({ title, script, live, without, children }: Framed): Child {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{title} · Denizen</title>
        <link rel="icon" href={urlOf("icon.svg")} type="image/svg+xml" />
        <link rel="stylesheet" href={urlOf("console.css")} />
        <link rel="stylesheet" href={urlOf("operator.css")} />
        {script && <script type="module" src={urlOf(script)} />}
      </head>
      <body {...(live ? { "data-live": live } : {})}>
        {without && (
          <noscript>
            <p class="noscript">{without}</p>
          </noscript>
        )}
        <p id="lost" role="status" hidden>
          The connection is lost. Trying again …
        </p>
        {children}
      </body>
    </html>
  );
}
