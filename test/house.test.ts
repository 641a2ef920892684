/**
 * The house holds to its plan: which room may import which, one door for each package, and nothing grows past what can be read at once.
 * Each rule is a function from one file to what is wrong with it; the last tests show that each of them finds something.
 */
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";

interface Source {
  path: string;
  text: string;
  tree: ts.SourceFile;
}
const source = (path: string, text: string): Source => ({
  path,
  text,
  tree: ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true),
});
const files = (["src", "adapters"] as const).flatMap((top) =>
  readdirSync(top, { recursive: true, encoding: "utf8" })
    .map((name) => posix.join(top, name.replaceAll("\\", "/")))
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => source(path, readFileSync(path, "utf8"))),
);

/** Each room, and the rooms it may import. A room may always import itself. `src/main.ts` and `src/main/` may import everything. */
const ARROWS: Record<string, string[]> = {
  "src/core": [],
  "src/config.ts": ["src/core"],
  "src/log.ts": ["src/core"],
  "src/harness": ["src/core"],
  "src/store": ["src/core"],
  "src/model": ["src/core"],
  "src/workspace": ["src/core", "src/files"],
  "src/files": ["src/core"],
  "src/memory": ["src/core", "src/files", "src/workspace"],
  "src/mcp": ["src/core", "src/workspace", "src/sealed.ts"],
  "src/sandbox": ["src/core"],
  "src/tools": ["src/core", "src/workspace", "src/files", "src/memory", "src/sandbox"],
  "src/hooks": ["src/core", "src/workspace", "src/files", "src/memory", "src/sandbox", "src/tools"],
  "src/health.ts": ["src/core"],
  "src/ground.ts": [],
  "src/misspelt.ts": ["src/config.ts", "src/core"],
  "src/sealed.ts": [],
  "src/keyed.ts": [],
  "src/clock.ts": ["src/core"],
  "src/archive": ["src/core", "src/files"],
  "src/scripts": [
    "src/archive",
    "src/clock.ts",
    "src/config.ts",
    "src/ground.ts",
    "src/misspelt.ts",
    "src/log.ts",
    "src/sealed.ts",
    "src/core",
    "src/hooks",
    "src/store",
    "src/model",
    "src/workspace",
    "src/files",
    "src/memory",
    "adapters/discord",
    "adapters/slack",
    "src/mcp",
    "src/sandbox",
  ],
  "src/life.ts": ["src/core"],
  "src/operator": ["src/core", "src/clock.ts", "src/workspace", "src/files", "src/memory", "src/mcp"],
  "src/observe": ["src/core"],
  "src/commands": ["src/core", "src/workspace", "src/memory"],
  "adapters/shared": ["src/core"],
  "adapters/slack": ["src/core", "adapters/shared"],
  "adapters/discord": ["src/core", "adapters/shared"],
  "adapters/console": ["src/core", "adapters/shared"],
};
const MAIN = ["src/main.ts", "src/main"];
/** Words that several rooms speak: types of what comes from outside. */
const EVERYWHERE = ["zod"];

const roomOf = (path: string): string => path.split("/").slice(0, 2).join("/");

function imports({ tree }: Source): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const from = ts.isImportDeclaration(node) || ts.isExportDeclaration(node) ? node.moduleSpecifier : undefined;
    const called = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword ? node.arguments[0] : undefined;
    const typed = ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
    const name = from ?? called ?? typed;
    if (name && ts.isStringLiteralLike(name)) found.push(name.text);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}
const packageOf = (name: string): string => name.split("/", name.startsWith("@") ? 2 : 1).join("/");
const packages = (file: Source): string[] =>
  imports(file)
    .filter((name) => !/^(\.|node:)/.test(name))
    .map(packageOf);

function arrows(file: Source): string[] {
  const room = roomOf(file.path);
  if (MAIN.includes(room)) return [];
  const allowed = ARROWS[room];
  if (!allowed) return [`${room} is no room of the plan`];
  const targets = imports(file)
    .filter((name) => name.startsWith("."))
    .map((name) => roomOf(posix.join(posix.dirname(file.path), name)));
  return targets.filter((target) => target !== room && !allowed.includes(target)).map((target) => `imports ${target}`);
}

const IMPURE = /^(?:fetch|setTimeout|setInterval|setImmediate|queueMicrotask|process|console|performance|crypto|globalThis)$/;
function purity(file: Source): string[] {
  if (roomOf(file.path) !== "src/core") return [];
  const found = imports(file).filter((name) => !name.startsWith("."));
  const visit = (node: ts.Node): void => {
    if (ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier)) found.push("await");
    if (ts.isNewExpression(node) && node.expression.getText() === "Date" && !node.arguments?.length) found.push("new Date()");
    if (ts.isPropertyAccessExpression(node) && /^(Date\.now|Math\.random)$/.test(node.getText())) found.push(node.getText());
    if (ts.isIdentifier(node) && IMPURE.test(node.text) && isUsed(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(file.tree);
  return found.map((name) => `uses ${name}`);
}
/** The value of that name, not a property or a declaration that is called so. */
const isUsed = ({ parent, pos }: ts.Identifier): boolean =>
  (ts.isPropertyAccessExpression(parent) || ts.isCallExpression(parent)) && parent.expression.pos === pos;

function sizes({ tree, text }: Source): string[] {
  const lines = text.trimEnd().split("\n").length;
  const found = lines > 300 ? [`has ${lines} lines`] : [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      const from = tree.getLineAndCharacterOfPosition(node.getStart()).line;
      const to = tree.getLineAndCharacterOfPosition(node.end).line;
      if (to - from + 1 >= 60) found.push(`has a function of ${to - from + 1} lines at line ${from + 1}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function manners({ path, tree, text }: Source): string[] {
  const found = /(?:^|\/)(?:[\w-]+-)?(?:manager|service|utils?)(?:\.|\/)|-helpers?\./.test(path) ? ["has a name that says nothing"] : [];
  if (!/^(#!.*\n)?(\/\*\* @jsx.*\n)?\/\*\*/.test(text)) found.push("has no head that says what it owns");
  if (imports({ path, tree, text }).some((name) => /^(node:)?events$/.test(name)) || /\bEventEmitter\b/.test(text))
    found.push("uses an event emitter");
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && /[A-Za-z](Manager|Service|Helper|Utils?)$/.test(node.text) && isDeclared(node))
      found.push(`declares ${node.text}`);
    if (node.kind === ts.SyntaxKind.AnyKeyword) found.push("says any");
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}
const isDeclared = (node: ts.Identifier): boolean =>
  "name" in node.parent && node.parent.name === node && !ts.isPropertyAccessExpression(node.parent);

function doors(all: Source[]): string[] {
  const rooms = new Map<string, Set<string>>();
  for (const file of all) for (const name of packages(file)) rooms.set(name, (rooms.get(name) ?? new Set()).add(roomOf(file.path)));
  return [...rooms]
    .filter(([name, at]) => at.size > 1 && !EVERYWHERE.includes(name))
    .map(([name, at]) => `${name} is imported in ${[...at].sort().join(", ")}`);
}

const wrong = (rule: (file: Source) => string[]): string[] => files.flatMap((file) => rule(file).map((what) => `${file.path} ${what}`));

describe("the house", () => {
  test("each room imports only what the plan allows it", () => expect(wrong(arrows)).toEqual([]));
  test("the core has no await, clock, disk or chance, and imports nothing from outside", () => expect(wrong(purity)).toEqual([]));
  test("each package has one door", () => expect(doors(files)).toEqual([]));
  test("no file is over 300 lines, no function 60 or more", () => expect(wrong(sizes)).toEqual([]));
  test("names say something, heads say what a file owns, and nobody listens behind a wall", () => expect(wrong(manners)).toEqual([]));
});

describe("the rules of the house find", () => {
  const long = (lines: number) => "x;\n".repeat(lines);
  test.each<[string, (file: Source) => string[], string, string, string[]]>([
    ["a wrong arrow", arrows, "src/core/a.ts", 'import { b } from "../store/b.ts";', ["imports src/store"]],
    ["a wrong arrow of a type", arrows, "src/core/a.ts", 'type B = import("../store/b.ts").B;', ["imports src/store"]],
    ["a wrong arrow at run time", arrows, "src/harness/a.ts", 'await import("../../adapters/slack/a.ts");', ["imports adapters/slack"]],
    ["a wrong arrow passed on", arrows, "adapters/slack/a.ts", 'export * from "../console/a.ts";', ["imports adapters/console"]],
    ["a room that is not planned", arrows, "src/stuff/a.ts", "", ["src/stuff is no room of the plan"]],
    ["no fault in main", arrows, "src/main.ts", 'import "./store/a.ts";', []],
    ["no fault in a right arrow", arrows, "src/hooks/a.ts", 'import "../core/a.ts"; import "./b.ts";', []],
    ["a package in the core", purity, "src/core/a.ts", 'import { z } from "zod";', ["uses zod"]],
    ["a clock", purity, "src/core/a.ts", "const a = [Date.now(), new Date()];", ["uses Date.now", "uses new Date()"]],
    ["no fault in a given time", purity, "src/core/a.ts", "const a = new Date(at); const b = { process: 1 }.process;", []],
    [
      "chance and waiting",
      purity,
      "src/core/a.ts",
      "Math.random(); await x; setTimeout(f); process.env;",
      ["uses Math.random", "uses await", "uses setTimeout", "uses process"],
    ],
    ["a long file", sizes, "src/core/a.ts", long(301), ["has 301 lines"]],
    ["a long function", sizes, "src/core/a.ts", `const f = () => {\n${long(58)}};`, ["has a function of 60 lines at line 1"]],
    ["no fault in a shorter one", sizes, "src/core/a.ts", `class A {\n m() {\n${long(57)}}\n}`, []],
    [
      "an empty name",
      manners,
      "src/core/session-manager.ts",
      "/** */ export class SessionManager {}",
      ["has a name that says nothing", "declares SessionManager"],
    ],
    ["a missing head", manners, "src/core/a.ts", "const a = 1;", ["has no head that says what it owns"]],
    ["an emitter", manners, "src/core/a.ts", '/** */ import { once } from "node:events";', ["uses an event emitter"]],
    ["any", manners, "src/core/a.ts", "/** */ let a: any;", ["says any"]],
    ["no fault in helpers, who are people", manners, "src/harness/helper.ts", "/** */ const helper = 1;", []],
  ])("%s", (_, rule, path, text, found) => {
    expect(rule(source(path, text))).toEqual(found);
  });

  test("a package with two doors", () => {
    const at = (path: string) => source(path, 'import { a } from "@slack/bolt/dist/a.js"; import { z } from "zod"; import "node:fs";');
    expect(doors([at("adapters/slack/a.ts"), at("src/harness/b.ts")])).toEqual(["@slack/bolt is imported in adapters/slack, src/harness"]);
    expect(doors([at("adapters/slack/a.ts"), at("adapters/slack/b.ts")])).toEqual([]);
  });
});
