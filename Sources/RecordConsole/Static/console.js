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
export function showTimes(root) {
  const today = new Date().toDateString();
  for (const time of root.querySelectorAll("time[data-ms]")) {
    const date = new Date(Number(time.dataset.ms));
    time.title = date.toISOString();
    // In a list of what happened lately, today's date says nothing.
    const isToday = date.toDateString() === today && time.closest("[data-recent]");
    time.textContent = isToday ? date.toLocaleTimeString() : date.toLocaleString();
  }
}
showTimes(document);

// <form class="indexes"> shows its button once something was changed.
document.addEventListener("change", (event) => event.target.closest("form.indexes")?.classList.add("changed"));

// What the network does, said where it can be seen and heard.

/** Shows a sentence at the foot of the window, with a button where there is something to do; none hides it. */
export function notice(text, label, act) {
  document.getElementById("notice")?.remove();
  if (!text) return;
  const box = document.createElement("div");
  box.id = "notice";
  box.className = "notice";
  box.setAttribute("role", label ? "alert" : "status");
  const words = document.createElement("p");
  words.textContent = text;
  box.append(words);
  if (label) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", () => { notice(); act(); });
    box.append(button);
  }
  document.body.append(box);
}

/** Calls for patience when something takes more than a second; gives what ends that. */
function patience(button, words = "Waiting for the server…") {
  const label = button?.innerHTML;
  const timer = setTimeout(() => {
    notice(words);
    if (!button) return;
    button.setAttribute("aria-busy", "true");
    button.textContent = "Working…";
  }, 1000);
  return () => {
    clearTimeout(timer);
    if (document.getElementById("notice")?.getAttribute("role") === "status") notice();
    if (button?.getAttribute("aria-busy")) {
      button.removeAttribute("aria-busy");
      button.innerHTML = label;
    }
  };
}

/**
 * As `fetch`, but says when the answer takes long. When the server cannot be reached, the reader is told and can
 * try again: the promise waits for that, unless the signal ends it.
 */
export async function ask(url, options = {}) {
  for (;;) {
    const end = patience();
    try {
      return await fetch(url, options);
    } catch (error) {
      if (error.name === "AbortError" || options.signal?.aborted) throw error;
      end();
      await new Promise((resolve) => notice("The server cannot be reached.", "Try again", resolve));
    } finally {
      end();
    }
  }
}

// A form is sent once, however often its button is pressed, and stays as it is when the server is gone.
let end = () => {};
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (event.defaultPrevented) return;
  const button = event.submitter;
  if (form.method !== "post") {
    end = patience(button);
    return;
  }
  if (form.dataset.sent === "going") {
    form.dataset.sent = "gone";
    return;
  }
  event.preventDefault();
  if (form.dataset.sent) return;
  form.dataset.sent = "asking";
  end = patience(button);
  try {
    await fetch("/healthz", { cache: "no-store" });
  } catch {
    end();
    delete form.dataset.sent;
    notice("The server cannot be reached. Nothing was sent; what you typed is still here.", "Try again", () => form.requestSubmit(button));
    return;
  }
  form.dataset.sent = "going";
  form.requestSubmit(button);
  // It stays where the browser finds a field wrong.
  if (form.dataset.sent === "going") {
    end();
    delete form.dataset.sent;
  }
});
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || event.defaultPrevented || link.target || link.dataset.download !== undefined) return;
  if (link.origin !== location.origin || (link.hash && link.pathname === location.pathname)) return;
  end();
  end = patience();
});
window.addEventListener("pageshow", () => {
  end();
  for (const form of document.forms) delete form.dataset.sent;
});
window.addEventListener("offline", () => notice("There is no network. What this page shows may be old."));
window.addEventListener("online", () => {
  if (document.getElementById("notice")?.getAttribute("role") === "status") notice();
});
