// The page's own script: sends forms, uploads files, watches jobs, and shows errors where they belong.
// The server holds everything and draws every section; after a change the script fetches the page again
// and puts the new sections in place. Text from the server is only ever set as text.

const POLL = 350;
const watching = new Set();
// What the script says, in the language of the page; what the server tells of errors and progress is in English.
const say = JSON.parse(document.body.dataset.say);
const lang = document.documentElement.lang;
const filled = (text, parts) => text.replace(/\{(\w+)\}/g, (_, name) => parts[name]);

// ---- sending ----

async function send(address, fields) {
  return answer(await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(fields ?? {}),
  }));
}

async function answer(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw body.error ?? { message: say.unexpected, lang, code: "defect" };
  return body;
}

function upload(address, file, onProgress) {
  // XMLHttpRequest, because fetch cannot tell how far an upload has come.
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.setRequestHeader("x-file-name", encodeURIComponent(file.name));
    request.upload.addEventListener("progress", (event) => onProgress(event.loaded / event.total));
    request.addEventListener("load", () => {
      let body = {};
      try { body = JSON.parse(request.responseText); } catch { /* told below */ }
      if (request.status < 300) resolve(body);
      else reject(body.error ?? { message: say.not_taken, lang, code: "defect" });
    });
    request.addEventListener("error", () => reject(gone()));
    request.send(file);
  });
}

function gone() {
  return {
    message: say.gone[0],
    hint: say.gone[1],
    lang,
    code: "server-gone",
  };
}

const asError = (error) => (error instanceof Error ? gone() : error);

// ---- errors, at their place ----

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function errorBox(error) {
  const box = element("div", "error");
  box.setAttribute("role", "alert");
  box.tabIndex = -1;
  box.lang = error.lang ?? "en";
  const where = placeText(error.where);
  if (where) box.append(element("p", "where", where));
  box.append(element("p", "message", error.message));
  if (error.excerpt?.length) box.append(excerptBox(error.excerpt));
  if (error.hint) box.append(element("p", "hint", error.hint));
  if (error.cures?.length) box.append(cureButtons(box, error.cures));
  return box;
}

function cureButtons(box, cures) {
  const row = element("div", "buttons");
  for (const cure of cures) {
    const button = element("button", "", cure.label);
    button.type = "button";
    if (cure.act) button.addEventListener("click", () => { box.remove(); cure.act(); });
    else button.dataset.cure = JSON.stringify(cure);
    row.append(button);
  }
  return row;
}

function placeText(where) {
  if (!where) return "";
  const parts = [];
  if (where.file) parts.push(where.file);
  if (where.line) parts.push(`line ${where.line}`);
  if (where.column !== undefined) parts.push(`column ${where.column}`);
  if (where.value !== undefined) parts.push(`value ${JSON.stringify(where.value)}`);
  return parts.join(", ");
}

function excerptBox(lines) {
  const box = element("div", "excerpt");
  for (const line of lines) {
    const row = element("div", line.here ? "here" : "");
    row.append(element("span", "at", String(line.number)), element("span", "", line.text));
    box.append(row);
  }
  return box;
}

function clearErrors(container) {
  for (const old of container.querySelectorAll(".error")) old.remove();
  for (const field of container.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
}

function fieldOf(form, error) {
  const named = error.field;
  if (!named || !form) return null;
  // What readers know is an option of its own verb, and has fields with a name of their own.
  const fields = [...form.elements].filter((field) => [named, `knowledge_${named}`].includes(field.name));
  return fields.find((field) => !field.closest("[hidden]")) ?? null;
}

function showError(container, told, form) {
  const error = asError(told);
  clearErrors(container);
  const box = errorBox(error);
  const field = fieldOf(form, error);
  if (field) {
    reveal(field);
    field.closest("details")?.setAttribute("open", "");
    field.setAttribute("aria-invalid", "true");
    box.id = `error-at-${field.name}`;
    field.setAttribute("aria-errormessage", box.id);
    const holder = field.closest(".field, .sentence") ?? field;
    holder.after(box);
    field.focus({ preventScroll: true });
    const seen = holder.getBoundingClientRect().top >= 0 && box.getBoundingClientRect().bottom <= innerHeight;
    if (!seen) holder.scrollIntoView({ block: "start" });
  } else {
    reveal(container);
    container.append(box);
    box.focus();
  }
}

// What mends an error is put into its fields, and tried at once.
function mend(cure) {
  const form = document.getElementById(cure.step === 1 ? "reading" : "choice");
  for (const [name, value] of Object.entries(cure.fields)) {
    const field = fieldOf(form, { field: name });
    if (!field) continue;
    const choice = [...form.elements].find((one) => one.type === "radio" && one.name === field.name && one.value === value);
    if (choice) choice.checked = true;
    else field.value = value;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  if (!cure.only_fill) form.requestSubmit();
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-cure]");
  if (!button) return;
  const cure = JSON.parse(button.dataset.cure);
  button.closest(".error")?.remove();
  mend(cure);
});

// ---- terms that explain themselves ----

// A term shows its sentence on hover, on focus and at a tap; Escape takes it away, and the pointer may go onto it.
const bubble = document.getElementById("coach");
let explaining = null;
let leaving = 0;

function explain(term) {
  clearTimeout(leaving);
  explaining = term;
  bubble.textContent = document.getElementById(term.getAttribute("aria-describedby")).textContent;
  bubble.hidden = false;
  const at = term.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - bubble.offsetWidth - 8));
  const below = at.bottom + 6 + bubble.offsetHeight <= innerHeight;
  bubble.style.left = `${left + scrollX}px`;
  bubble.style.top = `${(below ? at.bottom + 6 : at.top - 6 - bubble.offsetHeight) + scrollY}px`;
}
function silence() {
  explaining = null;
  bubble.hidden = true;
}
const termAt = (event) => event.target.closest?.(".term") ?? null;
document.addEventListener("mouseover", (event) => {
  if (termAt(event)) explain(termAt(event));
  else if (event.target === bubble) clearTimeout(leaving);
});
document.addEventListener("mouseout", (event) => {
  if (explaining && (termAt(event) || event.target === bubble) && document.activeElement !== explaining) {
    clearTimeout(leaving);
    leaving = setTimeout(silence, 200);
  }
});
document.addEventListener("focusin", (event) => { if (termAt(event)) explain(termAt(event)); });
document.addEventListener("focusout", (event) => { if (termAt(event)) silence(); });
document.addEventListener("click", (event) => {
  if (termAt(event)) explain(termAt(event));
  else if (event.target !== bubble) silence();
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape") silence(); });

// ---- watching jobs ----

function progressBox(container) {
  let box = container.querySelector(":scope > .progress");
  if (!box) {
    box = document.getElementById("progress-box").content.firstElementChild.cloneNode(true);
    container.append(box);
  }
  return box;
}

function showProgress(box, job) {
  const what = box.querySelector(".what");
  if (what.textContent !== job.what) {
    what.textContent = job.what;
    what.lang = job.lang ?? "en";
  }
  box.querySelector(".time").textContent = job.seconds === undefined ? "" : `${job.seconds.toFixed(0)} s`;
  const bar = box.querySelector("progress");
  if (job.share === null || job.share === undefined) bar.removeAttribute("value");
  else bar.value = job.share;
}

async function watch(id, container) {
  if (watching.has(id)) return null;
  watching.add(id);
  const box = progressBox(container);
  box.dataset.job = id;
  try {
    for (;;) {
      const job = await answer(await fetch(`/jobs/${id}`));
      showProgress(box, job);
      if (["done", "failed", "cancelled"].includes(job.state)) {
        box.remove();
        return job;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL));
    }
  } catch (error) {
    box.remove();
    throw error;
  } finally {
    watching.delete(id);
  }
}

// ---- drawing again ----

async function refresh(names, address = location.href) {
  const response = await fetch(address, { headers: { accept: "text/html" } });
  if (!response.ok) throw gone();
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const name of names) {
    const [old, next] = [document.getElementById(name), fresh.getElementById(name)];
    if (old && next) replace(old, document.adoptNode(next));
  }
  settle();
}

function replace(old, next) {
  // What was unfolded stays unfolded, and whoever was in the section stays there.
  const open = [...old.querySelectorAll("details[id][open]")].map((one) => one.id);
  const here = old.contains(document.activeElement) ? document.activeElement.closest("[id]")?.id : null;
  old.replaceWith(next);
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  if (!here) return;
  const place = document.getElementById(here) ?? next;
  if (place.tabIndex < 0) place.tabIndex = -1;
  place.focus({ preventScroll: true });
}

// ---- what is not applied, and other tabs ----

// A form that only takes effect when its button is pressed: what differs from what the server drew is not applied.
const differs = (field) => {
  if (!field.matches("input, select, textarea") || ["hidden", "file"].includes(field.type)) return false;
  if (field.closest("[hidden]")) return false;
  if (field.type === "radio" || field.type === "checkbox") return field.checked !== field.defaultChecked;
  if (field.options) return [...field.options].some((one) => one.selected !== one.defaultSelected) && chosenByHand(field);
  return field.value !== field.defaultValue;
};
// A list of choices of which none is marked shows its first, which nobody has chosen.
const chosenByHand = (list) => [...list.options].some((one) => one.defaultSelected) || list.selectedIndex > 0;
const pending = () => [...document.querySelectorAll("form[data-applies]")]
  .filter((form) => [...form.elements].some(differs));

// What the server has taken is applied, also while it is still being looked at.
function applied(form) {
  for (const field of form.elements) {
    if (field.options) for (const one of field.options) one.defaultSelected = one.selected;
    else if (field.type === "radio" || field.type === "checkbox") field.defaultChecked = field.checked;
    else if (field.matches("input, textarea") && field.type !== "file") field.defaultValue = field.value;
  }
  markPending();
}

function markPending() {
  const waiting = pending();
  for (const form of document.querySelectorAll("form[data-applies]")) {
    form.classList.toggle("pending", waiting.includes(form));
  }
}

function notApplied(forms) {
  const names = forms.map((form) => form.getAttribute("data-applies"));
  return {
    message: filled(say.not_applied[0], { names: names.join(say.both) }),
    hint: say.not_applied[1],
    lang,
    code: "not-applied",
    cures: [
      { label: say.apply, act: () => forms[0].requestSubmit() },
      { label: say.take_back, act: () => { for (const form of forms) form.reset(); settle(); } },
    ],
  };
}

// The tabs of one browser tell each other that something has changed; each then shows it.
const tabs = new BroadcastChannel("tacit");
const tell = () => tabs.postMessage(location.pathname);
tabs.addEventListener("message", async (event) => {
  if (event.data !== location.pathname && location.pathname !== "/") return;
  if (pending().length) {
    announce(say.elsewhere);
    return;
  }
  if (location.pathname === "/") location.reload();
  else await refresh(ALL).catch(() => location.assign("/"));
});

let uploading = 0;
window.addEventListener("beforeunload", (event) => {
  if (pending().length || uploading) event.preventDefault();
});

const ALL = ["steps", "step-1", "step-2", "step-3", "step-4", "step-5", "step-6", "step-7"];
// A field may be called "dataset", and is then what form.dataset means: attributes are asked by name.
const part = (node) => (node?.getAttribute("data-refresh") ?? "").split(" ").filter(Boolean);

// ---- one step at a time ----

const stepLinks = () => [...document.querySelectorAll("#steps a")];
const here = () => {
  const asked = location.hash.slice(1);
  return asked.startsWith("step-") && document.getElementById(asked) ? asked : document.getElementById("steps")?.dataset.first;
};

function showStep() {
  const current = here();
  if (!current) return;
  const links = stepLinks();
  const place = links.findIndex((link) => link.hash === `#${current}`);
  for (const card of document.querySelectorAll("main > .card")) card.classList.toggle("away", card.id !== current);
  for (const link of links) {
    if (link.hash === `#${current}`) link.setAttribute("aria-current", "step");
    else link.removeAttribute("aria-current");
  }
  links[place]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  for (const [name, link] of [["back", links[place - 1]], ["next", links[place + 1]]]) {
    const button = document.getElementById(`step-${name}`);
    button.hidden = !link;
    if (!link) continue;
    button.href = link.hash;
    button.querySelector("span").textContent = link.querySelector(".title").textContent;
  }
}

// Whoever goes to a step is at its beginning, with the keyboard as well.
function goTo(step) {
  if (location.hash === `#${step}`) showStep();
  else history.pushState(null, "", `${location.pathname}${location.search}#${step}`);
  showStep();
  arrive();
}
function arrive() {
  const title = document.querySelector("main > .card:not(.away) h2");
  if (!title) return;
  title.tabIndex = -1;
  title.focus({ preventScroll: true });
  window.scrollTo({ top: 0 });
}
const reveal = (node) => {
  const card = node.closest("main > .card.away");
  if (card) goTo(card.id);
};
window.addEventListener("hashchange", () => { showStep(); arrive(); });
window.addEventListener("popstate", showStep);

function settle() {
  showStep();
  markPending();
  for (const chooser of document.querySelectorAll("[data-chooses]")) choose(chooser);
  for (const place of document.querySelectorAll("[data-watch]")) {
    const id = place.dataset.watch;
    delete place.dataset.watch;
    follow(id, place, part(place).length ? part(place) : ALL);
  }
  document.dispatchEvent(new Event("settled"));
}

async function follow(id, container, sections, form) {
  try {
    if (form) reveal(container);
    const job = await watch(id, container);
    if (!job) return;
    await refresh(sections);
    tell();
    const place = document.getElementById(container.id) ?? container;
    if (job.error && job.state === "failed") showError(place, job.error, form && document.getElementById(form.id));
    else announce(job.state === "cancelled" ? say.cancelled : say.done);
    if (job.kind === "run" && job.state === "done") goTo("step-6");
  } catch (error) {
    showError(document.getElementById(container.id) ?? container, error);
  }
}

function announce(text) {
  const place = document.getElementById("announcer");
  if (place) place.textContent = text;
}

// A choice shows what belongs to it and hides the rest.
function choose(chooser) {
  const scope = document.getElementById(chooser.dataset.chooses) ?? document;
  const chosen = chooser.matches("select")
    ? chooser.value
    : chooser.querySelector("input:checked")?.value ?? "";
  for (const piece of scope.querySelectorAll("[data-when]")) {
    if (piece.closest("[data-scope]")?.id !== scope.id && scope.dataset.scope !== undefined) continue;
    piece.hidden = !piece.dataset.when.split(" ").includes(chosen);
  }
}

// ---- what a person does ----

function fieldsOf(form) {
  const fields = {};
  for (const field of form.elements) {
    if (!field.name || field.closest("[hidden]") || field.type === "file") continue;
    if ((field.type === "radio" || field.type === "checkbox") && !field.checked) continue;
    // Column names are anybody's: they are never names of fields, and no name means anything special.
    if (field.dataset.column !== undefined) (fields.roles ??= Object.create(null))[field.dataset.column] = field.value;
    else fields[field.name] = field.value;
  }
  return fields;
}

document.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  if (form.getAttribute("method") === "get") {
    location.assign(`${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}#step-6`);
    return;
  }
  const place = document.getElementById(form.getAttribute("data-errors")) ?? form;
  clearErrors(form);
  clearErrors(place);
  const waiting = form.hasAttribute("data-needs-applied") ? pending() : [];
  if (waiting.length) {
    showError(place, notApplied(waiting));
    return;
  }
  const buttons = [...document.querySelectorAll("button")].filter((button) => button.form === form);
  for (const button of buttons) button.disabled = true;
  try {
    // A form may ask something about the fields of another.
    const filledIn = document.getElementById(form.getAttribute("data-fields")) ?? form;
    const told = await send(form.getAttribute("action"), fieldsOf(filledIn));
    applied(form);
    tell();
    if (told.location) location.assign(told.location);
    else if (told.stay) location.reload();
    else if (told.job) {
      if (form.hasAttribute("data-restart")) history.replaceState(null, "", location.pathname + location.hash);
      await follow(told.job, place, part(form), form);
    } else await refresh(part(form));
  } catch (error) {
    if (error.code === "changed-elsewhere") await refresh(ALL);
    showError(document.getElementById(place.id) ?? place, error, form);
  } finally {
    for (const button of buttons) button.disabled = false;
  }
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-cancel]");
  if (!button) return;
  button.disabled = true;
  const id = button.closest("[data-job]").dataset.job;
  try { await send(`/jobs/${id}/cancel`); } catch (error) { showError(button.closest(".card"), error); }
});

document.addEventListener("input", (event) => {
  markPending();
  // Whoever mends a field need not read on about what was wrong with it.
  const field = event.target;
  if (!field.hasAttribute("aria-invalid")) return;
  document.getElementById(field.getAttribute("aria-errormessage"))?.remove();
  field.removeAttribute("aria-invalid");
  field.removeAttribute("aria-errormessage");
});

document.addEventListener("change", (event) => {
  markPending();
  const chooser = event.target.closest("[data-chooses]");
  if (chooser) choose(chooser);
  if (event.target.matches("input[type=file]")) take(event.target, event.target.files[0]);
  if (event.target.matches("[data-line]")) leaveOut(event.target);
  // What is chosen for a release is kept as it is typed, once the fields of another method are hidden; the run checks it.
  const form = event.target.form;
  const keeps = form?.getAttribute("data-keeps");
  if (keeps) send(keeps, fieldsOf(form)).then(() => { tell(); return refresh(["steps", ...part(event.target)]); }).catch(() => {});
});

// A rule without a tick is a line of the field that names rules which readers do not know.
function leaveOut(box) {
  const field = box.closest("[data-when]").querySelector("[name=knowledge_drop_rules]");
  const lines = field.value.split("\n").filter((line) => line.trim() && line !== box.dataset.line);
  field.value = [...lines, ...(box.checked ? [] : [box.dataset.line])].join("\n");
}

async function take(input, file) {
  if (!file) return;
  const place = document.getElementById(input.dataset.errors);
  clearErrors(place);
  const limit = Number(document.body.dataset.limit);
  if (file.size > limit) {
    showError(place, {
      message: filled(say.too_large[0], { name: file.name, limit: Math.floor(limit / 1048576).toLocaleString(lang) }),
      hint: say.too_large[1],
      lang,
    });
    input.value = "";
    return;
  }
  const box = progressBox(place);
  box.querySelector("[data-cancel]").hidden = true;
  uploading += 1;
  try {
    const told = await upload(input.dataset.address, file, (share) => {
      showProgress(box, { what: filled(say.taking, { name: file.name }), lang, share });
    });
    uploading -= 1;
    tell();
    box.remove();
    if (told.location) location.assign(told.location);
    else await follow(told.job, place, part(input));
  } catch (error) {
    uploading = Math.max(0, uploading - 1);
    box.remove();
    showError(place, error);
  }
  input.value = "";
}

for (const name of ["dragenter", "dragover"]) {
  document.addEventListener(name, (event) => {
    event.preventDefault();
    document.querySelector(".drop")?.classList.toggle("over", Boolean(event.target.closest?.(".drop")));
  });
}
document.addEventListener("dragleave", () => document.querySelector(".drop")?.classList.remove("over"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  const zone = document.querySelector(".drop");
  zone?.classList.remove("over");
  const file = event.dataTransfer?.files[0];
  if (zone && file) take(zone.querySelector("input"), file);
});

settle();

export { announce, answer, clearErrors, element, filled, lang, refresh, say, send, showError, tell };
