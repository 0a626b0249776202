// cloudkit.js under Node, against the server at STRATUS_URL. `scripts/tests/cloudkitjs.py` starts one and runs this.

import assert from "node:assert/strict";
import { File as NodeFile } from "node:buffer";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

import { suite } from "./suite.mjs";

const {
    STRATUS_URL: url, STRATUS_CONTAINER, STRATUS_API_TOKEN, STRATUS_WEB_AUTH_TOKEN, STRATUS_GUEST_TOKEN,
} = process.env;
globalThis.File ??= NodeFile;  // Node 18 has it in node:buffer only.

/** The module as the server sends it. */
const source = await (await fetch(`${url}/cloudkit.js`)).text();
const directory = await mkdtemp(join(tmpdir(), "cloudkitjs-"));
after(() => rm(directory, { recursive: true }));
await writeFile(join(directory, "cloudkit.mjs"), source);
const module = await import(pathToFileURL(join(directory, "cloudkit.mjs")));
const { CKError, CloudKit } = module;

const settings = {
    url,
    container: STRATUS_CONTAINER,
    apiToken: STRATUS_API_TOKEN,
    webAuthToken: STRATUS_WEB_AUTH_TOKEN,
    guestToken: STRATUS_GUEST_TOKEN,
    endpoints: Object.keys((await (await fetch(`${url}/openapi.json`)).json()).paths),
};
for (const { name, skip, run } of suite(CloudKit, settings)) test(name, { skip }, run);

const container = (more = {}) => (
    { containerIdentifier: "iCloud.test", environment: "development", apiTokenAuth: { apiToken: "a+/=" }, ...more });

test("is smaller than 40 KiB on the wire", () => {
    const size = gzipSync(source).length;
    assert.ok(size < 40 * 1024, `${size} bytes`);
    assert.doesNotMatch(source, /^import /m, "it imports nothing");
});

test("has the server's version", async () => {
    assert.equal(CloudKit.VERSION, (await (await fetch(url)).json()).version);
});

test("leaves Node's globals alone", () => {
    assert.equal(globalThis.CloudKit, undefined);
    assert.equal(module.default, CloudKit);
});

test("shows what the configuration replaces", () => {
    const [own, Own] = [async () => new Response("{}"), class extends Promise {}];
    CloudKit.configure({ url, containers: [container({ apnsEnvironment: "production" })], services: { fetch: own, Promise: Own } });
    assert.equal(CloudKit.fetch, own);
    assert.equal(CloudKit.Promise, Own);
    assert.equal(CloudKit.getDefaultContainer().apnsEnvironment, "production");
    CloudKit.configure({ url, containers: [container()] });
    assert.notEqual(CloudKit.fetch, own);
    assert.equal(CloudKit.Promise, Promise);
    assert.equal(CloudKit.getDefaultContainer().apnsEnvironment, "development");
});

const badConfigurations = [
    ["nothing", {}, /containers/],
    ["no containers", { url, containers: [] }, /containers/],
    ["no address", { containers: [container()] }, /url/],
    ["no address at all", { url: "records", containers: [container()] }, /'records'/],
    ["no identifier", { url, containers: [container({ containerIdentifier: "" })] }, /containerIdentifier/],
    ["another environment", { url, containers: [container({ environment: "test" })] }, /environment/],
    ["no token", { url, containers: [container({ apiTokenAuth: {} })] }, /apiToken/],
];

for (const [name, configuration, sentence] of badConfigurations) {
    test(`refuses a configuration with ${name}`, () => {
        const wanted = { ckErrorCode: CKError.CONFIGURATION_ERROR, reason: sentence };
        assert.throws(() => CloudKit.configure(configuration), wanted);
    });
}

/** A public database whose server is a function. */
const stubbed = (fetch, more) => CloudKit.configure({
    url: "https://records.test/base/", services: { fetch }, containers: [container(more)],
}).getDefaultContainer();

const throttled = { serverErrorCode: "THROTTLED", reason: "slow down", retryAfter: 3 };

const oddAnswers = [
    [new Response("<html>", { status: 502 }), "UNEXPECTED_SERVER_RESPONSE", /502/],
    [new Response("<html>", { status: 503 }), "SERVICE_UNAVAILABLE", /503/],
    [new Response("<html>", { status: 200 }), "UNEXPECTED_SERVER_RESPONSE", /200/],
    [new Response("[]", { status: 200 }), "UNEXPECTED_SERVER_RESPONSE", /200/],
    [new Response("{}", { status: 200 }), "UNEXPECTED_SERVER_RESPONSE", /records/],
    [new Response('{"error":"no"}', { status: 404 }), "UNEXPECTED_SERVER_RESPONSE", /404/],
    [Response.json(throttled, { status: 429 }), "THROTTLED", /slow/],
];

for (const [answer, code, reason] of oddAnswers) {
    test(`makes ${code} of an answer with status ${answer.status}`, async () => {
        const database = stubbed(async () => answer).publicCloudDatabase;
        await assert.rejects(database.performQuery({ recordType: "A" }), (error) => {
            assert.equal(error.ckErrorCode, code);
            assert.match(error.reason, reason);
            if (code === "THROTTLED") assert.equal(error.retryAfter, 3);
            return error instanceof CKError;
        });
    });
}

test("sends requests that need no preflight, with escaped tokens", async () => {
    const sent = [];
    const tokens = { apiTokenAuth: { apiToken: "a+/=", ckWebAuthToken: "w+/=" } };
    const database = stubbed(async (address, init) => {
        sent.push([address, init]);
        return Response.json({ records: [] }, { headers: { "X-Apple-CloudKit-Web-Auth-Token": "renewed" } });
    }, tokens).privateCloudDatabase;
    await database.fetchRecords("a");
    await database.fetchRecords("a");
    const path = "https://records.test/base/database/1/iCloud.test/development/private/records/lookup";
    assert.deepEqual(
        sent.map(([address]) => address),
        ["w%2B%2F%3D", "renewed"].map((token) => `${path}?ckAPIToken=a%2B%2F%3D&ckWebAuthToken=${token}`));
    const [[, { method, body, headers }]] = sent;
    assert.deepEqual([method, typeof body, headers], ["POST", "string", undefined]);
});

test("keeps the token of who signed in while an answer of another user was on its way", async () => {
    const sent = [];
    let kept = "ada";
    let answerLate;
    const late = new Promise((resolve) => { answerLate = resolve; });
    const fetch = async (address) => {
        sent.push(address);
        if (!address.includes("/private/records/lookup")) return Response.json({ userRecordName: "_b" });
        if (sent.length === 1) await late;
        return Response.json({ records: [] }, { headers: { "X-Apple-CloudKit-Web-Auth-Token": "of-ada" } });
    };
    const authTokenStore = { putToken: (_, token) => { kept = token; }, getToken: () => kept };
    const apiTokenAuth = { apiToken: "a" };
    const [one] = CloudKit.configure({
        url: "https://records.test/", services: { fetch, authTokenStore }, containers: [container({ apiTokenAuth })],
    }).getAllContainers();
    sent.length = 0;
    await one.setUpAuth();
    sent.length = 0;
    const request = one.privateCloudDatabase.fetchRecords("x");
    await new Promise((resolve) => { setTimeout(resolve, 5); });
    await one.signOut();
    kept = "bob";
    await one.setUpAuth();
    answerLate();
    await request;
    await one.publicCloudDatabase.performQuery({ recordType: "A" }).catch(() => {});
    assert.match(sent.at(-1), /ckWebAuthToken=bob/);
    assert.equal(kept, "bob");
});

test("repeats a change whose answer was lost, with its key", async () => {
    const sent = [];
    let lost = 2;
    const database = stubbed(async (address, { body }) => {
        sent.push(body);
        if (lost-- > 0) throw new TypeError("The connection broke.");
        return Response.json({ records: [{ recordName: "a", deleted: true }] });
    }).publicCloudDatabase;
    await database.deleteRecords("a");
    assert.equal(sent.length, 3);
    assert.equal(new Set(sent).size, 1);
    assert.match(JSON.parse(sent[0]).idempotencyKey, /^[0-9A-F-]{36}$/);
    await database.deleteRecords("a");
    assert.notEqual(sent[3], sent[0]);

    lost = Infinity;
    const aborting = new AbortController();
    const waiting = database.deleteRecords("a", { signal: aborting.signal });
    aborting.abort(new Error("enough"));
    await assert.rejects(waiting, /enough/);
});

test("asks for upload tokens, sends bytes, and saves the receipts", async () => {
    const sent = [];
    const database = stubbed(async (address, init) => {
        const path = new URL(address).pathname;
        sent.push(path);
        if (path.endsWith("assets/upload")) {
            const { tokens } = JSON.parse(init.body);
            // Answered in another order: a token is found by its record and field.
            const answered = tokens.map((token, index) => ({ ...token, url: `/up/${index}` }));
            return Response.json({ tokens: answered.reverse() });
        }
        if (path.startsWith("/up/")) {
            assert.equal(init.headers["Content-Type"], "application/octet-stream");
            return Response.json({ singleFile: { receipt: `${path} ${await init.body.text()}` } });
        }
        const { operations } = JSON.parse(init.body);
        return Response.json({ records: operations.map(({ record }) => record) });
    }).publicCloudDatabase;
    const many = { value: [new Blob(["2"]), "x", new Blob(["3"])] };
    const given = { recordType: "A", fields: { one: new Blob(["1"]), many } };
    const progress = [];
    const onProgress = (step) => progress.push(step.sent);
    const { records: [saved] } = await database.saveRecords([given], { onProgress });
    assert.match(saved.recordName, /^[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/);
    assert.equal(saved.fields.one.value.receipt, "/up/0 1");
    assert.deepEqual(saved.fields.many.value.map((item) => item.receipt ?? item), ["/up/2 2", "x", "/up/1 3"]);
    assert.deepEqual(progress, [1, 1, 1]);
    assert.equal(sent.length, 5);
    assert.ok(given.fields.one instanceof Blob && !given.recordName, "the caller's record is left as it was");
});

test("saves nothing when a file cannot be sent", async () => {
    const sent = [];
    const database = stubbed(async (address, init) => {
        const path = new URL(address).pathname;
        sent.push(path);
        if (path.endsWith("assets/upload")) {
            return Response.json({ tokens: JSON.parse(init.body).tokens.map((token) => ({ ...token, url: "/up" })) });
        }
        if (await init.body.text() !== "0") return Response.json({ singleFile: {} });
        return Response.json({ serverErrorCode: "QUOTA_EXCEEDED", reason: "too large" }, { status: 413 });
    }).publicCloudDatabase;
    const files = Array.from({ length: 20 }, (_, index) => new Blob([`${index}`]));
    await assert.rejects(
        database.saveRecords({ recordType: "A", fields: { files } }), { ckErrorCode: "QUOTA_EXCEEDED" });
    assert.ok(!sent.some((path) => path.endsWith("records/modify")));
    await new Promise((resolve) => { setTimeout(resolve, 20); });
    assert.ok(sent.length < 15, `and most other files are not sent either: ${sent.length}`);
});

test("sends no file with a record that is deleted", async () => {
    const sent = [];
    const database = stubbed(async (address, init) => {
        sent.push(JSON.parse(init.body).operations);
        return Response.json({ records: [] });
    }).publicCloudDatabase;
    await database.deleteRecords({ recordName: "a", recordType: "A", fields: { file: new Blob(["1"]) }, deleted: false });
    assert.deepEqual(sent, [[{ operationType: "forceDelete", record: { recordName: "a", recordType: "A" } }]]);
});

test("does not send back what only the server writes", async () => {
    const sent = [];
    const database = stubbed(async (address, init) => {
        sent.push(JSON.parse(init.body).operations[0].record);
        return Response.json({ records: [] });
    }).privateCloudDatabase;
    const own = { recordName: "s", recordType: "cloudkit.share", participants: [], publicPermission: "NONE", parent: null };
    const servers = {
        shortGUID: "a", webpageURL: "b", owner: {}, currentUserParticipant: {}, requesters: [], blocked: [],
        oneTimeStableUrlInfo: {}, created: {}, modified: {}, pluginFields: {},
    };
    const forRecord = { recordName: "r", recordChangeTag: "1" };
    await database.saveRecords({ ...own, ...servers, forRecord, recordChangeTag: "2" }, { zoneID: "Z" });
    await database.saveRecords({ ...own, forRecord, createShortGUID: true }, { zoneID: "Z" });
    assert.deepEqual(sent, [{ ...own, recordChangeTag: "2" }, { ...own, forRecord, createShortGUID: true }]);
});

test("shows the dialog of sharing in pages only", async () => {
    const database = stubbed(async () => Response.json({ records: [] })).privateCloudDatabase;
    const wanted = { ckErrorCode: "CONFIGURATION_ERROR", reason: /page/ };
    await assert.rejects(database.shareWithUI({ record: { recordName: "a" }, zoneID: "Z" }), wanted);
});

test("takes errors out of a zone's changes", async () => {
    const failed = { recordName: "b", serverErrorCode: "ACCESS_DENIED", reason: "no" };
    const zone = { zoneID: { zoneName: "Z" }, records: [{ recordName: "a" }, failed], syncToken: "t", moreComing: false };
    const database = stubbed(async () => Response.json({ zones: [zone] })).privateCloudDatabase;
    const { zones: [changes] } = await database.fetchRecordZoneChanges({ zoneID: "Z" });
    assert.deepEqual(changes.records, [{ recordName: "a" }]);
    assert.deepEqual(changes.errors.map((error) => [error.ckErrorCode, error.recordName]), [["ACCESS_DENIED", "b"]]);
});

test("gives the address of an asset's bytes", () => {
    const asset = { downloadURL: "https://a.test/x/${f}?k=1" };
    assert.equal(CloudKit.assetURL(asset, "a b/$&.png"), "https://a.test/x/a%20b%2F%24%26.png?k=1");
    assert.equal(CloudKit.assetURL({ downloadURL: "https://a.test/x" }), "https://a.test/x");
    assert.equal(CloudKit.assetURL({ size: 1 }), undefined);
});

test("makes notifications of what pushes bring", () => {
    const alert = { title: "T", subtitle: "S", "title-loc-key": "TK", "subtitle-loc-args": ["a"], body: "B" };
    const told = CloudKit.parseRawNotification({
        aps: { alert }, ck: { nid: "1", cid: "c", qry: { fo: 2, rid: "r", sid: "s", zid: "Z", dbs: 2, af: { n: 1 } } },
    });
    assert.ok(told instanceof CloudKit.QueryNotification && told.isPublicDatabase);
    assert.deepEqual(
        [told.title, told.subtitle, told.titleLocalizationKey, told.subtitleLocalizationArgs, told.alertBody],
        ["T", "S", "TK", ["a"], "B"]);
    assert.deepEqual([told.recordName, told.recordFields, told.queryNotificationReason], ["r", { n: 1 }, "RECORD_UPDATED"]);
    assert.ok(CloudKit.parseRawNotification({ ck: { fet: { sid: "s", zid: "Z" } } }) instanceof CloudKit.RecordZoneNotification);
    for (const payload of [undefined, null, {}, { aps: {} }, { ck: {} }, "text"]) {
        assert.throws(() => CloudKit.parseRawNotification(payload), { ckErrorCode: "INVALID_ARGUMENTS" });
    }
    assert.deepEqual({ ...CloudKit.SubscriptionType }, { QUERY: "query", ZONE: "zone", RECORD_ZONE: "zone", DATABASE: "database" });
});

test("makes a new receiver before it says to start again, and ends with an error that lasts", async () => {
    const asked = [];
    const container = stubbed(async (address, { signal } = {}) => {
        const path = new URL(address).pathname.replace(/^.*(?=\/tokens|\/courier)/, "");
        asked.push(path);
        const created = asked.filter((one) => one === "/tokens/create").length;
        if (path === "/tokens/create" && created < 3) {
            return Response.json({ apnsToken: "t", webcourierURL: `https://records.test/courier/${created}` });
        }
        if (path === "/tokens/create") {
            return Response.json({ serverErrorCode: "AUTHENTICATION_REQUIRED", reason: "who?" }, { status: 421 });
        }
        signal?.throwIfAborted();
        return Response.json({ serverErrorCode: "NOT_FOUND", reason: "no such receiver" }, { status: 404 });
    });
    const told = [];
    container.addNotificationListener(() => { throw new Error("a listener that fails"); });
    container.addNotificationListener((notification) => told.push([notification.startAgain, [...asked]]));
    const failed = container.whenNotificationsFail();
    await container.registerForNotifications();
    assert.equal((await failed).ckErrorCode, "AUTHENTICATION_REQUIRED");
    assert.ok(!container.isRegisteredForNotifications);
    assert.deepEqual(told, [[true, ["/tokens/create", "/courier/1", "/tokens/create"]]]);
    assert.deepEqual(asked.slice(3), ["/courier/2", "/tokens/create"]);
});
