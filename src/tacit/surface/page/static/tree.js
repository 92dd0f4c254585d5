// The hierarchy workshop: a tree that is edited by mouse, by touch and by keyboard alone.
// A value of the data always has one place: groups are made, named, moved, merged and taken away, values only moved.
// Every change is sent to the server, which checks it and keeps it; changes can be taken back one by one.

import { announce, answer, clearErrors, element, filled, lang, refresh, say, send, showError, tell } from "./page.js";

const SHOWN = 200;
const { tree } = say; // its words
const editors = new Map(); // by column
let saving = Promise.resolve();
let unsaved = 0;

// ---- the tree ----

function treeOf(told) {
  const unused = new Set(told.unused);
  const nodes = told.labels.map((label, place) => ({
    label, value: place < told.leaves && told.labels.length > 1, unused: unused.has(label), children: [],
  }));
  // Leaves come in the order of the tree and inner nodes after their children; a child is put where its first leaf is.
  const first = told.labels.map((_, place) => (place < told.leaves ? place : Infinity));
  told.parents.forEach((parent, place) => { if (parent >= 0) first[parent] = Math.min(first[parent], first[place]); });
  told.parents.forEach((parent, place) => { if (parent >= 0) nodes[parent].children.push(place); });
  for (const node of nodes) node.children = node.children.sort((a, b) => first[a] - first[b]).map((place) => nodes[place]);
  return nodes[nodes.length - 1];
}

function* walk(node, parent = null, level = 1) {
  yield { node, parent, level };
  for (const child of node.children) yield* walk(child, node, level + 1);
}

const counted = (node) => (node.value ? Number(!node.unused) : node.children.reduce((sum, one) => sum + counted(one), 0));
const holds = (node) => node.value || node.children.some(holds);
const inside = (node, other) => [...walk(node)].some((one) => one.node === other);
const quoted = (label) => `"${label.replaceAll('"', '""')}"`;

function linesOf(root) {
  const lines = ["child,parent"];
  for (const { node, parent } of walk(root)) {
    if (parent && holds(node)) lines.push(`${quoted(node.label)},${quoted(parent.label)}`);
  }
  return `${lines.join("\n")}\n`;
}

const valuesIn = (count) => (count === 1 ? tree.value : filled(tree.values, { count: count.toLocaleString(lang) }));

const named = (nodes) => (nodes.length === 1 ? filled(tree.quoted, nodes[0]) : filled(tree.these, { count: nodes.length }));

// ---- an editor ----

class Editor {
  constructor(column, address, title) {
    Object.assign(this, { column, address, title, root: null, past: [], future: [], cut: [] });
    this.open = new Set();
    this.picked = new Set();
    this.whole = new Set();
    this.at = null;
  }

  async load() {
    const told = await answer(await fetch(`${this.address}/tree?column=${encodeURIComponent(this.column)}`));
    const fresh = treeOf(told);
    if (this.root && linesOf(this.root) === linesOf(fresh) && this.root.label === fresh.label) return;
    if (this.root) this.past.push(this.root); // it was changed by a proposal, a paste or in another tab
    this.root = fresh;
    this.at = fresh.label;
    this.open = new Set([fresh.label]);
    if (fresh.children.length <= 12) for (const child of fresh.children) this.open.add(child.label);
    this.picked.clear();
  }

  mount(box) {
    this.box = box;
    box.replaceChildren();
    const bar = element("div", "bar");
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", tree.bar);
    this.buttons = {};
    for (const [name, [words, keys]] of Object.entries(tree.buttons)) {
      const button = element("button", "", words);
      button.type = "button";
      if (keys) button.title = `${words} (${keys})`;
      button.addEventListener("click", () => { if (button.getAttribute("aria-disabled") !== "true") this[name](); });
      bar.append(button);
      this.buttons[name] = button;
    }
    this.asking = element("div", "asking");
    this.tree = element("div", "rows");
    this.tree.setAttribute("role", "tree");
    this.tree.setAttribute("aria-label", this.title);
    this.tree.setAttribute("aria-multiselectable", "true");
    this.told = element("p", "hint told");
    this.told.setAttribute("role", "status");
    this.wrong = element("div", "wrong");
    this.wrong.id = `${box.id}-wrong`;
    const help = element("details", "help");
    help.append(element("summary", "", tree.keyboard));
    const keys = element("dl", "keys");
    for (const [key, words] of tree.keys) keys.append(element("dt", "", key), element("dd", "", words));
    help.append(keys);
    box.append(bar, this.asking, this.tree, this.told, this.wrong, help);
    this.tree.addEventListener("keydown", (event) => this.key(event));
    this.tree.addEventListener("click", (event) => this.click(event));
    this.tree.addEventListener("focusin", (event) => this.arrived(event.target.dataset.label));
    for (const name of ["dragstart", "dragover", "dragleave", "drop", "dragend"]) {
      this.tree.addEventListener(name, (event) => this[name](event));
    }
    this.draw();
  }

  // ---- drawing ----

  find(label) {
    for (const found of walk(this.root)) if (found.node.label === label) return found;
    return null;
  }

  rows() {
    const found = [];
    const add = (node, parent, level, place, size) => {
      found.push({ node, parent, level, place, size });
      if (node.value || !this.open.has(node.label)) return;
      const shown = this.whole.has(node.label) ? node.children : node.children.slice(0, SHOWN);
      shown.forEach((child, number) => add(child, node, level + 1, number + 1, node.children.length));
      if (shown.length < node.children.length) found.push({ more: node, level: level + 1 });
    };
    add(this.root, null, 1, 1, 1);
    return found;
  }

  draw(focus = false) {
    const rows = this.rows();
    if (!rows.some((row) => row.node?.label === this.at)) this.at = this.root.label;
    this.tree.replaceChildren(...rows.map((row) => (row.more ? this.moreRow(row) : this.row(row))));
    const groups = [...walk(this.root)].filter(({ node }) => !node.value);
    const empty = groups.filter(({ node }) => !holds(node)).length;
    this.told.textContent = filled(tree.holds, { values: valuesIn(counted(this.root)), groups: groups.length - 1 })
      + (empty ? ` ${empty === 1 ? tree.one_empty : filled(tree.some_empty, { count: empty })}` : "")
      + (this.cut.length ? ` ${filled(tree.picked_up, { names: this.cut.join(", ") })}` : "");
    const { node } = this.find(this.at);
    const chosen = this.chosen();
    const movable = chosen.length > 0 && !chosen.includes(this.root);
    this.able({
      undo: this.past.length, redo: this.future.length, add: true, rename: !node.value, move: movable,
      merge: chosen.length === 1 && !node.value && movable, remove: chosen.length > 0 && movable && chosen.every((one) => !one.value),
    });
    if (focus) this.row_of(this.at)?.focus();
  }

  able(which) {
    for (const [name, button] of Object.entries(this.buttons)) {
      button.setAttribute("aria-disabled", String(!which[name]));
    }
  }

  row({ node, level, place, size }) {
    const row = element("div", node.value ? "row value" : "row group");
    row.setAttribute("role", "treeitem");
    row.setAttribute("aria-level", level);
    row.setAttribute("aria-setsize", size);
    row.setAttribute("aria-posinset", place);
    row.setAttribute("aria-selected", String(this.picked.has(node.label)));
    if (!node.value) row.setAttribute("aria-expanded", String(this.open.has(node.label)));
    row.dataset.label = node.label;
    row.dataset.level = Math.min(level, 12);
    row.tabIndex = node.label === this.at ? 0 : -1;
    row.draggable = node !== this.root;
    row.classList.toggle("cut", this.cut.includes(node.label));
    const twist = element("span", "twist", node.value ? "" : this.open.has(node.label) ? "▾" : "▸");
    twist.setAttribute("aria-hidden", "true");
    row.append(twist, element("span", "label", node.label));
    const count = node.value ? (node.unused ? tree.unused : "") : holds(node) ? valuesIn(counted(node)) : tree.empty;
    if (count) row.append(element("span", "count", count));
    return row;
  }

  moreRow({ more, level }) {
    const row = element("div", "row more", filled(tree.more, { count: more.children.length - SHOWN }));
    row.setAttribute("role", "treeitem");
    row.setAttribute("aria-level", level);
    row.dataset.more = more.label;
    row.dataset.level = Math.min(level, 12);
    row.tabIndex = -1;
    return row;
  }

  row_of(label) {
    return [...this.tree.children].find((row) => row.dataset.label === label);
  }

  arrived(label) {
    if (label === undefined || label === this.at) return;
    const old = this.row_of(this.at);
    if (old) old.tabIndex = -1;
    this.at = label;
    this.row_of(label).tabIndex = 0;
    const node = this.find(label).node;
    this.buttons.rename.setAttribute("aria-disabled", String(node.value));
    if (!this.picked.size) this.draw_buttons();
  }

  draw_buttons() {
    const chosen = this.chosen();
    const movable = !chosen.includes(this.root);
    const set = (name, able) => this.buttons[name].setAttribute("aria-disabled", String(!able));
    set("move", movable);
    set("merge", movable && chosen.length === 1 && !chosen[0].value);
    set("remove", movable && chosen.every((one) => !one.value));
  }

  // What an action is about: what was picked, else where the keyboard is.
  chosen() {
    const labels = this.picked.size ? [...this.picked] : [this.at];
    return labels.map((label) => this.find(label)?.node).filter(Boolean);
  }

  // ---- changing ----

  change(words, act, at) {
    const before = structuredClone(this.root);
    act();
    this.past.push(before);
    this.future = [];
    this.cut = [];
    this.picked.clear();
    if (at !== undefined) this.at = at;
    this.closeAsking();
    this.draw(true);
    announce(words);
    this.save();
  }

  step(from, to, words) {
    if (!from.length) return;
    to.push(this.root);
    this.root = from.pop();
    this.picked.clear();
    this.cut = [];
    this.draw(true);
    announce(words);
    this.save();
  }

  undo() { this.step(this.past, this.future, tree.taken_back); }
  redo() { this.step(this.future, this.past, tree.done_again); }

  save() {
    const fields = { column: this.column, tree: linesOf(this.root) };
    unsaved += 1;
    saving = saving.then(async () => {
      try {
        const told = await send(`${this.address}/hierarchy-edited`, fields);
        clearErrors(this.wrong);
        const badge = this.box.closest("details")?.querySelector("summary .badge");
        if (badge) badge.textContent = told.state;
        tell();
        if (unsaved === 1) await refresh(["steps", "step-5", "step-6", "step-7"]);
      } catch (error) {
        showError(this.wrong, error);
      } finally {
        unsaved -= 1;
      }
    });
  }

  refuse(words) {
    this.told.textContent = words;
  }

  // ---- asking for a name or a place ----

  ask(label, control, words, act) {
    const form = element("form", "ask");
    control.id = `${this.box.id}-answer`;
    const name = element("label", "", label);
    name.htmlFor = control.id;
    const ok = element("button", "main", words);
    const cancel = element("button", "", say.cancel);
    cancel.type = "button";
    const wrong = element("p", "mistake");
    wrong.id = `${control.id}-wrong`;
    wrong.setAttribute("role", "alert");
    cancel.addEventListener("click", () => { this.closeAsking(); this.draw(true); });
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.closeAsking();
      this.draw(true);
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      event.stopPropagation(); // the page sends other forms to the server
      const mistake = act(control.value);
      if (!mistake) return;
      wrong.textContent = mistake;
      control.setAttribute("aria-invalid", "true");
      control.setAttribute("aria-describedby", wrong.id);
      control.focus();
    });
    form.append(name, control, ok, cancel, wrong);
    this.asking.replaceChildren(form);
    control.focus();
    control.select?.();
  }

  closeAsking() { this.asking.replaceChildren(); }

  nameField(value) {
    const field = element("input");
    field.value = value;
    field.maxLength = 200;
    field.autocomplete = "off";
    field.spellcheck = false;
    return field;
  }

  // What is wrong with a name for a group, in a sentence; nothing where it can be used.
  misnamed(label, own = null) {
    if (!label) return tree.needs_name;
    const other = this.find(label)?.node;
    if (!other || other === own) return "";
    if (other.value) return filled(tree.is_value, { label });
    return filled(tree.is_group, { label });
  }

  add() {
    const chosen = this.picked.size ? this.chosen().filter((node) => node !== this.root) : [];
    const { node, parent } = this.find(chosen.length ? chosen[0].label : this.at);
    const home = chosen.length || node.value ? parent : node;
    const words = chosen.length ? filled(tree.name_for, { what: named(chosen) }) : filled(tree.name_in, { label: home.label });
    this.ask(words, this.nameField(""), tree.add, (told) => {
      const label = told.trim();
      const mistake = this.misnamed(label);
      if (mistake) return mistake;
      this.change(filled(tree.added, { label }), () => {
        const made = { label, value: false, unused: false, children: [] };
        const at = chosen.length ? home.children.indexOf(chosen[0]) : home.children.length;
        home.children.splice(at, 0, made);
        for (const one of this.outermost(chosen)) this.put(one, made);
        this.open.add(home.label).add(label);
      }, label);
      return "";
    });
  }

  rename() {
    const { node } = this.find(this.at);
    if (node.value) return this.refuse(tree.no_rename);
    return this.ask(filled(tree.new_name, { label: node.label }), this.nameField(node.label), tree.rename, (told) => {
      const label = told.trim();
      const mistake = this.misnamed(label, node);
      if (mistake) return mistake;
      const old = node.label;
      this.change(filled(tree.renamed, { old, label }), () => {
        if (this.open.delete(old)) this.open.add(label);
        node.label = label;
      }, label);
      return "";
    });
  }

  groupList(without) {
    const list = element("select");
    for (const { node, level } of walk(this.root)) {
      if (node.value || without.some((one) => inside(one, node))) continue;
      const option = element("option", "", `${"\u00a0\u00a0".repeat(level - 1)}${node.label} (${counted(node)})`);
      option.value = node.label;
      list.append(option);
    }
    return list;
  }

  move() {
    const chosen = this.outermost(this.chosen());
    this.ask(filled(tree.move_to, { what: named(chosen) }), this.groupList(chosen), tree.move, (label) => this.moveTo(chosen, this.find(label).node));
  }

  moveTo(nodes, target) {
    const going = this.outermost(nodes).filter((node) => this.parent(node) !== target);
    if (going.includes(this.root)) return tree.no_top;
    if (going.some((node) => inside(node, target))) return tree.no_itself;
    if (!going.length) return "";
    const what = going.length === 1 ? going[0].label : filled(tree.nodes, { count: going.length });
    this.change(filled(tree.moved, { what, target: target.label }), () => {
      for (const node of going) this.put(node, target);
      this.open.add(target.label);
    }, going[0].label);
    return "";
  }

  merge() {
    const [group] = this.chosen();
    this.ask(filled(tree.merge_into, { label: group.label }), this.groupList([group]), tree.merge, (label) => this.mergeInto(group, this.find(label).node));
  }

  mergeInto(group, target) {
    if (group === this.root || group.value || target.value || inside(group, target)) return tree.no_merge;
    this.change(filled(tree.merged, { label: group.label, target: target.label }), () => {
      const home = this.parent(group);
      home.children.splice(home.children.indexOf(group), 1);
      target.children.push(...group.children);
      this.open.add(target.label);
    }, target.label);
    return "";
  }

  remove() {
    const gone = this.chosen();
    if (gone.includes(this.root) || gone.some((node) => node.value)) {
      return this.refuse(tree.no_remove);
    }
    const home = this.parent(gone[0]);
    return this.change(filled(tree.removed, { names: gone.map((node) => node.label).join(", ") }), () => {
      for (const node of gone) {
        const above = this.parent(node);
        above.children.splice(above.children.indexOf(node), 1, ...node.children);
      }
    }, home.label);
  }

  parent(node) {
    for (const found of walk(this.root)) if (found.node === node) return found.parent;
    return null;
  }

  put(node, target) {
    const home = this.parent(node);
    home.children.splice(home.children.indexOf(node), 1);
    target.children.push(node);
  }

  // Of a node and one inside it, only the outer one moves.
  outermost(nodes) {
    return nodes.filter((node) => !nodes.some((other) => other !== node && inside(other, node)));
  }

  // ---- the keyboard ----

  key(event) {
    const row = event.target.closest(".row");
    if (!row) return;
    if (row.dataset.more !== undefined && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      this.showAll(row.dataset.more);
      return;
    }
    const command = event.ctrlKey || event.metaKey;
    const action = command
      ? { z: event.shiftKey ? "redo" : "undo", Z: "redo", y: "redo", x: "pickUp", v: "putDown" }[event.key]
      : KEYED[event.key];
    if (action) {
      event.preventDefault();
      this[action](row, event);
    } else if (!command && !event.altKey && event.key.length === 1 && event.key !== " ") this.jump(row, event.key);
  }

  showAll(label) {
    this.whole.add(label);
    this.draw();
    const next = this.find(label).node.children[SHOWN];
    this.row_of(next.label)?.focus();
  }

  to(row, event) {
    if (!row) return;
    if (event.shiftKey && row.dataset.label !== undefined) {
      this.picked.add(this.at).add(row.dataset.label);
      row.focus();
      this.draw(true);
    } else row.focus();
  }

  down(row, event) { this.to(row.nextElementSibling, event); }
  up(row, event) { this.to(row.previousElementSibling, event); }
  first(row, event) { this.to(this.tree.firstElementChild, { ...event, shiftKey: false }); }
  last(row, event) { this.to(this.tree.lastElementChild, { ...event, shiftKey: false }); }

  right(row, event) {
    const expanded = row.getAttribute("aria-expanded");
    if (expanded === "false") this.toggle(row.dataset.label);
    else if (expanded === "true") this.to(row.nextElementSibling, { ...event, shiftKey: false });
  }

  left(row) {
    if (row.getAttribute("aria-expanded") === "true" && row.dataset.label !== this.root.label) this.toggle(row.dataset.label);
    else {
      const parent = row.dataset.more ?? this.find(row.dataset.label)?.parent?.label;
      if (parent !== undefined) this.row_of(parent)?.focus();
    }
  }

  enter(row) { if (row.hasAttribute("aria-expanded")) this.toggle(row.dataset.label); }

  pick(row) {
    const label = row.dataset.label;
    if (!this.picked.delete(label)) this.picked.add(label);
    this.draw(true);
  }

  jump(row, letter) {
    const rows = [...this.tree.children].filter((one) => one.dataset.label !== undefined);
    const from = rows.indexOf(row);
    const wanted = letter.toLocaleLowerCase();
    const next = [...rows.slice(from + 1), ...rows.slice(0, from)].find((one) => one.dataset.label.toLocaleLowerCase().startsWith(wanted));
    next?.focus();
  }

  escape() {
    this.cut = [];
    this.picked.clear();
    this.draw(true);
  }

  pickUp() {
    const nodes = this.outermost(this.chosen()).filter((node) => node !== this.root);
    if (!nodes.length) return;
    this.cut = nodes.map((node) => node.label);
    this.picked.clear();
    this.draw(true);
    announce(filled(tree.picked_up_said, { names: this.cut.join(", ") }));
  }

  putDown() {
    if (!this.cut.length) return;
    const { node, parent } = this.find(this.at);
    const mistake = this.moveTo(this.cut.map((label) => this.find(label).node), node.value ? parent : node);
    if (mistake) this.refuse(mistake);
  }

  toggle(label) {
    if (!this.open.delete(label)) this.open.add(label);
    this.at = label;
    this.draw(true);
  }

  // ---- the mouse ----

  click(event) {
    const row = event.target.closest(".row");
    if (!row) return;
    if (row.dataset.more !== undefined) return this.showAll(row.dataset.more);
    const label = row.dataset.label;
    this.at = label;
    if (event.ctrlKey || event.metaKey) this.pick(row);
    else if (event.shiftKey) this.pickRange(row);
    else {
      this.picked.clear();
      if (event.target.closest(".twist") && row.hasAttribute("aria-expanded")) this.toggle(label);
      else this.draw(true);
    }
    return undefined;
  }

  pickRange(row) {
    const rows = [...this.tree.children];
    const from = rows.findIndex((one) => one.dataset.label === [...this.picked][0]);
    const [low, high] = [from < 0 ? rows.indexOf(row) : from, rows.indexOf(row)].sort((a, b) => a - b);
    for (const one of rows.slice(low, high + 1)) if (one.dataset.label !== undefined) this.picked.add(one.dataset.label);
    this.draw(true);
  }

  dragstart(event) {
    const row = event.target.closest(".row");
    if (!row || row.dataset.label === undefined) return;
    if (!this.picked.has(row.dataset.label)) this.picked = new Set([row.dataset.label]);
    this.dragged = [...this.picked];
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", this.dragged.join("\n"));
  }

  target(event) {
    const row = event.target.closest?.(".row");
    if (!this.dragged || !row || row.dataset.label === undefined) return null;
    const { node, parent } = this.find(row.dataset.label);
    const group = node.value ? parent : node;
    const going = this.dragged.map((label) => this.find(label).node);
    if (going.includes(this.root) || going.some((one) => inside(one, group))) return null;
    return { group, going, row: this.row_of(group.label) ?? row };
  }

  dragover(event) {
    const found = this.target(event);
    this.clearOver();
    if (!found) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
    found.row.classList.add("over");
    if (this.hovered !== found.group.label) {
      clearTimeout(this.opening);
      this.hovered = found.group.label;
      this.opening = setTimeout(() => {
        if (this.hovered !== found.group.label || this.open.has(found.group.label)) return;
        this.open.add(found.group.label);
        this.draw();
      }, 800);
    }
  }

  dragleave() { this.clearOver(); }

  drop(event) {
    const found = this.target(event);
    this.dragend();
    if (!found) return;
    event.preventDefault();
    event.stopPropagation();
    const [group] = found.going;
    const mistake = event.shiftKey && found.going.length === 1 && !group.value
      ? this.mergeInto(group, found.group)
      : this.moveTo(found.going, found.group);
    if (mistake) this.refuse(mistake);
  }

  dragend() {
    this.clearOver();
    clearTimeout(this.opening);
    this.hovered = undefined;
    setTimeout(() => { this.dragged = undefined; });
  }

  clearOver() { for (const row of this.tree.querySelectorAll(".over")) row.classList.remove("over"); }
}

const KEYED = {
  ArrowDown: "down", ArrowUp: "up", ArrowRight: "right", ArrowLeft: "left", Home: "first", End: "last",
  Enter: "enter", " ": "pick", F2: "rename", Insert: "add", Delete: "remove", Escape: "escape",
};

// ---- on the page ----

async function edit(box, focus) {
  const { column, title } = box.dataset;
  const editor = editors.get(column) ?? new Editor(column, box.dataset.workshop, title);
  try {
    await saving;
    await editor.load();
    editors.set(column, editor);
    editor.mount(box);
    const button = document.querySelector(`[data-edit="${box.id}"]`);
    if (button) button.hidden = true;
    if (focus) editor.row_of(editor.at)?.focus();
  } catch (error) {
    showError(box, error);
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-edit]");
  if (button) edit(document.getElementById(button.dataset.edit), true);
});

// A tree that was being edited is still being edited after its section was drawn again.
document.addEventListener("settled", () => {
  for (const box of document.querySelectorAll("[data-workshop]")) {
    if (editors.has(box.dataset.column) && !box.querySelector("[role=tree]")) edit(box, false);
  }
});

// A release is made of what was edited last, also where that is still on its way.
document.addEventListener("submit", (event) => {
  if (!unsaved || event.target.closest(".workshop")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const form = event.target;
  saving.then(() => form.requestSubmit());
}, true);

window.addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });
