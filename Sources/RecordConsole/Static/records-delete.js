// Deleting all that match: one request after the other, with progress, until there is no more or one says stop.

import { ask, csrf, read, say } from "./console.js";

const form = document.getElementById("delete-all");
form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const work = document.getElementById("work");
  const done = document.getElementById("done");
  const progress = work.querySelector("progress");
  const failures = document.getElementById("failures");
  const button = form.querySelector("button.danger");
  let isStopped = false;
  document.getElementById("stop").onclick = () => { isStopped = true; };
  const data = new URLSearchParams(new FormData(form));
  button.disabled = true;
  work.hidden = false;
  failures.replaceChildren();
  let deleted = 0;
  let failed = 0;
  const tell = (text) => { const item = document.createElement("li"); item.textContent = text; failures.append(item); };
  try {
    for (;;) {
      const answer = await ask(form.action, () => {
        data.set("csrf", csrf);
        return { method: "POST", body: data, headers: { accept: "application/json", "x-csrf-token": csrf } };
      });
      const isPage = !(answer.headers.get("content-type") ?? "").includes("json");
      if (isPage && answer.status === 400) throw new Error("Type the record type's name to go on.");
      const body = await read(answer);
      deleted += body.deleted;
      failed += body.failures.length;
      for (const failure of body.failures) if (failures.children.length < 100) tell(`${failure.name}: ${failure.reason}`);
      progress.value = deleted + failed;
      done.textContent = `${deleted.toLocaleString("en")} deleted${failed ? `, ${failed} could not be` : ""}`;
      if (!body.next || isStopped) break;
      data.set("after", body.next);
    }
    done.textContent += isStopped ? ". Stopped." : ". Done.";
    say(done.textContent);
  } catch (error) {
    tell(error.message);
  }
  button.disabled = false;
});
