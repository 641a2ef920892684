/** The main ways through the operator's pages in a real Chromium, at a desk and on a phone, light and dark. Skipped where none is found. */
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findings } from "../../help/axe.ts";
import { tool } from "../../help/bot.ts";
import { found, openChromium } from "../../help/chromium.ts";
import { BOB, type OperatedHouse, operated, TEAM } from "../../help/operated.ts";
import { calls, heard, says } from "../../help/script.ts";

/** Where screenshots go, if somebody wants to look. */
const SHOTS = process.env.SCREENSHOTS;
const TOKEN = "a long random value";
const DESK = { width: 1200, height: 820 };
const PHONE = { width: 375, height: 740 };

let browser: Browser | undefined;
let house: OperatedHouse;
let page: Page;
let faults: string[];

beforeAll(async () => {
  if (found) browser = await openChromium();
});
afterAll(() => browser?.close());

async function look(viewport: { width: number; height: number }, colorScheme: "light" | "dark"): Promise<void> {
  if (!browser) throw new Error("no browser");
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
  page = await context.newPage();
  page.setDefaultTimeout(8_000);
  page.on("console", (line) => line.type() === "error" && !/ERR_|Failed to load/.test(line.text()) && faults.push(line.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(`${house.url}/login`);
  await page.getByLabel("token").fill(TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${house.url}/`);
}
const go = (path: string) => page.goto(house.url + path);
const save = () => Promise.all([page.waitForEvent("load"), button("Save").click()]);
const button = (word: string) => page.getByRole("button", { name: word, exact: true });

const planned = tool("write_todos", () => "", {
  run: async () => ({
    content: "ok",
    failed: false,
    events: [{ type: "todos.written", at: Date.now(), todos: [{ content: "Run the tests", status: "in_progress" }] }],
  }),
});

beforeEach(async () => {
  faults = [];
  house = await operated({ token: TOKEN, tools: [planned] });
});
afterEach(async () => {
  expect(faults).toEqual([]);
  await page?.context().close();
  await house.end();
});

describe.skipIf(!found)("the operator", () => {
  beforeEach(() => look(DESK, "light"));

  test("edits AGENTS.md, sees what would change, and the next answer is another one; undoes it, and the one after is as before", async () => {
    const mood = () => house.model.lines.push((request) => says(heard(request).includes("Speak like a pirate") ? "Arr!" : "Good day."));
    const answers = async (words: string) => {
      mood();
      await go("/");
      await page.getByRole("textbox", { name: "Message" }).fill("hello");
      await page.keyboard.press("Enter");
      await page.locator(".quoted").getByText(words).waitFor();
    };
    await answers("Good day.");
    await go("/files?home=console");
    await page.getByRole("link", { name: "AGENTS.md" }).click();
    const box = page.getByLabel("AGENTS.md");
    expect(await button("Save").isDisabled()).toBe(true);
    await box.fill(`${await box.inputValue()}\nSpeak like a pirate.\n`);
    await page.locator(".added").getByText("Speak like a pirate.").waitFor();
    await save();
    await answers("Arr!");
    await go("/files?home=console");
    await page.getByRole("link", { name: "History" }).click();
    await page.getByRole("link", { name: /Changed AGENTS\.md in the console/ }).click();
    await page.locator(".added").getByText("Speak like a pirate.").waitFor();
    page.once("dialog", (dialog) => void dialog.accept());
    await button("Undo").click();
    await page.waitForURL(/\/changes/);
    expect(house.read("console", "AGENTS.md")).not.toContain("pirate");
    await answers("Good day.");
  });

  test("is told a mistake in policy.json while typing, and cannot save it", async () => {
    await go(`/files?home=${TEAM}&path=policy.json`);
    const before = house.read(TEAM, "policy.json");
    await page.getByLabel("policy.json").fill('{ "people": { "aprove": ["members"] } }');
    await page.getByRole("status").getByText('unknown key "aprove" in "people"').waitFor();
    expect(await button("Save").isDisabled()).toBe(true);
    expect(house.read(TEAM, "policy.json")).toBe(before);
    await page.getByLabel("policy.json").fill('{ "people": { "approve": ["owners"] } }');
    await page.locator("#check:empty").waitFor({ state: "attached" });
    await save();
    await go("/homes");
    expect(await page.locator("section", { hasText: TEAM }).textContent()).toContain("May approvethe owners");
  });

  test("does not write over what somebody else saved meanwhile, and loses no word of it", async () => {
    await go(`/files?home=${TEAM}&path=AGENTS.md`);
    await page.getByLabel("AGENTS.md").fill("# Mine\n");
    house.write(TEAM, "AGENTS.md", "# Somebody else's\n");
    await button("Save").click();
    await page.getByRole("status").getByText("has changed since you opened it").waitFor();
    expect(await page.getByLabel("AGENTS.md").inputValue()).toBe("# Mine\n");
    expect(house.read(TEAM, "AGENTS.md")).toBe("# Somebody else's\n");
    page.once("dialog", (dialog) => void dialog.accept());
  });

  test("P3 approves a card of a chat team by keyboard, and follows the turn step by step", async () => {
    house.model.lines = [calls(["ops__deploy", { target: "blue" }]), says("Deployed.")];
    await house.say("please deploy to blue");
    await house.card();
    await go("/overview");
    await page.getByRole("link", { name: "1 wait for a decision" }).click();
    await button("Approve").focus();
    await page.keyboard.press("Enter");
    await page.getByText("Nothing waits for a decision").waitFor();
    await house.answer("Deployed.");
    expect(house.ran).toEqual([{ target: "blue" }]);
    await house.quiet();
    await page.getByRole("link", { name: "Sessions" }).click();
    await page.getByRole("link", { name: TEAM }).click();
    await page.getByRole("link", { name: /please deploy to blue/ }).click();
    for (const words of ["Turn 1, step 1", "Operator approved", "deployed 1", "Turn 1 ended: answered"])
      await page.locator(".log").getByText(words).first().waitFor();
    await page.getByRole("link", { name: "What the model was sent" }).last().click();
    await page.getByRole("heading", { name: "Turn 1, step 2" }).waitFor();
    await page.getByText("deployed 1").waitFor();
  });

  test("denies with a reason in a dialog, and edits an input before it runs", async () => {
    house.model.lines = [
      calls(["ops__deploy", { target: "blue" }]),
      says("All right."),
      calls(["ops__deploy", { target: "blue" }]),
      says("Deployed."),
    ];
    await house.say("please deploy to blue");
    await house.card();
    await go("/approvals");
    await button("Deny").click();
    await page.getByRole("dialog").getByLabel("Reason").fill("Not on a Friday");
    await page.getByRole("dialog").getByRole("button", { name: "Deny" }).click();
    await page.getByText("Nothing waits for a decision").waitFor();
    await house.answer("All right.");
    await house.say("then deploy to green");
    await house.card();
    await go("/approvals");
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("dialog").getByLabel("target").fill("green");
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await house.answer("Deployed.");
    expect(house.ran).toEqual([{ target: "green" }]);
  });

  test("P3 follows a thread of a chat team while it goes on, and decides in it, without loading the page anew", async () => {
    house.model.lines = [calls(["ops__deploy", { target: "blue" }]), says("Deployed."), says("You are welcome.")];
    const session = await house.say("please deploy to blue");
    await house.card();
    await go(`/session?home=${TEAM}&id=${encodeURIComponent(session)}`);
    await page.evaluate("globalThis.same = true");
    await button("Approve").click();
    await page.locator(".log").getByText("Operator approved").waitFor();
    await page.locator(".log").getByText("Turn 1 ended: answered").waitFor();
    expect(await button("Approve").count()).toBe(0);
    await house.say("thank you", { place: { platform: "slack", team: "T1", channel: "C1", thread: session.split(":").at(-1) ?? "" } });
    await page.locator(".log").getByText("You are welcome.").waitFor();
    expect(await page.evaluate("globalThis.same")).toBe(true);
  });

  test("talks with the agent of a chat team's home, as the operator and nobody else, and decides there", async () => {
    house.model.lines = [calls(["ops__deploy", { target: "red" }]), says("Deployed to red.")];
    await page.getByRole("link", { name: TEAM }).click();
    await page.getByText(`as Operator in ${TEAM}`).waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill("deploy to red");
    await page.keyboard.press("Enter");
    await button("Approve").click();
    await page.locator(".quoted").getByText("Deployed to red.").waitFor();
    await page.locator("#head").getByText(TEAM).waitFor();
    await page.getByText(/Approved by Operator/).waitFor();
    const [row] = await (await house.journal(TEAM)).sessions();
    expect([row?.session.startsWith(`console:${TEAM}:`), row?.scope]).toEqual([true, "team"]);
    await page.reload();
    await page.getByText(`as Operator in ${TEAM}`).waitFor();
  });

  test("P8 changes a line of memory, forgets a fact, and takes that back", async () => {
    const occasion = { scope: "team", session: "slack:T1:C1:1", call: "9.9.9", by: BOB.id, channel: "slack:C1", now: Date.now() } as const;
    await house.memory(TEAM).remember("Releases are on Thursdays.", occasion);
    await go(`/memory?home=${TEAM}`);
    await page.getByText("Add a line").click();
    await page.getByLabel("New line").fill("The door code is in the safe.");
    await button("Add").click();
    await page.locator(".row").getByText("The door code is in the safe.").waitFor();
    await page.getByText("Edit", { exact: true }).click();
    await page.getByLabel("This line").fill("The door code is with Bob.");
    await button("Save").click();
    await page.locator(".row").getByText("with Bob").waitFor();
    page.once("dialog", (dialog) => void dialog.accept());
    await button("Forget").click();
    await page.getByText("Releases are on Thursdays.").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "History" }).click();
    await button("Take back").first().click();
    await page.locator("b", { hasText: "taken back" }).waitFor();
    expect(house.read(TEAM, "MEMORY.md")).toMatch(/with Bob[\s\S]*Releases are on Thursdays/);
  });

  test("P11 is told the line of a mistake in a skill while typing", async () => {
    await go(`/files?home=${TEAM}&path=%3F`);
    await page.getByLabel("Path of the new file").fill("skills/lifts/SKILL.md");
    await page.getByLabel("Text").fill("---\nname: lifts\ndescription: [how\n---\n");
    await page.getByRole("status").getByText("not valid YAML").waitFor();
    expect(await button("Save").isDisabled()).toBe(true);
    await page.getByLabel("Text").fill("---\nname: elevators\ndescription: How lifts are built.\n---\n\nBuild.\n");
    await page.getByRole("status").getByText("Line 2: It breaks the rules for skills").waitFor();
    await save();
    expect(house.read(TEAM, "skills/lifts/SKILL.md")).toContain("elevators");
  });

  test("P6 opens a private conversation only by saying so", async () => {
    house.model.lines = [says("Between us.")];
    await house.say("a secret plan", { channel: "dm", place: { platform: "slack", team: "T1", channel: "D9", thread: null } });
    await house.answer("Between us.");
    await go(`/sessions?home=${TEAM}`);
    await page.getByRole("link", { name: /A private conversation/ }).click();
    expect(await page.content()).not.toContain("a secret plan");
    await page.getByRole("link", { name: "Open it" }).click();
    await page.locator(".log").getByText("a secret plan").waitFor();
    expect(house.logged.map(({ facts }) => facts)).toContainEqual(
      expect.objectContaining({ by: "console:operator", scope: `person:${BOB.id}` }),
    );
  });
});

const PAGES = {
  chat: "/",
  overview: "/overview",
  approvals: "/approvals",
  sessions: `/sessions?home=${TEAM}`,
  todos: `/todos?home=${TEAM}`,
  files: `/files?home=${TEAM}`,
  editor: `/files?home=${TEAM}&path=AGENTS.md`,
  fresh: `/files?home=${TEAM}&path=%3F`,
  history: `/changes?home=${TEAM}`,
  memory: `/memory?home=${TEAM}`,
  "memory-changes": `/memory/changes?home=${TEAM}`,
  "chat-elsewhere": `/?home=${TEAM}`,
  grants: `/grants?home=${TEAM}`,
  usage: "/usage?days=7",
  why: `/why?home=${TEAM}`,
  homes: "/homes",
};

/** Contrast depends on the colours, what sticks out on the width: two views find both. The others are for whoever looks at screenshots. */
const VIEWS = [
  ["desk", DESK, "light"],
  ["phone", PHONE, "dark"],
  ["desk", DESK, "dark"],
  ["phone", PHONE, "light"],
] as const;

describe.skipIf(!found)("every page", () => {
  test("at a desk in the light and on a phone in the dark: nothing serious is found by axe-core, and nothing sticks out", {
    timeout: 60_000,
  }, async () => {
    house.model.lines = [calls(["write_todos"]), calls(["ops__deploy", { target: "blue" }])];
    const session = await house.say("please deploy to blue");
    await house.card();
    const occasion = { scope: "team", session, call: "9.9.9", by: BOB.id, channel: "slack:C1", now: Date.now() } as const;
    await house.memory(TEAM).remember("Releases are on Thursdays.", occasion);
    const grant = { id: "g1", tool: "ops/deploy", subject: "*", by: BOB, at: Date.now() };
    await (await house.journal(TEAM)).receive("home", "g1", { type: "grant.given", at: Date.now(), grant });
    house.model.lines = [says("Between us.")];
    const dm = await house.say("a secret plan", { channel: "dm", place: { platform: "slack", team: "T1", channel: "D9", thread: null } });
    await house.answer("Between us.");
    await look(DESK, "light");
    house.model.lines = [calls(["ops__deploy", { target: "red" }])];
    await page.getByRole("textbox", { name: "Message" }).fill("deploy to red");
    await page.keyboard.press("Enter");
    await button("Approve").waitFor();
    const [id, closed] = [encodeURIComponent(session), encodeURIComponent(dm)];
    const all = {
      thread: new URL(page.url()).pathname,
      ...PAGES,
      session: `/session?home=${TEAM}&id=${id}`,
      step: `/step?home=${TEAM}&id=${id}&turn=1&step=2`,
      private: `/session?home=${TEAM}&id=${closed}`,
      opened: `/session?home=${TEAM}&id=${closed}&open=1`,
    };
    const serious: string[] = [];
    for (const [title, path] of Object.entries(all)) {
      expect([path, (await go(path))?.status()]).toEqual([path, 200]);
      if (title === "editor") {
        await page.getByLabel("AGENTS.md").fill("# Other\n");
        await page.locator(".added").first().waitFor();
        page.once("dialog", (dialog) => void dialog.accept());
      }
      for (const [name, size, colorScheme] of VIEWS.slice(0, SHOTS ? 4 : 2)) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        serious.push(...(await findings(page)).map((what) => `${path} ${name} ${what}`));
        expect([path, await page.locator("html").evaluate((html) => html.scrollWidth - html.clientWidth)]).toEqual([path, 0]);
        if (SHOTS) await page.screenshot({ path: join(SHOTS, `operator-${title}-${name}-${colorScheme}.png`) });
      }
    }
    expect(serious).toEqual([]);
  });
});
