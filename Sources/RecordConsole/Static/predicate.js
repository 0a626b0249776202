// The predicate box: completion of field names and words, and what is wrong while one types.

const operators = ["==", "!=", "<", "<=", ">", ">=", "BEGINSWITH", "ENDSWITH", "CONTAINS", "CONTAINS[cd]", "LIKE", "IN", "BETWEEN"];
const starts = ["NOT", "ANY", "ALL", "SELF CONTAINS"];
const joins = ["AND", "OR"];

/** Makes a text box a combobox (ARIA) whose list offers what may be written at the caret. */
export function completePredicates(box, fields) {
  const list = document.getElementById("predicate-list");
  const problem = document.getElementById("predicate-problem");
  const names = fields.filter((field) => field.predicateName);
  const attributes = { role: "combobox", "aria-autocomplete": "list", "aria-controls": list.id, "aria-expanded": "false", "aria-haspopup": "listbox" };
  for (const [name, value] of Object.entries(attributes)) box.setAttribute(name, value);
  let chosen = -1;
  let timer = 0;
  let asked = 0;
  // What is wrong with the text, as far as is known.
  let found = null;
  let word = { start: 0, text: "" };

  function offer(all) {
    word = wordAt(box);
    const inText = isInText(box.value.slice(0, word.start));
    const offers = inText ? [] : offersAt(box.value.slice(0, word.start)).filter((one) =>
      one.text.toLowerCase().startsWith(word.text.toLowerCase()) && one.text !== word.text);
    if (offers.length === 0 || (!all && word.text === "")) return close();
    chosen = -1;
    list.replaceChildren(...offers.slice(0, 12).map((one, index) => {
      const item = document.createElement("li");
      item.id = `predicate-offer-${index}`;
      item.role = "option";
      item.ariaSelected = "false";
      item.dataset.text = one.text;
      item.append(one.text);
      if (one.hint) {
        const hint = document.createElement("span");
        hint.className = "hint";
        hint.textContent = ` ${one.hint}`;
        item.append(hint);
      }
      item.addEventListener("mousedown", (event) => { event.preventDefault(); take(index); });
      return item;
    }));
    list.hidden = false;
    box.setAttribute("aria-expanded", "true");
  }

  /** Fields where a value is missing, operators after a field, joins after a comparison. */
  function offersAt(before) {
    const tokens = before.match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_][\w.\[\]]*|[-+]?[\d.]+|[=!<>]+|[(){},]/g) ?? [];
    const last = tokens.at(-1) ?? "";
    const isField = names.some((field) => field.predicateName === last);
    const previous = tokens.at(-2) ?? "";
    const comparing = /^([=!<>]+|BEGINSWITH|ENDSWITH|CONTAINS|LIKE|IN|BETWEEN)(\[\w+\])?$/i;
    if (isField && !comparing.test(previous)) return operators.map((text) => ({ text }));
    if (last === "" || /^(AND|OR|NOT|ANY|ALL|\()$/i.test(last)) {
      return [...names.map((field) => ({ text: field.predicateName, hint: field.type })), ...starts.map((text) => ({ text }))];
    }
    if (comparing.test(last)) return names.map((field) => ({ text: field.predicateName, hint: field.type }));
    return joins.map((text) => ({ text }));
  }

  function close() {
    list.hidden = true;
    chosen = -1;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
    show(found);
  }

  function choose(index) {
    const items = list.children;
    chosen = (index + items.length) % items.length;
    [...items].forEach((item, position) => { item.ariaSelected = String(position === chosen); });
    box.setAttribute("aria-activedescendant", items[chosen].id);
    items[chosen].scrollIntoView({ block: "nearest" });
  }

  function take(index) {
    const text = `${list.children[index].dataset.text} `;
    box.setRangeText(text, word.start, box.selectionStart, "end");
    close();
    check();
  }

  box.addEventListener("input", () => { offer(false); checkSoon(); });
  box.addEventListener("blur", close);
  box.addEventListener("keydown", (event) => {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      return offer(true);
    }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return box.form.requestSubmit();
    if (list.hidden) {
      if (event.key === "ArrowDown" && event.altKey) { event.preventDefault(); offer(true); }
      return;
    }
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen < 0 ? -1 : chosen - 1);
    else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) take(chosen);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });

  function checkSoon() {
    clearTimeout(timer);
    timer = setTimeout(check, 250);
  }

  /** Asks the server, whose parser is the one that counts. */
  async function check() {
    clearTimeout(timer);
    const text = box.value.trim();
    const number = ++asked;
    found = null;
    if (text === "") return show(null);
    const address = new URL(box.dataset.check, location.href);
    address.searchParams.set("predicate", text);
    try {
      const answer = await fetch(address, { headers: { accept: "application/json" } });
      const body = await answer.json();
      if (number !== asked || !answer.ok) return;
      found = body.isGood ? null : body;
      show(found);
    } catch {
      // Without the server nothing is known; sending the form will show.
    }
  }

  /** Shows what is wrong, unless a word is being completed: then it is not finished yet. */
  function show(mistake) {
    const found = list.hidden ? mistake : null;
    box.setAttribute("aria-invalid", String(Boolean(found)));
    problem.hidden = !found;
    if (!found) return problem.replaceChildren();
    const parts = [];
    if (found.caret) {
      const caret = document.createElement("pre");
      caret.textContent = found.caret;
      parts.push(caret);
    }
    const sentence = document.createElement("p");
    sentence.textContent = [found.message, found.remedy].filter(Boolean).join(" ");
    parts.push(sentence);
    problem.replaceChildren(...parts);
  }
  if (box.value && !document.querySelector(".problem")) check();
}

/** The word before the caret. */
function wordAt(box) {
  const before = box.value.slice(0, box.selectionStart);
  const text = before.match(/(?:[A-Za-z_#][\w.\[\]]*|[=!<>]+)$/)?.[0] ?? "";
  return { start: before.length - text.length, text };
}

/** Whether a place lies in a quoted text. */
function isInText(before) {
  let quote = "";
  for (let index = 0; index < before.length; index++) {
    const letter = before[index];
    if (quote && letter === "\\") index++;
    else if (quote) { if (letter === quote) quote = ""; }
    else if (letter === '"' || letter === "'") quote = letter;
  }
  return quote !== "";
}
