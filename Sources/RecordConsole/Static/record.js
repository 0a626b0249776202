// One record: ticks that follow what is typed, the reader's own time beside UTC, JSON that is checked while it is typed.

import { ask, csrf, here, say } from "./console.js";

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
  // Browsers leave seconds out where there are none, and then have no place for them.
  const more = input.parentElement.querySelector(".seconds");
  more.hidden = input.value.length > 16;
  more.addEventListener("click", () => {
    input.step = "1";
    more.hidden = true;
    input.focus();
  });
}

const json = document.getElementById("json");
if (json) {
  const problem = document.getElementById("json-problem");
  const check = () => {
    let message = "";
    try {
      const value = JSON.parse(json.value);
      if (typeof value !== "object" || value === null || Array.isArray(value)) message = "The JSON must be an object: fields by their names.";
    } catch (error) {
      message = error.message;
    }
    json.setAttribute("aria-invalid", String(message !== ""));
    problem.hidden = message === "";
    problem.textContent = message;
  };
  json.addEventListener("input", check);
}

// Files are sent before the form, one after the other, with their progress; the form then carries their receipts, so
// that whatever is refused afterwards, no file is sent twice. Without scripts the browser sends all of it at once.

const choosers = [...form.querySelectorAll("[data-file]")];
for (const input of choosers) {
  const field = input.closest(".field");
  const box = document.createElement("div");
  box.className = "chosen";
  box.setAttribute("role", "status");
  input.after(box);
  input.addEventListener("change", () => {
    for (const image of box.querySelectorAll("img")) URL.revokeObjectURL(image.src);
    box.replaceChildren(...[...input.files].map(preview));
    const tick = field.querySelector(".none-tick input");
    if (tick && input.files.length > 0) { tick.checked = false; tick.dispatchEvent(new Event("change")); }
  });
}

// The value of a field that is added is a text or a file.
const newType = document.getElementById("new-type");
if (newType) {
  const show = () => {
    const isFile = newType.value.includes("ASSET");
    document.getElementById("new-value").closest(".field").hidden = isFile;
    document.getElementById("new-file").closest(".field").hidden = !isFile;
    document.getElementById("new-file").multiple = newType.value.startsWith("LIST");
  };
  newType.addEventListener("change", show);
  show();
}

/** A line that shows a file which was chosen: its picture, its name, its size, later its progress. */
function preview(file) {
  const line = document.createElement("div");
  line.className = "pair";
  if (file.type.startsWith("image/")) {
    const image = document.createElement("img");
    image.className = "thumb";
    image.alt = "";
    image.src = URL.createObjectURL(file);
    line.append(image);
  }
  const words = document.createElement("span");
  words.textContent = `${file.name}, ${size(file.size)}`;
  const progress = document.createElement("progress");
  progress.max = 1;
  progress.value = 0;
  progress.hidden = true;
  progress.setAttribute("aria-label", `Sent of ${file.name}`);
  const problem = document.createElement("span");
  problem.className = "mistake";
  if (file.size > Number(form.dataset.most)) problem.textContent = tooLarge();
  line.append(words, progress, problem);
  return line;
}

function size(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  const step = Math.min(Math.floor(Math.log2(bytes) / 10), 3);
  const value = bytes / 1024 ** step;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${["KiB", "MiB", "GiB"][step - 1]}`;
}

function tooLarge() { return `The file is larger than ${size(Number(form.dataset.most))}.`; }

/** Sends one file; gives the value that stands for it, and throws a sentence where that fails. */
function sendFile(file, field, progress) {
  const type = form.elements.recordType.value.trim();
  const address = new URL(form.dataset.files, location.href);
  address.searchParams.set("type", type);
  address.searchParams.set("field", field);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.setRequestHeader("x-csrf-token", csrf);
    request.setRequestHeader("accept", "application/json");
    request.setRequestHeader("content-type", "application/octet-stream");
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => { if (event.lengthComputable) progress.value = event.loaded / event.total; });
    request.addEventListener("error", () => reject(new Error("The server cannot be reached. The file was not sent; what you typed is still here.")));
    request.addEventListener("load", () => {
      const answer = request.response;
      if (request.status === 200 && answer?.value) resolve(answer.value);
      else if (request.responseURL.split("?")[0] === here("../sign-in")) {
        // Once there is a session again, the file is sent again.
        ask(here("../session"), { cache: "no-store" }).then(() => sendFile(file, field, progress)).then(resolve, reject);
      } else reject(new Error([answer?.reason, answer?.remedy].filter(Boolean).join(" ") || `The server answered with status ${request.status}. Try again.`));
    });
    request.send(file);
  });
}

/** Sends what was chosen in one field; gives whether all of it arrived. */
async function sendChosen(input) {
  const box = input.nextElementSibling;
  const list = input.parentElement.querySelector(".files");
  const field = input.dataset.file || document.getElementById("new-name").value.trim();
  const target = input.dataset.file ? `sent.${field}` : "new.sent";
  const left = new DataTransfer();
  const lines = [...box.children];
  for (const [index, file] of [...input.files].entries()) {
    const line = lines[index];
    const progress = line.querySelector("progress");
    const problem = line.querySelector(".mistake");
    problem.textContent = "";
    progress.hidden = false;
    say(`Sending ${file.name}`);
    try {
      if (file.size > Number(form.dataset.most)) throw new Error(tooLarge());
      const value = await sendFile(file, field, progress);
      const hidden = document.createElement("input");
      hidden.type = "hidden";
      hidden.name = target;
      hidden.value = JSON.stringify({ name: file.name, value });
      const item = document.createElement("li");
      const words = document.createElement("span");
      words.textContent = `${file.name}, ${size(file.size)} `;
      const hint = document.createElement("span");
      hint.className = "hint";
      hint.textContent = "is sent, and is saved with the record";
      words.append(hint);
      item.append(hidden, words);
      if (!input.multiple) for (const old of list.querySelectorAll("[type=hidden]")) old.closest("li").remove();
      list.append(item);
      line.remove();
    } catch (error) {
      progress.hidden = true;
      problem.textContent = error.message;
      left.items.add(file);
    }
  }
  // What could not be sent stays chosen.
  input.files = left.files;
  if (left.files.length > 0) {
    say(box.querySelector(".mistake").textContent);
    input.focus();
    input.scrollIntoView({ block: "center" });
  }
  return left.files.length === 0;
}

let isSending = false;
form.addEventListener("submit", async (event) => {
  const chosen = choosers.filter((input) => input.files.length > 0);
  if (chosen.length === 0 && !isSending) return;
  event.preventDefault();
  event.stopPropagation();
  if (isSending) return;
  isSending = true;
  const button = event.submitter;
  const label = button?.textContent;
  if (button) { button.setAttribute("aria-busy", "true"); button.textContent = "Sending files…"; }
  let isAll = true;
  for (const input of chosen) isAll = await sendChosen(input) && isAll;
  if (button) { button.removeAttribute("aria-busy"); button.textContent = label; }
  isSending = false;
  if (isAll) form.requestSubmit(button ?? undefined);
});

// Leaving a page with changes asks first.
let isChanged = form.querySelector(".files [type=hidden]") !== null;
form.addEventListener("input", () => { isChanged = true; });
document.addEventListener("submit", () => { isChanged = false; });
window.addEventListener("beforeunload", (event) => { if (isChanged) event.preventDefault(); });
