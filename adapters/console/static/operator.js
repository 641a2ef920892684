/**
 * The operator's pages: presses buttons of cards, revokes and undoes, and edits files with a check while people type.
 *
 * - What is typed is never lost by this script: a page with a text that was not saved asks before it is left, and is not loaded anew.
 * - A page that follows loads itself anew when what waits has changed, and nobody is in the middle of something.
 */
const $ = (id) => document.getElementById(id);
const main = $("content");
const trouble = $("trouble");
const dialog = $("dialog");

function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

async function post(act, values) {
  const headers = { "content-type": "application/json", "x-console": "1" };
  const home = values.home ?? main.dataset.home;
  const answer = await fetch(`/acts/${act}`, { method: "POST", headers, body: JSON.stringify({ ...values, home }) }).catch(() => undefined);
  if (answer?.status === 401) location.assign("/login");
  const said = await answer?.json().catch(() => undefined);
  return said ?? { error: "Denizen cannot be reached. Try again in a moment." };
}

const wordsOf = (said) => said.error ?? said.view?.parts.map((part) => part.text ?? "").join("\n") ?? "";

function tell(words) {
  trouble.textContent = words;
  if (words) trouble.scrollIntoView({ block: "nearest" });
}

document.querySelector(".ways [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

// ---- cards ----------------------------------------------------------------------------------------------------------

let pressed;

async function press(button) {
  const home = button.closest("[data-home]").dataset.home;
  pressed = home;
  const group = [...button.closest(".buttons").querySelectorAll("button")];
  for (const one of group) one.disabled = true;
  const said = await post("press", { home, act: button.dataset.act, code: button.dataset.code });
  for (const one of group) one.disabled = false;
  tell(wordsOf(said));
  if (said.form) ask(said.form);
  else if (!wordsOf(said)) settled();
}

/** A page that grows by itself needs not be loaded anew. */
const settled = () => ($("now")?.dataset.grows ? grow() : location.reload());

function ask(form) {
  dialog.replaceChildren(parse(form));
  if (!dialog.open) dialog.showModal();
}

async function answer(form) {
  const submit = form.querySelector("[type=submit]");
  submit.disabled = true;
  const all = new FormData(form);
  // Of several that were ticked each has a line.
  const values = Object.fromEntries([...all.keys()].map((name) => [name, all.getAll(name).join("\n")]));
  const said = await post("press", { home: pressed, act: form.dataset.act, code: form.dataset.code, values });
  submit.disabled = false;
  if (said.form) return ask(said.form);
  const words = wordsOf(said);
  if (words) form.querySelector(".reply").textContent = words;
  else {
    dialog.close();
    settled();
  }
}
dialog.addEventListener("submit", (event) => {
  event.preventDefault();
  answer(event.target);
});

// ---- what is done with one button -------------------------------------------------------------------------------------

async function act(button) {
  const { do: name, sure, ...given } = button.dataset;
  if (sure && !confirm(sure)) return;
  button.disabled = true;
  const said = await post(name, given);
  button.disabled = false;
  tell(said.error ?? "");
  if (said.error) return;
  if (name === "undo") location.assign(`/changes?home=${encodeURIComponent(main.dataset.home)}`);
  else location.reload();
}

/** A form of one line. */
document.addEventListener("submit", async (event) => {
  const { form: name, ...given } = event.target.dataset;
  if (!name) return;
  event.preventDefault();
  const said = await post(name, { ...given, ...Object.fromEntries(new FormData(event.target)) });
  tell(said.error ?? "");
  if (!said.error) location.reload();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.act) press(button);
  if (button.dataset.do) act(button);
  if ("close" in button.dataset) dialog.close();
});

// ---- the editor -------------------------------------------------------------------------------------------------------

const edit = $("edit");
if (edit) {
  const box = $("body");
  const path = () => edit.dataset.path || $("path").value.trim();
  const save = edit.querySelector("[type=submit]");
  const revert = edit.querySelector("[data-revert]");
  const remove = edit.querySelector("[data-remove]");
  const before = box.value;
  let last = 0;
  let soon;
  let leaving = false;
  const changed = () => box.value !== before;

  const check = async () => {
    const mine = ++last;
    const given = path();
    revert.disabled = !changed();
    if (!given || (edit.dataset.path && !changed())) return show({ problem: "", hint: "", diff: "" });
    const said = await post("check", { path: given, text: box.value });
    // Only the answer to what stands there now counts.
    if (mine === last) show(said.error ? { problem: said.error, hint: "", diff: "" } : said);
  };
  const show = ({ problem, hint, line, diff }) => {
    const words = problem || hint;
    $("check").textContent = words && line && !words.includes(`line ${line}`) ? `Line ${line}: ${words}` : words;
    $("check").classList.toggle("odd", problem === "");
    box.setAttribute("aria-invalid", String(problem !== ""));
    $("diff").replaceChildren(parse(diff));
    edit.querySelector(".changes").hidden = diff === "";
    save.disabled = problem !== "" || (edit.dataset.path !== "" && !changed());
  };
  const later = () => {
    clearTimeout(soon);
    save.disabled = true;
    soon = setTimeout(check, 250);
  };
  box.addEventListener("input", later);
  $("path")?.addEventListener("input", later);
  revert.addEventListener("click", () => {
    box.value = before;
    check();
  });
  edit.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (save.disabled) return;
    save.disabled = true;
    const given = path();
    const said = await post("save", { path: given, text: box.value, version: edit.dataset.version });
    save.disabled = false;
    if (said.error) {
      $("check").textContent = said.error;
      return;
    }
    leaving = true;
    location.assign(`/files?home=${encodeURIComponent(main.dataset.home)}&path=${encodeURIComponent(given)}`);
  });
  remove?.addEventListener("click", async () => {
    if (!confirm(`Delete ${path()}?`)) return;
    const said = await post("remove", { path: path() });
    if (said.error) {
      $("check").textContent = said.error;
      return;
    }
    leaving = true;
    location.assign(`/files?home=${encodeURIComponent(main.dataset.home)}`);
  });
  addEventListener("beforeunload", (event) => {
    if (changed() && !leaving) event.preventDefault();
  });
}

// ---- following what waits, and what happens in a session ------------------------------------------------------------------

async function json(address) {
  const answer = await fetch(address).catch(() => undefined);
  $("lost").hidden = answer !== undefined;
  if (answer?.status === 401) location.assign("/login");
  return answer?.ok ? answer.json().catch(() => undefined) : undefined;
}

async function look() {
  if (document.hidden || dialog.open) return;
  const said = await json("/waiting");
  if (said && String(said.waiting) !== main.dataset.waiting) location.reload();
}
if ("follows" in main.dataset) setInterval(look, 2500);

/** Puts what there is now in the place of what was there; what somebody unfolded stays so, and who read the end goes on reading it. */
async function grow() {
  const before = $("now");
  if (document.hidden || dialog.open || !before?.dataset.grows) return;
  const said = await json(`${before.dataset.grows}&since=${before.dataset.seen}`);
  if (!said || String(said.seen) === before.dataset.seen) return;
  const answer = await fetch(location.href).catch(() => undefined);
  const now = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("now");
  if (!now || dialog.open) return;
  const atEnd = main.scrollHeight - main.scrollTop - main.clientHeight < 60;
  const old = [...before.querySelectorAll("details")];
  for (const [i, one] of [...now.querySelectorAll("details")].entries()) one.open = old[i]?.open ?? false;
  const { act, code } = document.activeElement?.dataset ?? {};
  before.replaceWith(document.adoptNode(now));
  if (act && code) now.querySelector(`[data-act="${act}"][data-code="${code}"]`)?.focus();
  if (atEnd) main.scrollTop = main.scrollHeight;
}
const follow = async () => {
  await grow();
  setTimeout(follow, 1200);
};
if ($("now")?.dataset.grows) follow();
