// The last part of cloudkit.js: the server sends it after the others, as one module.

// --------------------------------------------------------------------------------------------------------- Databases

/** `create` for a record with a type and without a change tag, `update` for one with a tag. */
function savingOperation(record) {
    if (record.recordChangeTag) return "update";
    if (record.recordType) return "create";
    throw invalidArguments("A record needs its 'recordType' to be created, or its 'recordChangeTag' to be updated.");
}

/** The public, the private or the shared database of a container. */
export class Database {
    #session;

    constructor(session, containerIdentifier, databaseScope) {
        this.#session = session;
        this.containerIdentifier = containerIdentifier;
        this.databaseScope = databaseScope;
    }

    /** The zone of a request. In the shared database it has an owner: several may have zones of one name. */
    #zone(zoneID, { zoneWide } = {}) {
        if (this.databaseScope !== DatabaseScope.SHARED || zoneID?.ownerRecordName || zoneWide) return zoneID;
        throw invalidArguments(
            "A zone of the shared database is named with its owner: give 'zoneID' as {zoneName, ownerRecordName}.");
    }

    #request(action, body, signal) {
        const pass = this.databaseScope === DatabaseScope.SHARED
            ? this.#session.pass(body?.zoneID ?? body?.zones?.[0]?.zoneID) : undefined;
        return this.#session.request(`${this.databaseScope.toLowerCase()}/${action}`, body, signal, undefined, pass);
    }

    #change(action, body, signal) {
        return this.#session.change(`${this.databaseScope.toLowerCase()}/${action}`, body, signal);
    }

    /**
     * Fetches one page of the records that match.
     *
     * @param {object | QueryResponse} query `{recordType, filterBy, sortBy}`, and (Stratus) `predicate`, a text in
     *     the predicate format language; or a page, for the one after it
     * @param {object} [options] zoneID (or zoneName), zoneWide, resultsLimit, desiredKeys, numbersAsStrings, continuationMarker,
     *     signal; beside a page, they replace the page's own
     * @returns {Promise<QueryResponse>}
     */
    async performQuery(query, options = {}) {
        if (query instanceof QueryResponse && !query.moreComing && !options.continuationMarker) {
            throw invalidArguments("There is no page after the last one; see 'moreComing'.");
        }
        const given = query instanceof QueryResponse ? { ...query, ...options } : { ...options, query };
        const request = {
            query: given.query,
            zoneID: this.#zone(zoneOf(given, given.query), given),
            zoneWide: given.zoneWide,
            resultsLimit: given.resultsLimit,
            desiredKeys: given.desiredKeys,
            numbersAsStrings: given.numbersAsStrings,
        };
        const answer = await this.#request(
            "records/query",
            { ...request, query: wireQuery(request.query), continuationMarker: given.continuationMarker },
            options.signal);
        return new QueryResponse(list(answer, "records"), answer.continuationMarker, request);
    }

    /**
     * (Stratus) Counts the records that match, without reading them.
     *
     * @param {object} query as for performQuery
     * @param {object} [options] zoneID, zoneWide, signal
     * @returns {Promise<number>}
     */
    async countRecords(query, options = {}) {
        const zoneID = this.#zone(zoneOf(options, query), options);
        const wanted = { query: wireQuery(query), zoneID, zoneWide: options.zoneWide };
        const answer = await this.#request("records/count", wanted, options.signal);
        return answer.count;
    }

    /**
     * Fetches records by name. Names that do not exist are in the response's `errors`, as NOT_FOUND.
     *
     * @param {string | object | (string | object)[]} records names, or records that have one
     * @param {object} [options] zoneID, desiredKeys, numbersAsStrings, signal
     * @returns {Promise<RecordsResponse>}
     */
    async fetchRecords(records, options = {}) {
        const wanted = asArray(records).map(recordOf);
        const zoneID = this.#zone(commonZone(wanted, options));
        const found = [];
        do {
            const answer = await this.#request("records/lookup", {
                records: wanted.slice(found.length).map(({ recordName }) => ({ recordName })),
                zoneID,
                desiredKeys: options.desiredKeys,
                numbersAsStrings: options.numbersAsStrings,
            }, options.signal);
            // An answer holds so many bytes at most: what had no room says TRY_AGAIN_LATER.
            const items = list(answer, "records");
            const full = items.findIndex((item, index) => index > 0 && item.serverErrorCode === "TRY_AGAIN_LATER");
            found.push(...(full < 0 ? items : items.slice(0, full)));
            if (full < 0) break;
        } while (found.length < wanted.length);
        return new RecordsResponse(found);
    }

    /**
     * Saves records: a record with a `recordChangeTag` is updated, one without is created and needs a `recordType`.
     * Fields that are not mentioned, or undefined, keep their values; `null` removes one. A File or Blob is sent first.
     * A Date becomes a TIMESTAMP, a BigInt an INT64. NaN, and a number beyond 2^53 that may have been rounded, are
     * INVALID_ARGUMENTS; a field that is saved as it was fetched keeps its exact value.
     *
     * A record that somebody else changed meanwhile is in `errors`, as CONFLICT; so is one that was to be new and already exists.
     *
     * @param {object | object[]} records
     * @param {object} [options] zoneID, atomic, desiredKeys, numbersAsStrings, signal, and (Stratus) onProgress
     * @returns {Promise<RecordsResponse>}
     */
    async saveRecords(records, options = {}) {
        return this.newRecordsBatch(options).createOrUpdate(records).commit();
    }

    /**
     * Deletes records, whatever was changed in them and whether they exist or not.
     *
     * @param {string | object | (string | object)[]} records names, or records that have one
     * @param {object} [options] zoneID, atomic, signal
     * @returns {Promise<RecordsResponse>} `records` of `{recordName, deleted: true}`
     */
    async deleteRecords(records, options = {}) {
        return this.newRecordsBatch(options).forceDelete(records).commit();
    }

    /**
     * Begins a batch of changes: `newRecordsBatch().create(a).delete(b).commit()`.
     *
     * @param {object} [options] as for saveRecords
     * @returns {RecordsBatchBuilder}
     */
    newRecordsBatch(options = {}) {
        return new RecordsBatchBuilder((operations) => this.#modifyRecords(operations, options));
    }

    async #modifyRecords(operations, options) {
        const zoneID = this.#zone(commonZone(operations.map(({ record }) => recordOf(record)), options));
        const assets = new AssetSender(this.#session, this.databaseScope.toLowerCase(), zoneID, options);
        const sent = operations.map(({ type, record, desiredKeys }) => {
            const own = { ...recordOf(record) };
            for (const key of SERVER_KEYS) delete own[key];
            // Only a new share says which record it is for: as it was fetched, it has that record's former change tag.
            if (own.recordChangeTag) delete own.forRecord;
            if (own.zoneID !== undefined) own.zoneID = zoneIDOf(own.zoneID);
            const operationType = type ?? savingOperation(own);
            if (operationType.endsWith("elete")) delete own.fields;
            return { operationType, record: assets.prepare(own), desiredKeys };
        });
        await assets.send();
        const answer = await this.#change("records/modify", {
            operations: sent,
            zoneID,
            atomic: options.atomic,
            desiredKeys: options.desiredKeys,
            numbersAsStrings: options.numbersAsStrings,
        }, options.signal);
        return new RecordsResponse(list(answer, "records"));
    }

    /**
     * Makes assets of stored records ready to be saved in other records, without sending them again.
     *
     * @param {{recordName: string, fieldName: string}[]} assets
     * @param {object} [options] zoneID, signal
     * @returns {Promise<(object | object[])[]>} values for fields in the same order: asset dictionaries, or lists of them
     */
    async assetRereference(assets, options = {}) {
        return rereference(
            this.#session, this.databaseScope.toLowerCase(), this.#zone(zoneOf(options)), asArray(assets), options.signal);
    }

    /**
     * @param {object} [options] signal
     * @returns {Promise<RecordZonesResponse>} every zone of the database
     */
    async fetchAllRecordZones({ signal } = {}) {
        return new RecordZonesResponse(list(await this.#request("zones/list", undefined, signal), "zones"));
    }

    /**
     * @param {string | object | (string | object)[]} zones names, zoneIDs or zones
     * @param {object} [options] signal
     * @returns {Promise<RecordZonesResponse>} zones that do not exist are in `errors`
     */
    async fetchRecordZones(zones, { signal } = {}) {
        const answer = await this.#request("zones/lookup", { zones: asArray(zones).map((zone) => this.#zone(zoneIDOf(zone))) }, signal);
        return new RecordZonesResponse(list(answer, "zones"));
    }

    /**
     * Makes zones; private database only. A zone that already exists is in `errors`, as EXISTS.
     *
     * @param {string | object | (string | object)[]} zones names, zoneIDs or zones
     * @param {object} [options] signal
     * @returns {Promise<RecordZonesResponse>}
     */
    async saveRecordZones(zones, options = {}) {
        return this.newRecordZonesBatch(options).create(zones).commit();
    }

    /** Deletes zones with all their records; arguments and result as for saveRecordZones. */
    async deleteRecordZones(zones, options = {}) {
        return this.newRecordZonesBatch(options).delete(zones).commit();
    }

    /**
     * Begins a batch of changes of zones: `newRecordZonesBatch().create("A").delete("B").commit()`.
     *
     * @param {object} [options] signal
     * @returns {RecordZonesBatchBuilder}
     */
    newRecordZonesBatch({ signal } = {}) {
        return new RecordZonesBatchBuilder(async (operations) => {
            const answer = await this.#change("zones/modify", {
                operations: operations.map(({ operationType, zone }) => (
                    { operationType, zone: { zoneID: zoneIDOf(zone) } })),
            }, signal);
            return new RecordZonesResponse(list(answer, "zones"));
        });
    }

    /**
     * Tells which zones changed since a token, or which there are without one; not in the public database.
     *
     * @param {object} [options] syncToken, resultsLimit, signal
     * @returns {Promise<DatabaseChangesResponse>}
     */
    async fetchDatabaseChanges({ syncToken, resultsLimit, signal } = {}) {
        const answer = await this.#request("changes/database", { syncToken, resultsLimit }, signal);
        list(answer, "zones");
        return new DatabaseChangesResponse(answer, resultsLimit);
    }

    /**
     * Tells what changed in zones since their tokens; not in the public database. Takes the `zones` of a
     * DatabaseChangesResponse, too.
     *
     * @param {object | object[]} zones `{zoneID, syncToken, resultsLimit, desiredKeys, desiredRecordTypes,
     *     numbersAsStrings}` for each zone
     * @param {object} [options] signal
     * @returns {Promise<RecordZoneChangesResponse>}
     */
    async fetchRecordZoneChanges(zones, { signal } = {}) {
        const answer = await this.#request("changes/zone", {
            zones: asArray(zones).map((zone) => ({
                zoneID: this.#zone(zoneIDOf(zone)),
                syncToken: zone.syncToken,
                resultsLimit: zone.resultsLimit,
                desiredKeys: zone.desiredKeys,
                desiredRecordTypes: zone.desiredRecordTypes,
                numbersAsStrings: zone.numbersAsStrings,
            })),
        }, signal);
        return new RecordZoneChangesResponse(list(answer, "zones"));
    }

    /**
     * Saves subscriptions. To save one again changes nothing.
     *
     * @param {object | object[]} subscriptions `{subscriptionType: "query" | "zone" | "database", subscriptionID, …}`
     * @param {object} [options] signal
     * @returns {Promise<SubscriptionsResponse>}
     */
    async saveSubscriptions(subscriptions, options) {
        return this.newSubscriptionsBatch(options).create(subscriptions).commit();
    }

    /**
     * Deletes subscriptions.
     *
     * @param {string | object | (string | object)[]} subscriptions names, or subscriptions that have one
     * @param {object} [options] signal
     * @returns {Promise<SubscriptionsResponse>} `subscriptions` of `{subscriptionID, deleted: true}`
     */
    async deleteSubscriptions(subscriptions, options) {
        return this.newSubscriptionsBatch(options).delete(subscriptions).commit();
    }

    /**
     * Begins a batch of changes of subscriptions: `newSubscriptionsBatch().create(a).delete("b").commit()`.
     *
     * @param {object} [options] signal
     * @returns {SubscriptionsBatchBuilder}
     */
    newSubscriptionsBatch({ signal } = {}) {
        return new SubscriptionsBatchBuilder((operations) => (
            this.#subscriptions(this.#change("subscriptions/modify", { operations }, signal))));
    }

    /**
     * Fetches subscriptions by name. Names that do not exist are in the response's `errors`, as NOT_FOUND.
     *
     * @param {string | object | (string | object)[]} subscriptions names, or subscriptions that have one
     * @param {object} [options] signal
     * @returns {Promise<SubscriptionsResponse>}
     */
    async fetchSubscriptions(subscriptions, { signal } = {}) {
        return this.#subscriptions(this.#request(
            "subscriptions/lookup", { subscriptions: asArray(subscriptions).map(subscriptionIDOf) }, signal));
    }

    /**
     * Fetches the user's subscriptions in this database.
     *
     * @param {object} [options] signal
     * @returns {Promise<SubscriptionsResponse>}
     */
    async fetchAllSubscriptions({ signal } = {}) {
        return this.#subscriptions(this.#request("subscriptions/list", undefined, signal));
    }

    async #subscriptions(answer) { return new SubscriptionsResponse(list(await answer, "subscriptions")); }

    /**
     * (Stratus) Follows the records that match a query: calls back with them, and again after each change of them.
     *
     * It connects again by itself and misses nothing. `callback` gets `{records, change}`: the records in their order, and
     * `{type: "fetched" | "inserted" | "changed" | "removed", recordName, index, previousIndex}`. The list goes as far as the
     * last record of the first page does; it is fetched again when fewer than half are left, and cut to the limit when it has
     * more than twice as many, which is "fetched", too.
     *
     * @param {object} query as for performQuery
     * @param {(update: object) => void} callback
     * @param {object} [options] zoneID, zoneWide, resultsLimit, desiredKeys, numbersAsStrings, signal
     * @returns {LiveQuery} whose `close()` ends it, and whose `closed` is rejected where the server refuses
     */
    liveQuery(query, callback, options) { return this.#live(LiveQuery, "records/live", query, callback, options); }

    /**
     * (Stratus) Follows how many records match a query: calls back with the number, and again whenever it is another one.
     *
     * It connects again by itself. Of numbers that follow each other quickly some may be passed over, never the last.
     *
     * @param {object} query as for performQuery
     * @param {(count: number) => void} callback
     * @param {object} [options] zoneID, zoneWide, signal
     * @returns {LiveCount} whose `close()` ends it, and whose `closed` is rejected where the server refuses
     */
    liveCount(query, callback, options) {
        return this.#live(LiveCount, "records/live/count", query, callback, options);
    }

    /**
     * Shows a dialog in which a person says who has access to a record and to those below it: people by their mail
     * address, anyone with the link, or both in turn. What is done in it is saved at once; the share is made with the first
     * thing that needs one. Call it after a click, in a page.
     *
     * It is drawn without anything from another place, and needs nothing of the page's Content-Security-Policy but what
     * cloudkit.js itself needs: the server in `script-src` and `connect-src`.
     *
     * @param {object} options `record`, and `zoneID`, the name of its zone or a zoneID; `shareTitle`, `shareType` and
     *     `shareThumbnail` (an image in base64) of a share that is made; `supportedAccess` of "PRIVATE" (people who are
     *     invited) and "PUBLIC" (anyone with the link), `supportedPermissions` of "READ_WRITE" and "READ_ONLY", of which
     *     the first is chosen at the beginning. (Stratus) Without `record` the whole zone is shared.
     * @returns {Promise<{share: object | null}>} the share as it was left, null where sharing was ended in the dialog;
     *     rejects with SHARE_UI_CANCELLED where the dialog was closed and nothing is shared
     */
    async shareWithUI(options) {
        if (this.databaseScope === DatabaseScope.PUBLIC) {
            throw localError("BAD_REQUEST", "Records of the public database are not shared: everybody can read them.");
        }
        const item = new SharedItem(this, options ?? {});
        this.#zone(item.zoneID);
        const dialog = new ShareDialog(item, options, this.#session.locale);
        if (typeof document === "undefined") throw localError("CONFIGURATION_ERROR", "shareWithUI needs a page.");
        return dialog.run();
    }

    #live(Kind, action, query, callback, { zoneID, zoneName, ownerRecordName, signal, ...options } = {}) {
        const zone = this.#zone(zoneOf({ zoneID, zoneName, ownerRecordName }, query), options);
        const body = { ...options, query: wireQuery(query), zoneID: zone };
        const root = `${this.#session.root}/${this.databaseScope.toLowerCase()}`;
        return new Kind(this.#session, `${root}/${action}`, bodyText(body), callback, signal, options.resultsLimit);
    }
}

/** The dictionary that names a subscription. */
function subscriptionIDOf(subscription) {
    const subscriptionID = typeof subscription === "string" ? subscription : subscription?.subscriptionID;
    if (!subscriptionID) throw invalidArguments("A subscription needs its 'subscriptionID'.");
    return { subscriptionID };
}

/** Waits before something that broke is started over: longer each time, and never the same for all. */
class Reconnection {
    #wait = RECONNECTION_WAITS[0];

    reset() { this.#wait = RECONNECTION_WAITS[0]; }

    async wait(signal) {
        const time = this.#wait * (0.5 + Math.random() / 2);
        this.#wait = Math.min(this.#wait * 2, RECONNECTION_WAITS[1]);
        await pause(time, signal);
    }
}

const isTemporary = (error) => [
    "NETWORK_ERROR", "SERVICE_UNAVAILABLE", "THROTTLED", "TRY_AGAIN_LATER", "UNEXPECTED_SERVER_RESPONSE",
].includes(error?.ckErrorCode) || error?.ckErrorCode === undefined;

/** The events of a live query or a live count: it connects again by itself, and goes on after the last one it had. */
class LiveFeed {
    #session;
    #address;
    #body;
    #take;
    #abort = new AbortController();
    #restart = new AbortController();
    #lastID;

    constructor(session, address, body, take, signal) {
        this.#session = session;
        this.#address = address;
        this.#body = body;
        this.#take = take;
        signal?.addEventListener("abort", () => this.close(), { once: true });
        if (signal?.aborted) this.close();
        this.closed = this.#run();
        // Whoever does not look at it is not told of a rejection that nobody handles.
        this.closed.catch(() => undefined);
    }

    close() {
        this.#abort.abort();
        this.#restart.abort();
    }

    /** Leaves the stream, and asks for everything as if for the first time. */
    startAgain() { this.#restart.abort(); }

    async #run() {
        const { signal } = this.#abort;
        const reconnection = new Reconnection();
        while (!signal.aborted) {
            try {
                await this.#follow(this.#restart.signal, reconnection);
                await reconnection.wait(signal);
            } catch (error) {
                if (signal.aborted) return;
                if (this.#restart.signal.aborted) {
                    this.#restart = new AbortController();
                    this.#lastID = undefined;
                    continue;
                }
                if (!isTemporary(error)) throw error;
                await reconnection.wait(signal).catch(() => undefined);
            }
        }
    }

    async #follow(signal, reconnection) {
        const query = this.#session.tokens({ query: this.#body });
        if (this.#lastID) query.set("lastEventID", this.#lastID);
        const response = await this.#session.fetch(`${this.#address}?${query}`, { cache: "no-store", signal });
        if (!response.ok) answerObject(response.status, await response.text());
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = "";
        for (;;) {
            const { done, value } = await reader.read();
            if (done) return;
            reconnection.reset();
            const events = (rest + value).split("\n\n");
            rest = events.pop();
            for (const event of events) {
                this.#read(event);
                // What comes after it is in the page that is asked for now.
                signal.throwIfAborted();
            }
        }
    }

    #read(text) {
        const members = Object.fromEntries(text.split("\n").filter((line) => !line.startsWith(":")).map((line) => {
            const colon = line.indexOf(": ");
            return [line.slice(0, colon), line.slice(colon + 2)];
        }));
        const data = members.data === undefined ? undefined : parseExactly(members.data);
        if (members.event === "error") throw new CKError(data);
        if (members.id) this.#lastID = members.id;
        if (data && !this.#abort.signal.aborted) this.#take(members.event, data);
    }
}

/** (Stratus) A query that is followed; Database.liveQuery begins one. */
export class LiveQuery {
    #feed;
    #entries = [];
    // Where more records match than the first page has, the list goes as far as that page's last record: its place stays the
    // border whatever happens to the record itself, so that each change is known to lie inside or outside.
    #border;
    #fetched = 0;
    #limit;

    constructor(session, address, body, callback, signal, limit) {
        this.#limit = limit >= 1 && limit <= PAGE_RECORDS ? limit : PAGE_RECORDS;
        this.#feed = new LiveFeed(session, address, body, (name, data) => {
            const change = this.#apply(name, data);
            if (!change) return;
            // What follows the border is not known: another page says.
            if (this.#border !== undefined && this.#entries.length * 2 < this.#fetched) this.#feed.startAgain();
            callback({ records: this.records, change });
        }, signal);
        /** @type {Promise<void>} fulfilled when it was closed, rejected with a CKError where the server refuses */
        this.closed = this.#feed.closed;
    }

    /** The records now, in their order. */
    get records() { return this.#entries.map(({ record }) => record); }

    /** Ends it: nothing is called back any more. */
    close() { this.#feed.close(); }

    #show(entries, hasMore) {
        this.#entries = entries;
        this.#border = hasMore ? entries.at(-1)?.place : undefined;
        this.#fetched = entries.length;
        return { type: "fetched" };
    }

    #apply(name, data) {
        if (name === "page") {
            return this.#show(data.records.map(({ place, ...record }) => ({ place, record })), data.moreComing);
        }
        if (name !== "enter" && name !== "change" && name !== "leave") return undefined;
        const { place, ...record } = data.record ?? data;
        const { recordName } = record;
        const { zoneName, ownerRecordName } = record.zoneID ?? {};
        const previousIndex = this.#entries.findIndex(({ record: { recordName: name, zoneID } }) => (
            name === recordName && zoneID?.zoneName === zoneName && zoneID?.ownerRecordName === ownerRecordName));
        if (previousIndex >= 0) this.#entries.splice(previousIndex, 1);
        if (name === "leave" || (this.#border !== undefined && place > this.#border)) {
            return previousIndex >= 0 ? { type: "removed", recordName, previousIndex } : undefined;
        }
        const following = this.#entries.findIndex((entry) => entry.place > place);
        const index = following < 0 ? this.#entries.length : following;
        this.#entries.splice(index, 0, { place, record });
        if (this.#entries.length > this.#limit * 2) return this.#show(this.#entries.slice(0, this.#limit), true);
        return previousIndex < 0
            ? { type: "inserted", recordName, index } : { type: "changed", recordName, index, previousIndex };
    }
}

/** (Stratus) A number of records that is followed; Database.liveCount begins one. */
export class LiveCount {
    #feed;
    #count;

    constructor(session, address, body, callback, signal) {
        this.#feed = new LiveFeed(session, address, body, (name, { count }) => {
            if (name !== "count" || count === this.#count) return;
            this.#count = count;
            callback(count);
        }, signal);
        /** @type {Promise<void>} fulfilled when it was closed, rejected with a CKError where the server refuses */
        this.closed = this.#feed.closed;
    }

    /** The number now; undefined before the first came. */
    get count() { return this.#count; }

    /** Ends it: nothing is called back any more. */
    close() { this.#feed.close(); }
}

// ----------------------------------------------------------------------------------------------------- Notifications

/** What a subscription tells. */
export class Notification {
    constructor(payload) {
        const { aps = {}, ck } = payload;
        const event = ck.qry ?? ck.fet ?? ck.met;
        this.notificationID = ck.nid;
        this.containerIdentifier = ck.cid;
        this.subscriptionID = event.sid;
        this.notificationType = ck.qry ? "QUERY_NOTIFICATION"
            : ck.fet ? "RECORD_ZONE_NOTIFICATION" : "DATABASE_NOTIFICATION";
        if (event.zid) this.zoneID = { zoneName: event.zid, ownerRecordName: event.zoid };
        this.isPublicDatabase = event.dbs === 2;
        /** (Stratus) Whether the server does not know any more what happened: fetch what you show again. */
        this.startAgain = ck.startAgain === true;
        this.title = aps.alert?.title;
        this.titleLocalizationKey = aps.alert?.["title-loc-key"];
        this.titleLocalizationArgs = aps.alert?.["title-loc-args"];
        this.subtitle = aps.alert?.subtitle;
        this.subtitleLocalizationKey = aps.alert?.["subtitle-loc-key"];
        this.subtitleLocalizationArgs = aps.alert?.["subtitle-loc-args"];
        this.alertBody = aps.alert?.body;
        this.alertLocalizationKey = aps.alert?.["loc-key"];
        this.alertLocalizationArgs = aps.alert?.["loc-args"];
        this.alertActionLocalizationKey = aps.alert?.["action-loc-key"];
        this.alertLaunchImage = aps.alert?.["launch-image"];
        this.soundName = aps.sound;
        this.badge = aps.badge;
        this.category = aps.category;
    }
}

/** A record that a query matches was created, updated or deleted. */
export class QueryNotification extends Notification {
    constructor(payload) {
        super(payload);
        const { fo, rid, af } = payload.ck.qry;
        this.queryNotificationReason = [undefined, "RECORD_CREATED", "RECORD_UPDATED", "RECORD_DELETED"][fo];
        this.recordName = rid;
        this.recordFields = af ?? {};
    }
}

/** Records of a zone changed. */
export class RecordZoneNotification extends Notification {}

function notificationOf(payload) {
    if (payload?.ck?.qry) return new QueryNotification(payload);
    return payload?.ck?.fet ? new RecordZoneNotification(payload) : new Notification(payload);
}

/** Polls for one container's notifications. */
class Courier {
    #session;
    #abort = new AbortController();
    #address;
    #token;
    #lastID;

    constructor(session) { this.#session = session; }

    /** Ends polling, and the receiver with it as far as the server can be reached. */
    async close() {
        this.#abort.abort();
        if (!this.#token) return;
        const body = { apnsEnvironment: this.#session.environment, apnsToken: this.#token };
        await this.#session.request("tokens/unregister", body, undefined, this.#session.deviceRoot).catch(() => undefined);
    }

    /** Makes the receiver whose address is polled. */
    async begin() {
        const body = { apnsEnvironment: this.#session.environment };
        const token = await this.#session.request("tokens/create", body, undefined, this.#session.deviceRoot);
        this.#address = token.webcourierURL;
        this.#token = token.apnsToken;
        // From here on, so that not even the first answer can be lost.
        this.#lastID = token.notificationID;
    }

    /** Delivers until it is closed; rejects with an error that does not pass by itself. */
    async run(deliver) {
        const { signal } = this.#abort;
        const reconnection = new Reconnection();
        while (!signal.aborted) {
            try {
                let payload;
                if (this.#address) {
                    payload = await this.#poll(signal);
                } else {
                    // What happens while the app fetches everything is the new receiver's already.
                    await this.begin();
                    payload = { ck: { startAgain: true, met: {} } };
                }
                reconnection.reset();
                if (payload && !signal.aborted) deliver(notificationOf(payload));
            } catch (error) {
                if (signal.aborted) return;
                if (this.#address && error?.ckErrorCode === "NOT_FOUND") {
                    // The server has forgotten the receiver.
                    this.#address = undefined;
                    this.#lastID = undefined;
                } else if (!isTemporary(error)) {
                    throw error;
                }
                await reconnection.wait(signal).catch(() => undefined);
            }
        }
    }

    async #poll(signal) {
        const after = this.#lastID ? `?after=${this.#lastID}` : "";
        const response = await this.#session.fetch(this.#address + after, { cache: "no-store", signal });
        const text = await response.text();
        if (response.status === 204) return undefined;
        const payload = answerObject(response.status, text);
        this.#lastID = payload.ck.nid;
        return payload;
    }
}

/**
 * Changes of records that are sent in one request, in this order. Each method takes one record or several, and
 * `options.desiredKeys`, the fields wanted in the answer; it gives the builder back.
 */
export class RecordsBatchBuilder {
    #commit;
    #operations = [];

    constructor(commit) { this.#commit = commit; }

    #add(type, records, { desiredKeys } = {}) {
        for (const record of asArray(records)) this.#operations.push({ type, record, desiredKeys });
        return this;
    }

    /** EXISTS when there is such a record. */
    create(records, options) { return this.#add("create", records, options); }
    /** Updates records that have a `recordChangeTag`, and creates the others. */
    createOrUpdate(records, options) { return this.#add(undefined, records, options); }
    /** Sets the fields given; CONFLICT unless the `recordChangeTag` is the newest. */
    update(records, options) { return this.#add("update", records, options); }
    /** Sets the fields given, or creates the record, whatever its change tag. */
    forceUpdate(records, options) { return this.#add("forceUpdate", records, options); }
    /** Removes all fields but those given; CONFLICT unless the `recordChangeTag` is the newest. */
    replace(records, options) { return this.#add("replace", records, options); }
    /** Removes all fields but those given, or creates the record, whatever its change tag. */
    forceReplace(records, options) { return this.#add("forceReplace", records, options); }
    /** CONFLICT unless the `recordChangeTag` is the newest. */
    delete(records) { return this.#add("delete", records); }
    /** Deletes whatever the change tag; takes names, too. */
    forceDelete(records) { return this.#add("forceDelete", records); }

    /**
     * Sends the batch. In a custom zone it is all or nothing unless `atomic: false` was given.
     *
     * @returns {Promise<RecordsResponse>}
     */
    async commit() { return this.#commit([...this.#operations]); }
}

/** Changes of zones that are sent in one request. Each method takes one zone or several, or their names. */
export class RecordZonesBatchBuilder {
    #commit;
    #operations = [];

    constructor(commit) { this.#commit = commit; }

    #add(operationType, zones) {
        for (const zone of asArray(zones)) this.#operations.push({ operationType, zone });
        return this;
    }

    create(zones) { return this.#add("create", zones); }
    delete(zones) { return this.#add("delete", zones); }

    /** @returns {Promise<RecordZonesResponse>} */
    async commit() { return this.#commit([...this.#operations]); }
}

/** Changes of subscriptions that are sent in one request. Each method takes one subscription or several. */
export class SubscriptionsBatchBuilder {
    #commit;
    #operations = [];

    constructor(commit) { this.#commit = commit; }

    create(subscriptions) {
        for (const subscription of asArray(subscriptions)) {
            this.#operations.push({
                operationType: "create",
                subscription: { ...subscription, query: subscription.query && wireQuery(subscription.query) },
            });
        }
        return this;
    }

    /** Takes names, too. */
    delete(subscriptions) {
        for (const subscription of asArray(subscriptions)) {
            this.#operations.push({ operationType: "delete", subscription: subscriptionIDOf(subscription) });
        }
        return this;
    }

    /** @returns {Promise<SubscriptionsResponse>} */
    async commit() { return this.#commit([...this.#operations]); }
}

// -------------------------------------------------------------------------------------------------------- Containers

const DatabaseScope = Object.freeze({ PUBLIC: "PUBLIC", PRIVATE: "PRIVATE", SHARED: "SHARED" });

/** A promise and the function that fulfils it. */
function deferred() {
    let resolve;
    const promise = new Promise((fulfil) => { resolve = fulfil; });
    return { promise, resolve };
}

/** An app's container in one environment, and who uses it. */
export class Container {
    #session;
    #signedIn = deferred();
    #signedOut = deferred();
    #courier;
    #failed = deferred();
    #listeners = new Set();
    #signIn;
    /** The service worker that `registerForPush` was called with. */
    #pushed;

    constructor(session, configuration, services = {}) {
        const { containerIdentifier, environment, apnsEnvironment } = configuration;
        this.#session = session;
        this.#signIn = new SignIn(session, configuration, services, {
            enter: (token) => this.#enter(token), leave: () => this.#leave(),
        });
        this.containerIdentifier = containerIdentifier;
        this.environment = environment;
        this.apnsEnvironment = apnsEnvironment ?? environment;
        this.publicCloudDatabase = new Database(session, containerIdentifier, DatabaseScope.PUBLIC);
        this.privateCloudDatabase = new Database(session, containerIdentifier, DatabaseScope.PRIVATE);
        this.sharedCloudDatabase = new Database(session, containerIdentifier, DatabaseScope.SHARED);
    }

    /** @param {"PUBLIC" | "PRIVATE" | "SHARED"} scope one of CloudKit.DatabaseScope */
    getDatabaseWithDatabaseScope(scope) {
        switch (scope) {
            case DatabaseScope.PUBLIC: return this.publicCloudDatabase;
            case DatabaseScope.PRIVATE: return this.privateCloudDatabase;
            case DatabaseScope.SHARED: return this.sharedCloudDatabase;
            default: throw invalidArguments("A database's scope is PUBLIC, PRIVATE or SHARED.");
        }
    }

    /**
     * Finds out who is signed in: by the `ckWebAuthToken` of the configuration, or by the token that was kept.
     *
     * Where nobody is, a button that opens the sign-in page is drawn into the element `apple-sign-in-button`, if the page
     * has one; where somebody is, one that signs out into `apple-sign-out-button`. The configuration may name others.
     * @returns {Promise<object | null>} the user's identity; null without a token, or when it has expired
     */
    async setUpAuth() {
        await this.#signIn.begin();
        return this.#findUser();
    }

    /** Who the token of now belongs to; the rest is setUpAuth's. */
    async #findUser() {
        if (!this.#session.webAuthToken && !this.#signIn.hasPlace) return null;
        try {
            const identity = await this.fetchCurrentUserIdentity();
            this.#signIn.welcome(() => this.signOut());
            this.#signedIn.resolve(identity);
            return identity;
        } catch (error) {
            if (error.ckErrorCode !== CKError.AUTHENTICATION_REQUIRED) throw error;
            if (this.#session.webAuthToken) {
                this.#session.webAuthToken = undefined;
                await this.#signIn.keep(null);
            }
            if (error.redirectURL) this.#signIn.offer(error.redirectURL);
            return null;
        }
    }

    /** Somebody came back from the sign-in page. */
    async #enter(token) {
        await this.#signIn.keep(token);
        await this.setUpAuth();
    }

    /** Gives the user's identity once setUpAuth or the button has found one; waits as long as there is none. */
    whenUserSignsIn() { return this.#signedIn.promise; }

    /** Is fulfilled when the user signs out, here or in another window of the app that keeps its token in the same place. */
    whenUserSignsOut() { return this.#signedOut.promise; }

    /**
     * Ends notifications and pushes to this browser, and forgets the web auth token. The token stays valid for whoever else
     * has it, and the session ends by itself or on the sign-in page.
     */
    async signOut() {
        if (this.#session.webAuthToken) await this.#endReceiving();
        this.#session.webAuthToken = undefined;
        await this.#signIn.keep(null);
        this.#signIn.tellWindows();
        await this.#forgetUser();
    }

    /** Another window signed out: the user of this one is gone as well. */
    async #leave() {
        // Goes out with the token that is still there; nobody waits for it.
        this.unregisterForNotifications().catch(() => undefined);
        this.#session.webAuthToken = undefined;
        await this.#forgetUser();
    }

    /** Says that nobody is signed in any more, and offers the button again. */
    async #forgetUser() {
        this.#signedIn = deferred();
        this.#signedOut.resolve();
        this.#signedOut = deferred();
        // Where tokens are kept, the former one may still be there: storages of browsers are behind each other for a moment.
        await this.#findUser();
    }

    /**
     * @param {object} [options] signal
     * @returns {Promise<object>} `{userRecordName, …}`; rejects with AUTHENTICATION_REQUIRED when nobody is signed in
     */
    async fetchCurrentUserIdentity({ signal } = {}) {
        return this.#session.request("public/users/caller", undefined, signal);
    }

    /**
     * All users who allow others to find them; CloudKit's are those of the address book.
     *
     * @param {object} [options] signal; (Stratus) resultsLimit, continuationMarker
     * @returns {Promise<object>} `{users, continuationMarker}`; rejects with ACCESS_DENIED where the API token may not ask
     */
    async discoverAllUserIdentities({ signal, resultsLimit, continuationMarker } = {}) {
        return this.#session.request("public/users/discover", { resultsLimit, continuationMarker }, signal);
    }

    /**
     * Several users at once.
     *
     * @param {object | object[]} lookupInfos each with `emailAddress`, `phoneNumber` or `userRecordName`
     * @param {object} [options] signal
     * @returns {Promise<object>} `{users}`, without those who do not allow it
     */
    async discoverUserIdentities(lookupInfos, { signal } = {}) {
        return this.#session.request("public/users/discover", { lookupInfos: asArray(lookupInfos) }, signal);
    }

    /**
     * Tells what links open, before they are accepted.
     *
     * (Stratus) Where nobody is signed in, and the owner allows it, `sharedCloudDatabase` reads what a link opens then: by
     * queries, names and changes of the zone, for 20 minutes.
     *
     * @param {string | object | (string | object)[]} shortGUIDs short GUIDs, links, texts with a link in them, or
     *     `{value, shouldFetchRootRecord, rootRecordDesiredKeys}`
     * @param {object} [options] signal
     * @returns {Promise<RecordInfosResponse>} `results` with `zoneID`, `rootRecordName`, `share`, `participantStatus`, …; what is
     *     not there, or not for this user, is in `errors` as NOT_FOUND
     */
    async fetchRecordInfos(shortGUIDs, { signal } = {}) { return this.#shares("resolve", shortGUIDs, signal); }

    /**
     * Accepts shares: what they open is in `sharedCloudDatabase` then, in each result's `zoneID`. To accept twice does no harm.
     *
     * @param {string | object | (string | object)[]} shortGUIDs as for fetchRecordInfos, or its results
     * @param {object} [options] signal
     * @returns {Promise<RecordInfosResponse>} as of fetchRecordInfos
     */
    async acceptShares(shortGUIDs, { signal } = {}) { return this.#shares("accept", shortGUIDs, signal); }

    /**
     * (Stratus) Asks the owners of shares for access. The answer is the same where there is no such share.
     *
     * @param {string | object | (string | object)[]} shortGUIDs as for fetchRecordInfos
     * @param {object} [options] signal
     * @returns {Promise<RecordInfosResponse>} `results` of `{shortGUID}`; EXISTS in `errors` for who has been invited already
     */
    async requestAccess(shortGUIDs, { signal } = {}) { return this.#shares("requestAccess", shortGUIDs, signal); }

    async #shares(action, given, signal) {
        const shortGUIDs = asArray(given).map(shortGUIDOf);
        const response = new RecordInfosResponse(
            list(await this.#session.request(`public/records/${action}`, { shortGUIDs }, signal), "results"));
        for (const { zoneID, anonymousPublicAccess } of response.results) {
            if (anonymousPublicAccess) this.#session.passes.set(zoneKey(zoneID), anonymousPublicAccess.token);
        }
        return response;
    }

    /**
     * @param {string} emailAddress
     * @param {object} [options] signal
     * @returns {Promise<object>} `{users}`, empty where nobody who has the address allows it
     */
    async discoverUserIdentityWithEmailAddress(emailAddress, options) {
        return this.discoverUserIdentities({ emailAddress }, options);
    }

    /**
     * @param {string} phoneNumber
     * @param {object} [options] signal
     * @returns {Promise<object>} `{users}`, always empty: nobody is known by a number
     */
    async discoverUserIdentityWithPhoneNumber(phoneNumber, options) {
        return this.discoverUserIdentities({ phoneNumber }, options);
    }

    /**
     * @param {string} userRecordName
     * @param {object} [options] signal
     * @returns {Promise<object>} `{users}`, empty where the user does not allow it
     */
    async discoverUserIdentityWithUserRecordName(userRecordName, options) {
        return this.discoverUserIdentities({ userRecordName }, options);
    }

    /** Whether notifications are received. */
    get isRegisteredForNotifications() { return this.#courier !== undefined; }

    /**
     * Begins to receive what the user's subscriptions tell from now on.
     *
     * @returns {Promise<void>} rejects with AUTHENTICATION_REQUIRED when nobody is signed in
     */
    async registerForNotifications() {
        if (this.#courier) return;
        const courier = new Courier(this.#session);
        this.#courier = courier;
        try {
            await courier.begin();
        } catch (error) {
            this.#courier = undefined;
            throw error;
        }
        const deliver = (notification) => {
            for (const listener of [...this.#listeners]) {
                try {
                    listener(notification);
                } catch (error) {
                    // The others are told all the same.
                    globalThis.reportError?.(error);
                }
            }
        };
        courier.run(deliver).catch((error) => {
            if (this.#courier !== courier) return;
            this.#courier = undefined;
            this.#failed.resolve(error);
            this.#failed = deferred();
        });
    }

    /**
     * (Stratus) Gives the CKError when receiving ended by itself, since nobody is signed in any more for example; then
     * `isRegisteredForNotifications` is false. Breaks that pass are none: it connects again.
     *
     * @returns {Promise<CKError>}
     */
    whenNotificationsFail() { return this.#failed.promise; }

    /** Ends receiving. */
    async unregisterForNotifications() {
        const courier = this.#courier;
        this.#courier = undefined;
        await courier?.close();
    }

    /** Whoever uses this browser next gets nothing of the user who signs out. What cannot be reached does not keep the user. */
    async #endReceiving() {
        const workers = globalThis.navigator?.serviceWorker;
        const found = await Promise.resolve(workers?.getRegistrations?.()).catch(() => undefined) ?? [];
        await Promise.allSettled([
            this.unregisterForNotifications(),
            ...(this.#pushed ? [this.unregisterForPush(this.#pushed)] : []),
            // Those of an earlier page. The browser's own subscription may be of another container, too.
            ...found.filter((one) => one !== this.#pushed).map((one) => this.#endPush(one)),
        ]);
    }

    /**
     * Has notifications sent to a service worker, also while no page is open. Call it after a click, since the browser asks
     * the user, and again at each start of the app: browsers change their addresses.
     *
     * @param {ServiceWorkerRegistration} registration of the service worker whose `push` events they are
     * @returns {Promise<PushSubscription>} rejects with AUTHENTICATION_REQUIRED when nobody is signed in
     */
    async registerForPush(registration) {
        const body = { apnsEnvironment: this.#session.environment };
        const ask = (path, more) =>
            this.#session.request(path, { ...body, ...more }, undefined, this.#session.deviceRoot);
        const { applicationServerKey } = await ask("tokens/create", { webPush: true });
        const options = { userVisibleOnly: true, applicationServerKey };
        let subscription;
        try {
            subscription = await registration.pushManager.subscribe(options);
        } catch (error) {
            // One of another key, of the server's former secret say, is in the way.
            const former = error?.name === "InvalidStateError" && await registration.pushManager.getSubscription();
            if (!former) throw error;
            await former.unsubscribe();
            subscription = await registration.pushManager.subscribe(options);
        }
        await ask("tokens/register", { webPush: subscription.toJSON() });
        this.#pushed = registration;
        return subscription;
    }

    /**
     * Ends what `registerForPush` began.
     *
     * @param {ServiceWorkerRegistration} registration of the same service worker
     * @returns {Promise<boolean>} whether there was a subscription; rejects where the server cannot be reached
     */
    async unregisterForPush(registration) {
        const subscription = await this.#endPush(registration);
        if (this.#pushed === registration) this.#pushed = undefined;
        return subscription ? subscription.unsubscribe() : false;
    }

    /** Has the server forget a service worker's address, where it is the user's. */
    async #endPush(registration) {
        const subscription = await registration.pushManager?.getSubscription();
        if (!subscription) return undefined;
        const body = { apnsEnvironment: this.#session.environment, webPush: subscription.toJSON() };
        await this.#session.request("tokens/unregister", body, undefined, this.#session.deviceRoot);
        return subscription;
    }

    /** @param {(notification: Notification) => void} listener */
    addNotificationListener(listener) { this.#listeners.add(listener); }

    /** @param {(notification: Notification) => void} listener */
    removeNotificationListener(listener) { this.#listeners.delete(listener); }
}

// ----------------------------------------------------------------------------------------------------- Configuration

let configured = [];
/** What `services` of the configuration replaces. */
const usualServices = { fetch: (...request) => globalThis.fetch(...request), Promise };
let services = usualServices;

/** The server's address without a slash at the end: given, or that of the server that served this module. */
function serverAddress(given) {
    if (given !== undefined) {
        try {
            return new URL(given).href.replace(/\/+$/, "");
        } catch (cause) {
            throw localError("CONFIGURATION_ERROR", `'${given}' is not the address of a server.`, cause);
        }
    }
    const own = new URL(import.meta.url);
    if (own.protocol === "http:" || own.protocol === "https:") return own.origin;
    throw localError("CONFIGURATION_ERROR", "The server's 'url' is missing: this module was not loaded from one.");
}

function makeContainer(configuration, address, fetch, services) {
    const { containerIdentifier, environment, apiTokenAuth } = configuration;
    if (!containerIdentifier) throw localError("CONFIGURATION_ERROR", "A container needs its 'containerIdentifier'.");
    if (environment !== "development" && environment !== "production") {
        throw localError("CONFIGURATION_ERROR", "A container's 'environment' is 'development' or 'production'.");
    }
    if (!apiTokenAuth?.apiToken) {
        throw localError("CONFIGURATION_ERROR", "A container needs 'apiTokenAuth' with an 'apiToken'.");
    }
    const session = new Session(address, configuration, fetch);
    session.locale = services.locale;
    return new Container(session, configuration, services);
}

const freezeNames = (...names) => Object.freeze(Object.fromEntries(names.map((name) => [name, name])));

export const CloudKit = {
    VERSION,
    BUILD_VERSION: VERSION,
    WS_API_VERSION,
    DEVELOPMENT_ENVIRONMENT: "development",
    PRODUCTION_ENVIRONMENT: "production",
    DatabaseScope,
    ReferenceAction: freezeNames("NONE", "DELETE_SELF", "VALIDATE"),
    QueryFilterComparator: freezeNames(
        "EQUALS", "NOT_EQUALS", "LESS_THAN", "LESS_THAN_OR_EQUALS", "GREATER_THAN", "GREATER_THAN_OR_EQUALS", "NEAR",
        "CONTAINS_ALL_TOKENS", "CONTAINS_ANY_TOKENS", "IN", "NOT_IN", "LIST_CONTAINS", "NOT_LIST_CONTAINS",
        "LIST_CONTAINS_ANY", "NOT_LIST_CONTAINS_ANY", "LIST_CONTAINS_ALL", "NOT_LIST_CONTAINS_ALL", "BEGINS_WITH",
        "NOT_BEGINS_WITH", "LIST_MEMBER_BEGINS_WITH", "NOT_LIST_MEMBER_BEGINS_WITH"),
    SubscriptionType: Object.freeze({ QUERY: "query", ZONE: "zone", RECORD_ZONE: "zone", DATABASE: "database" }),
    AppleIDButtonTheme: freezeNames("BLACK", "WHITE", "WHITE_WITH_OUTLINE"),
    ShareRecordType: Object.freeze({
        NAME: "cloudkit.share", TITLE_FIELD_NAME: "cloudkit.title", TYPE_FIELD_NAME: "cloudkit.type",
        THUMBNAIL_IMAGE_DATA_FIELD_NAME: "cloudkit.thumbnailImageData",
    }),
    ShareParticipantPermission: freezeNames("UNKNOWN", "NONE", "READ_ONLY", "READ_WRITE"),
    ShareParticipantAcceptanceStatus: freezeNames("UNKNOWN", "PENDING", "ACCEPTED", "INVITED", "REMOVED", "UNSUBSCRIBED"),
    ShareParticipantType: freezeNames("UNKNOWN", "OWNER", "PRIVATE_USER", "PUBLIC_USER", "ADMINISTRATOR", "USER"),
    CKError,
    Container,
    Database,
    RecordsBatchBuilder,
    RecordZonesBatchBuilder,
    SubscriptionsBatchBuilder,
    QueryResponse,
    RecordsResponse,
    RecordZonesResponse,
    DatabaseChangesResponse,
    RecordZoneChangesResponse,
    RecordInfosResponse,
    SubscriptionsResponse,
    LiveQuery,
    LiveCount,
    Notification,
    QueryNotification,
    RecordZoneNotification,
    assetURL,

    /** What requests are sent with: the configuration's, or the language's own. */
    get fetch() { return services.fetch; },
    /** What the configuration names, or the language's own, which all methods give. */
    get Promise() { return services.Promise; },

    /**
     * Says which containers there are and how they are reached; what was configured before is forgotten.
     *
     * @param {object} configuration `containers`, each with `containerIdentifier`, `environment`,
     *     `apiTokenAuth: {apiToken, ckWebAuthToken, persist, signInButton: {id}, signOutButton: {id}}` and (Stratus)
     *     `url`; (Stratus) `url`, the server of all of them, by default the one that served this module;
     *     `services.fetch`, which requests are sent with, and `services.authTokenStore`, which keeps tokens:
     *     `{putToken(containerIdentifier, token), getToken(containerIdentifier)}`; `locale`, the language of the buttons and
     *     of the dialog for sharing
     * @throws {CKError} CONFIGURATION_ERROR
     */
    configure({ containers, url, services: given, locale } = {}) {
        if (!Array.isArray(containers) || containers.length === 0) {
            throw localError("CONFIGURATION_ERROR", "The configuration needs 'containers'.");
        }
        const { fetch = usualServices.fetch, Promise = usualServices.Promise, authTokenStore: store } = given ?? {};
        configured = containers.map((container) => makeContainer(
            container, serverAddress(container.url ?? url), fetch, { store, locale }));
        services = { fetch, Promise };
        return CloudKit;
    },

    /**
     * Makes a notification of what a push brings, in a service worker for example.
     *
     * @param {object} payload as it came: an object, not its text
     * @returns {Notification} of the class that it is about
     * @throws {CKError} INVALID_ARGUMENTS for what a subscription does not send
     */
    parseRawNotification(payload) {
        const { qry, fet, met } = payload?.ck ?? {};
        if (qry ?? fet ?? met) return notificationOf(payload);
        throw invalidArguments("This is no notification of a subscription: its 'ck' has neither 'qry', 'fet' nor 'met'.");
    },

    /** The first container of the configuration. */
    getDefaultContainer() {
        if (configured.length > 0) return configured[0];
        throw localError("CONFIGURATION_ERROR", "Call CloudKit.configure first.");
    },

    /** @returns {Container | undefined} */
    getContainer(containerIdentifier) {
        return configured.find((container) => container.containerIdentifier === containerIdentifier);
    },

    /** @returns {Container[]} */
    getAllContainers() { return [...configured]; },
};

export default CloudKit;

// For scripts that wait for the global, as pages for CloudKit JS do.
if (typeof window !== "undefined" && typeof document !== "undefined") {
    window.CloudKit = CloudKit;
    window.dispatchEvent(new Event("cloudkitloaded"));
}
