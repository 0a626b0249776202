// What every page of the console shares. Pages work without any of this.

/** Says a sentence to screen readers. */
export function say(text) {
  const live = document.getElementById("live");
  if (live) live.textContent = text;
}

/** The session's token, which every change has to carry; another one after signing in again. */
export let csrf = document.querySelector('meta[name="csrf"]')?.content ?? "";

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
/** Shows the times of a part of the page; those that JavaScript's calendar does not reach stay as they are. */
export function showTimes(part) {
  const today = new Date().toDateString();
  for (const time of part.querySelectorAll("time[data-ms]")) {
    const date = new Date(Number(time.dataset.ms));
    if (Number.isNaN(date.getTime())) continue;
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
export function notice(text, label, act, link) {
  document.getElementById("notice")?.remove();
  if (!text) return;
  const box = document.createElement("div");
  box.id = "notice";
  box.className = "notice";
  box.setAttribute("role", label ? "alert" : "status");
  const words = document.createElement("p");
  words.textContent = text;
  box.append(words);
  if (link) box.append(link);
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

/** An address of the console, wherever a proxy puts it: this file lies in `/console/static/`. */
export const here = (path) => new URL(path, import.meta.url).href;

/** The address of the sign-in page where an answer is that page, because the session has ended. */
export function signInPage(answer) {
  const address = answer.redirected ? new URL(answer.url) : null;
  return address?.href.split("?")[0] === here("../sign-in") ? address.href : null;
}

/** A link to the sign-in page in a window of its own, so that this page keeps what is in it. */
export function signInLink(address) {
  const link = document.createElement("a");
  link.href = address;
  link.target = "_blank";
  link.textContent = "Sign in again";
  return link;
}

/** Takes over the token of a session that began in another window. */
async function renewToken() {
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector('meta[name="csrf"]')?.content;
    if (signInPage(answer) || !fresh) return;
    csrf = fresh;
    for (const input of document.querySelectorAll('input[name="csrf"]')) input.value = csrf;
  } catch {
    // The next request will show that the server is gone.
  }
}

/**
 * As `fetch`, but says when the answer takes long. When the server cannot be reached, or the session has ended, the
 * reader sees a message and can go on: the promise waits for that, unless the signal ends it.
 *
 * What carries the session's token gives its options as a function, which is called for each try.
 */
export async function ask(url, options = {}) {
  for (;;) {
    const given = typeof options === "function" ? options() : options;
    const end = patience();
    try {
      const answer = await fetch(url, given);
      const signIn = signInPage(answer);
      if (!signIn) return answer;
      end();
      await new Promise((resolve) => notice(
        "Your session has ended. What is on this page stays.", "Go on", resolve, signInLink(signIn)));
      await renewToken();
    } catch (error) {
      if (error.name === "AbortError" || given.signal?.aborted) throw error;
      end();
      await new Promise((resolve) => notice("The server cannot be reached.", "Try again", resolve));
    } finally {
      end();
    }
  }
}

/** The object of an answer; fails with the server's words, or with its status where it sent a page instead. */
export async function read(answer) {
  const isJSON = (answer.headers.get("content-type") ?? "").includes("json");
  const body = isJSON ? await answer.json() : {};
  if (answer.ok && isJSON) return body;
  const words = [body.reason, body.remedy].filter(Boolean).join(" ");
  throw new Error(words || `The server answered with status ${answer.status}. Try again.`);
}

// A form is sent once, however often its button is pressed, and stays as it is when the server or the session is gone.
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
    const answer = await fetch(here(csrf ? "../session" : "../../healthz"), { cache: "no-store" });
    const signIn = signInPage(answer);
    if (signIn) {
      end();
      delete form.dataset.sent;
      notice("Your session has ended. Nothing was sent; what you typed is still here.", "Send it", async () => {
        await renewToken();
        form.requestSubmit(button);
      }, signInLink(signIn));
      return;
    }
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
