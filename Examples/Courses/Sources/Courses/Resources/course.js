// A window that shows a course: hears of changes by Server-Sent Events, and posts edits.

import { ChapterTable } from './rows.js';

const { course, order } = document.querySelector('main').dataset;
const [list, connection, message, editor, add, random] =
  ['list', 'connection', 'message', 'editor', 'add', 'random'].map((id) => document.getElementById(id));
const table = new ChapterTable(list, document.getElementById('ghosts'), order === 'descending');

// What comes

function connect() {
  const source = new EventSource(`/courses/${course}/events?order=${order}`);
  const startAgain = () => {
    source.close();
    connect();
  };
  source.addEventListener('snapshot', ({ data }) => {
    const { version, digest, sections } = JSON.parse(data);
    table.reset(sections);
    settle(version, digest);
  });
  source.addEventListener('changes', ({ data }) => {
    const { version, digest, calls } = JSON.parse(data);
    try {
      if (version !== Number(list.dataset.version) + 1) throw new RangeError('A batch is missing.');
      table.apply(calls);
    } catch (error) {
      mismatch(error.message);
      return startAgain();
    }
    if (!settle(version, digest)) startAgain();
  });
  source.addEventListener('error', () => {
    tell('reconnecting', 'reconnecting…');
    // The browser connects again by itself, unless the server answered with an error.
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, 2000);
  });
}

/** Compares what the page shows with what the server has. */
function settle(version, digest) {
  list.dataset.version = version;
  tell('live', 'live');
  document.getElementById('chapters').replaceChildren(...table.sections.map(({ name }) => new Option(name, name)));
  if (table.digest() === digest) return true;
  mismatch(`The list differs from the server's at version ${version}.`);
  return false;
}

function mismatch(reason) {
  console.error(reason);
  list.dataset.mismatches = Number(list.dataset.mismatches) + 1;
}

function tell(state, text) {
  if (connection.dataset.state === state) return;
  connection.dataset.state = state;
  connection.textContent = text;
}

// What goes

async function send(fields) {
  try {
    const answer = await fetch(`/courses/${course}/edits`, { method: 'POST', body: new URLSearchParams(fields) });
    message.hidden = answer.ok;
    if (!answer.ok) {
      const said = await answer.json().catch(() => null);
      message.textContent = said?.error?.message ?? `The server answered ${answer.status}.`;
    }
    return answer.ok;
  } catch {
    message.hidden = false;
    message.textContent = 'The server does not answer. Nothing was changed.';
    return false;
  }
}

list.addEventListener('click', ({ target }) => {
  const { action } = target.dataset;
  if (!action || target.getAttribute('aria-disabled') === 'true') return;
  if (action === 'rename') return editChapter(target.closest('section').dataset.chapter);
  const id = target.closest('li').dataset.id;
  if (action === 'edit') editLesson(table.find(id));
  else send({ edit: action, lesson: id });
});

add.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { title, chapter } = add.elements;
  if (await send({ edit: 'add', title: title.value, chapter: chapter.value })) {
    title.value = '';
    title.focus();
  }
});

random.addEventListener('click', async () => {
  random.disabled = true;
  for (let count = 0; count < 20; count += 1) {
    if (!(await send({ edit: 'random' }))) break;
    // Slow enough to watch.
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  random.disabled = false;
});

// The dialog

const fields = editor.querySelector('form').elements;
const remove = document.getElementById('delete');
let save = () => {};

function open(heading, title, isLesson) {
  document.getElementById('editor-title').textContent = heading;
  document.getElementById('editor-chapter').hidden = !isLesson;
  remove.hidden = !isLesson;
  fields.title.value = title;
  editor.returnValue = '';
  editor.showModal();
  fields.title.select();
}

function editLesson({ id, title }) {
  const chapter = table.sections.find(({ rows }) => rows.some((row) => row.id === id)).name;
  fields.chapter.replaceChildren(...table.sections.map(({ name }) => new Option(name, name, false, name === chapter)));
  save = async () => {
    if (fields.title.value !== title && !(await send({ edit: 'rename', lesson: id, title: fields.title.value }))) return;
    if (fields.chapter.value !== chapter) await send({ edit: 'put', lesson: id, chapter: fields.chapter.value });
  };
  remove.onclick = () => {
    editor.close();
    send({ edit: 'delete', lesson: id });
  };
  open('Edit lesson', title, true);
}

function editChapter(chapter) {
  save = () => send({ edit: 'renameChapter', chapter, title: fields.title.value });
  open('Rename chapter', chapter, false);
}

document.getElementById('cancel').addEventListener('click', () => editor.close());
editor.addEventListener('close', () => {
  if (editor.returnValue === 'save') save();
});

connect();
