/** A real Chromium, where there is one. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PLACES = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const QUIET = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const found = PLACES.find((path): path is string => path !== undefined && existsSync(path));

export async function openChromium(): Promise<Browser> {
  if (!found) throw new Error("No Chromium was found.");
  return chromium.launch({ executablePath: found, args: QUIET });
}
