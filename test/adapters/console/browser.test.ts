/** The console in a real Chromium, at a desk and on a phone. Where none is found this is skipped and says so. */
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { say } from "../../../src/core/view.ts";
import { found, openChromium } from "../../help/chromium.ts";
import { type ConsoleHouse, consoleHouse } from "../../help/console-house.ts";
import { until } from "../../help/until.ts";

if (!found)
  process.stderr.write("The console's browser tests are skipped: no Chromium was found. Install one, or set CHROMIUM to its path.\n");

/** Where screenshots go, if somebody wants to look. */
const SHOTS = process.env.SCREENSHOTS;
const SIZES = [
  { name: "desk", width: 1200, height: 820 },
  { name: "phone", width: 375, height: 740 },
];

let browser: Browser | undefined;
let house: ConsoleHouse;
let page: Page;
let faults: string[];
/** While an answer is held back, each call lets one more piece of it be written. */
let pieces: (() => void)[];
let held: boolean;

beforeAll(async () => {
  if (found) browser = await openChromium();
});
afterAll(() => browser?.close());

describe.skipIf(!found).each(SIZES)("at a $name, $width wide", ({ name, width, height }) => {
  beforeEach(async () => {
    pieces = [];
    held = false;
    faults = [];
    house = await consoleHouse({ pause: () => new Promise((go) => (held ? pieces.push(go) : go())) });
    if (!browser) throw new Error("no browser");
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: name === "desk" ? "light" : "dark" });
    page = await context.newPage();
    page.setDefaultTimeout(8_000);
    page.on("console", (line) => line.type() === "error" && !/ERR_|Failed to load/.test(line.text()) && faults.push(line.text()));
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(`${house.url}/`);
  });
  afterEach(async () => {
    if (SHOTS)
      await page.screenshot({
        path: join(SHOTS, `${name}-${(expect.getState().currentTestName ?? "").replace(/.*> /, "").replace(/\W+/g, "-")}.png`),
      });
    expect(await page.locator("html").evaluate((html) => html.scrollWidth - html.clientWidth)).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
    await house.end();
  });

  const box = () => page.getByRole("textbox", { name: "Message" });
  const button = (word: string) => page.getByRole("button", { name: word, exact: true });
  async function write(text: string): Promise<void> {
    const log = page.url();
    await box().fill(text);
    await box().press("Enter");
    if (!log.includes("/threads/")) await page.waitForURL(/\/threads\//);
  }
  const shows = (text: string) => page.getByText(text).first().waitFor();

  test("a written message begins a thread, its answer is seen growing, and stands once", async () => {
    held = true;
    await write("say One two three four five six seven eight nine ten");
    await until(() => pieces.length > 0, "the first piece");
    await page.locator(".draft").getByText("One").waitFor();
    expect(await page.locator(".draft").textContent()).not.toContain("ten");
    for (let i = 0; i < 12; i++) {
      await until(() => pieces.length > 0, "a piece");
      pieces.shift()?.();
    }
    await page.locator(".quoted").getByText("nine ten").waitFor();
    await page.locator("#now").waitFor({ state: "detached" });
    expect(await page.locator("main").getByText("nine ten").count()).toBe(3);
    expect(await page.locator(".notice:visible").textContent()).toBe("offline model");
  });

  test("plan, steps and a card are seen; Approve disables the card's buttons at once, acts once, and the card says who decided", async () => {
    await write("publish it");
    await shows("1 of 3");
    await button("Approve").dblclick();
    await shows("Approved by Ann");
    expect(house.script.clicks).toMatchObject([{ act: "approve", code: "c1" }]);
    await button("Approve").waitFor({ state: "detached" });
    await shows("The runbook is at");
    expect(await page.getByRole("link", { name: "the wiki" }).getAttribute("rel")).toContain("noopener");
  });

  test("a long paste is folded, and stays unfolded for who unfolded it when the page is drawn anew", async () => {
    await write(`look\n${Array.from({ length: 60 }, (_, line) => `line ${line} of it`).join("\n")}`);
    const paste = page.locator("details.rest").first();
    await paste.locator("summary").click();
    await paste.getByText("line 59 of it").waitFor();
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await write("and this");
    await page.locator(".person").getByText("and this").waitFor();
    expect(await paste.getAttribute("open")).toBe("");
  });

  test("Edit opens a form, keeps what was typed when it is refused, and says why", async () => {
    await write("publish it");
    await button("Edit").click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByLabel("notes").inputValue()).toBe("\nThree breaking changes");
    await dialog.getByLabel("version").fill("soon");
    await dialog.getByRole("button", { name: "Approve" }).click();
    await dialog.getByRole("alert").getByText("has to look like").waitFor();
    expect(await dialog.getByLabel("version").inputValue()).toBe("soon");
    await dialog.getByLabel("version").fill("2.4.1");
    await dialog.getByLabel("version").press("Enter");
    await shows("Approved by Ann");
    await dialog.waitFor({ state: "hidden" });
    expect(house.script.clicks.at(-1)?.values).toEqual({ version: "2.4.1", notes: "\nThree breaking changes" });
  });

  test("a question is answered by its button, and work is stopped by Stop", async () => {
    await write("a question");
    await button("next").click();
    await shows("Ann: next");
    await write("work now");
    await button("Stop").click();
    await button("Stop").waitFor({ state: "detached" });
    await shows("3 of 3");
    expect(house.script.clicks.map(({ act }) => act)).toEqual(["answer", "stop"]);
  });

  // The rest does not depend on the width.
  const desk = test.skipIf(name === "phone");

  desk("Deny asks for a reason; the keyboard alone is enough for it", async () => {
    await write("publish it");
    await page.keyboard.press("Shift+Tab");
    await button("Deny").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    const focused = () => page.locator("*:focus").textContent();
    await expect.poll(focused).toBe("Deny");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("Not on a Friday");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await shows("Denied by Ann: Not on a Friday");
    await page.locator("article:focus").waitFor();
  });

  desk("who may not decide is told so alone, and can press again; a command's answer is for its asker", async () => {
    await write("publish it");
    await page.getByRole("link", { name: "Ben" }).click();
    await page.waitForURL(/as=ben/);
    await button("Approve").click();
    await shows("Only you see this, Ben.");
    expect(await button("Approve").isEnabled()).toBe(true);
    await write("/todos");
    await page.locator(".whisper").getByText("Run the tests").waitFor();
    await page.getByRole("link", { name: "Ann" }).click();
    await page.waitForURL(/as=ann/);
    await button("Approve").waitFor();
    expect(await page.getByText("Only you see this").count()).toBe(0);
  });

  test.skipIf(name === "phone")(
    "what happens meanwhile neither takes the focus, nor touches what is being typed, nor scrolls away what is read",
    async () => {
      await write("work");
      const thread = new URL(page.url()).pathname.split("/")[2] ?? "";
      const place = { platform: "console", team: "console", channel: "console", thread };
      const post = (i: number) =>
        house.console.post(
          place,
          { key: `k${i}`, kind: "answer", view: say(`Line ${i}\n\n`.repeat(8)), digest: "", final: true },
          `k${i}`,
          false,
        );
      for (let i = 0; i < 6; i++) await post(i);
      await shows("Line 5");
      const end = () => page.locator("#scroll").evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight));
      await until(async () => (await end()) < 5, "the end to be in view");
      await box().pressSequentially("half a sen");
      await page.locator("#scroll").evaluate((element) => element.scrollTo(0, 0));
      await post(6);
      await shows("Line 6");
      expect(await page.locator("#scroll").evaluate((element) => element.scrollTop)).toBe(0);
      await page.keyboard.type("tence");
      expect(await box().inputValue()).toBe("half a sentence");
      await page.keyboard.press("Shift+Enter");
      await page.keyboard.type("and more");
      expect(await box().inputValue()).toBe("half a sentence\nand more");
      await page.reload();
      expect(await box().inputValue()).toBe("half a sentence\nand more");
    },
  );

  test.skipIf(name === "phone")(
    "P1 while Denizen is away a message is kept in its box with a word why; when it is back the page goes on by itself",
    async () => {
      await write("work");
      const port = Number(new URL(house.url).port);
      await house.console.stop();
      await page.getByText("The connection is lost").waitFor();
      await box().fill("are you there");
      await box().press("Enter");
      await page.getByText("cannot be reached").waitFor();
      expect(await box().inputValue()).toBe("are you there");
      house = await consoleHouse({ folder: house.folder, port });
      await page.getByText("The connection is lost").waitFor({ state: "hidden" });
      await box().press("Enter");
      await page.locator(".said").getByText("are you there").waitFor();
      await expect.poll(() => box().inputValue()).toBe("");
      expect(house.script.messages).toMatchObject([{ text: "are you there" }]);
    },
  );
});
