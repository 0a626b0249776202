// An app for finding people to play ball with: everything it knows is in the records of a Stratus server.

import CloudKit from "/cloudkit.js";

// With '?people' behind its address, the app lets people sign in, as an app of your own does. Else all who try the demo
// are one user.
const PEOPLE = new URLSearchParams(location.search).has("people");
const VISITOR = "2ac0014560f668d33f5b50c288b89e16a1239d2174d21a087ef08bdfad4ad640";

// The container and the tokens of `stratus demo`, which are the same on every machine. An app of your own has an API
// token of its own ('stratus token create').
CloudKit.configure({
    containers: [{
        containerIdentifier: "iCloud.stratus.demo",
        environment: "development",
        apiTokenAuth: {
            apiToken: "2dfe931348cbd9d5ab2b0d7d3557dd7732fd10f0d537e1ab43ca61c938ee8e65",
            ...(PEOPLE ? { persist: true } : { ckWebAuthToken: VISITOR }),
        },
    }],
});
const container = CloudKit.getDefaultContainer();
const everybody = container.publicCloudDatabase;
const mine = container.privateCloudDatabase;

const PAGE = 15;
const SLOW_MILLISECONDS = 1500;
const $ = (selector, parent = document) => parent.querySelector(selector);

// ------------------------------------------------------------------------------------------------------------ Status

const statusBar = $("#status");
let clearing;

/** Says something in the bar below; with `retry`, until it is pressed. */
function say(text, retry) {
    clearTimeout(clearing);
    statusBar.hidden = !text;
    $("p", statusBar).textContent = text;
    $("button", statusBar).hidden = !retry;
    $("button", statusBar).onclick = () => { say(""); retry?.(); };
    if (text && !retry) clearing = setTimeout(say, 6000, "");
}

/**
 * Does something over the network, and says when it is slow, or why it failed. Gives whether it was done.
 *
 * @param {() => unknown} task
 * @param {() => unknown} [retry]
 */
async function attempt(task, retry = () => attempt(task)) {
    const slow = setTimeout(say, SLOW_MILLISECONDS, "The network is slow. Still waiting…");
    try {
        await task();
        if ($("p", statusBar).textContent.startsWith("The network is slow")) say("");
        return true;
    } catch (error) {
        if (error.name === "AbortError") return false;
        say([error.reason ?? error.message, error.remedy].filter(Boolean).join(" "), retry);
        return false;
    } finally {
        clearTimeout(slow);
    }
}

/** A response whose records all were saved, found or deleted. */
function whole(response) {
    if (response.hasErrors) throw response.errors[0];
    return response;
}

/** A record type is created with its first record: until then a query for it finds none, instead of failing. */
function noneYet(error) {
    if (error.ckErrorCode === CloudKit.CKError.NOT_FOUND) return { records: [], moreComing: false };
    throw error;
}

// ------------------------------------------------------------------------------------------------------------- Lists

/** A list that fetches the next page when its end comes into view. */
class Feed {
    /**
     * @param section holds a list and a button with the class `more`
     * @param nextPage gives the page after a QueryResponse, or the first one
     * @param show makes list items of the page's records
     */
    constructor(section, nextPage, show) {
        this.list = $("ul", section);
        this.button = $(".more", section);
        this.label = this.button.textContent;
        this.empty = $(".empty", section);
        this.nextPage = nextPage;
        this.show = show;
        this.button.addEventListener("click", () => this.more());
        this.observer = new IntersectionObserver(
            ([entry]) => entry.isIntersecting && this.more(), { rootMargin: "300px" });
        this.restart();
    }

    restart() {
        this.aborting?.abort();
        this.aborting = new AbortController();
        this.page = undefined;
        this.loading = false;
        this.list.replaceChildren();
        this.watch(true);
    }

    /** Looks again whether the end is in view: it may still be after a page. */
    watch(more) {
        this.observer.disconnect();
        this.button.hidden = !more;
        if (this.empty) this.empty.hidden = more || this.list.children.length > 0;
        if (more) this.observer.observe(this.button);
    }

    more() {
        // Whoever awaits this goes on when no page is on its way.
        if (!this.loading) this.settled = this.load();
    }

    async load() {
        const { signal } = this.aborting;
        this.setLoading(true);
        const done = await attempt(async () => {
            const page = await this.nextPage(this.page, signal);
            const items = await this.show(page.records);
            signal.throwIfAborted();
            this.page = page;
            // What happened meanwhile may be there already.
            this.list.append(...items.filter(({ dataset }) => !dataset?.name || !this.row(dataset.name)));
            this.watch(page.moreComing);
        }, () => this.more());
        // After a failure only the button, or "Try again", asks again.
        if (!done && !signal.aborted) this.observer.disconnect();
        if (!signal.aborted) this.setLoading(false);
    }

    /** The item of a record, if it is shown. */
    row(recordName) { return $(`[data-name="${CSS.escape(recordName)}"]`, this.list); }

    setLoading(loading) {
        this.loading = loading;
        this.list.ariaBusy = String(loading);
        this.button.textContent = loading ? "Loading…" : this.label;
    }
}

/** The first page of a query, or the page after `page`. */
const pageOf = (database, query) => (page, signal) => (
    database.performQuery(page ?? query(), { resultsLimit: PAGE, signal }));

// ----------------------------------------------------------------------------------------------------------- Players

const value = (record, field) => record.fields[field]?.value;
const likeName = (player) => `like-${me}-${player.recordName}`;
const favouriteName = (player) => `favourite-${player.recordName}`;
const sameNames = (response) => new Set(response.records.map((record) => record.recordName));

/** The numbers of the players' Like records: counting is right however many people press at the same time. */
async function countLikes(players) {
    const any = await everybody.performQuery({ recordType: "Like" }, { resultsLimit: 1 }).catch(noneYet);
    if (any.records.length === 0) return players.map(() => 0);
    return Promise.all(players.map(({ recordName }) => everybody.countRecords({
        recordType: "Like",
        filterBy: [{ comparator: "EQUALS", fieldName: "player", fieldValue: { value: { recordName } } }],
    })));
}

/** Cards for a page of players, with what the user and the others think of them. */
async function playerCards(players) {
    if (players.length === 0) return [];
    const [likes, favourites, counts] = await Promise.all([
        everybody.fetchRecords(players.map(likeName), { desiredKeys: [] }),
        mine.fetchRecords(players.map(favouriteName), { desiredKeys: [] }),
        countLikes(players),
    ]);
    const [liked, favourite] = [sameNames(likes), sameNames(favourites)];
    return players.map((player, index) => playerCard(player, {
        liked: liked.has(likeName(player)),
        favourite: favourite.has(favouriteName(player)),
        likes: (value(player, "likes") ?? 0) + counts[index],
    }));
}

function playerCard(player, { liked, favourite, likes }) {
    const card = $("#player-card").content.cloneNode(true);
    const name = value(player, "name") ?? "Nameless";
    $("h2", card).textContent = name;
    $(".avatar", card).textContent = name.split(/\s+/).slice(0, 2).map((word) => [...word][0]).join("");
    const [city, position, level, rating] = ["city", "position", "level", "rating"].map((name) => value(player, name));
    $(".meta", card).textContent = [
        city, position, level && `level\u00a0${level}`, rating && `rating\u00a0${rating.toFixed(1)}`,
    ].filter(Boolean).join("\u00a0· ");
    $(".bio", card).textContent = value(player, "bio") ?? "";

    const like = $(".like", card);
    let others = likes - Number(liked);
    const showLikes = (pressed) => {
        const count = others + Number(pressed);
        $("span", like).textContent = count.toLocaleString();
        like.ariaLabel = `Like ${name}, ${count.toLocaleString()} likes`;
    };
    showLikes(liked);
    const setLiked = toggle(like, liked, (pressed) => (
        pressed ? addLike(player) : everybody.deleteRecords(likeName(player))), showLikes);
    const item = $("li", card);
    item.dataset.player = player.recordName;
    item.addEventListener("likes", ({ detail }) => {
        ({ others } = detail);
        // What is being saved is as its button shows it.
        setLiked(like.ariaBusy === "true" ? like.ariaPressed === "true" : detail.liked);
    });

    const star = $(".favourite", card);
    star.ariaLabel = `Favourite ${name}`;
    toggle(star, favourite, (pressed) => (
        pressed ? addFavourite(player) : mine.deleteRecords(favouriteName(player))));
    return card;
}

// The records' names say who likes whom, so that pressing twice, or in two windows, makes one record.
const addLike = (player) => everybody.newRecordsBatch().forceUpdate({
    recordType: "Like",
    recordName: likeName(player),
    fields: { player: { value: { recordName: player.recordName, action: "NONE" } } },
}).commit();

const addFavourite = (player) => mine.newRecordsBatch().forceUpdate({
    recordType: "Favourite",
    recordName: favouriteName(player),
    fields: { player: { value: player.recordName } },
}).commit();

/** A button that is on or off; it changes at once, and back when that could not be saved. */
function toggle(button, pressed, save, show) {
    const set = (on) => {
        button.ariaPressed = String(on);
        show?.(on);
    };
    set(pressed);
    const press = async (on) => {
        if (button.ariaBusy === "true") return;
        set(on);
        button.ariaBusy = "true";
        const done = await attempt(async () => whole(await save(on)), () => press(on));
        button.ariaBusy = "false";
        if (!done) set(!on);
    };
    button.addEventListener("click", () => press(button.ariaPressed !== "true"));
    return set;
}

/** A page of favourites with the players that they name, as far as these still exist. */
async function favouritePlayers(favourites) {
    if (favourites.length === 0) return [];
    const { records } = await everybody.fetchRecords(favourites.map((favourite) => value(favourite, "player")));
    return playerCards(records);
}

// ------------------------------------------------------------------------------------------------------------- Posts

async function postRows(posts) {
    const names = [...new Set(posts.map((post) => value(post, "author")?.recordName).filter(Boolean))];
    const authors = names.length > 0 ? (await everybody.fetchRecords(names, { desiredKeys: ["name"] })).records : [];
    const nameOf = new Map(authors.map((author) => [author.recordName, value(author, "name")]));
    return posts.map((post) => postRow(post, nameOf.get(value(post, "author")?.recordName)));
}

function postRow(post, author = "somebody") {
    const row = $("#post-row").content.cloneNode(true).firstElementChild;
    row.dataset.name = post.recordName;
    $("h2", row).textContent = value(post, "title");
    const when = new Date(value(post, "posted")).toLocaleDateString(undefined, { dateStyle: "medium" });
    $(".meta", row).textContent = `${author} · ${when}`;
    $(".text", row).textContent = value(post, "text");
    return row;
}

async function publish(fields) {
    if (!profile) {
        location.hash = "#profile";
        throw new Error("A post has an author: please make your profile first.");
    }
    const { records: [post] } = whole(await everybody.saveRecords({
        recordType: "Post",
        fields: {
            title: { value: fields.title },
            text: { value: fields.text },
            author: { value: { recordName: profile.recordName, action: "NONE" } },
            posted: { value: Date.now(), type: "TIMESTAMP" },
        },
    }));
    if (!posts.row(post.recordName)) posts.list.prepend(postRow(post, value(profile, "name")));
    $("#post-form").reset();
    say("Your post is published.");
}

// ----------------------------------------------------------------------------------------------------- As it happens

const RETRY_MILLISECONDS = 3000;

/**
 * Follows a query while one of some sections is shown: a browser has only a few connections to a server.
 *
 * @param {Record<string, Feed>} feeds by the names of their sections, whose `data-live` says whether they show what happens
 * @returns {(section: string) => void} to be told which section is shown
 */
function follow(feeds, query, resultsLimit, happened) {
    const sections = Object.keys(feeds);
    let live;
    // One after the other, and after a page that is on its way: what was asked before a change is not shown over it.
    let turn = Promise.resolve();
    const mark = (isLive) => sections.forEach((name) => { $(`#${name}`).dataset.live = String(isLive); });
    const begin = async () => {
        const mine = everybody.liveQuery(query, (update) => {
            turn = turn.then(() => Promise.all(Object.values(feeds).map(({ settled }) => settled)))
                .then(() => attempt(() => happened(update))).then(() => mark(live === mine));
        }, { resultsLimit });
        live = mine;
        const error = await mine.closed.then(() => undefined, (error) => error);
        // Until there is a first record of the type, the query is refused.
        if (error) setTimeout(() => live === mine && begin(), RETRY_MILLISECONDS);
    };
    return (section) => {
        const isShown = sections.includes(section);
        if (isShown === Boolean(live)) return;
        if (isShown) return void begin();
        live.close();
        live = undefined;
        mark(false);
    };
}

async function likeHappened({ change }) {
    /** @type {NodeListOf<HTMLElement>} */
    const all = document.querySelectorAll("li[data-player]");
    if (change.type === "fetched") return recountLikes(all);
    const player = /^like-[^-]+-(.+)$/.exec(change.recordName)?.[1];
    await recountLikes(Array.from(all).filter((item) => item.dataset.player === player));
}

/** Has cards show how many likes there are now, and whether the user's is one. */
async function recountLikes(items) {
    const cards = new Map(Array.from(items, (item) => [item.dataset.player, []]));
    for (const item of items) cards.get(item.dataset.player).push(item);
    if (cards.size === 0) return;
    const { records } = await everybody.fetchRecords([...cards.keys()], { desiredKeys: ["likes"] });
    const [likes, counts] = await Promise.all([
        everybody.fetchRecords(records.map(likeName), { desiredKeys: [] }), countLikes(records)]);
    const names = sameNames(likes);
    records.forEach((player, index) => {
        const liked = names.has(likeName(player));
        const others = (value(player, "likes") ?? 0) + counts[index] - Number(liked);
        for (const item of cards.get(player.recordName)) {
            item.dispatchEvent(new CustomEvent("likes", { detail: { liked, others } }));
        }
    });
}

async function postHappened({ records, change }) {
    if (change.type === "removed") return posts.row(change.recordName)?.remove();
    if (change.type !== "fetched") return placePost(records, change.index);
    // All that is shown may be older than what came meanwhile.
    if (posts.list.children.length > 0 && !records.some(({ recordName }) => posts.row(recordName))) return posts.restart();
    for (let index = records.length - 1; index >= 0; index -= 1) await placePost(records, index);
}

/** Shows a post in front of the one that follows it. */
async function placePost(records, index) {
    const [row] = await postRows([records[index]]);
    const old = posts.row(row.dataset.name);
    const following = records.slice(index + 1).map(({ recordName }) => posts.row(recordName)).find(Boolean);
    if (following) {
        old?.remove();
        following.before(row);
    } else if (old) {
        old.replaceWith(row);
    } else if (index === 0 || posts.list.children.length === 0) {
        posts.list.prepend(row);
    }
}

const newest = (recordType) => ({ recordType, sortBy: [{ systemFieldName: "createdTimestamp", ascending: false }] });

// ----------------------------------------------------------------------------------------------- Profile and feedback

let me;
let profile;

/** Waits for somebody to sign in, where that is up to them; gives who it is. */
async function signIn(identity) {
    if (!PEOPLE) return identity;
    $("#account").hidden = false;
    $("#welcome").hidden = Boolean(identity);
    const someone = identity ?? await container.whenUserSignsIn();
    $("#welcome").hidden = true;
    container.whenUserSignsOut().then(() => location.reload());
    return someone;
}

async function loadProfile(identity) {
    if (!identity) throw new Error("You are not signed in any more. Try again once you have a new token.");
    // Record names must not begin with the underscore that user names begin with.
    me = identity.userRecordName.slice(1);
    const response = await everybody.fetchRecords(`profile-${me}`);
    [profile] = response.records;
    showProfile();
}

function showProfile() {
    const form = $("#profile-form");
    if (profile) {
        for (const name of ["name", "city", "position", "bio"]) form.elements[name].value = value(profile, name) ?? "";
    }
    $("button", form).textContent = profile ? "Save changes" : "Create profile";
}

async function saveProfile(given) {
    const fields = Object.fromEntries(Object.entries(given).map(([name, text]) => [name, { value: text }]));
    const { records, errors: [error] } = await everybody.saveRecords(profile
        ? { recordName: profile.recordName, recordChangeTag: profile.recordChangeTag, fields }
        : {
            recordName: `profile-${me}`,
            recordType: "Player",
            fields: { ...fields, level: { value: 1 }, joined: { value: Date.now(), type: "TIMESTAMP" } },
        });
    if (error?.serverRecord) {
        profile = error.serverRecord;
        throw new Error("Your profile was changed in another window meanwhile. Try again to replace that change.");
    }
    if (error) throw error;
    [profile] = records;
    showProfile();
    players.restart();
    say("Your profile is saved.");
}

async function sendFeedback({ text }, form) {
    whole(await everybody.saveRecords({ recordType: "Feedback", fields: { text: { value: text } } }));
    form.reset();
    say("Thank you for your feedback.");
}

/** Gives a form's fields to `save` when it is sent; it cannot be sent twice at once. */
function onSubmit(form, save) {
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        if (form.ariaBusy === "true") return;
        form.ariaBusy = "true";
        const fields = Object.fromEntries(new FormData(form));
        await attempt(() => save(fields, form));
        form.ariaBusy = "false";
    });
}

// ------------------------------------------------------------------------------------------------------------- Start

let players;
let favourites;
let posts;
/** Those who follow what happens in a section. */
let followers = [];

function start() {
    const order = $("#order");
    players = new Feed(
        $("#players"),
        pageOf(everybody, () => ({ recordType: "Player", sortBy: [{ fieldName: order.value, ascending: false }] })),
        playerCards);
    order.addEventListener("change", () => players.restart());
    favourites = new Feed(
        $("#favourites"),
        (page, signal) => pageOf(mine, () => (
            { recordType: "Favourite", sortBy: [{ systemFieldName: "createdTimestamp", ascending: false }] }
        ))(page, signal).catch(noneYet),
        favouritePlayers);
    const postsByTime = { recordType: "Post", sortBy: [{ fieldName: "posted", ascending: false }] };
    posts = new Feed($("#posts"), pageOf(everybody, () => postsByTime), postRows);
    followers = [
        follow({ players, favourites }, newest("Like"), 200, likeHappened),
        follow({ posts }, postsByTime, PAGE, postHappened),
    ];
    onSubmit($("#post-form"), publish);
    onSubmit($("#profile-form"), saveProfile);
    onSubmit($("#feedback-form"), sendFeedback);
    route();
}

/** Shows the section that the address names. */
function route() {
    const name = location.hash.slice(1) || "players";
    if (!document.querySelector(`main > section[id="${CSS.escape(name)}"]`)) return;
    for (const section of document.querySelectorAll("main > section")) {
        section.toggleAttribute("hidden", section.id !== name);
    }
    for (const link of document.querySelectorAll("nav a")) {
        link.ariaCurrent = link.getAttribute("href") === `#${name}` ? "page" : null;
    }
    document.title = `${$(`#${name} h1`).textContent} – Players`;
    scrollTo(0, 0);
    if (name === "favourites") favourites?.restart();
    for (const tell of followers) tell(name);
}

addEventListener("hashchange", route);
route();
const again = () => location.reload();
let found;
if (await attempt(async () => { found = await container.setUpAuth(); }, again)) {
    const identity = await signIn(found);
    if (await attempt(() => loadProfile(identity), again)) start();
}
