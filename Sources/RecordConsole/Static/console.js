// What every page of the console shares. Pages work without any of this.

/** Says a sentence to screen readers. */
export function say(text) {
  const live = document.getElementById("live");
  if (live) live.textContent = text;
}

/** The session's token, which every change has to carry. */
export const csrf = document.querySelector('meta[name="csrf"]')?.content ?? "";

// <button data-confirm="Delete 3 records?"> asks before its form goes.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-confirm]");
  if (button && !window.confirm(button.dataset.confirm)) event.preventDefault();
});

// <select data-submit> sends its form as soon as something is chosen.
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
});

// A form is sent once, however often its button is pressed.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || form.dataset.repeatable !== undefined) return;
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "1";
});
window.addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});

// <button data-copy="#id"> copies the text of an element.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const text = document.querySelector(button.dataset.copy)?.textContent ?? "";
  try {
    await navigator.clipboard.writeText(text);
    say("Copied");
    const label = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 1500);
  } catch {
    say("The browser does not let pages copy here");
  }
});

// <time data-ms="…"> is shown in the reader's time zone.
for (const time of document.querySelectorAll("time[data-ms]")) {
  const date = new Date(Number(time.dataset.ms));
  time.title = date.toISOString();
  time.textContent = date.toLocaleString();
}
