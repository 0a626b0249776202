// The list of records: the builder of filters, picking rows, counting, recent searches. All of it is comfort.

import { ask, read, say } from "./console.js";
import { completePredicates } from "./predicate.js";

const hints = { TIMESTAMP: "2026-11-21T10:00:00Z", LOCATION: "52.52, 13.405, 1000", REFERENCE: "record name" };

const form = document.getElementById("query");
if (form) {
  const fields = JSON.parse(document.getElementById("query-fields").textContent);
  build("filters", fields);
  build("sorts", fields);
  form.addEventListener("submit", () => skipEmpty(form));
  completePredicates(document.getElementById("predicate"), fields);
  recent(form, fields);
}
pickRows();
count();
keepPlace();

/** Turns the spare rows of a page without scripts into rows that come and go. */
function build(id, fields) {
  const box = document.getElementById(id);
  const template = box.querySelector("[data-spare]").cloneNode(true);
  for (const row of box.querySelectorAll("[data-spare]")) row.remove();
  const add = box.querySelector("[data-add]");
  add.hidden = false;
  add.addEventListener("click", () => {
    const row = template.cloneNode(true);
    delete row.dataset.spare;
    add.before(row);
    wire(row, fields);
    number(box);
    row.querySelector("select").focus();
  });
  for (const row of box.querySelectorAll(".row")) wire(row, fields);
  number(box);
}

function number(box) {
  box.querySelectorAll(".row").forEach((row, index) => {
    row.setAttribute("aria-label", row.getAttribute("aria-label").replace(/\d+$/, index + 1));
  });
}

function wire(row, fields) {
  const remove = row.querySelector(".remove");
  remove.hidden = false;
  remove.addEventListener("click", () => {
    const next = row.nextElementSibling;
    const box = row.parentElement;
    row.remove();
    number(box);
    (next?.querySelector("select") ?? box.querySelector("[data-add]")).focus();
    say("Removed");
  });
  const [field, comparator] = row.querySelectorAll("select");
  if (comparator.name !== "c") return;
  const value = row.querySelector("input");
  const showValue = () => {
    const chosen = fields.find((one) => one.name === field.value)?.comparators.find((one) => one.value === comparator.value);
    value.hidden = chosen?.takesValue === false;
  };
  field.addEventListener("change", () => {
    const chosen = fields.find((one) => one.name === field.value);
    if (chosen) {
      const before = comparator.value;
      comparator.replaceChildren(...chosen.comparators.map((one) => new Option(one.title, one.value)));
      if (chosen.comparators.some((one) => one.value === before)) comparator.value = before;
      value.placeholder = hints[chosen.type] ?? "";
    }
    showValue();
  });
  comparator.addEventListener("change", showValue);
  value.placeholder = hints[fields.find((one) => one.name === field.value)?.type] ?? "";
  showValue();
}

/** Addresses without what is empty are shorter and read better. */
function skipEmpty(form) {
  for (const row of form.querySelectorAll(".row")) {
    const isEmpty = row.querySelector("select").value === "";
    for (const input of row.querySelectorAll("select, input")) input.disabled = isEmpty;
  }
  for (const name of ["predicate", "limit"]) {
    const input = form.elements[name];
    if (input.value === "" || (name === "limit" && input.value === "100")) input.disabled = true;
  }
}
window.addEventListener("pageshow", () => {
  for (const input of form?.querySelectorAll(":disabled") ?? []) input.disabled = false;
});

/** The last searches of the record type, kept by the browser. */
function recent(form, fields) {
  const data = new FormData(form);
  const key = `stratus.recent.${location.pathname}.${data.get("type")}`;
  const parameters = new URLSearchParams(location.search);
  const words = [];
  parameters.getAll("f").forEach((field, index) => {
    if (!field) return;
    const value = parameters.getAll("c")[index];
    const comparator = fields.find((one) => one.name === field)?.comparators.find((one) => one.value === value);
    words.push(`${field} ${comparator?.title ?? value} ${parameters.getAll("v")[index] ?? ""}`.trim());
  });
  if (parameters.get("predicate")) words.push(parameters.get("predicate"));
  parameters.getAll("s").forEach((field, index) => {
    if (field) words.push(`by ${field}${parameters.getAll("d")[index] === "desc" ? " ↓" : ""}`);
  });
  let list = [];
  try { list = JSON.parse(localStorage.getItem(key) ?? "[]"); } catch { /* Storage may be off. */ }
  for (const name of ["after", "before", "last", "count"]) parameters.delete(name);
  if (words.length > 0 && !document.querySelector(".problem")) {
    const title = words.join(", ");
    list = [{ title, query: parameters.toString() }, ...list.filter((one) => one.title !== title)].slice(0, 6);
    try { localStorage.setItem(key, JSON.stringify(list)); } catch { /* Storage may be full. */ }
  }
  if (list.length === 0) return;
  const box = document.getElementById("recent");
  box.querySelector("ul").replaceChildren(...list.map((one) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `${location.pathname}?${one.query}`;
    link.textContent = one.title;
    item.append(link);
    return item;
  }));
  box.hidden = false;
}

/** Picking rows: all of them at once, ranges with the shift key, and how many there are. */
function pickRows() {
  const boxes = [...document.querySelectorAll('input[form="picked"]')];
  const all = document.querySelector("[data-pick-all]");
  const button = document.getElementById("delete-picked");
  if (!all || !button) return;
  all.hidden = false;
  let last = null;
  const update = () => {
    const picked = boxes.filter((box) => box.checked).length;
    button.disabled = picked === 0;
    button.dataset.confirm = `Delete ${picked} ${picked === 1 ? "record" : "records"}? Those that refer to them with DELETE_SELF go as well.`;
    document.getElementById("picked-count").textContent = picked ? ` (${picked})` : "";
    all.checked = picked === boxes.length;
    all.indeterminate = picked > 0 && picked < boxes.length;
  };
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    update();
  });
  boxes.forEach((box, index) => box.addEventListener("click", (event) => {
    if (event.shiftKey && last !== null) {
      for (const other of boxes.slice(Math.min(last, index), Math.max(last, index) + 1)) other.checked = box.checked;
    }
    last = index;
    update();
  }));
  window.addEventListener("pageshow", update);
  update();
}

/** Sorting by a heading leaves the page where it was, so that a second click meets the same heading. */
function keepPlace() {
  const key = "stratus.place";
  for (const link of document.querySelectorAll(".records thead a")) {
    link.addEventListener("click", () => {
      const scroller = document.querySelector(".records");
      try {
        sessionStorage.setItem(key, JSON.stringify({ path: location.pathname, page: window.scrollY, across: scroller.scrollLeft }));
      } catch { /* Storage may be off. */ }
    });
  }
  let place = null;
  try {
    place = JSON.parse(sessionStorage.getItem(key) ?? "null");
    sessionStorage.removeItem(key);
  } catch { /* Storage may be off. */ }
  if (place?.path !== location.pathname) return;
  window.scrollTo({ top: place.page, behavior: "instant" });
  const scroller = document.querySelector(".records");
  if (scroller) scroller.scrollLeft = place.across;
}

/** Counts where an index makes it cheap, else when asked to. */
function count() {
  const place = document.getElementById("count");
  if (!place) return;
  const show = async () => {
    place.textContent = "Counting…";
    try {
      const answer = await ask(place.dataset.href, { headers: { accept: "application/json" } });
      const body = await read(answer);
      place.textContent = `${body.count.toLocaleString("en")} in all.`;
      say(place.textContent);
    } catch (error) {
      place.textContent = `Not counted: ${error.message}`;
    }
  };
  place.querySelector("a").addEventListener("click", (event) => {
    event.preventDefault();
    show();
  });
  if ("auto" in place.dataset) show();
}

// What is no picture is shown by its size alone.
for (const image of document.querySelectorAll("img.thumb")) {
  image.addEventListener("error", () => image.remove());
  if (image.complete && image.naturalWidth === 0) image.remove();
}
