// Lists of favourites: a user's own, in a zone of the private database, and those that others share, in the shared one.

import CloudKit from "/cloudkit.js";

// With '?people' behind its address, the app lets people sign in, as an app of your own does. Else all who try the demo
// are one user, and there is nobody to share with.
export const PEOPLE = new URLSearchParams(location.search).has("people");

/**
 * The container and the tokens of `stratus demo`, which are the same on every machine. An app of your own has an API
 * token of its own ('stratus token create'), and its users have theirs.
 */
export function connect(services = {}) {
    return CloudKit.configure({
        containers: [{
            containerIdentifier: "iCloud.stratus.demo",
            environment: "development",
            apiTokenAuth: {
                apiToken: "2dfe931348cbd9d5ab2b0d7d3557dd7732fd10f0d537e1ab43ca61c938ee8e65",
                ...(PEOPLE ? { persist: true } : { ckWebAuthToken: "2ac0014560f668d33f5b50c288b89e16a1239d2174d21a087ef08bdfad4ad640" }),
            },
        }],
        services,
    }).getDefaultContainer();
}

const ZONE = "Favourites";
/** The record that is shared; what is in the list is below it. */
const LIST = "list";

/** A list: `database` and `zoneID` say where it is. */
const listIn = (database) => (zone) => ({ database, zoneID: zone.zoneID, isOwn: database.databaseScope === "PRIVATE" });

/** The user's own list, if there is one yet, then those that others share. */
export async function fetchLists({ privateCloudDatabase: own, sharedCloudDatabase: shared }) {
    const found = await Promise.all([own, shared].map(async (database) => {
        const { zones } = await database.fetchAllRecordZones();
        return zones.filter(({ zoneID }) => zoneID.zoneName === ZONE).map(listIn(database));
    }));
    return found.flat();
}

/** The user's own list; makes it where there is none. */
async function ownList({ privateCloudDatabase: database }) {
    const zoneID = { zoneName: ZONE };
    const { errors: [error] } = await database.saveRecordZones({ zoneID });
    if (error && error.ckErrorCode !== "EXISTS") throw error;
    await save(database, zoneID, { recordType: "FavouriteList", recordName: LIST, fields: { title: "Favourites" } });
    return { database, zoneID };
}

async function save(database, zoneID, record) {
    const { errors: [error] } = await database.saveRecords(record, { zoneID });
    // It exists.
    if (error && !["CONFLICT", "EXISTS"].includes(error.ckErrorCode)) throw error;
}

/** Adds a restaurant to the user's own list. Its text goes along, so that whoever sees the list needs nothing else. */
export async function add(container, { recordName, fields: { name, type, location } }) {
    const { database, zoneID } = await ownList(container);
    await save(database, zoneID, { recordType: "Favourite", recordName, parent: { recordName: LIST }, fields: { name, type, location } });
}

export async function remove({ database, zoneID }, recordName) {
    const { errors: [error] } = await database.deleteRecords(recordName, { zoneID });
    if (error) throw error;
}

/** How often lists of others are looked at, in milliseconds. */
const PAUSE = 1500;

/**
 * Follows what is in a list: calls back at once, and after each change by whomever. Gives what ends it, and what is rejected
 * where the list is not there any more.
 */
export function follow({ database, zoneID, isOwn }, show) {
    if (!isOwn) return poll(database, zoneID, show);
    const query = { recordType: "Favourite", sortBy: [{ systemFieldName: "createdTimestamp", ascending: true }] };
    return database.liveQuery(query, ({ records }) => show(records), { zoneID });
}

/** What is in a list of somebody else, by what changed since it was looked at last. */
function poll(database, zoneID, show) {
    const items = new Map();
    let isClosed = false;
    const closed = (async () => {
        for (let syncToken; !isClosed;) {
            const { zones: [changes], errors: [error] } = await database.fetchRecordZoneChanges({ zoneID, syncToken })
                .catch((error) => ({ zones: [], errors: [error] }));
            if (error) {
                // Without a network, what is shown stays.
                if (error.ckErrorCode !== "NETWORK_ERROR") throw error;
                await new Promise((done) => setTimeout(done, PAUSE));
                continue;
            }
            for (const record of changes.records) {
                if (record.deleted) items.delete(record.recordName);
                else if (record.recordType === "Favourite") items.set(record.recordName, record);
            }
            const isNews = syncToken === undefined || changes.records.length > 0;
            ({ syncToken } = changes);
            if (changes.moreComing) continue;
            if (isNews && !isClosed) show([...items.values()].sort((a, b) => a.created.timestamp - b.created.timestamp));
            await new Promise((done) => setTimeout(done, PAUSE));
        }
    })();
    return { close: () => { isClosed = true; }, closed };
}

/** The list's own record, and the share that opens it to others, if there is one. */
export async function fetchHead({ database, zoneID }) {
    const { records: [record] } = await database.fetchRecords(LIST, { zoneID });
    const { records: [share] } = record?.share ? await database.fetchRecords(record.share.recordName, { zoneID }) : { records: [] };
    return { record, share };
}
