// cloudkit.js: CloudKit JS's names for Stratus, as one module without dependencies.
// SPDX-License-Identifier: Apache-2.0
//
//     import CloudKit from "https://records.example.com/cloudkit.js";
//
//     CloudKit.configure({
//         containers: [{
//             containerIdentifier: "iCloud.com.example.app",
//             environment: "development",
//             apiTokenAuth: { apiToken: "…", ckWebAuthToken: "…" },
//         }],
//     });
//     const database = CloudKit.getDefaultContainer().publicCloudDatabase;
//     let page = await database.performQuery({ recordType: "Player" }, { resultsLimit: 15 });
//     while (page.moreComing) page = await database.performQuery(page);
//
// Every method gives a promise. What fails as a whole rejects it with a CKError; what fails for one record or one
// zone is in the response's `errors`. `options.signal` takes an AbortSignal; an aborted call rejects with the
// signal's reason, as `fetch` does. Members marked (Stratus) are not in Apple's CloudKit JS.
//
// A token is given in the configuration. Sign-in buttons, subscriptions, notifications, sharing and server-to-server
// keys are not in this version.

/** The version of this module: the same as that of the server that serves it. */
const VERSION = "0.1.0";
const WS_API_VERSION = "1";

/** How many tokens one assets/upload request may ask for. */
const TOKENS_PER_REQUEST = 200;
/** How many files are sent at the same time. */
const UPLOADS_AT_ONCE = 4;

// ---------------------------------------------------------------------------------------------------------- Errors

/**
 * Why a request, a record or a zone failed.
 *
 * `ckErrorCode` is the server's code, or one of this module's own: NETWORK_ERROR, SERVICE_UNAVAILABLE,
 * UNEXPECTED_SERVER_RESPONSE, INVALID_ARGUMENTS, CONFIGURATION_ERROR.
 */
export class CKError extends Error {
    /**
     * @param {object} dictionary an error as the server writes it: `serverErrorCode`, `reason`, `recordName`, …
     * @param {{code?: string, cause?: unknown}} [local] a code of this module's own, and what is behind the error
     */
    constructor(dictionary, { code, cause } = {}) {
        const { serverErrorCode, extensionErrorCode, reason } = dictionary;
        super(reason ?? code ?? serverErrorCode ?? extensionErrorCode, cause === undefined ? undefined : { cause });
        this.ckErrorCode = code ?? serverErrorCode ?? extensionErrorCode ?? "UNKNOWN_ERROR";
        this.serverErrorCode = serverErrorCode;
        this.extensionErrorCode = extensionErrorCode;
        this.reason = this.message;
        /** Seconds to wait before trying again; undefined when trying again does not help. */
        this.retryAfter = dictionary.retryAfter;
        /** The request's id, which is in the server's log, too. */
        this.uuid = dictionary.uuid;
        this.redirectURL = dictionary.redirectURL ?? dictionary.redirectUrl;
        this.recordName = dictionary.recordName;
        this.zoneID = dictionary.zoneID;
        this.subscriptionID = dictionary.subscriptionID ?? dictionary.subscriptionId;
        /** (Stratus) What to do about it, in a sentence. */
        this.remedy = dictionary.remedy;
        /** (Stratus) For CONFLICT and EXISTS: the record that the server has. */
        this.serverRecord = dictionary.serverRecord;
    }

    get name() { return "CKError"; }
    get isError() { return true; }
    get isCKError() { return true; }
    get isServerError() { return this.serverErrorCode !== undefined; }
    get isServerExtensionError() { return this.extensionErrorCode !== undefined; }

    toJSON() { return { ...this }; }
    toString() { return `${this.name}: ${this.ckErrorCode}: ${this.reason}`; }
}

for (const code of [
    "ACCESS_DENIED", "ATOMIC_ERROR", "AUTHENTICATION_FAILED", "AUTHENTICATION_REQUIRED", "BAD_REQUEST", "CONFLICT",
    "EXISTS", "INTERNAL_ERROR", "NOT_FOUND", "QUOTA_EXCEEDED", "THROTTLED", "TRY_AGAIN_LATER", "UNIQUE_FIELD_ERROR",
    "VALIDATING_REFERENCE_ERROR", "ZONE_BUSY", "ZONE_NOT_FOUND",
    "CONFIGURATION_ERROR", "INVALID_ARGUMENTS", "NETWORK_ERROR", "SERVICE_UNAVAILABLE", "UNEXPECTED_SERVER_RESPONSE",
    "UNKNOWN_ERROR",
]) {
    Object.defineProperty(CKError, code, { value: code, enumerable: true });
}

const localError = (code, reason, cause) => new CKError({ reason }, { code, cause });
const invalidArguments = (reason) => localError("INVALID_ARGUMENTS", reason);
const isErrorDictionary = (item) => item?.serverErrorCode !== undefined || item?.extensionErrorCode !== undefined;

// ------------------------------------------------------------------------------------------------------- Responses

/** What the server answered: the good items, and the errors of the others. */
class Response {
    constructor(errors = []) {
        /** @type {CKError[]} why single records or zones failed */
        this.errors = errors;
    }

    get hasErrors() { return this.errors.length > 0; }
    get isResponse() { return true; }
}

/** Answer to fetchRecords, saveRecords, deleteRecords and commit: `records` without those that failed. */
export class RecordsResponse extends Response {
    constructor(items) {
        const { good, errors } = separate(items);
        super(errors);
        this.records = good;
    }
}

/** Answer to the methods for zones: `zones` without those that failed. */
export class RecordZonesResponse extends Response {
    constructor(items) {
        const { good, errors } = separate(items);
        super(errors);
        this.zones = good;
    }
}

/** One page of a query. Give it to performQuery for the next one as long as `moreComing` is true. */
export class QueryResponse extends RecordsResponse {
    constructor(items, continuationMarker, request) {
        super(items);
        this.query = request.query;
        this.zoneID = request.zoneID;
        this.zoneWide = request.zoneWide;
        this.resultsLimit = request.resultsLimit;
        this.desiredKeys = request.desiredKeys;
        this.numbersAsStrings = request.numbersAsStrings;
        /** A place in the result, which stays valid; undefined on the last page. */
        this.continuationMarker = continuationMarker ?? undefined;
    }

    get moreComing() { return this.continuationMarker !== undefined; }
}

/** Which zones changed; ask again with `syncToken`, at once while `moreComing` is true. */
export class DatabaseChangesResponse extends Response {
    constructor(answer, resultsLimit) {
        super();
        this.zones = answer.zones;
        this.syncToken = answer.syncToken;
        this.moreComing = answer.moreComing;
        this.resultsLimit = resultsLimit;
    }
}

/** What changed in zones. Deleted records are in `records`, too, with `deleted: true`. */
export class RecordZoneChangesResponse extends Response {
    constructor(items) {
        const { good, errors } = separate(items);
        super(errors);
        this.zones = good.map((zone) => {
            const { good: records, errors } = separate(zone.records);
            return { ...zone, records, errors };
        });
    }
}

/** Takes the errors out of an answer's items. */
function separate(items) {
    const good = [];
    const errors = [];
    for (const item of items) {
        if (isErrorDictionary(item)) errors.push(new CKError(item));
        else good.push(item);
    }
    return { good, errors };
}

// ---------------------------------------------------------------------------------------------------------- Sending

/** One container's address and credentials, and how requests get there. */
class Session {
    constructor(address, configuration, fetch) {
        const { containerIdentifier, environment, apiTokenAuth } = configuration;
        this.root = `${address}/database/${WS_API_VERSION}/${encodeURIComponent(containerIdentifier)}/${environment}`;
        this.apiToken = apiTokenAuth.apiToken;
        this.webAuthToken = apiTokenAuth.ckWebAuthToken;
        this.fetch = fetch;
    }

    /** Sends `body`, or asks by GET when it is undefined, and gives the answer's object. */
    async request(path, body, signal) {
        const query = new URLSearchParams({ ckAPIToken: this.apiToken });
        if (this.webAuthToken) query.set("ckWebAuthToken", this.webAuthToken);
        // A body of plain text needs no preflight; the server reads JSON whatever the type says.
        const init = body === undefined
            ? { method: "GET", cache: "no-store" } : { method: "POST", body: JSON.stringify(body) };
        return this.exchange(`${this.root}/${path}?${query}`, init, signal);
    }

    /** Sends one request, and turns whatever goes wrong into a CKError. */
    async exchange(url, init, signal) {
        let response;
        let text;
        try {
            response = await this.fetch(url, { ...init, signal });
            text = await response.text();
        } catch (cause) {
            signal?.throwIfAborted();
            throw localError("NETWORK_ERROR", "The server could not be reached.", cause);
        }
        // A token that the server renewed is only for who has one.
        const renewed = response.headers.get("X-Apple-CloudKit-Web-Auth-Token");
        if (renewed && this.webAuthToken) this.webAuthToken = renewed;
        return answerObject(response.status, text);
    }
}

/** The object that an answer's text holds. */
function answerObject(status, text) {
    let answer;
    try {
        answer = JSON.parse(text);
    } catch {
        answer = undefined;
    }
    const isObject = typeof answer === "object" && answer !== null && !Array.isArray(answer);
    const succeeded = status >= 200 && status < 300;
    if (isObject && (succeeded || isErrorDictionary(answer))) {
        if (succeeded) return answer;
        throw new CKError(answer);
    }
    if (status === 503) throw localError("SERVICE_UNAVAILABLE", "The server cannot take requests now (status 503).");
    throw localError("UNEXPECTED_SERVER_RESPONSE", `The server's answer (status ${status}) is not CloudKit's.`);
}

/** The list that an answer has to have under `name`. */
function list(answer, name) {
    if (Array.isArray(answer[name])) return answer[name];
    throw localError("UNEXPECTED_SERVER_RESPONSE", `The server's answer has no '${name}'.`);
}

// ---------------------------------------------------------------------------------------------- Reading of arguments

const asArray = (value) => (Array.isArray(value) ? value : [value]);

/** A zone's name, its zoneID or the zone itself, as a zoneID; undefined stands for the default zone. */
function zoneIDOf(zone) {
    if (zone === undefined || zone === null) return undefined;
    const id = typeof zone === "string" ? { zoneName: zone } : zone.zoneID ?? zone;
    if (typeof id === "string") return { zoneName: id };
    if (typeof id.zoneName !== "string") throw invalidArguments("A zone needs a 'zoneName'.");
    return { zoneName: id.zoneName, ownerRecordName: id.ownerRecordName };
}

/** A record, or only its name, as a record. */
function recordOf(record) {
    const dictionary = typeof record === "string" ? { recordName: record } : record;
    if (typeof dictionary !== "object" || dictionary === null) {
        throw invalidArguments("A record is an object, or a record name.");
    }
    return dictionary;
}

/** The zone of a request: that of the options, or the one that all records name. */
function commonZone(records, options) {
    if (options.zoneID !== undefined) return zoneIDOf(options.zoneID);
    const zones = records.map((record) => zoneIDOf(record.zoneID));
    if (new Set(zones.map((zone) => JSON.stringify(zone))).size > 1) {
        throw invalidArguments("One request asks for records of one zone.");
    }
    return zones[0];
}

/** A field is `{value, type}`; a value alone is taken for one. */
function fieldOf(field) {
    const isField = typeof field === "object" && field !== null && "value" in field && !isBlob(field);
    return isField ? field : { value: field };
}

const isBlob = (value) => /^\[object (Blob|File)\]$/.test(Object.prototype.toString.call(value));
/** Another record's asset, to be used again. */
const isRereference = (value) => typeof value?.recordName === "string" && typeof value.fieldName === "string";

/** A name for a record whose files are sent before it is saved. */
async function newRecordName() {
    // `randomUUID` is missing on pages without TLS, and the global `crypto` in Node 18.
    const random = globalThis.crypto ?? (await import("node:crypto")).webcrypto;
    const bytes = random.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("").toUpperCase();
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

// ----------------------------------------------------------------------------------------------------------- Assets

/**
 * Sends the files among the fields of `operations`, and puts what the server gave for them in their places.
 * When one fails, the whole save fails before any record was touched.
 */
class AssetSender {
    constructor(session, scope, zoneID, options) {
        this.session = session;
        this.scope = scope;
        this.zoneID = zoneID;
        this.options = options;
        this.uploads = [];
        this.rereferences = [];
    }

    /** Gives the record fields of its own, and notes which of their values are to be replaced. */
    prepare(record) {
        if (!record.fields) return record;
        const given = Object.entries(record.fields);
        record.fields = {};
        for (const [name, value] of given) {
            const field = { ...fieldOf(value) };
            record.fields[name] = field;
            if (Array.isArray(field.value)) {
                field.value = [...field.value];
                field.value.forEach((_, index) => this.note(record, name, field.value, index));
            } else {
                this.note(record, name, field, "value");
            }
        }
        return record;
    }

    note(record, fieldName, holder, key) {
        const value = holder[key];
        if (isBlob(value)) {
            if (!record.recordType) throw invalidArguments("A record with a file needs its 'recordType'.");
            this.uploads.push({ record, fieldName, holder, key, blob: value });
        } else if (isRereference(value)) {
            this.rereferences.push({ asset: value, holder, key });
        }
    }

    async send() {
        for (let start = 0; start < this.uploads.length; start += TOKENS_PER_REQUEST) {
            await this.sendFiles(this.uploads.slice(start, start + TOKENS_PER_REQUEST));
        }
        if (this.rereferences.length > 0) {
            const wanted = this.rereferences.map(({ asset }) => asset);
            const assets = await rereference(this.session, this.scope, this.zoneID, wanted, this.options.signal);
            this.rereferences.forEach(({ holder, key }, index) => { holder[key] = assets[index]; });
        }
    }

    async sendFiles(uploads) {
        for (const { record } of uploads) record.recordName ??= await newRecordName();
        const wanted = uploads.map(({ record, fieldName }) => (
            { recordName: record.recordName, recordType: record.recordType, fieldName }));
        const answer = await this.session.request(
            `${this.scope}/assets/upload`, { zoneID: this.zoneID, tokens: wanted }, this.options.signal);
        const tokens = list(answer, "tokens");
        const waiting = uploads.map((upload) => {
            const index = tokens.findIndex((token) => (
                token.recordName === upload.record.recordName && token.fieldName === upload.fieldName));
            const [token] = index < 0 ? [] : tokens.splice(index, 1);
            if (isErrorDictionary(token)) throw new CKError(token);
            if (!token) throw localError("UNEXPECTED_SERVER_RESPONSE", "The server gave no token for a file.");
            return { upload, url: new URL(token.url, this.session.root).href };
        });
        const worker = async () => {
            try {
                for (let next; (next = waiting.shift());) await this.sendFile(next.upload, next.url);
            } catch (error) {
                waiting.length = 0;
                throw error;
            }
        };
        await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, worker));
    }

    async sendFile({ record, fieldName, holder, key, blob }, url) {
        const { signal, onProgress } = this.options;
        const report = onProgress && ((sent) => onProgress(
            { recordName: record.recordName, fieldName, sent, total: blob.size }));
        // The file's own type is not sent: the server stores bytes, and a form's type would make it look for a form.
        const type = "application/octet-stream";
        let answer;
        if (report && typeof XMLHttpRequest !== "undefined") {
            answer = await sendReporting(url, blob, type, report, signal);
        } else {
            answer = await this.session.exchange(
                url, { method: "POST", body: blob, headers: { "Content-Type": type } }, signal);
        }
        if (!answer.singleFile) throw localError("UNEXPECTED_SERVER_RESPONSE", "A file was sent without a receipt.");
        report?.(blob.size);
        holder[key] = answer.singleFile;
    }
}

/** Sends a file by XMLHttpRequest, the only way in which browsers tell how far an upload is. */
function sendReporting(url, blob, type, report, signal) {
    return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const request = new XMLHttpRequest();
        const abort = () => request.abort();
        signal?.addEventListener("abort", abort);
        request.upload.onprogress = (event) => report(Math.min(event.loaded, blob.size));
        request.onload = () => {
            try {
                resolve(answerObject(request.status, request.responseText));
            } catch (error) {
                reject(error);
            }
        };
        request.onerror = () => reject(localError("NETWORK_ERROR", "The file could not be sent."));
        request.onabort = () => reject(signal.reason);
        request.onloadend = () => signal?.removeEventListener("abort", abort);
        request.open("POST", url);
        request.setRequestHeader("Content-Type", type);
        request.send(blob);
    });
}

/** Asset dictionaries for assets of other records; the first one that fails fails all. */
async function rereference(session, scope, zoneID, assets, signal) {
    const answer = await session.request(`${scope}/assets/rereference`, { zoneID, assets }, signal);
    const found = list(answer, "assets");
    const failed = found.find(isErrorDictionary);
    if (failed) throw new CKError(failed);
    if (found.length !== assets.length) {
        throw localError("UNEXPECTED_SERVER_RESPONSE", "The server gave another number of assets than asked for.");
    }
    return found;
}

/**
 * (Stratus) The address of an asset's bytes.
 *
 * @param {{downloadURL?: string}} asset the value of an ASSETID field
 * @param {string} [fileName] what the file is to be called when it is saved
 * @returns {string | undefined} undefined when the asset was not yet read from the server
 */
function assetURL(asset, fileName = "file") {
    return asset?.downloadURL?.replace("${f}", () => encodeURIComponent(fileName));
}

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

    #request(action, body, signal) {
        return this.#session.request(`${this.databaseScope.toLowerCase()}/${action}`, body, signal);
    }

    /**
     * Fetches one page of the records that match.
     *
     * @param {object | QueryResponse} query `{recordType, filterBy, sortBy}`, and (Stratus) `predicate`, a text in
     *     the predicate format language; or a page, for the one after it
     * @param {object} [options] zoneID, zoneWide, resultsLimit, desiredKeys, numbersAsStrings, continuationMarker,
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
            zoneID: zoneIDOf(given.zoneID),
            zoneWide: given.zoneWide,
            resultsLimit: given.resultsLimit,
            desiredKeys: given.desiredKeys,
            numbersAsStrings: given.numbersAsStrings,
        };
        const answer = await this.#request(
            "records/query", { ...request, continuationMarker: given.continuationMarker }, options.signal);
        return new QueryResponse(list(answer, "records"), answer.continuationMarker, request);
    }

    /**
     * (Stratus) Counts the records that match, without reading them.
     *
     * @param {object} query as for performQuery
     * @param {object} [options] zoneID, zoneWide, signal
     * @returns {Promise<number>}
     */
    async countRecords(query, { zoneID, zoneWide, signal } = {}) {
        const answer = await this.#request("records/count", { query, zoneID: zoneIDOf(zoneID), zoneWide }, signal);
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
        const answer = await this.#request("records/lookup", {
            records: wanted.map(({ recordName }) => ({ recordName })),
            zoneID: commonZone(wanted, options),
            desiredKeys: options.desiredKeys,
            numbersAsStrings: options.numbersAsStrings,
        }, options.signal);
        return new RecordsResponse(list(answer, "records"));
    }

    /**
     * Saves records: a record with a `recordChangeTag` is updated, one without is created and needs a `recordType`.
     * Fields that are not mentioned keep their values; `null` removes one. A File or Blob is sent first.
     *
     * A record that somebody else changed meanwhile is in `errors`, as CONFLICT; one that exists already, as EXISTS.
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
        const zoneID = zoneIDOf(options.zoneID) ?? zoneIDOf(operations[0]?.record?.zoneID);
        const assets = new AssetSender(this.#session, this.databaseScope.toLowerCase(), zoneID, options);
        const sent = operations.map(({ type, record, desiredKeys }) => {
            // What only the server writes is not sent back.
            const { created, modified, deleted, pluginFields, ...own } = recordOf(record);
            if (own.zoneID !== undefined) own.zoneID = zoneIDOf(own.zoneID);
            const operationType = type ?? savingOperation(own);
            if (operationType.endsWith("elete")) delete own.fields;
            return { operationType, record: assets.prepare(own), desiredKeys };
        });
        await assets.send();
        const answer = await this.#request("records/modify", {
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
     * @returns {Promise<object[]>} asset dictionaries in the same order; values for fields
     */
    async assetRereference(assets, { zoneID, signal } = {}) {
        return rereference(
            this.#session, this.databaseScope.toLowerCase(), zoneIDOf(zoneID), asArray(assets), signal);
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
        const answer = await this.#request("zones/lookup", { zones: asArray(zones).map(zoneIDOf) }, signal);
        return new RecordZonesResponse(list(answer, "zones"));
    }

    /**
     * Makes zones; private database only. A zone that exists already is in `errors`, as EXISTS.
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
            const answer = await this.#request("zones/modify", {
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
                zoneID: zoneIDOf(zone),
                syncToken: zone.syncToken,
                resultsLimit: zone.resultsLimit,
                desiredKeys: zone.desiredKeys,
                desiredRecordTypes: zone.desiredRecordTypes,
                numbersAsStrings: zone.numbersAsStrings,
            })),
        }, signal);
        return new RecordZoneChangesResponse(list(answer, "zones"));
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

    constructor(session, { containerIdentifier, environment }) {
        this.#session = session;
        this.containerIdentifier = containerIdentifier;
        this.environment = environment;
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
     * Finds out who is signed in by the configured `ckWebAuthToken`.
     *
     * @returns {Promise<object | null>} the user's identity; null without a token, or when it has expired
     */
    async setUpAuth() {
        if (!this.#session.webAuthToken) return null;
        try {
            const identity = await this.fetchCurrentUserIdentity();
            this.#signedIn.resolve(identity);
            return identity;
        } catch (error) {
            if (error.ckErrorCode !== CKError.AUTHENTICATION_REQUIRED) throw error;
            this.#session.webAuthToken = undefined;
            return null;
        }
    }

    /** Gives the user's identity once setUpAuth has found one; waits as long as there is none. */
    whenUserSignsIn() { return this.#signedIn.promise; }

    /** Is fulfilled when signOut is called. */
    whenUserSignsOut() { return this.#signedOut.promise; }

    /** Forgets the web auth token. Nothing is sent: the token stays valid for whoever else has it. */
    async signOut() {
        this.#session.webAuthToken = undefined;
        this.#signedIn = deferred();
        this.#signedOut.resolve();
        this.#signedOut = deferred();
    }

    /**
     * @param {object} [options] signal
     * @returns {Promise<object>} `{userRecordName, …}`; rejects with AUTHENTICATION_REQUIRED when nobody is signed in
     */
    async fetchCurrentUserIdentity({ signal } = {}) {
        return this.#session.request("public/users/caller", undefined, signal);
    }
}

// ----------------------------------------------------------------------------------------------------- Configuration

let configured = [];

/** The server's address without a slash at the end: given, or that of the server that served this module. */
function serverAddress(given) {
    if (given !== undefined) {
        try {
            return new URL(given).href.replace(/\/+$/, "");
        } catch (cause) {
            throw localError("CONFIGURATION_ERROR", `'${given}' is no address of a server.`, cause);
        }
    }
    const own = new URL(import.meta.url);
    if (own.protocol === "http:" || own.protocol === "https:") return own.origin;
    throw localError("CONFIGURATION_ERROR", "The server's 'url' is missing: this module was not loaded from one.");
}

function makeContainer(configuration, address, fetch) {
    const { containerIdentifier, environment, apiTokenAuth } = configuration;
    if (!containerIdentifier) throw localError("CONFIGURATION_ERROR", "A container needs its 'containerIdentifier'.");
    if (environment !== "development" && environment !== "production") {
        throw localError("CONFIGURATION_ERROR", "A container's 'environment' is 'development' or 'production'.");
    }
    if (!apiTokenAuth?.apiToken) {
        throw localError("CONFIGURATION_ERROR", "A container needs 'apiTokenAuth' with an 'apiToken'.");
    }
    return new Container(new Session(address, configuration, fetch), configuration);
}

const freezeNames = (...names) => Object.freeze(Object.fromEntries(names.map((name) => [name, name])));

export const CloudKit = {
    VERSION,
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
    CKError,
    Container,
    Database,
    RecordsBatchBuilder,
    RecordZonesBatchBuilder,
    QueryResponse,
    RecordsResponse,
    RecordZonesResponse,
    DatabaseChangesResponse,
    RecordZoneChangesResponse,
    assetURL,

    /**
     * Says which containers there are and how they are reached; what was configured before is forgotten.
     *
     * @param {object} configuration `containers`, each with `containerIdentifier`, `environment`,
     *     `apiTokenAuth: {apiToken, ckWebAuthToken}` and (Stratus) `url`; (Stratus) `url`, the server of all of them,
     *     by default the one that served this module; `services.fetch`, which requests are sent with
     * @throws {CKError} CONFIGURATION_ERROR
     */
    configure({ containers, url, services } = {}) {
        if (!Array.isArray(containers) || containers.length === 0) {
            throw localError("CONFIGURATION_ERROR", "The configuration needs 'containers'.");
        }
        const fetch = services?.fetch ?? ((...request) => globalThis.fetch(...request));
        configured = containers.map((container) => makeContainer(
            container, serverAddress(container.url ?? url), fetch));
        return CloudKit;
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
