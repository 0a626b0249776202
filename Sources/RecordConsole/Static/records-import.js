// Importing a file: the server looks at its beginning, then gets it part by part, each as long as a request may take.

import { ask, csrf, read, say } from "./console.js";

const choose = document.getElementById("choose");
const partBytes = 512 * 1024;
const longestPart = 10 * 1024 * 1024;
let file = null;
/** The file in UTF-8, and how it was written. */
let text = null;
let encoding = "utf-8";

if (choose) {
  document.getElementById("file-field").hidden = false;
  document.getElementById("encoding-field").hidden = false;
  document.getElementById("paste").open = document.getElementById("text").value !== "";
  const input = document.getElementById("file");
  input.addEventListener("change", () => {
    file = input.files[0] ?? null;
    if (file && /\.(jsonl|ndjson|json)$/i.test(file.name)) document.getElementById("format").value = "jsonl";
    if (file && /\.(csv|tsv|txt)$/i.test(file.name)) document.getElementById("format").value = "csv";
  });
  choose.addEventListener("submit", async (event) => {
    if (!file) return;
    event.preventDefault();
    delete choose.dataset.sent;
    let page;
    try {
      page = await look();
    } catch (error) {
      return refuse(error.message);
    }
    document.getElementById("import-problem")?.remove();
    document.getElementById("preview").replaceChildren(...page.getElementById("preview")?.children ?? []);
    const run = document.getElementById("run");
    if (!run) {
      const problem = page.querySelector(".problem");
      if (!problem) return refuse("The server did not say what is in the file. Try again.");
      problem.id = "import-problem";
      return choose.before(problem);
    }
    run.querySelector("textarea").remove();
    run.addEventListener("submit", (event) => { event.preventDefault(); send(run); });
    run.querySelector("h2").tabIndex = -1;
    run.querySelector("h2").focus();
  });
}

/** The server's page about the beginning of the file. */
async function look() {
  const data = new URLSearchParams(new FormData(choose));
  data.delete("file");
  await take(data.get("encoding"));
  data.set("encoding", encoding);
  data.set("text", textOf(await bytesOf(text.slice(0, partBytes))));
  if (text.size > partBytes) data.set("cut", "1");
  const answer = await ask(choose.action, () => {
    data.set("csrf", csrf);
    return { method: "POST", body: data };
  });
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

const spreadsheet = "is a spreadsheet, not a text. Open it in the program that made it, save the sheet as CSV, and choose that file.";

/** Finds out how the file is written, unless that was chosen, and makes UTF-8 of it. */
async function take(chosen) {
  const head = new Uint8Array(await bytesOf(file.slice(0, 1000)));
  const isArchive = head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
  if (isArchive || /\.(xlsx|xls|xlsm|ods|numbers)$/i.test(file.name)) throw new Error(`${file.name} ${spreadsheet}`);
  encoding = chosen || await encodingOf(head);
  if (encoding === "utf-8") {
    text = file;
    return;
  }
  const isBigEndian = (head[0] === 0xfe && head[1] === 0xff) || (head[0] === 0 && head[1] !== 0);
  const decoder = new TextDecoder(encoding === "utf-16" ? (isBigEndian ? "utf-16be" : "utf-16le") : encoding);
  // As a stream into a blob, which browsers keep on the disk where it is large.
  const parts = [];
  try {
    for (let offset = 0; offset < file.size; offset += partBytes) {
      const bytes = await file.slice(offset, offset + partBytes).arrayBuffer();
      parts.push(new Blob([decoder.decode(bytes, { stream: true })]));
    }
  } catch {
    throw new Error("The file cannot be read any more. Choose it again.");
  }
  text = new Blob([...parts, decoder.decode()]);
}

/** UTF-16 by its mark or its zeros, UTF-8 where all of the file is, else Windows-1252. */
async function encodingOf(head) {
  const isMarked = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  const zeros = head.filter((byte) => byte === 0).length;
  if (isMarked || (zeros > 0 && zeros * 3 >= Math.floor(head.length / 2))) return "utf-16";
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let offset = 0; offset < file.size; offset += longestPart) {
    const bytes = await bytesOf(file.slice(offset, offset + longestPart));
    try {
      decoder.decode(bytes, { stream: offset + longestPart < file.size });
    } catch {
      return "windows-1252";
    }
  }
  return "utf-8";
}

/** Bytes as text; a character that is cut at the end is left out. */
function textOf(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    throw new Error("The file is not text in UTF-8. Choose another encoding, or save it as 'CSV UTF-8' and choose it again.");
  }
}

/** The bytes of a part of the file, which may have been changed or moved since it was chosen. */
async function bytesOf(part) {
  try {
    return await part.arrayBuffer();
  } catch {
    throw new Error("The file cannot be read any more. Choose it again.");
  }
}

/** Says above the form why there is nothing to import; the file and the settings stay. */
function refuse(text) {
  document.getElementById("import-problem")?.remove();
  const box = document.createElement("div");
  box.id = "import-problem";
  box.className = "card problem";
  box.setAttribute("role", "alert");
  const words = document.createElement("strong");
  words.textContent = text;
  box.append(words);
  choose.before(box);
}

async function send(run) {
  const work = document.getElementById("work");
  const progress = work.querySelector("progress");
  const done = document.getElementById("done");
  const failures = document.getElementById("failures");
  const stop = document.getElementById("stop");
  const button = run.querySelector(".actions button");
  const rejected = [];
  let isStopped = false;
  let isComplete = false;
  stop.hidden = false;
  stop.onclick = () => { isStopped = true; };
  button.disabled = true;
  work.hidden = false;
  work.scrollIntoView({ block: "nearest" });
  failures.replaceChildren();
  const settings = new URLSearchParams(new FormData(run));
  settings.delete("csrf");
  let offset = 0;
  let line = 1;
  let length = partBytes;
  let imported = 0;
  try {
    while (offset < text.size && !isStopped) {
      const end = Math.min(offset + length, text.size);
      const isLast = end === text.size;
      settings.set("line", line);
      if (isLast) settings.set("isLast", "1"); else settings.delete("isLast");
      const bytes = new Blob([settings.toString(), "\n", await bytesOf(text.slice(offset, end))]);
      const body = await read(await ask(run.dataset.part, () => ({
        method: "POST", headers: { "x-csrf-token": csrf, accept: "application/json", "content-type": "application/octet-stream" },
        body: bytes,
      })));
      imported += body.imported;
      line = body.nextLine;
      for (const problem of body.problems) {
        rejected.push(problem);
        if (failures.children.length < 100) {
          const item = document.createElement("li");
          item.textContent = `Line ${problem.line}: ${problem.reason}`;
          failures.append(item);
        }
      }
      if (body.consumed === 0 && !isLast) {
        // One row is longer than the part.
        if (length >= longestPart) throw new Error(`The row at line ${line} is longer than ${longestPart} bytes.`);
        length *= 2;
        continue;
      }
      length = partBytes;
      offset = isLast ? text.size : offset + body.consumed;
      progress.value = offset / text.size;
      done.textContent = `${Math.floor(100 * offset / text.size)} %: ${imported.toLocaleString("en")} records imported`
        + (rejected.length ? `, ${rejected.length} rows rejected` : "");
    }
    isComplete = !isStopped;
    done.textContent += isStopped ? ". Stopped; importing the file again goes over the same records." : ". Done.";
  } catch (error) {
    done.textContent += ` It stopped at line ${line}: ${error.message}`;
  }
  say(done.textContent);
  stop.hidden = true;
  button.disabled = false;
  if (imported > 0) {
    const show = document.getElementById("show");
    show.href = run.dataset.list;
    show.hidden = false;
    // What most people do next stands out; the same file goes over the same records.
    show.classList.toggle("primary", isComplete);
    button.classList.toggle("primary", !isComplete);
    if (isComplete) button.textContent = "Import again";
  }
  if (rejected.length > 0) {
    const quote = (text) => `"${String(text).replaceAll('"', '""')}"`;
    const rows = ["line,reason", ...rejected.map((one) => `${one.line},${quote(one.reason)}`)];
    const link = document.getElementById("report");
    link.href = URL.createObjectURL(new Blob([rows.join("\r\n") + "\r\n"], { type: "text/csv" }));
    link.hidden = false;
  }
}
