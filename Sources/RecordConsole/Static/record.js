// One record: ticks that follow what is typed, the reader's own time beside UTC, JSON that is checked while it is typed.

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

// A file is sent by its own button, once there is one.
for (const input of document.querySelectorAll("[data-upload]")) {
  const button = input.nextElementSibling;
  button.disabled = true;
  input.addEventListener("change", () => { button.disabled = input.files.length === 0; });
}

// Leaving a page with changes asks first.
let isChanged = false;
form.addEventListener("input", (event) => { if (event.target.type !== "file") isChanged = true; });
document.addEventListener("submit", () => { isChanged = false; });
window.addEventListener("beforeunload", (event) => { if (isChanged) event.preventDefault(); });
