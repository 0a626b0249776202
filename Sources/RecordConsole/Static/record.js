// One record: ticks that follow what is typed, the reader's own time beside UTC, JSON that is checked while it is typed.

import { say } from "/console/static/console.js";

const form = document.getElementById("record");

for (const field of form.querySelectorAll(".field.value")) {
  const tick = field.querySelector(".none-tick input");
  if (!tick) continue;
  const inputs = [...field.querySelectorAll("input, textarea")].filter((input) => input !== tick && input.type !== "file");
  const dim = () => field.classList.toggle("is-none", tick.checked);
  for (const input of inputs) {
    input.addEventListener("input", () => { tick.checked = false; dim(); });
  }
  tick.addEventListener("change", dim);
  dim();
}

for (const input of form.querySelectorAll("[data-utc]")) {
  const local = input.parentElement.querySelector(".local");
  const show = () => {
    const date = new Date(`${input.value}Z`);
    local.textContent = input.value && !Number.isNaN(date.getTime()) ? `here: ${date.toLocaleString()}` : "";
  };
  input.addEventListener("input", show);
  show();
}

const json = document.getElementById("json");
if (json) {
  const problem = document.getElementById("json-problem");
  const check = () => {
    let message = "";
    try {
      const value = JSON.parse(json.value);
      if (typeof value !== "object" || value === null || Array.isArray(value)) message = "The JSON has to be an object: fields by their names.";
    } catch (error) {
      message = error.message;
    }
    json.setAttribute("aria-invalid", String(message !== ""));
    problem.hidden = message === "";
    problem.textContent = message;
  };
  json.addEventListener("input", check);
}

// A file is sent by its own button, or with the record; what was typed stays.
for (const input of document.querySelectorAll("[data-upload]")) {
  const button = input.nextElementSibling;
  button.disabled = true;
  input.addEventListener("change", () => { button.disabled = input.files.length === 0; });
  const upload = document.getElementById(input.getAttribute("form"));
  upload?.addEventListener("submit", async (event) => {
    event.preventDefault();
    event.stopPropagation();
    await send(input);
  });
}

/** The file inputs that hold a file which was not sent yet. */
function chosen() {
  return [...document.querySelectorAll("[data-upload]")].filter((input) => input.files.length > 0);
}

// One file after the other: each changes the record, whose new change tag the next one needs.
let sending = Promise.resolve(true);

/** Sends a file behind those that are on their way; gives whether that worked. */
function send(input) {
  sending = sending.then(() => sendNow(input));
  return sending;
}

/** Sends a file, and takes the record's new state over; gives whether that worked. */
async function sendNow(input) {
  const file = input.files[0];
  if (!file) return true;
  document.getElementById("file-note")?.remove();
  const button = input.nextElementSibling;
  button.disabled = true;
  button.textContent = "Sending…";
  say("Sending the file");
  let problem = "The server cannot be reached. The file was not sent.";
  try {
    const body = new FormData();
    body.append("files", file);
    const answer = await fetch(document.getElementById(input.getAttribute("form")).action, { method: "POST", body });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const tag = page.querySelector('#record input[name="tag"]');
    const pair = page.getElementById(input.id)?.closest(".pair");
    if (answer.ok && tag && pair) {
      form.querySelector('input[name="tag"]').value = tag.value;
      // The addresses of the files' forms hold the record's change tag as well.
      for (const fresh of page.querySelectorAll("form[id$='-upload']")) {
        document.getElementById(fresh.id)?.setAttribute("action", fresh.getAttribute("action"));
      }
      const here = input.closest(".pair");
      for (const old of [...here.children]) if (old !== input && old !== button) old.remove();
      here.prepend(...[...pair.children].filter((part) => !part.matches("input, button")));
      const none = here.closest(".field").querySelector(".none-tick input");
      if (none) { none.checked = false; none.dispatchEvent(new Event("change")); }
      if (input.files[0] === file) input.value = "";
      button.disabled = input.files.length === 0;
      button.textContent = "Upload";
      note("The file is there.", "flash");
      return true;
    }
    problem = page.querySelector(".problem strong")?.textContent ?? "The file was refused.";
  } catch {
    // Said below.
  }
  button.disabled = false;
  button.textContent = "Upload";
  note(problem, "card problem");
  return false;
}

/** Says a sentence at the top of the page, and to screen readers. */
function note(text, look) {
  document.getElementById("file-note")?.remove();
  const line = document.createElement("p");
  line.id = "file-note";
  line.className = look;
  line.textContent = text;
  form.before(line);
  say(text);
}

form.addEventListener("submit", async (event) => {
  if (chosen().length === 0) return;
  event.preventDefault();
  event.stopPropagation();
  await sending;
  for (const input of chosen()) if (!(await send(input))) return;
  form.requestSubmit(event.submitter ?? undefined);
});

// Leaving a page with changes asks first.
let isChanged = false;
form.addEventListener("input", (event) => { if (event.target.type !== "file") isChanged = true; });
document.addEventListener("submit", () => { isChanged = false; });
window.addEventListener("beforeunload", (event) => { if (isChanged) event.preventDefault(); });
