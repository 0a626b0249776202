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
// A token is given in the configuration, or people sign in: setUpAuth draws a button into the page's elements
// `apple-sign-in-button` and `apple-sign-out-button`. Server-to-server keys are not in this version.

/** The version of this module: the same as that of the server that serves it. */
const VERSION = "0.2.0-dev";
const WS_API_VERSION = "1";

/** How many records a page has at most. */
const PAGE_RECORDS = 200;
/** How many tokens one assets/upload request may ask for. */
const TOKENS_PER_REQUEST = 200;
/** How many files are sent at the same time. */
const UPLOADS_AT_ONCE = 4;
/** The waits in milliseconds before a poll or a live query that broke is started over: the first, and the longest. */
const RECONNECTION_WAITS = [100, 15_000];
/** The waits in milliseconds before a change whose answer was lost is sent again. */
const REPETITION_WAITS = [250, 500, 1000];

// ---------------------------------------------------------------------------------------------------------- Errors

/**
 * Why a request, a record or a zone failed.
 *
 * `ckErrorCode` is the server's code, or one of this module's own: NETWORK_ERROR, SERVICE_UNAVAILABLE,
 * UNEXPECTED_SERVER_RESPONSE, INVALID_ARGUMENTS, CONFIGURATION_ERROR, AUTH_PERSIST_ERROR, SHARE_UI_CANCELLED.
 */
export class CKError extends Error {
    /**
     * @param {object} dictionary an error as the server writes it: `serverErrorCode`, `reason`, `recordName`, …
     * @param {{code?: string, cause?: unknown}} [local] a code of this module's own, and what caused the error
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
        /** (Stratus) The limit that was exceeded, by its name in /limits; undefined for an account without room. */
        this.exceededLimit = dictionary.exceededLimit;
        /** (Stratus) For CONFLICT: the record that the server has. */
        this.serverRecord = dictionary.serverRecord;
        /** (Stratus) The share that was asked for, as `{value}`. */
        this.shortGUID = dictionary.shortGUID;
        /** (Stratus) Who was invited and has no account yet, with part of the address: the user may be one of them. */
        this.potentialMatchList = dictionary.potentialMatchList;
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
    "UNKNOWN_ERROR", "AUTH_PERSIST_ERROR", "SHARE_UI_TIMEOUT", "SHARE_UI_CANCELLED",
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
        /** A place in the result, which stays valid; null on the last page. */
        this.continuationMarker = continuationMarker ?? null;
    }

    get moreComing() { return this.continuationMarker !== null; }
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
            const { good: records, errors } = separate(zone.records ?? []);
            return { ...zone, records, errors };
        });
    }
}

/** Answer to the methods for subscriptions: `subscriptions` without those that failed. */
export class SubscriptionsResponse extends Response {
    constructor(items) {
        const { good, errors } = separate(items);
        super(errors);
        this.subscriptions = good;
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
        this.address = address;
        const container = `${WS_API_VERSION}/${encodeURIComponent(containerIdentifier)}/${environment}`;
        this.root = `${address}/database/${container}`;
        this.deviceRoot = `${address}/device/${container}`;
        this.environment = environment;
        this.apiToken = apiTokenAuth.apiToken;
        /** The language of what is shown to people. */
        this.locale = undefined;
        /** What links show without an account, by the zones: tokens to read them for a while. */
        this.passes = new Map();
        this.webAuthToken = apiTokenAuth.ckWebAuthToken;
        this.fetch = fetch;
    }

    /** What an address carries to be let in. */
    tokens(more = {}) {
        const query = new URLSearchParams({ ...more, ckAPIToken: this.apiToken });
        if (this.webAuthToken) query.set("ckWebAuthToken", this.webAuthToken);
        return query;
    }

    /** What a request about a zone of the shared database carries where nobody is signed in. */
    pass(zoneID) {
        const publicAccessAuthToken = this.webAuthToken ? undefined : this.passes.get(zoneKey(zoneID));
        return publicAccessAuthToken && { publicAccessAuthToken };
    }

    /** Sends `body`, or asks by GET when it is undefined, and gives the answer's object. */
    async request(path, body, signal, root = this.root, more = undefined) {
        const query = this.tokens(more);
        // A body of plain text needs no preflight; the server reads JSON whatever the type says.
        const init = body === undefined
            ? { method: "GET", cache: "no-store" } : { method: "POST", body: bodyText(body) };
        return this.exchange(`${root}/${path}?${query}`, init, signal);
    }

    /** Sends a change with a key of its own, again when the answer was lost: by the key it takes effect once. */
    async change(path, body, signal) {
        const keyed = { idempotencyKey: await newUUID(), ...body };
        for (const wait of REPETITION_WAITS) {
            try {
                return await this.request(path, keyed, signal);
            } catch (error) {
                if (error?.ckErrorCode !== "NETWORK_ERROR") throw error;
                await pause(wait, signal);
            }
        }
        return this.request(path, keyed, signal);
    }

    /** Sends one request, and turns whatever goes wrong into a CKError. */
    async exchange(url, init, signal) {
        const sent = this.webAuthToken;
        let response;
        let text;
        try {
            response = await this.fetch(url, { ...init, signal });
            text = await response.text();
        } catch (cause) {
            signal?.throwIfAborted();
            throw localError("NETWORK_ERROR", "The server could not be reached.", cause);
        }
        // A renewed token is only for who has still the one that was sent: others signed out meanwhile, or are somebody else.
        const renewed = response.headers.get("X-Apple-CloudKit-Web-Auth-Token");
        if (renewed && sent && this.webAuthToken === sent) {
            this.webAuthToken = renewed;
            await this.onToken?.(renewed);
        }
        return answerObject(response.status, text);
    }
}

const zoneKey = (zoneID) => `${zoneID?.ownerRecordName}/${zoneID?.zoneName}`;

/** Waits, or rejects with the signal's reason. */
function pause(milliseconds, signal) {
    return new Promise((resolve, reject) => {
        const abort = () => {
            clearTimeout(timer);
            reject(signal.reason);
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener("abort", abort);
            resolve();
        }, milliseconds);
        signal?.addEventListener("abort", abort, { once: true });
    });
}

/** The JSON of a request; what has none is an error of the caller. */
function bodyText(body) {
    try {
        return JSON.stringify(body).replaceAll(MARKED, "$1");
    } catch (cause) {
        throw localError("INVALID_ARGUMENTS", "The arguments cannot be written as JSON.", cause);
    }
}

/** The object that an answer's text holds. */
function answerObject(status, text) {
    let answer;
    try {
        answer = parseExactly(text);
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

/**
 * The zone of a request's options: `zoneID`, or `zoneName` as in a zoneID; undefined stands for the default zone. A zone that
 * stands where none is read is an error: the request would be for the default zone.
 */
function zoneOf({ zoneID, zoneName, ownerRecordName } = {}, query = undefined) {
    const zone = zoneIDOf(zoneID);
    const named = zoneName === undefined || zoneName === null ? undefined : zoneIDOf({ zoneName, ownerRecordName });
    if (zone && named && zone.zoneName !== named.zoneName) throw invalidArguments("'zoneID' and 'zoneName' are two zones.");
    if (!zone && !named && (query?.zoneID ?? query?.zoneName) !== undefined) {
        throw invalidArguments("A query has no zone: name it in the options, as 'zoneID'.");
    }
    return zone ?? named;
}

/** A record, or only its name, as a record. */
function recordOf(record) {
    const dictionary = typeof record === "string" ? { recordName: record } : record;
    if (typeof dictionary !== "object" || dictionary === null) {
        throw invalidArguments("A record is an object, or a record name.");
    }
    return dictionary;
}

/** The zone of a request: that of the options, or the one that all records are in; none names the default zone. */
function commonZone(records, options) {
    const given = zoneOf(options);
    if (given !== undefined) return given;
    const zones = records.map((record) => zoneIDOf(record.zoneID));
    const names = new Set(zones.map((zone) => zone?.zoneName ?? "_defaultZone"));
    const owners = new Set(zones.map((zone) => zone?.ownerRecordName).filter(Boolean));
    if (names.size > 1 || owners.size > 1) throw invalidArguments("The records of one request are of one zone.");
    return zones.find((zone) => zone?.ownerRecordName) ?? zones[0];
}

// ------------------------------------------------------------------------------------------------------------- Values

/** What digits have in front that JSON's functions are to leave as they are; nobody's text begins so. */
const MARK = `${Math.random()}:`;
const MARKED = new RegExp(`"${MARK.replace(".", "\\.")}(-?\\d+)"`, "g");
/** The digits of whole numbers beyond 2^53, by the field or the list that holds them rounded. */
const exactNumbers = new WeakMap();

/** A whole number of any size, which is in a request's JSON as a number. */
class Digits {
    constructor(digits) { this.digits = digits; }

    toJSON() { return `${MARK}${this.digits}`; }
}

/** `JSON.parse` that remembers the digits of whole numbers which a number of JavaScript rounds. */
function parseExactly(text) {
    if (!/\d{16}/.test(text)) return JSON.parse(text);
    const marked = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, (token) => (
        /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${MARK}${token}"` : token));
    return JSON.parse(marked, function revive(key, value) {
        if (Array.isArray(value) && exactNumbers.has(value)) exactNumbers.get(value).list = [...value];
        if (typeof value !== "string" || !value.startsWith(MARK)) return value;
        const digits = value.slice(MARK.length);
        if (!exactNumbers.has(this)) exactNumbers.set(this, { digits: {} });
        exactNumbers.get(this).digits[key] = digits;
        return Number(digits);
    });
}

/** The digits of a rounded number of a field or a list that is as it came; undefined for any other. */
function exactDigits(holder, key) {
    const known = exactNumbers.get(holder);
    const digits = known?.digits[key];
    if (digits === undefined || Number(digits) !== holder[key]) return undefined;
    // In a list that was changed, one rounded number may be where another was.
    const isAsItCame = !known.list
        || (known.list.length === holder.length && known.list.every((value, index) => value === holder[index]));
    return isAsItCame ? digits : undefined;
}

/** A field as it is sent: with values that JSON can hold, and the type where JavaScript's own types show it. */
function wireField(name, given) {
    const source = fieldOf(given);
    const isList = Array.isArray(source.value);
    const values = isList ? source.value : [source.value];
    const scalar = values.some(isDate) ? "TIMESTAMP"
        : values.some((value) => typeof value === "bigint") ? "INT64" : undefined;
    const type = source.type ?? (scalar && isList ? `${scalar}_LIST` : scalar);
    const sent = values.map((value, index) => {
        const digits = isList ? exactDigits(source.value, index) : exactDigits(source, "value");
        return wireValue(name, value, type?.replace(/^ENCRYPTED_/, ""), digits);
    });
    return { ...source, value: isList ? sent : sent[0], ...(type && { type }) };
}

/** A value that JSON carries as it is; INVALID_ARGUMENTS for one that would arrive as something else, or not at all. */
function wireValue(name, value, type, digits) {
    if (typeof value === "bigint") {
        if (BigInt.asIntN(64, value) === value) return new Digits(String(value));
        throw invalidArguments(`'${name}' is ${value}, which is beyond 64 bits.`);
    }
    if (typeof value === "number") {
        if (!Number.isFinite(value)) {
            throw invalidArguments(`'${name}' is ${value}, which no field can hold; null removes a field.`);
        }
        if (!Number.isInteger(value) || Number.isSafeInteger(value) || type?.startsWith("DOUBLE")) return value;
        if (digits !== undefined && type !== undefined) return new Digits(digits);
        throw invalidArguments(
            `'${name}' is ${value}: beyond 2^53 it may have been rounded. Give a BigInt, or the type DOUBLE.`);
    }
    if (isDate(value)) {
        if (!Number.isNaN(value.getTime())) return value.getTime();
        throw invalidArguments(`'${name}' is an invalid Date.`);
    }
    if (typeof value === "function" || typeof value === "symbol") {
        throw invalidArguments(`'${name}' is a ${typeof value}, which no field can hold.`);
    }
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
        throw invalidArguments(`'${name}' is binary: send BYTES as base64, or a file as a Blob.`);
    }
    if (typeof value !== "object" || value === null || isBlob(value) || "toJSON" in value) return value;
    if (Array.isArray(value)) return value.map((element) => wireValue(name, element, "DOUBLE"));
    // A place, a reference or an asset: its numbers are what they are.
    return Object.fromEntries(Object.entries(value).map(
        ([key, member]) => [key, wireValue(`${name}.${key}`, member, "DOUBLE")]));
}

/** A query whose filters ask for values as they are sent. */
function wireQuery(query) {
    if (!Array.isArray(query?.filterBy)) return query;
    const filterBy = query.filterBy.map((filter) => (filter?.fieldValue === undefined ? filter : {
        ...filter, fieldValue: wireField(filter.fieldName ?? filter.systemFieldName ?? "fieldValue", filter.fieldValue),
    }));
    return { ...query, filterBy };
}

/** A field is `{value, type}`; a value alone is taken for one. */
function fieldOf(field) {
    const isField = typeof field === "object" && field !== null && "value" in field && !isBlob(field);
    return isField ? field : { value: field };
}

const isDate = (value) => Object.prototype.toString.call(value) === "[object Date]";
const isBlob = (value) => /^\[object (Blob|File)\]$/.test(Object.prototype.toString.call(value));
/** Another record's asset, to be used again. */
const isRereference = (value) => typeof value?.recordName === "string" && typeof value.fieldName === "string";

/** A key for a change, or a name for a record whose files are sent before it is saved. */
async function newUUID() {
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
            // As in JSON, what is undefined is not there.
            if (fieldOf(value).value === undefined) continue;
            const field = wireField(name, value);
            record.fields[name] = field;
            if (Array.isArray(field.value)) {
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
            // A list field's files take the place of one element of another list.
            for (const { holder } of this.rereferences) {
                if (Array.isArray(holder)) holder.splice(0, holder.length, ...holder.flat());
            }
        }
    }

    async sendFiles(uploads) {
        for (const { record } of uploads) record.recordName ??= await newUUID();
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

/** Sends a file by XMLHttpRequest, the only way in which browsers report how far an upload is. */
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

