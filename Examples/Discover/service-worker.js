// Keeps what was seen, so that it can be read without a network: the app's own files, the answers to its queries, and
// pictures. The server is always asked first, except for pictures: the bytes behind their addresses never change.

const FILES = ["./", "discover.css", "discover.js", "favourites-lists.js", "icon.svg", "/cloudkit.js"];
const KEPT = { answers: 400, pictures: 300 };

self.addEventListener("install", (event) => {
    self.skipWaiting();
    event.waitUntil(caches.open("files").then((cache) => cache.addAll(FILES)));
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
    const { request } = event;
    const { origin, pathname } = new URL(request.url);
    if (origin !== self.location.origin) return;
    if (pathname.endsWith("/public/records/query")) event.respondWith(query(request));
    else if (pathname.endsWith("/public/records/lookup")) event.respondWith(lookup(request));
    else if (pathname.startsWith("/database/")) return;
    else if (pathname.startsWith("/assets/get/")) event.respondWith(picture(request));
    else if (request.method === "GET") event.respondWith(file(request));
});

/** Puts a response into a cache, and takes out what has been there longest. */
async function keep(name, key, response) {
    try {
        const cache = await caches.open(name);
        await cache.put(key, response);
        const keys = await cache.keys();
        await Promise.all(keys.slice(0, Math.max(0, keys.length - KEPT[name])).map((old) => cache.delete(old)));
    } catch {
        // Where the browser's storage is full, what comes is shown all the same.
    }
}

async function file(request) {
    const cache = await caches.open("files");
    try {
        const response = await fetch(request);
        if (response.ok && await cache.match(request)) await cache.put(request, response.clone());
        return response;
    } catch {
        return await cache.match(request, { ignoreSearch: true }) ?? Response.error();
    }
}

async function picture(request) {
    const seen = await caches.match(request.url, { cacheName: "pictures" });
    if (seen) return seen;
    try {
        const response = await fetch(request);
        if (response.ok) await keep("pictures", request.url, response.clone());
        return response;
    } catch {
        return Response.error();
    }
}

/** What an answer is kept as: JSON with the time at which it came. */
const answer = (body, seenAt = new Date().toISOString()) => new Response(JSON.stringify(body), {
    headers: { "Content-Type": "application/json", "X-Seen-At": seenAt },
});

/** A page of the list, kept under what was asked. */
async function query(request) {
    const key = `/seen/query/${encodeURIComponent(await request.clone().text())}`;
    try {
        const response = await fetch(request);
        if (response.ok) await keep("answers", key, answer(await response.clone().json()));
        return response;
    } catch {
        return await caches.match(key, { cacheName: "answers" }) ?? Response.error();
    }
}

/** Records by name, kept one by one: later they are asked for in other company. */
async function lookup(request) {
    const { records: wanted } = await request.clone().json();
    const key = ({ recordName }) => `/seen/record/${encodeURIComponent(recordName)}`;
    try {
        const response = await fetch(request);
        if (response.ok) {
            const { records } = await response.clone().json();
            for (const record of records) await keep("answers", key(record), answer(record));
        }
        return response;
    } catch {
        const seen = await Promise.all(wanted.map((item) => caches.match(key(item), { cacheName: "answers" })));
        const found = seen.filter(Boolean);
        if (found.length === 0) return Response.error();
        const oldest = found.map((response) => response.headers.get("X-Seen-At")).sort()[0];
        return answer({ records: await Promise.all(found.map((response) => response.json())) }, oldest);
    }
}
