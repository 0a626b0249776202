// The live tail of the list of requests: Server-Sent Events, each with a row that the server rendered.
import { say, showTimes } from "./console.js";

/** The most rows that the page holds while it follows. */
const MOST_ROWS = 300;

class LiveTail {
  constructor(element) {
    this.element = element;
    this.source = element.dataset.source;
    this.button = element.querySelector("button");
    this.state = element.querySelector("#live-state");
    this.rows = document.getElementById("request-rows");
    this.events = null;
    this.last = null;
    this.count = 0;
    this.missed = 0;
    this.button.addEventListener("click", () => (this.events ? this.pause() : this.follow()));
    element.hidden = false;
  }

  follow() {
    const url = new URL(this.source, location.href);
    // After a pause, what came meanwhile is sent first.
    if (this.last) url.searchParams.set("after", this.last);
    this.events = new EventSource(url);
    this.events.addEventListener("open", () => this.tell("Following."));
    this.events.addEventListener("message", (event) => this.add(event));
    this.events.addEventListener("dropped", (event) => { this.missed += Number(event.data); });
    this.events.addEventListener("error", () => {
      if (this.events?.readyState === EventSource.CLOSED) {
        this.pause();
        this.tell("The server ended it; you may have to sign in again.");
      } else {
        this.tell("The connection broke; trying again.");
      }
    });
    this.button.textContent = "Pause";
    this.button.setAttribute("aria-pressed", "true");
    this.tell("Connecting…");
  }

  pause() {
    this.events?.close();
    this.events = null;
    this.button.textContent = "Resume";
    this.button.setAttribute("aria-pressed", "false");
    this.tell("Paused.");
  }

  add(event) {
    this.last = event.lastEventId;
    const row = document.createElement("template");
    row.innerHTML = event.data;
    showTimes(row.content);
    row.content.firstElementChild?.classList.add("new");
    this.rows.prepend(row.content);
    while (this.rows.rows.length > MOST_ROWS) this.rows.deleteRow(-1);
    document.getElementById("requests").hidden = false;
    document.getElementById("no-requests").hidden = true;
    this.count += 1;
    this.show("Following.");
  }

  /** Shows and speaks how it goes. */
  tell(text) {
    this.show(text);
    say(this.state.textContent);
  }

  show(text) {
    const missed = this.missed ? `, ${this.missed} left out` : "";
    this.state.textContent = this.count ? `${text} ${this.count} new${missed}.` : text;
  }
}

const element = document.getElementById("live-tail");
if (element) new LiveTail(element);
