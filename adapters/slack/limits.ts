/** Slack's limits on blocks, and a check of them. Pure: what is refused here would be refused by Slack. */
export const LIMIT = {
  blocks: 50,
  modalBlocks: 100,
  /** Over all markdown blocks of a message. */
  markdown: 12_000,
  /** Over all text of a message's blocks; not documented, refused from about 13,200 on. */
  together: 13_000,
  header: 150,
  section: 3000,
  field: 2000,
  fields: 10,
  context: 10,
  actions: 25,
  button: 75,
  value: 2000,
  id: 255,
  label: 2000,
  hint: 2000,
  input: 3000,
  /** Of a menu, and how many it has. */
  option: 75,
  options: 100,
  title: 24,
  metadata: 3000,
  /** Of a plan, and characters of a task's title: what is streamed keeps to them too. */
  tasks: 50,
  task: 250,
  rows: 100,
  columns: 20,
  /** In all cells together. */
  cells: 10_000,
  /** `text` of an update that has no blocks. */
  bareUpdate: 4000,
} as const;

type Fields = Record<string, unknown>;
type Say = (problem: string) => void;

/** What Slack would refuse about these blocks, one line each. */
export function problems(blocks: readonly object[], surface: "message" | "modal"): string[] {
  const found: string[] = [];
  const most = surface === "message" ? LIMIT.blocks : LIMIT.modalBlocks;
  if (blocks.length > most) found.push(`at most ${most} blocks`);
  const ids = new Set<string>();
  let markdown = 0;
  for (const [index, block] of blocks.entries()) {
    const fields = block as Fields;
    const say: Say = (problem) => found.push(`block ${index} (${String(fields.type)}): ${problem}`);
    checkBlock(fields, surface, say);
    if (typeof fields.block_id === "string") {
      if (fields.block_id.length > LIMIT.id) say(`block_id: at most ${LIMIT.id} characters`);
      if (ids.has(fields.block_id)) say("block_id stands twice");
      ids.add(fields.block_id);
    }
    if (fields.type === "markdown") markdown += lengthOf(fields.text);
  }
  if (markdown > LIMIT.markdown) found.push(`markdown blocks: at most ${LIMIT.markdown} characters`);
  if (blocks.filter((block) => (block as Fields).type === "table").length > 1) found.push("at most one table");
  if (textOf(blocks) > LIMIT.together) found.push(`text of all blocks together: at most ${LIMIT.together} characters`);
  return found;
}

/** Characters of text in all blocks. */
export function textOf(node: unknown): number {
  if (Array.isArray(node)) return node.reduce<number>((sum, each) => sum + textOf(each), 0);
  if (typeof node !== "object" || node === null) return 0;
  return Object.entries(node).reduce(
    (sum, [key, value]) => sum + (TEXTS.has(key) && typeof value === "string" ? value.length : textOf(value)),
    0,
  );
}

const TEXTS = new Set(["text", "title"]);
const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length : 0);
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);

function bounded(value: unknown, most: number, name: string, say: Say): void {
  const length = lengthOf(value);
  if (length < 1 || length > most) say(`${name}: 1 to ${most} characters`);
}
function textObject(value: unknown, most: number, name: string, plainOnly: boolean, say: Say): void {
  const object = (typeof value === "object" && value !== null ? value : {}) as Fields;
  if (object.type !== "plain_text" && (plainOnly || object.type !== "mrkdwn")) say(`${name}: wrong type of text`);
  bounded(object.text, most, name, say);
}

function checkBlock(block: Fields, surface: "message" | "modal", say: Say): void {
  switch (block.type) {
    case "section":
      if (block.text === undefined && block.fields === undefined) say("needs text or fields");
      if (block.text !== undefined) textObject(block.text, LIMIT.section, "text", false, say);
      if (listOf(block.fields).length > LIMIT.fields) say(`at most ${LIMIT.fields} fields`);
      for (const field of listOf(block.fields)) textObject(field, LIMIT.field, "field", false, say);
      return;
    case "header":
      textObject(block.text, LIMIT.header, "text", true, say);
      return;
    case "markdown":
      if (surface === "modal") say("only in messages");
      bounded(block.text, LIMIT.markdown, "text", say);
      return;
    case "context":
      if (listOf(block.elements).length === 0 || listOf(block.elements).length > LIMIT.context) say(`1 to ${LIMIT.context} elements`);
      for (const element of listOf(block.elements)) textObject(element, LIMIT.section, "element", false, say);
      return;
    case "rich_text":
      for (const element of listOf(block.elements)) if (listOf(element.elements).length === 0) say("an element is empty");
      return;
    case "actions":
      checkActions(listOf(block.elements), say);
      return;
    case "input":
      checkInput(block, surface, say);
      return;
    case "plan":
      checkPlan(block, surface, say);
      return;
    case "table":
      checkTable(listOf(block.rows), say);
      return;
    case "divider":
      return;
    default:
      say("unknown type");
  }
}

function checkActions(elements: Fields[], say: Say): void {
  if (elements.length === 0 || elements.length > LIMIT.actions) say(`1 to ${LIMIT.actions} elements`);
  const ids = new Set(elements.map((element) => element.action_id));
  if (ids.size !== elements.length) say("action_id stands twice");
  for (const button of elements) {
    textObject(button.text, LIMIT.button, "button", true, say);
    bounded(button.action_id, LIMIT.id, "action_id", say);
    if (lengthOf(button.value) > LIMIT.value) say(`value: at most ${LIMIT.value} characters`);
    if (button.style !== undefined && button.style !== "primary" && button.style !== "danger") say("unknown style");
  }
}

function checkPlan(block: Fields, surface: "message" | "modal", say: Say): void {
  if (surface === "modal") say("only in messages");
  bounded(block.title, LIMIT.task, "title", say);
  const tasks = listOf(block.tasks);
  if (tasks.length > LIMIT.tasks) say(`at most ${LIMIT.tasks} tasks`);
  if (new Set(tasks.map((task) => task.task_id)).size !== tasks.length) say("task_id stands twice");
  for (const task of tasks) {
    bounded(task.task_id, LIMIT.id, "task_id", say);
    bounded(task.title, LIMIT.task, "title", say);
    if (!["pending", "in_progress", "complete", "error"].includes(String(task.status))) say("unknown status");
  }
}

function checkTable(rows: unknown[], say: Say): void {
  if (rows.length < 1 || rows.length > LIMIT.rows) say(`1 to ${LIMIT.rows} rows`);
  if (textOf(rows) > LIMIT.cells) say(`at most ${LIMIT.cells} characters in all cells`);
  for (const row of rows) {
    const cells = listOf(row);
    if (cells.length < 1 || cells.length > LIMIT.columns) say(`1 to ${LIMIT.columns} cells in a row`);
    if (cells.some((cell) => cell.type === "raw_text" && lengthOf(cell.text) < 1)) say("a cell is empty");
  }
}

function checkInput(block: Fields, surface: "message" | "modal", say: Say): void {
  if (surface === "message") say("only in forms");
  textObject(block.label, LIMIT.label, "label", true, say);
  if (block.hint !== undefined) textObject(block.hint, LIMIT.hint, "hint", true, say);
  const element = (block.element ?? {}) as Fields;
  bounded(element.action_id, LIMIT.id, "action_id", say);
  if (lengthOf(element.initial_value) > LIMIT.input) say(`initial_value: at most ${LIMIT.input} characters`);
  if (element.options === undefined) return;
  const options = listOf(element.options);
  if (options.length < 1 || options.length > LIMIT.options) say(`1 to ${LIMIT.options} options`);
  for (const option of options) {
    textObject(option.text, LIMIT.option, "option", true, say);
    bounded(option.value, LIMIT.option, "option's value", say);
  }
}
