/**
 * The console's page: sends what people write and press, and swaps the fragments the server sends.
 *
 * No library: what is needed beyond fetch and EventSource is one careful swap, and every general one would want inline styles or
 * `eval`, which the content policy forbids.
 *
 * - What a person types, selects or has focused is left alone: only nodes that differ are replaced, and nobody types inside a fragment.
 * - The thread stays scrolled to its end only if it was there.
 * - A hidden page holds no stream: browsers allow six per address, and a seventh tab would hang.
 */
const $ = (id) => document.getElementById(id);
const scroll = $("scroll");
const write = $("write");
const text = $("text");
const trouble = $("trouble");
const dialog = $("dialog");
const here = { as: write.dataset.as, thread: write.dataset.thread, home: write.dataset.home };

// ---- swapping fragments ---------------------------------------------------------------------------------------------

function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.firstElementChild;
}

/** Makes one element equal another, touching only what differs. */
function morph(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  // What somebody has unfolded stays so.
  const kept = old.nodeName === "DETAILS" ? "open" : undefined;
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && name !== kept) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const next = [...fresh.childNodes];
  const present = [...old.childNodes];
  next.forEach((node, i) => {
    const before = present[i];
    if (!before) old.append(node);
    else if (before.nodeType === 1 && before.nodeName === node.nodeName) morph(before, node);
    else if (!before.isEqualNode(node)) before.replaceWith(node);
  });
  for (const extra of present.slice(next.length)) extra.remove();
}

function swap(box, { order, html }) {
  for (const [id, markup] of Object.entries(html)) {
    const old = $(id);
    const fresh = parse(markup);
    const held = old?.contains(document.activeElement) ? document.activeElement : undefined;
    if (old) morph(old, fresh);
    else box.append(fresh);
    // The pressed button is gone: keep the keyboard where it was.
    if (held && !held.isConnected) $(id)?.focus({ preventScroll: true });
  }
  if (!order) return;
  const wanted = new Set(order);
  for (const element of [...box.children]) if (!wanted.has(element.id)) element.remove();
  order.forEach((id, i) => {
    const element = $(id);
    if (element && box.children[i] !== element) box.insertBefore(element, box.children[i] ?? null);
  });
}

const atEnd = () => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
const toEnd = () => {
  scroll.scrollTop = scroll.scrollHeight;
};

function change(event) {
  const stay = atEnd();
  for (const [region, part] of Object.entries(JSON.parse(event.data))) swap($(region), part);
  document.title = `${document.querySelector("#head h1")?.textContent ?? "Thread"} · Denizen`;
  if (stay && here.thread) toEnd();
}

// ---- following ------------------------------------------------------------------------------------------------------

/** Said while there is nobody who could be asked. */
const AWAY = "Denizen cannot be reached.";
let stream;
let again;

function follow() {
  clearTimeout(again);
  stream?.close();
  if (document.hidden) return;
  stream = new EventSource(document.body.dataset.live);
  stream.addEventListener("change", change);
  stream.addEventListener("open", () => {
    $("lost").hidden = true;
    if (trouble.textContent.startsWith(AWAY)) trouble.textContent = "";
  });
  stream.addEventListener("error", () => {
    $("lost").hidden = false;
    stream.close();
    again = setTimeout(follow, 1500);
  });
}
document.addEventListener("visibilitychange", follow);

// ---- sending --------------------------------------------------------------------------------------------------------

/** Not crypto.randomUUID: that one is missing where the console is not on loopback or https. */
const newId = () => `m${[...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;

/** `away`: what to do when nobody answers. */
async function post(path, body, away) {
  const headers = { "content-type": "application/json", "x-console": "1" };
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify({ ...here, ...body }) }).catch(() => undefined);
  if (answer?.status === 401) location.assign("/login");
  const said = await answer?.json().catch(() => undefined);
  return said ?? { error: `${AWAY} ${away}` };
}

// ---- files that go along -------------------------------------------------------------------------------------------

/** Chosen, and uploaded once when the message is sent. */
let chosen = [];
const size = (bytes) => (bytes < 1024 * 1024 ? `${Math.max(1, Math.round(bytes / 1024))} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`);

function choose(files) {
  chosen = [...chosen, ...[...files].map((file) => ({ file }))].slice(0, 10);
  drawChosen();
}
function drawChosen() {
  $("chosen").replaceChildren(
    ...chosen.map((one) => {
      const item = document.createElement("li");
      const name = document.createElement("span");
      const bytes = document.createElement("small");
      const drop = document.createElement("button");
      name.textContent = one.file.name;
      bytes.textContent = size(one.file.size);
      drop.type = "button";
      drop.textContent = "✕";
      drop.setAttribute("aria-label", `Leave out ${one.file.name}`);
      drop.addEventListener("click", () => {
        chosen = chosen.filter((other) => other !== one);
        id = newId();
        drawChosen();
        text.focus();
      });
      item.append(name, bytes, drop);
      return item;
    }),
  );
}
/** Undefined, and said, if one could not be. */
async function uploaded() {
  for (const one of chosen) {
    if (one.id) continue;
    const headers = { "content-type": "application/octet-stream", "x-console": "1" };
    const answer = await fetch("/uploads", { method: "POST", headers, body: one.file }).catch(() => undefined);
    const said = await answer?.json().catch(() => undefined);
    if (!said?.id) {
      trouble.textContent = `${one.file.name}: ${said?.error ?? "it could not be sent. Try it again in a moment."}`;
      return undefined;
    }
    one.id = said.id;
  }
  return chosen.map(({ id: file, file: { name, type, size: bytes } }) => ({ id: file, name, mime: type, size: bytes }));
}
$("files").addEventListener("change", (event) => {
  choose(event.target.files);
  event.target.value = "";
  id = newId();
  text.focus();
});
text.addEventListener("paste", (event) => {
  if (!event.clipboardData.files.length) return;
  event.preventDefault();
  choose(event.clipboardData.files);
  id = newId();
});
write.addEventListener("dragover", (event) => event.preventDefault());
write.addEventListener("drop", (event) => {
  event.preventDefault();
  choose(event.dataTransfer.files);
  id = newId();
});

const draftKey = `draft ${here.thread} ${here.home}`;
let id = newId();

async function send(event) {
  event.preventDefault();
  const button = write.querySelector("[type=submit]");
  const words = text.value;
  if (button.disabled || (words.trim() === "" && !chosen.length)) return;
  button.disabled = true;
  text.readOnly = true;
  trouble.textContent = "";
  const files = await uploaded();
  const said = files
    ? await post("/messages", { id, text: words, files }, "What you wrote is still here; send it again in a moment.")
    : { error: trouble.textContent };
  button.disabled = false;
  text.readOnly = false;
  if (said.error) {
    trouble.textContent = said.error;
    return;
  }
  id = newId();
  chosen = [];
  drawChosen();
  text.value = "";
  sessionStorage.removeItem(draftKey);
  if (said.thread) location.assign(`/threads/${said.thread}?as=${here.as}`);
  if (said.form) ask(said.form);
  toEnd();
}
write.addEventListener("submit", send);
text.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  write.requestSubmit();
});
text.addEventListener("input", () => {
  // A send that failed may have arrived; other words are another message.
  id = newId();
  sessionStorage.setItem(draftKey, text.value);
});

// ---- pressing -------------------------------------------------------------------------------------------------------

/** Whose button was pressed last. */
let article;

async function press(button) {
  article = button.closest("article")?.id;
  const group = [...button.closest(".buttons").querySelectorAll("button")];
  const held = button.matches(":focus-visible");
  for (const one of group) one.disabled = true;
  // What is disabled loses the focus: the keyboard stays where it was.
  if (held) button.closest("article")?.focus({ preventScroll: true });
  const said = await post("/clicks", { act: button.dataset.act, code: button.dataset.code }, "Press it again in a moment.");
  trouble.textContent = said.error ?? "";
  // A decided card loses its buttons by itself; what was refused, or only asked for a form, can be pressed again.
  const free = () =>
    group.forEach((one) => {
      one.disabled = false;
    });
  if (said.error || said.form || said.view) {
    free();
    if (held) button.focus({ preventScroll: true });
  } else setTimeout(free, 5000);
  if (said.form) ask(said.form);
  if (said.view) toEnd();
}

/** A command that a button stands for. */
async function command(button) {
  if (button.matches(":focus-visible")) text.focus();
  button.disabled = true;
  const said = await post("/messages", { id: newId(), text: button.dataset.say }, "Press it again in a moment.");
  trouble.textContent = said.error ?? "";
  button.disabled = false;
}

function ask(form) {
  dialog.replaceChildren(parse(form));
  if (!dialog.open) dialog.showModal();
}

/** Of several that were ticked each has a line. */
function valuesOf(form) {
  const all = new FormData(form);
  return Object.fromEntries([...all.keys()].map((name) => [name, all.getAll(name).join("\n")]));
}

async function answer(form) {
  const submit = form.querySelector("[type=submit]");
  submit.disabled = true;
  const said = await post(
    "/clicks",
    { act: form.dataset.act, code: form.dataset.code, values: valuesOf(form) },
    "Send it again in a moment.",
  );
  submit.disabled = false;
  if (said.form) return ask(said.form);
  const words = said.error ?? said.view?.parts.map((part) => part.text ?? "").join("\n");
  if (words) form.querySelector(".reply").textContent = words;
  else dialog.close();
}

document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-act], [data-close], [data-fill], [data-say]");
  if (target?.tagName !== "BUTTON") return;
  if (target.dataset.act) press(target);
  if (target.dataset.say) command(target);
  if ("close" in target.dataset) dialog.close();
  if (target.dataset.fill) {
    text.value = target.dataset.fill;
    text.focus();
  }
});
dialog.addEventListener("close", () => {
  // Decided: the button that opened it is gone.
  if (document.activeElement === document.body) $(article)?.focus({ preventScroll: true });
});
dialog.addEventListener("submit", (event) => {
  event.preventDefault();
  answer(event.target);
});

text.value ||= sessionStorage.getItem(draftKey) ?? "";
if (here.thread && !location.hash) toEnd();
follow();
