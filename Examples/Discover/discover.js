// A restaurant guide on the records of a Stratus server: names first, pictures as they come into view.

import CloudKit from "/cloudkit.js";
import { add, connect, fetchLists, follow, PEOPLE, remove } from "./favourites-lists.js";

const container = connect({ fetch: fetchAndTellAge });
const database = container.publicCloudDatabase;

const QUERY = { recordType: "Restaurant", sortBy: [{ fieldName: "___createTime", ascending: false }] };
const PAGE = 24;
const PICTURES_AT_ONCE = 12;
const PHOTO_WIDTH = 1024;
const PHOTO_QUALITY = 0.8;
const PULL = 80;
const $ = (selector, parent = document) => parent.querySelector(selector);
const [list, more, loading, problem] = ["#restaurants", "#more", "#loading", "#problem"].map((id) => $(id));

// ------------------------------------------------------------------------------------------------------------- Cells

/** The cells by record name: a record that comes again gets the cell that it has. */
const cells = new Map();

function cellOf({ recordName, fields }) {
    let cell = cells.get(recordName);
    if (!cell) {
        cell = $("#cell").content.firstElementChild.cloneNode(true);
        cell.dataset.recordName = recordName;
        cells.set(recordName, cell);
        inView.observe(cell);
    }
    $("h2", cell).textContent = fields.name?.value ?? "";
    $(".type", cell).textContent = fields.type?.value ?? "";
    $(".location", cell).textContent = fields.location?.value ?? "";
    const heart = $(".heart", cell);
    heart.setAttribute("aria-label", `Favourite: ${fields.name?.value ?? ""}`);
    heart.setAttribute("aria-pressed", String(favourites.has(recordName)));
    heart.onclick = () => toggle(heart, { recordName, fields });
    return cell;
}

// --------------------------------------------------------------------------------------------------------- Favourites

/** The names of what is in the user's own list, which is followed once there is one. */
const favourites = new Set();
let own;

async function followOwn() {
    if (own) return;
    own = (await fetchLists(container)).find(({ isOwn }) => isOwn);
    if (!own) return;
    follow(own, (records) => {
        favourites.clear();
        for (const { recordName } of records) favourites.add(recordName);
        for (const [recordName, cell] of cells) $(".heart", cell).setAttribute("aria-pressed", String(favourites.has(recordName)));
    });
}

async function toggle(heart, record) {
    const isFavourite = heart.getAttribute("aria-pressed") === "true";
    heart.setAttribute("aria-pressed", String(!isFavourite));
    heart.setAttribute("aria-busy", "true");
    try {
        if (isFavourite && own) await remove(own, record.recordName);
        else await add(container, record);
        await followOwn();
    } catch (error) {
        heart.setAttribute("aria-pressed", String(isFavourite));
        // Where nobody is signed in, the other page has the button.
        if (error.ckErrorCode === "AUTHENTICATION_REQUIRED") location.href = $("#favourites").href;
        else $("#offline").textContent = sentence(error);
    }
    heart.removeAttribute("aria-busy");
}

// ---------------------------------------------------------------------------------------------------------- Pictures

/** Cells that came into view and have no picture yet. */
const waiting = new Set();
let fetching = false;

const inView = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
        if (isIntersecting) waiting.add(target);
        else waiting.delete(target);
    }
    fetchPictures();
}, { rootMargin: "200px" });

/** Fetches the pictures of what is in view, a few at a time. */
async function fetchPictures() {
    if (fetching || waiting.size === 0) return;
    fetching = true;
    const batch = [...waiting].slice(0, PICTURES_AT_ONCE);
    for (const cell of batch) waiting.delete(cell);
    try {
        const names = batch.map((cell) => cell.dataset.recordName);
        const { records } = await database.fetchRecords(names, { desiredKeys: ["image"] });
        for (const { recordName, fields } of records) showPicture(cells.get(recordName), fields.image?.value);
    } catch {
        // Placeholders stay where they are until the list is fetched again.
    }
    fetching = false;
    fetchPictures();
}

function showPicture(cell, asset) {
    inView.unobserve(cell);
    if (!asset) return;
    const image = $("img", cell);
    image.onload = () => { image.hidden = false; };
    image.src = CloudKit.assetURL(asset, "image");
}

// ------------------------------------------------------------------------------------------------------------- Pages

/** The newest page that was fetched; it is given back for the one after it. */
let page;
let busy = false;

/** Fetches a page and shows it with `show`; says so when it cannot. */
async function fetchPage(previous, show) {
    if (busy) return;
    busy = true;
    problem.hidden = true;
    loading.hidden = false;
    list.setAttribute("aria-busy", "true");
    $("#refresh").classList.add("busy");
    try {
        page = await database.performQuery(previous ?? QUERY, previous ? {} : {
            resultsLimit: PAGE, desiredKeys: ["name", "type", "location"],
        });
        show(page.records.map(cellOf));
    } catch (error) {
        problem.hidden = false;
        $("span", problem).textContent = sentence(error);
        $("button", problem).onclick = () => fetchPage(previous, show);
    }
    busy = false;
    loading.hidden = true;
    list.removeAttribute("aria-busy");
    $("#refresh").classList.remove("busy");
    more.hidden = !page?.moreComing || !problem.hidden;
    // An end that is still in view is not reported again by itself.
    atEnd.unobserve(more);
    if (!more.hidden) atEnd.observe(more);
}

/** The newest page alone: what was behind it comes again as one scrolls. */
const refresh = () => fetchPage(undefined, (newest) => {
    list.replaceChildren(...newest);
    for (const cell of newest) if ($("img", cell).hidden) inView.observe(cell);
});

/** The next page; a record that already exists only moves. */
const fetchMore = () => fetchPage(page, (next) => list.append(...next));

const atEnd = new IntersectionObserver(([end]) => { if (end.isIntersecting) fetchMore(); }, { rootMargin: "400px" });

more.onclick = fetchMore;
$("#refresh").onclick = refresh;

const sentence = (error) => [error.reason ?? error.message, error.remedy].filter(Boolean).join(" ");

// --------------------------------------------------------------------------------------------------- Pull to refresh

const pull = $("#pull");
let pullStart;

function movePull(distance) {
    pull.style.transform = `translateY(${Math.min(distance, PULL * 1.5)}px) rotate(${distance * 2}deg)`;
}

addEventListener("touchstart", ({ touches }) => {
    pullStart = scrollY <= 0 && touches.length === 1 && !$("#adding").open ? touches[0].clientY : undefined;
}, { passive: true });
addEventListener("touchmove", ({ touches }) => {
    if (pullStart !== undefined) movePull(Math.max(0, touches[0].clientY - pullStart));
}, { passive: true });
addEventListener("touchend", ({ changedTouches }) => {
    if (pullStart !== undefined && changedTouches[0].clientY - pullStart > PULL) refresh();
    pullStart = undefined;
    movePull(0);
});

// ------------------------------------------------------------------------------------------------------------ Adding

const dialog = $("#adding");
const form = $("form", dialog);

/** A photo, no wider than records need it, as JPEG. */
async function scaled(file) {
    const bitmap = await createImageBitmap(file).catch(() => { throw new Error("This file is no photo."); });
    const scale = Math.min(1, PHOTO_WIDTH / bitmap.width);
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(bitmap.width * scale);
    canvas.height = Math.round(bitmap.height * scale);
    canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", PHOTO_QUALITY));
    return new File([blob], "photo.jpg", { type: "image/jpeg" });
}

async function preview() {
    const image = $("#preview");
    URL.revokeObjectURL(image.src);
    image.hidden = true;
    $("#adding-problem").textContent = "";
    const [file] = form.photo.files;
    if (!file) return;
    try {
        image.src = URL.createObjectURL(await scaled(file));
        image.hidden = false;
    } catch (error) {
        $("#adding-problem").textContent = error.message;
    }
}

async function save() {
    const [save, value] = [$(".primary", form), (name) => ({ value: form[name].value.trim() })];
    save.disabled = true;
    $("#adding-problem").textContent = "";
    try {
        const image = await scaled(form.photo.files[0]);
        const response = await database.saveRecords({
            recordType: "Restaurant",
            fields: { name: value("name"), type: value("type"), location: value("location"), image: { value: image } },
        });
        if (response.hasErrors) throw response.errors[0];
        const [record] = response.records;
        const cell = cellOf(record);
        list.prepend(cell);
        showPicture(cell, record.fields.image.value);
        dialog.close();
        scrollTo({ top: 0 });
    } catch (error) {
        $("#adding-problem").textContent = sentence(error);
    }
    save.disabled = false;
}

$("#add").onclick = () => { form.reset(); preview(); dialog.showModal(); };
form.photo.onchange = preview;
$("[value=cancel]", form).onclick = () => dialog.close();
form.onsubmit = (event) => { event.preventDefault(); save(); };

// ----------------------------------------------------------------------------------------------------------- Offline

/** Fetches, and says so when the service worker gave an older answer because the server cannot be reached. */
async function fetchAndTellAge(address, options) {
    const response = await fetch(address, options);
    const seen = response.headers.get("X-Seen-At");
    const time = seen && new Date(seen).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    $("#offline").textContent = seen ? `Offline: showing what was seen at ${time}.` : "";
    return response;
}

/** Starts the service worker, and waits until it sees what this page fetches; without one there is no offline. */
async function startServiceWorker() {
    const workers = navigator.serviceWorker;
    if (!workers) return;
    await workers.register("service-worker.js");
    if (!workers.controller) await new Promise((done) => workers.addEventListener("controllerchange", done));
}

await Promise.race([startServiceWorker().catch(() => {}), new Promise((done) => setTimeout(done, 2000))]);
addEventListener("online", refresh);
if (PEOPLE) {
    $("#favourites").search = "?people";
    await container.setUpAuth().catch(() => null);
}
await refresh();
await followOwn().catch(() => {});
