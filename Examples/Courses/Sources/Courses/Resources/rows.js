// The list as a table view keeps it: a plain model of sections and rows, changed by the index paths that the fetched
// results controller reports, and the elements beside it, changed by the same steps.

const duration = 280;

export class ChapterTable {
  /** What the list shows: [{name, node, heading, items, rows: [{id, title, duration, node}]}]. */
  sections = [];

  constructor(root, ghosts, isDescending) {
    this.root = root;
    this.ghosts = ghosts;
    this.isDescending = isDescending;
  }

  /** Shows a list as it is, without animation. */
  reset(sections) {
    const focus = this.#focus();
    this.root.replaceChildren();
    this.sections = [];
    sections.forEach(({ name, rows }, index) => {
      this.#insertSection(index, name);
      rows.forEach((row, place) => this.#insertRow(index, place, this.#makeRow(row)));
    });
    this.#finish(focus);
  }

  /** Applies one batch of the controller's calls, and animates it. Throws where an index path leads nowhere. */
  apply(calls) {
    const before = this.#places();
    const focus = this.#focus();
    const sections = calls.filter(({ call }) => call === 'section');
    const objects = calls.filter(({ call }) => call === 'object');

    // Old index paths count before all changes, so every row they name is looked up before anything shifts.
    const leaving = new Set();
    const moving = new Map();
    for (const call of objects) {
      if (call.type === 'insert') continue;
      const row = this.#row(call.old);
      if (call.type === 'update') this.#fill(row, call.row);
      else leaving.add(row);
      if (call.type === 'move') moving.set(call, row);
    }
    for (const section of this.sections) section.rows = section.rows.filter((row) => !leaving.has(row));
    for (const row of leaving) row.node.remove();
    const gone = sections.filter(({ type }) => type === 'delete').sort((a, b) => b.index - a.index);
    for (const { index } of gone) this.#deleteSection(index);

    // New index paths count after all changes, so what comes first in the list is put in first.
    const come = sections.filter(({ type }) => type === 'insert').sort((a, b) => a.index - b.index);
    for (const { index, name } of come) this.#insertSection(index, name);
    const arriving = objects.filter(({ type }) => type === 'insert' || type === 'move');
    arriving.sort((a, b) => a.new[0] - b.new[0] || a.new[1] - b.new[1]);
    for (const call of arriving) {
      const row = moving.get(call) ?? this.#makeRow(call.row);
      this.#fill(row, call.row);
      this.#insertRow(call.new[0], call.new[1], row);
    }
    this.#finish(focus);
    this.#animate(before);
  }

  /** A short name for what the elements show now, made as the server makes its own: FNV-1a of 32 bits. */
  digest() {
    let text = '';
    for (const section of this.root.querySelectorAll('section')) {
      text += section.querySelector('.name').textContent + '\n';
      for (const item of section.querySelectorAll('li')) {
        text += `${item.querySelector('.title').textContent}\t${item.querySelector('.duration').textContent}\n`;
      }
    }
    let hash = 0x811c9dc5;
    for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
    return (hash >>> 0).toString(16);
  }

  find(id) {
    return this.sections.flatMap(({ rows }) => rows).find((row) => row.id === id);
  }

  // The steps

  #row([section, row]) {
    const found = this.sections[section]?.rows[row];
    if (!found) throw new RangeError(`There is no row ${section}.${row}.`);
    return found;
  }

  #deleteSection(index) {
    const [section] = this.sections.splice(index, 1);
    if (!section || section.rows.length > 0) throw new RangeError(`Section ${index} cannot be deleted.`);
    section.node.remove();
  }

  #insertSection(index, name) {
    if (index > this.sections.length) throw new RangeError(`Section ${index} cannot be inserted.`);
    const heading = element('h2', { className: 'name', textContent: name });
    const items = element('ol', {});
    const rename = button('Rename', 'rename', `Rename the chapter ${name}`);
    const node = element('section', {}, element('div', { className: 'heading' }, heading, rename), items);
    node.dataset.chapter = name;
    items.setAttribute('aria-label', name);
    this.root.insertBefore(node, this.root.children[index] ?? null);
    this.sections.splice(index, 0, { name, node, heading: node.firstChild, items, rows: [] });
  }

  #insertRow(section, place, row) {
    const { rows, items } = this.sections[section] ?? { rows: [] };
    if (!items || place > rows.length) throw new RangeError(`Row ${section}.${place} cannot be inserted.`);
    items.insertBefore(row.node, items.children[place] ?? null);
    rows.splice(place, 0, row);
  }

  #makeRow(row) {
    const node = element(
      'li', {},
      element('span', { className: 'title' }), element('span', { className: 'duration' }),
      element('span', { className: 'actions' },
        button('↑', this.isDescending ? 'later' : 'earlier'), button('↓', this.isDescending ? 'earlier' : 'later'),
        button('Edit', 'edit')));
    const made = { node };
    this.#fill(made, row);
    return made;
  }

  #fill(row, { id, title, duration }) {
    Object.assign(row, { id, title, duration });
    row.node.dataset.id = id;
    row.node.querySelector('.title').textContent = title;
    row.node.querySelector('.duration').textContent = duration;
    const [up, down, edit] = row.node.querySelectorAll('button');
    up.setAttribute('aria-label', `Move ${title} up`);
    down.setAttribute('aria-label', `Move ${title} down`);
    edit.setAttribute('aria-label', `Edit ${title}`);
  }

  #finish(focus) {
    for (const { rows } of this.sections) {
      rows.forEach(({ node }, place) => {
        const [up, down] = node.querySelectorAll('button');
        up.setAttribute('aria-disabled', place === 0);
        down.setAttribute('aria-disabled', place === rows.length - 1);
      });
    }
    // An element that is taken out and put in elsewhere loses the focus: whoever moves a row with the keyboard keeps it.
    if (focus && document.activeElement === document.body) {
      this.find(focus.id)?.node.querySelector(`[data-action="${focus.action}"]`)?.focus({ preventScroll: true });
    }
  }

  #focus() {
    const focused = document.activeElement;
    const id = this.root.contains(focused) && focused.closest('li')?.dataset.id;
    return id ? { id, action: focused.dataset.action } : null;
  }

  // The animation: every row and heading glides from where it was to where it is

  /** The elements that glide, by what they show, and where they are now. */
  #places() {
    const places = new Map();
    for (const { name, heading, rows } of this.sections) {
      places.set(`chapter ${name}`, { node: heading, box: heading.getBoundingClientRect() });
      for (const { id, node } of rows) places.set(id, { node, box: node.getBoundingClientRect() });
    }
    return places;
  }

  #animate(before) {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    // What still glides from the batch before must not be measured half-way; it starts again from where it was seen.
    for (const animation of this.root.getAnimations({ subtree: true })) animation.cancel();
    const now = this.#places();
    const how = { duration, easing: 'ease-out' };
    for (const [key, { node, box }] of now) {
      const old = before.get(key)?.box;
      if (!old) {
        node.animate([{ opacity: 0 }, { opacity: 1 }], how);
      } else if (old.top !== box.top || old.left !== box.left) {
        const from = `translate(${old.left - box.left}px, ${old.top - box.top}px)`;
        node.animate([{ transform: from }, { transform: 'none' }], how);
      }
    }
    const origin = this.ghosts.getBoundingClientRect();
    for (const [key, { node, box }] of before) {
      if (!now.has(key)) this.#fade(node, box, origin, how);
    }
  }

  /** What has gone is a picture of itself for a moment. */
  #fade(node, box, origin, how) {
    const ghost = node.cloneNode(true);
    ghost.classList.add('ghost');
    ghost.removeAttribute('data-id');
    ghost.style.top = `${box.top - origin.top}px`;
    ghost.style.left = `${box.left - origin.left}px`;
    ghost.style.width = `${box.width}px`;
    ghost.inert = true;
    this.ghosts.append(ghost);
    ghost.animate([{ opacity: 1 }, { opacity: 0 }], how).finished.finally(() => ghost.remove());
  }
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function button(text, action, label) {
  const made = element('button', { type: 'button', textContent: text });
  made.dataset.action = action;
  if (label) made.setAttribute('aria-label', label);
  return made;
}
