// The page with the lists of favourites: shared with others by CloudKit's own dialog, and followed as they change.

import { connect, fetchHead, fetchLists, follow, PEOPLE, remove } from "./favourites-lists.js";

const container = connect();
const $ = (selector, parent = document) => parent.querySelector(selector);
const problem = $("#problem");
const sentence = (error) => [error.reason ?? error.message, error.remedy].filter(Boolean).join(" ");

/** Does something over the network, and says why where it fails. */
async function attempt(task) {
    problem.textContent = "";
    try {
        return await task();
    } catch (error) {
        // To close a dialog is no failure.
        if (error.ckErrorCode !== "SHARE_UI_CANCELLED") problem.textContent = sentence(error);
        return undefined;
    }
}

// -------------------------------------------------------------------------------------------------------------- Lists

/** What is followed now. */
let followed = [];

async function refresh() {
    for (const live of followed) live.close();
    followed = [];
    const sections = (await Promise.all((await fetchLists(container)).map(makeList))).filter((section) => section !== undefined);
    $("#lists").replaceChildren(...sections);
    $("#nothing").hidden = sections.length > 0;
}

async function makeList(list) {
    const section = $("#list").content.firstElementChild.cloneNode(true);
    const { record, share } = await fetchHead(list);
    if (!record) return undefined;
    const { givenName, familyName } = share?.owner?.userIdentity?.nameComponents ?? {};
    const owner = [givenName, familyName].filter(Boolean).join(" ");
    $("h2", section).textContent = list.isOwn ? "Yours" : owner ? `From ${owner}` : "From somebody else";
    const others = (share?.participants ?? []).filter(({ type, acceptanceStatus }) => type !== "OWNER" && acceptanceStatus === "ACCEPTED");
    $(".shared", section).textContent = !list.isOwn ? "Shared with you" : others.length ? `Shared with ${others.length}` : "Only you see it";
    const button = $(".share", section);
    $("span", button).textContent = list.isOwn ? "Share" : "People";
    button.onclick = () => attempt(() => list.database.shareWithUI({
        record, zoneID: list.zoneID, shareTitle: "Favourites", shareType: "com.example.discover.favourites",
    }).finally(refresh));
    const mayChange = list.isOwn || share?.currentUserParticipant?.permission === "READ_WRITE";
    const live = follow(list, (records) => {
        $("ul", section).replaceChildren(...records.map((item) => makeItem(list, item, mayChange)));
        $(".empty", section).hidden = records.length > 0;
    });
    // A list that is not shared any more.
    live.closed.catch(() => section.remove());
    followed.push(live);
    return section;
}

function makeItem(list, { recordName, fields }, mayChange) {
    const item = $("#item").content.firstElementChild.cloneNode(true);
    $("h3", item).textContent = fields.name?.value ?? "";
    $("p", item).textContent = [fields.type?.value, fields.location?.value].filter(Boolean).join(" · ");
    const button = $("button", item);
    button.hidden = !mayChange;
    button.setAttribute("aria-label", `Remove ${fields.name?.value}`);
    button.onclick = () => attempt(() => remove(list, recordName));
    return item;
}

// ------------------------------------------------------------------------------------------------------------- Links

$("#opening").onsubmit = (event) => {
    event.preventDefault();
    attempt(async () => {
        const { errors: [error] } = await container.acceptShares($("#opening input").value);
        if (error) throw error;
        $("#opening").reset();
        await refresh();
    });
};

/** The link that the page was opened with: `favourites.html?people#LINK`. */
if (location.hash.length > 1) $("#opening input").value = decodeURIComponent(location.hash.slice(1));

// ------------------------------------------------------------------------------------------------------------- People

/** Shows the lists of whoever is signed in, and asks for somebody where nobody is. */
async function begin() {
    const user = await container.setUpAuth();
    $("#welcome").hidden = user !== null;
    $("#opening").hidden = user === null;
    if (user === null) {
        container.whenUserSignsIn().then(begin);
        return;
    }
    $("#apple-sign-out-button").hidden = !PEOPLE;
    if (PEOPLE) {
        container.whenUserSignsOut().then(() => location.reload());
        $("nav a").search = "?people";
    }
    await refresh();
    // What is shared meanwhile comes when the page is looked at again.
    addEventListener("focus", () => attempt(refresh));
}

await attempt(begin);
