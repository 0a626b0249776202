// What cloudkit.js promises, held against a running server: run by Node (cloudkit.test.mjs) and in a browser
// (Tests/Browser/test_cloudkitjs.py). Each scenario makes record types or zones of its own.

import { addSharing } from "./sharing.mjs";

function check(truth, sentence) {
    if (!truth) throw new Error(sentence);
}

function same(found, wanted, what) {
    const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)];
    check(left === right, `${what}: found ${left}, wanted ${right}`);
}

/** The error that a promise is rejected with. */
async function rejection(promise, what) {
    try {
        await promise;
    } catch (error) {
        return error;
    }
    throw new Error(`${what} did not fail`);
}

async function fails(promise, code, what) {
    const error = await rejection(promise, what);
    same(error.ckErrorCode, code, `${what}: ${error}`);
    check(error instanceof Error && error.isCKError && error.reason.length > 0, `${what} is a CKError`);
    return error;
}

/** The records of a response without errors. */
function records(response) {
    same(response.errors, [], "errors");
    return response.records;
}

let made = 0;
const unique = (prefix) => `${prefix}${Date.now().toString(36)}x${(made += 1)}`;
const names = (response) => response.records.map((record) => record.recordName);

/** Numbered records, `count` of them. */
async function fill(database, recordType, count) {
    const all = Array.from({ length: count }, (_, n) => (
        { recordName: `${recordType}-${String(n).padStart(3, "0")}`, recordType, fields: { n, text: `No. ${n}` } }));
    for (let start = 0; start < count; start += 200) records(await database.saveRecords(all.slice(start, start + 200)));
    return all.map((record) => record.recordName);
}

const scenarios = [];
/** `{needs}` before the function names an endpoint without which the scenario is skipped. */
const scenario = (name, ...rest) => scenarios.push({ name, ...(rest.length > 1 && rest[0]), run: rest.at(-1) });

scenario("finds configured containers", async ({ CloudKit, settings, container }) => {
    check(CloudKit.getDefaultContainer() === container, "the default container is the first");
    check(CloudKit.getContainer(settings.container) === container, "a container is found by its identifier");
    same(CloudKit.getContainer("iCloud.other"), undefined, "an unknown container");
    same(CloudKit.getAllContainers().length, 1, "containers");
    same(container.environment, CloudKit.DEVELOPMENT_ENVIRONMENT, "environment");
    const scopes = [container.publicCloudDatabase, container.privateCloudDatabase, container.sharedCloudDatabase];
    for (const database of scopes) {
        check(container.getDatabaseWithDatabaseScope(database.databaseScope) === database, database.databaseScope);
        same(database.containerIdentifier, settings.container, "the database's container");
    }
});

scenario("knows who is signed in, and forgets it", async ({ container, connect }) => {
    const identity = await container.setUpAuth();
    check(/^_[0-9a-f]{32}$/.test(identity.userRecordName), "the user's record name");
    same(await container.whenUserSignsIn(), identity, "whenUserSignsIn");
    const out = container.whenUserSignsOut();
    await container.signOut();
    await out;
    same(await container.setUpAuth(), null, "setUpAuth without a token");
    await fails(container.fetchCurrentUserIdentity(), "AUTHENTICATION_REQUIRED", "asking for nobody");
    const anonymous = connect({ ckWebAuthToken: undefined });
    same(await anonymous.setUpAuth(), null, "setUpAuth of a configuration without a token");
    await fails(anonymous.privateCloudDatabase.fetchAllRecordZones(), "AUTHENTICATION_REQUIRED", "a private database");
});

scenario("finds people who allow it, and nobody else", async ({ container, connect }) => {
    const { userRecordName } = await container.fetchCurrentUserIdentity();
    same(await container.discoverUserIdentityWithEmailAddress("nobody@example.org"), { users: [] }, "an address");
    same(await container.discoverUserIdentityWithPhoneNumber("+43 1 234"), { users: [] }, "a number");
    same(await container.discoverUserIdentityWithUserRecordName(userRecordName), { users: [] }, "who has not answered");
    const infos = [{ emailAddress: "nobody@example.org" }, { phoneNumber: "+43 1 234" }, { userRecordName }];
    same(await container.discoverUserIdentities(infos), { users: [] }, "several at once");
    same(await container.discoverUserIdentities(infos[0]), { users: [] }, "one of several");
    same(await container.discoverAllUserIdentities({ resultsLimit: 1 }), { users: [] }, "all");
    const anonymous = connect({ ckWebAuthToken: undefined });
    await fails(anonymous.discoverAllUserIdentities(), "AUTHENTICATION_REQUIRED", "without a user");
});

scenario("creates, updates and tells of conflicts", async ({ database }) => {
    const recordType = unique("Note");
    const [created] = records(await database.saveRecords({ recordType, fields: { text: { value: "one" }, n: 1 } }));
    same(created.fields, { text: { value: "one", type: "STRING" }, n: { value: 1, type: "INT64" } }, "fields");
    check(created.recordName && created.recordChangeTag && created.created.timestamp > 0, "what the server adds");

    created.fields.text.value = "two";
    const [updated] = records(await database.saveRecords(created));
    same(updated.fields.text.value, "two", "the text");
    check(updated.recordChangeTag !== created.recordChangeTag, "a new change tag");

    const stale = await database.saveRecords({ ...created, fields: { n: 2 } });
    same([stale.hasErrors, stale.records, stale.errors.length], [true, [], 1], "a stale save");
    const [conflict] = stale.errors;
    same([conflict.ckErrorCode, conflict.recordName], ["CONFLICT", created.recordName], "the conflict");
    same(conflict.serverRecord.fields.text.value, "two", "what the server has");
    check(conflict.isServerError && conflict instanceof Error, "a server's error");
    const twice = await database.saveRecords({ recordType, recordName: created.recordName });
    same(twice.errors[0].ckErrorCode, "CONFLICT", "creating it again");

    const { recordName, recordChangeTag } = updated;
    const [without] = records(await database.saveRecords({ recordName, recordChangeTag, fields: { n: null } }));
    same(Object.keys(without.fields), ["text"], "null removes a field, and others stay");
    await fails(database.saveRecords({ fields: {} }), "INVALID_ARGUMENTS", "neither type nor tag");
    await fails(database.saveRecords(null), "INVALID_ARGUMENTS", "no record");
});

scenario("keeps values of every kind", async ({ CloudKit, database }) => {
    const recordType = unique("Kinds");
    const [target] = records(await database.saveRecords({ recordType, recordName: `${recordType}-target` }));
    const reference = { recordName: target.recordName, action: CloudKit.ReferenceAction.DELETE_SELF };
    const fields = {
        text: "Grüße, 世界 🏀 \u2028", whole: 42, real: 2.5, flag: true,
        when: { value: 1700000000000, type: "TIMESTAMP" },
        bytes: { value: "AAEC/w==", type: "BYTES" }, place: { latitude: 38.7, longitude: -9.1 }, reference,
        words: ["a", "b"], numbers: { value: [1, 2], type: "INT64_LIST" }, people: [reference],
    };
    const [saved] = records(await database.saveRecords({ recordType, fields }));
    const [found] = records(await database.fetchRecords(saved));
    same(found, saved, "what was saved is what is fetched");
    const types = Object.fromEntries(Object.entries(found.fields).map(([name, field]) => [name, field.type]));
    same(types, {
        text: "STRING", whole: "INT64", real: "DOUBLE", flag: "INT64", when: "TIMESTAMP", bytes: "BYTES",
        place: "LOCATION", reference: "REFERENCE", words: "STRING_LIST", numbers: "INT64_LIST",
        people: "REFERENCE_LIST",
    }, "types");
    same(found.fields.text.value, fields.text, "text of several languages");
    same(found.fields.reference.value, reference, "reference");
    same(found.fields.words.value, fields.words, "list");
});

scenario("takes JavaScript's own values, and refuses what would arrive as something else", async ({ database }) => {
    const recordType = unique("Own");
    const when = new Date(1700000000123);
    const [saved] = records(await database.saveRecords({
        recordType, fields: {
            when, days: [when, new Date(0)], big: 9007199254740993n, all: [1n, -9223372036854775808n],
            typed: { value: when, type: "TIMESTAMP" }, real: { value: 1e17, type: "DOUBLE" }, none: undefined,
        },
    }, { numbersAsStrings: true }));
    same(saved.fields, {
        when: { value: 1700000000123, type: "TIMESTAMP" },
        days: { value: [1700000000123, 0], type: "TIMESTAMP_LIST" },
        big: { value: "9007199254740993", type: "INT64" },
        all: { value: ["1", "-9223372036854775808"], type: "INT64_LIST" },
        typed: { value: 1700000000123, type: "TIMESTAMP" }, real: { value: saved.fields.real.value, type: "DOUBLE" },
    }, "fields");
    same(Number(saved.fields.real.value), 1e17, "a large number that is none of INT64");
    for (const [field, comparator, value] of [["when", "EQUALS", when], ["big", "EQUALS", 9007199254740993n],
        ["when", "LESS_THAN", { value: new Date(), type: "TIMESTAMP" }], ["big", "IN", [1n, 9007199254740993n]]]) {
        const fieldValue = value.type ? value : { value };
        const query = { recordType, filterBy: [{ fieldName: field, comparator, fieldValue }] };
        same(names(await database.performQuery(query)), [saved.recordName], `${field} ${comparator}`);
        same(await database.countRecords(query), 1, `the count of ${field} ${comparator}`);
    }
    const nan = { recordType, filterBy: [{ fieldName: "n", comparator: "EQUALS", fieldValue: { value: NaN } }] };
    await fails(database.performQuery(nan), "INVALID_ARGUMENTS", "a filter by NaN");

    const kept = { recordName: saved.recordName, recordType };
    const wrong = {
        NaN, Infinity, "-Infinity": -Infinity, list: [1, NaN], field: { value: NaN, type: "DOUBLE" },
        place: { latitude: NaN, longitude: 0 }, "an invalid Date": new Date(NaN), "a function": () => 1,
        "a symbol": Symbol("s"), "bytes": new Uint8Array(2), "a rounded number": 9007199254740992,
        "a rounded INT64": { value: 9007199254740992, type: "INT64" }, "65 bits": 9223372036854775808n,
        "a list of rounded ones": [9007199254740992],
    };
    for (const [what, value] of Object.entries(wrong)) {
        const batch = database.newRecordsBatch().forceUpdate({ ...kept, fields: { when: value } });
        const error = await fails(batch.commit(), "INVALID_ARGUMENTS", what);
        check(error.reason.includes("'when"), `${what} names the field: ${error.reason}`);
    }
    const circle = {};
    circle.circle = circle;
    await fails(database.performQuery({ recordType, sortBy: circle }), "INVALID_ARGUMENTS", "a circle");
    const [unchanged] = records(await database.fetchRecords(saved, { numbersAsStrings: true }));
    same(unchanged.fields, saved.fields, "nothing of all that was saved");
});

scenario("changes one field without rounding the others", async ({ database }) => {
    const recordType = unique("Exact");
    const exact = { recordType, recordName: `${recordType}-1`, fields: {
        big: 9007199254740993n, list: [9007199254740993n, 2n, -9007199254740995n],
        text: "9007199254740993 \" \\ -9007199254740993", real: 0.12345678901234567, other: "a" } };
    records(await database.saveRecords(exact));
    const numbersAsStrings = true;
    const wanted = ["9007199254740993", ["9007199254740993", "2", "-9007199254740995"], exact.fields.text];
    const stored = async () => {
        const [{ fields }] = records(await database.fetchRecords(exact, { numbersAsStrings }));
        return [fields.big.value, fields.list.value, fields.text.value];
    };
    const [found] = (await database.performQuery({ recordType })).records;
    same(found.fields.big, { value: Number("9007199254740993"), type: "INT64" }, "a rounded number to read");
    same(found.fields.real.value, exact.fields.real, "a fraction");
    found.fields.other.value = "b";
    const [updated] = records(await database.saveRecords(found));
    same(await stored(), wanted, "after an update");
    // The answer to a save is as good as what was fetched, and a copy of the record is as good as the record.
    const [replaced] = records(await database.newRecordsBatch().replace(
        { ...updated, fields: { ...updated.fields, other: { value: "c" } } }).commit());
    same(await stored(), wanted, "after replacing");
    const copy = structuredClone(replaced);
    const error = await fails(database.saveRecords(copy), "INVALID_ARGUMENTS", "a copy that lost the digits");
    check(error.reason.includes("BigInt"), `what to do instead: ${error.reason}`);
    replaced.fields.list.value.reverse();
    await fails(database.saveRecords(replaced), "INVALID_ARGUMENTS", "a list that was changed");
    replaced.fields.list.value = [5];
    replaced.fields.big.value = 6;
    records(await database.saveRecords(replaced));
    same((await stored()).slice(0, 2), ["6", ["5"]], "what was changed");
    const [text] = records(await database.fetchRecords(exact, { numbersAsStrings }));
    text.fields.big.value = "-9223372036854775808";
    records(await database.saveRecords(text, { numbersAsStrings }));
    same((await stored())[0], "-9223372036854775808", "a number that was read as text");
});

scenario("pages by passing the response back", async ({ CloudKit, database }) => {
    const recordType = unique("Page");
    const wanted = await fill(database, recordType, 45);
    const query = { recordType, sortBy: [{ fieldName: "n", ascending: true }] };
    let page = await database.performQuery(query, { resultsLimit: 20, desiredKeys: ["n"] });
    const sizes = [page.records.length];
    const found = names(page);
    check(page instanceof CloudKit.QueryResponse && page.isResponse && !page.hasErrors, "a QueryResponse");
    while (page.moreComing && sizes.length < 5) {
        same([page.query, page.resultsLimit, page.desiredKeys], [query, 20, ["n"]], "the request stays with the page");
        page = await database.performQuery(page);
        sizes.push(page.records.length);
        found.push(...names(page));
        check(page.records.every((record) => Object.keys(record.fields).join() === "n"), "desired keys of each page");
    }
    same(sizes, [20, 20, 5], "sizes of the pages");
    same(found, wanted, "every record once, in order");
    same(page.continuationMarker, null, "the last page's marker");
    await fails(database.performQuery(page), "INVALID_ARGUMENTS", "a page after the last one");

    const first = await database.performQuery(query, { resultsLimit: 2 });
    const second = await database.performQuery(first, { resultsLimit: 3 });
    same(names(second), wanted.slice(2, 5), "options beside a page replace its own");
    const kept = await database.performQuery(query, { continuationMarker: first.continuationMarker, resultsLimit: 1 });
    same(names(kept), [wanted[2]], "a marker that was kept");
});

scenario("filters, takes predicates and counts", async ({ CloudKit, database }) => {
    const recordType = unique("Find");
    const wanted = await fill(database, recordType, 30);
    const filterBy = [{
        comparator: CloudKit.QueryFilterComparator.GREATER_THAN_OR_EQUALS, fieldName: "n", fieldValue: { value: 28 },
    }];
    same(names(await database.performQuery({ recordType, filterBy })), wanted.slice(28), "a filter");
    const either = { recordType, predicate: "n < 2 OR text ENDSWITH '29'" };
    same(names(await database.performQuery(either)), [wanted[0], wanted[1], wanted[29]], "a predicate");
    same(await database.countRecords(either), 3, "count of a predicate");
    same(await database.countRecords({ recordType }), 30, "count of all");
    const bad = await fails(database.performQuery({ recordType, predicate: "n <" }), "BAD_REQUEST", "half a predicate");
    check(bad.uuid && bad.serverErrorCode === "BAD_REQUEST", "the request's id");
    const unknown = await fails(database.performQuery({ recordType: unique("Never") }), "NOT_FOUND", "unknown type");
    check(unknown.remedy.length > 0, "a remedy");
    same(JSON.parse(JSON.stringify(unknown)).remedy, unknown.remedy, "an error as JSON");
    same(String(unknown), `CKError: NOT_FOUND: ${unknown.reason}`, "an error as text");
});

scenario("fetches by name, in order", async ({ database }) => {
    const recordType = unique("Fetch");
    const wanted = await fill(database, recordType, 3);
    const asked = [wanted[2], "nobody", { recordName: wanted[0] }];
    const answer = await database.fetchRecords(asked, { desiredKeys: ["n"] });
    same(names(answer), [wanted[2], wanted[0]], "records");
    same(answer.errors.map((error) => [error.ckErrorCode, error.recordName]), [["NOT_FOUND", "nobody"]], "errors");
    same(answer.records[0].fields, { n: { value: 2, type: "INT64" } }, "desired keys");
    const big = "9007199254740993";
    const options = { numbersAsStrings: true };
    const record = { recordType, recordName: `${recordType}-big`, fields: { big: { value: big, type: "INT64" } } };
    records(await database.saveRecords(record, options));
    const [exact] = records(await database.fetchRecords(record, options));
    same(exact.fields.big.value, big, "a number beyond 2^53");
});

scenario("deletes by name or record, existing or not", async ({ database }) => {
    const recordType = unique("Gone");
    const wanted = await fill(database, recordType, 3);
    const deleted = records(await database.deleteRecords([wanted[0], { recordName: wanted[1] }, "nobody"]));
    check(deleted.length === 3 && deleted.every((record) => record.deleted), "three are gone");
    same(names(await database.performQuery({ recordType })), [wanted[2]], "what is left");
});

scenario("sends batches of every operation", async ({ database }) => {
    const recordType = unique("Batch");
    const name = (text) => `${recordType}-${text}`;
    const fields = { a: 1, b: 1 };
    const first = records(await database.newRecordsBatch()
        .create(["update", "replace", "delete", "both"].map((text) => ({ recordType, recordName: name(text), fields })))
        .forceUpdate({ recordType, recordName: name("forceUpdate"), fields })
        .forceReplace({ recordType, recordName: name("forceReplace"), fields })
        .commit());
    same(first.map((record) => record.recordName), [
        "update", "replace", "delete", "both", "forceUpdate", "forceReplace"].map(name), "answers in order");
    const [update, replace, remove, both] = first;
    const answer = await database.newRecordsBatch()
        .update({ ...update, fields: { a: 2 } }, { desiredKeys: ["a"] })
        .replace({ ...replace, fields: { a: 2 } })
        .delete(remove)
        .createOrUpdate([{ ...both, fields: { a: 2 } }, { recordType, recordName: name("new"), fields: { a: 2 } }])
        .forceUpdate({ recordName: name("forceUpdate"), fields: { a: 2 } })
        .forceReplace({ recordType, recordName: name("forceReplace"), fields: { a: 2 } })
        .forceDelete(name("nobody"))
        .commit();
    const left = records(answer).map(({ fields, deleted }) => (
        deleted ? "deleted" : Object.entries(fields).map(([key, field]) => `${key}${field.value}`).join(" ")));
    same(left, ["a2", "a2", "deleted", "a2 b1", "a2", "a2 b1", "a2", "deleted"], "what each operation did");
    const untagged = await database.newRecordsBatch().update({ recordName: name("update"), fields: { a: 3 } }).commit();
    same(untagged.errors[0].ckErrorCode, "BAD_REQUEST", "an update without a tag");
    check(untagged.errors[0].remedy.length > 0, "its remedy");
});

scenario("makes, finds and deletes zones", async ({ container }) => {
    const database = container.privateCloudDatabase;
    const [a, b, c] = [unique("A"), unique("B"), unique("C")];
    const saved = await database.saveRecordZones([a, { zoneName: b }, { zoneID: { zoneName: c } }]);
    same([saved.zones.map(({ zoneID }) => zoneID.zoneName), saved.errors], [[a, b, c], []], "saved zones");
    const all = (await database.fetchAllRecordZones()).zones.map(({ zoneID }) => zoneID.zoneName);
    check([a, b, c, "_defaultZone"].every((zone) => all.includes(zone)), "all zones");
    const found = await database.fetchRecordZones([a, "nowhere"]);
    same(found.zones.map(({ zoneID }) => zoneID.zoneName), [a], "found zones");
    same(found.errors.map(({ ckErrorCode, zoneID }) => [ckErrorCode, zoneID.zoneName]),
        [["ZONE_NOT_FOUND", "nowhere"]], "zones that were not found");
    const deleted = await database.newRecordZonesBatch().delete(saved.zones[0]).delete(b).commit();
    same(deleted.errors, [], "deleting in a batch");
    same((await database.deleteRecordZones(c)).errors, [], "deleting");
    same((await database.fetchRecordZones([a, b, c])).errors.length, 3, "zones that are gone");
    await fails(database.saveRecordZones({ name: "a" }), "INVALID_ARGUMENTS", "a zone without a name");
});

scenario("saves all or nothing in custom zones", async ({ container }) => {
    const database = container.privateCloudDatabase;
    const zoneID = unique("Atomic");
    const recordType = unique("Atom");
    await database.saveRecordZones(zoneID);
    const [kept] = records(await database.saveRecords({ recordType, recordName: "kept" }, { zoneID }));
    same(kept.zoneID.zoneName, zoneID, "a record's zone");
    const both = [{ recordType, recordName: "kept" }, { recordType, recordName: "new" }];
    const nothing = await database.saveRecords(both, { zoneID });
    same([nothing.records.length, nothing.errors.map((error) => error.ckErrorCode)], [0, ["CONFLICT", "ATOMIC_ERROR"]],
        "an atomic batch");
    const one = await database.saveRecords(both, { zoneID, atomic: false });
    same([names(one), one.errors.map((error) => error.ckErrorCode)], [["new"], ["CONFLICT"]], "a batch that is not");
    // Records know their zone: nothing has to be said twice.
    const [changed] = records(await database.saveRecords({ ...kept, fields: { n: 1 } }));
    same(records(await database.fetchRecords(changed))[0].fields.n.value, 1, "by the record's own zone");
    const elsewhere = { recordName: "x", zoneID: "Other" };
    await fails(database.fetchRecords([changed, elsewhere]), "INVALID_ARGUMENTS", "two zones");
    await fails(database.saveRecords([changed, { recordType }]), "INVALID_ARGUMENTS", "a zone and the default zone");
    const [own] = records(await database.saveRecords({ recordType: unique("Plain") }));
    same((await database.fetchRecords(["nobody", own])).records, [own], "the default zone, by its name and without");
    records(await database.deleteRecords(["nobody", own]));
    same(names(await database.performQuery({ recordType })), [], "in the default zone");
    same(names(await database.performQuery({ recordType }, { zoneWide: true })).length, 2, "in all zones");
    const counts = [{}, { zoneID }, { zoneWide: true }].map((options) => database.countRecords({ recordType }, options));
    same(await Promise.all(counts), [0, 2, 2], "counts in zones");
    records(await database.deleteRecords(changed));
    same(names(await database.performQuery({ recordType }, { zoneID })), ["new"], "what is left in the zone");
    await database.deleteRecordZones(zoneID);
});

scenario("takes a zone by its name, and never the default zone in its place", async ({ container }) => {
    const database = container.privateCloudDatabase;
    const zoneName = unique("Named");
    const recordType = unique("Named");
    await database.saveRecordZones(zoneName);
    records(await database.saveRecords({ recordType, recordName: "default" }));
    const [made] = records(await database.saveRecords({ recordType, recordName: "zone" }, { zoneName }));
    same(made.zoneID.zoneName, zoneName, "the zone of what was saved");
    const query = { recordType };
    same(names(await database.performQuery(query, { zoneName })), ["zone"], "a query");
    same(await database.countRecords(query, { zoneName }), 1, "a count");
    same(names(await database.fetchRecords("zone", { zoneName })), ["zone"], "a record by its name");
    same((await database.fetchRecords("zone")).errors[0].ckErrorCode, "NOT_FOUND", "the default zone has another one");
    const live = [];
    const followed = database.liveQuery(query, ({ records: found }) => live.push(found.length), { zoneName });
    await until(() => live.length > 0, "a live query");
    same([live[0], followed.records.map(({ recordName }) => recordName)], [1, ["zone"]], "what is followed");
    followed.close();
    const counts = [];
    const counted = database.liveCount(query, (count) => counts.push(count), { zoneName });
    await until(() => counts.length > 0, "a live count");
    same(counts, [1], "what is counted");
    counted.close();
    const owned = { zoneName, ownerRecordName: made.zoneID.ownerRecordName };
    same(names(await database.performQuery(query, owned)), ["zone"], "with its owner");
    same(names(await database.performQuery(query, { zoneID: zoneName, zoneName })), ["zone"], "by both names");
    await fails(database.performQuery(query, { zoneID: "Other", zoneName }), "INVALID_ARGUMENTS", "two zones");
    for (const place of [{ zoneName }, { zoneID: zoneName }, { zoneID: { zoneName } }]) {
        await fails(database.performQuery({ ...query, ...place }), "INVALID_ARGUMENTS", "a zone in the query");
        await fails(database.countRecords({ ...query, ...place }), "INVALID_ARGUMENTS", "a zone in a counted query");
    }
    await fails(database.performQuery(query, { zoneName: 7 }), "INVALID_ARGUMENTS", "a number");
    const page = await database.performQuery(query, { zoneName, resultsLimit: 1 });
    same(page.zoneID.zoneName, zoneName, "the zone of a page");
    records(await database.deleteRecords("zone", { zoneName }));
    same(names(await database.performQuery(query)), ["default"], "the default zone is as it was");
    await database.deleteRecordZones(zoneName);
});

scenario("has CloudKit JS's names of what it does not need", async ({ CloudKit, container }) => {
    same(CloudKit.BUILD_VERSION, CloudKit.VERSION, "the build");
    same(container.apnsEnvironment, "development", "the environment of pushes");
    check(CloudKit.Promise === Promise && typeof CloudKit.fetch === "function", "what the configuration may replace");
    same(CloudKit.AppleIDButtonTheme.WHITE_WITH_OUTLINE, "WHITE_WITH_OUTLINE", "a theme");
    same(CloudKit.SubscriptionType.RECORD_ZONE, CloudKit.SubscriptionType.ZONE, "two names of one type");
});

scenario("changes subscriptions in a batch", { needs: "subscriptions/modify" }, async ({ container }) => {
    const database = container.privateCloudDatabase;
    const [a, b, c] = [unique("s"), unique("s"), unique("s")];
    const make = (subscriptionID) => ({ subscriptionID, subscriptionType: "database" });
    const made = await database.newSubscriptionsBatch().create(make(a)).create([make(b), make(c)]).commit();
    same([made.errors, made.subscriptions.map(({ subscriptionID }) => subscriptionID)], [[], [a, b, c]], "made");
    const gone = await database.newSubscriptionsBatch().delete(a).delete([make(b), c]).commit();
    same([gone.errors, gone.subscriptions.map(({ deleted }) => deleted)], [[], [true, true, true]], "deleted");
    check(await database.newSubscriptionsBatch().commit().then(() => true, (error) => error.isCKError), "an empty batch");
    let error;
    try { database.newSubscriptionsBatch().delete({}); } catch (thrown) { error = thrown; }
    same(error?.ckErrorCode, "INVALID_ARGUMENTS", "a subscription without a name");
});

scenario("follows changes by tokens", async ({ CloudKit, container }) => {
    const database = container.privateCloudDatabase;
    const zoneID = unique("Changes");
    const recordType = unique("Change");
    let known = await database.fetchDatabaseChanges();
    while (known.moreComing) known = await database.fetchDatabaseChanges({ syncToken: known.syncToken });
    await database.saveRecordZones(zoneID);
    const saved = records(await database.saveRecords(
        ["a", "b", "c"].map((recordName) => ({ recordType, recordName, fields: { n: 1, m: 2 } })), { zoneID }));
    const changed = await database.fetchDatabaseChanges({ syncToken: known.syncToken });
    same(changed.zones.map((zone) => [zone.zoneID.zoneName, zone.deleted]), [[zoneID, false]], "changed zones");
    check(changed instanceof CloudKit.DatabaseChangesResponse, "a DatabaseChangesResponse");

    const all = await database.fetchRecordZoneChanges(changed.zones);
    same(all.zones[0].records.map((record) => record.recordName), ["a", "b", "c"], "all records");
    const part = await database.fetchRecordZoneChanges({ zoneID, resultsLimit: 2, desiredKeys: ["m"] });
    same([part.zones[0].records.length, part.zones[0].moreComing], [2, true], "a part");
    same(Object.keys(part.zones[0].records[0].fields), ["m"], "desired keys");
    const rest = await database.fetchRecordZoneChanges({ zoneID, syncToken: part.zones[0].syncToken });
    same(rest.zones[0].records.map((record) => record.recordName), ["c"], "the rest");
    const none = await database.fetchRecordZoneChanges({ zoneID, desiredRecordTypes: ["Other"] });
    same(none.zones[0].records, [], "records of other types");
    records(await database.deleteRecords(saved[0]));
    const after = await database.fetchRecordZoneChanges([{ zoneID, syncToken: rest.zones[0].syncToken }]);
    same(after.zones[0].records.map(({ recordName, deleted }) => [recordName, deleted]), [["a", true]], "a deletion");
    const unknown = await database.fetchRecordZoneChanges([{ zoneID: "nowhere" }, { zoneID }]);
    same(unknown.errors.map((error) => error.ckErrorCode), ["ZONE_NOT_FOUND"], "an unknown zone");
    same(unknown.zones.length, 1, "the other zone");
    await database.deleteRecordZones(zoneID);
    const gone = await database.fetchDatabaseChanges({ syncToken: changed.syncToken });
    same(gone.zones.map((zone) => [zone.zoneID.zoneName, zone.deleted]), [[zoneID, true]], "a deleted zone");
});

scenario("ends a request when its signal says so", async ({ database }) => {
    const controller = new AbortController();
    const answer = database.countRecords({ recordType: "Any" }, { signal: controller.signal });
    controller.abort();
    same((await rejection(answer, "an aborted request")).name, "AbortError", "the reason");
    const reason = new Error("enough");
    const early = await rejection(
        database.performQuery({ recordType: "Any" }, { signal: AbortSignal.abort(reason) }), "an aborted query");
    check(early === reason, "the signal's own reason");
});

scenario("refuses wrong tokens with the server's words", async ({ connect }) => {
    const wrong = "0".repeat(64);
    const noApp = connect({ apiToken: wrong }).publicCloudDatabase.countRecords({ recordType: "Any" });
    const error = await fails(noApp, "AUTHENTICATION_FAILED", "a wrong API token");
    check(error.isServerError && !error.isServerExtensionError, "a server's error");
    // A token of a user who is not signed in any more: the page offers to sign in.
    const signedOut = connect({ ckWebAuthToken: wrong });
    const count = signedOut.publicCloudDatabase.countRecords({ recordType: "Any" });
    await fails(count, "AUTHENTICATION_REQUIRED", "a wrong web auth token");
    same(await signedOut.setUpAuth(), null, "nobody is signed in");
});

scenario("tells when there is no server", async ({ connect }) => {
    // Port 9 is refused by browsers, and listened to by nobody.
    const nowhere = connect({ url: "http://127.0.0.1:9" }).publicCloudDatabase;
    const error = await fails(nowhere.performQuery({ recordType: "Any" }), "NETWORK_ERROR", "no server");
    check(!error.isServerError && error.cause !== undefined, "the cause is kept");
});

/** The bytes behind an asset. */
async function download(CloudKit, asset) {
    const url = CloudKit.assetURL(asset, "my file.bin");
    check(url.includes("my%20file.bin") && !url.includes("${f}"), "the file's name is in its address");
    const answer = await fetch(url);
    same(answer.status, 200, "the download's status");
    return new Uint8Array(await answer.arrayBuffer());
}

const bytesOf = (count, seed) => Uint8Array.from({ length: count }, (_, index) => (index * 31 + seed) % 256);

scenario("sends files, and reads them back", { needs: "assets/upload" }, async ({ CloudKit, database, container }) => {
    const recordType = unique("File");
    const photo = bytesOf(200_000, 7);
    const list = [bytesOf(10, 1), bytesOf(0, 0), bytesOf(70_000, 3)];
    const progress = [];
    const [saved] = records(await database.saveRecords({
        recordType,
        fields: {
            photo: new Blob([photo], { type: "multipart/form-data" }), list: list.map((bytes) => new Blob([bytes])),
        },
    }, { onProgress: (step) => progress.push(step) }));
    same([saved.fields.photo.type, saved.fields.list.type], ["ASSETID", "ASSETID_LIST"], "types");
    const [found] = records(await database.fetchRecords(saved));
    same(Array.from(await download(CloudKit, found.fields.photo.value)), Array.from(photo), "the photo");
    for (const [index, asset] of found.fields.list.value.entries()) {
        same(asset.size, list[index].length, "the size in a list");
        same(Array.from(await download(CloudKit, asset)), Array.from(list[index]), "a file of a list");
    }
    const steps = progress.filter((step) => step.fieldName === "photo");
    same(steps.at(-1), { recordName: saved.recordName, fieldName: "photo", sent: 200_000, total: 200_000 }, "progress");
    check(steps.every((step, index) => index === 0 || step.sent >= steps[index - 1].sent), "progress only grows");

    // Saving what was read keeps the file.
    found.fields.title = { value: "kept" };
    const [kept] = records(await database.saveRecords(found));
    same(Array.from(await download(CloudKit, kept.fields.photo.value)), Array.from(photo), "the photo after an update");

    const [copy] = records(await database.saveRecords(
        { recordType, fields: { photo: { value: { recordName: saved.recordName, fieldName: "photo" } } } }));
    const [copied] = records(await database.fetchRecords(copy));
    same(Array.from(await download(CloudKit, copied.fields.photo.value)), Array.from(photo), "a file used again");
    const [asset] = await database.assetRereference([{ recordName: saved.recordName, fieldName: "photo" }]);
    same(asset.size, photo.length, "assetRereference");
    const [pair] = records(await database.saveRecords({
        recordType, fields: {
            list: { value: [{ recordName: saved.recordName, fieldName: "list" }, new Blob([photo])] },
        },
    }));
    same(pair.fields.list.value.map(({ size }) => size), [...list, photo].map(({ length }) => length), "a list used again");
    const missing = database.assetRereference([{ recordName: "nobody", fieldName: "photo" }]);
    await fails(missing, "NOT_FOUND", "a file of nobody's");

    const controller = new AbortController();
    const photoOf = (bytes) => ({ photo: new Blob([bytes]) });
    const given = { recordType, recordName: `${recordType}-aborted`, fields: photoOf(bytesOf(3_000_000, 1)) };
    const aborted = database.saveRecords(given, { signal: controller.signal, onProgress: () => controller.abort() });
    same((await rejection(aborted, "an aborted upload")).name, "AbortError", "an aborted upload");
    same((await database.fetchRecords(given)).errors.length, 1, "what was aborted is not saved");

    const untyped = database.newRecordsBatch().forceUpdate({ recordName: "x", fields: { photo: new Blob(["x"]) } });
    await fails(untyped.commit(), "INVALID_ARGUMENTS", "a file without a record type");
    const own = records(await container.privateCloudDatabase.saveRecords(
        { recordType, fields: { photo: new File([photo], "photo.jpg", { type: "image/jpeg" }) } }))[0];
    same(Array.from(await download(CloudKit, own.fields.photo.value)), Array.from(photo), "a file in private");
});

/** Waits until a condition holds. */
async function until(condition, what) {
    for (let tries = 0; tries < 1_000; tries += 1) {
        if (condition()) return;
        await new Promise((resolve) => { setTimeout(resolve, 20); });
    }
    throw new Error(`${what} did not come about`);
}

scenario("tells subscriptions of records that cross their query", { needs: "subscriptions/modify" }, async (
    { CloudKit, container },
) => {
    const database = container.privateCloudDatabase;
    const recordType = unique("Told");
    records(await database.saveRecords({ recordType, recordName: `${recordType}-0`, fields: { n: { value: 0 } } }));
    const query = {
        recordType, filterBy: [{ fieldName: "n", comparator: "GREATER_THAN", fieldValue: { value: 5 } }],
    };
    const subscriptionID = unique("s");
    const saved = await database.saveSubscriptions({
        subscriptionID, subscriptionType: "query", query, firesOn: ["create", "update"],
        notificationInfo: { additionalFields: ["n"], alertBody: "new" },
    });
    same(saved.errors, [], "errors");
    same((await database.fetchSubscriptions(subscriptionID)).subscriptions.length, 1, "the subscription");
    const told = [];
    container.addNotificationListener((notification) => told.push(notification));
    await container.registerForNotifications();
    check(container.isRegisteredForNotifications, "the container is registered");
    const change = async (n) => records(await database.newRecordsBatch().forceUpdate(
        { recordType, recordName: `${recordType}-0`, fields: { n: { value: n } } }).commit());
    await change(3);
    await change(9);
    await change(12);
    await until(() => told.length >= 2, "two notifications");
    same(told.map(({ recordFields }) => recordFields.n), [9, 12], "what was told, in order");
    check(told[0] instanceof CloudKit.QueryNotification, "a notification of a query");
    same(told[0].queryNotificationReason, "RECORD_UPDATED", "the reason");
    same(told[0].recordName, `${recordType}-0`, "the record");
    await container.unregisterForNotifications();
    same((await database.deleteSubscriptions(subscriptionID)).errors, [], "errors of the deletion");
    const all = await database.fetchAllSubscriptions();
    check(!all.subscriptions.some((one) => one.subscriptionID === subscriptionID), "the subscription is gone");
});

scenario("ends what it receives when its user signs out", { needs: "tokens/create" }, async ({ connect }) => {
    const container = connect();
    const { publicKey } = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
    const base64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
        .replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
    const keys = { p256dh: base64(await crypto.subtle.exportKey("raw", publicKey)), auth: base64(new Uint8Array(16)) };
    let subscription;
    const endpoint = `https://push.example.org/${unique("push")}`;
    const worker = { pushManager: {
        getSubscription: async () => subscription,
        subscribe: async () => (subscription = {
            toJSON: () => ({ endpoint, keys }),
            unsubscribe: async () => { subscription = undefined; return true; },
        }),
    } };
    await container.registerForPush(worker);
    same(await container.unregisterForPush(worker), true, "there was a subscription");
    same(await container.unregisterForPush(worker), false, "there is none any more");
    await container.registerForPush(worker);
    await container.registerForNotifications();
    await container.signOut();
    check(!container.isRegisteredForNotifications, "notifications ended");
    same(subscription, undefined, "the browser's subscription");
});

scenario("follows a live query", { needs: "subscriptions/modify" }, async ({ database }) => {
    const recordType = unique("Live");
    const [first, second] = await fill(database, recordType, 2);
    const query = { recordType, sortBy: [{ fieldName: "n" }], predicate: "n < 100" };
    const updates = [];
    const live = database.liveQuery(query, (update) => updates.push(update));
    const shown = () => live.records.map(({ recordName }) => recordName).join();
    await until(() => shown() === `${first},${second}`, "the first page");
    const change = async (recordName, n) => records(await database.newRecordsBatch().forceUpdate(
        { recordType, recordName, fields: { n: { value: n } } }).commit());
    await change(first, 50);
    await until(() => shown() === `${second},${first}`, "another order");
    await change(second, 200);
    await until(() => shown() === first, "a record that left");
    same(updates.map(({ change }) => change.type), ["fetched", "changed", "removed"], "changes");
    live.close();
    await live.closed;
    await change(second, 1);
    same(updates.length, 3, "nothing is told after closing");
    const refused = database.liveQuery({ recordType: "NoSuchType" }, () => undefined);
    await fails(refused.closed, "NOT_FOUND", "a live query of no type");
});

scenario("follows the first of many records, and fetches the next when few are left", { needs: "subscriptions/modify" }, async (
    { database },
) => {
    const recordType = unique("Many");
    const all = await fill(database, recordType, 12);
    const updates = [];
    const live = database.liveQuery(
        { recordType, sortBy: [{ fieldName: "n" }], predicate: "n < 1000" }, (update) => updates.push(update),
        { resultsLimit: 4 });
    const shows = (recordNames, what) => until(
        () => live.records.map(({ recordName }) => recordName).join() === recordNames.join(), what);
    await shows(all.slice(0, 4), "the first page");
    const change = async (recordName, n) => records(await database.newRecordsBatch().forceUpdate(
        { recordType, recordName, fields: { n: { value: n } } }).commit());
    // The last one moves up: the border stays where it was.
    await change(all[3], 1);
    await shows([all[0], all[1], all[3], all[2]], "the last before the third");
    await change(all[3], 2);
    await shows(all.slice(0, 4), "after the third, within the border");
    await change(all[3], 5000);
    await shows(all.slice(0, 3), "without the last");
    await change(all[3], 3);
    await shows(all.slice(0, 4), "the last one again");
    await change(all[3], 500);
    await shows(all.slice(0, 3), "one after the border");
    await change(all[0], 5000);
    await change(all[1], 5000);
    await shows([all[2], ...all.slice(4, 7)], "the next page, when one was left");
    same(updates.filter(({ change }) => change.type === "fetched").length, 2, "pages");
    for (let n = 0; n < 5; n += 1) await change(`${recordType}-new-${n}`, -5 + n);
    await shows([0, 1, 2, 3].map((n) => `${recordType}-new-${n}`), "no more than the limit, when there were twice as many");
    live.close();
    await live.closed;
});

scenario("follows a number of records", { needs: "subscriptions/modify" }, async ({ database }) => {
    const recordType = unique("Count");
    const [first, second] = await fill(database, recordType, 2);
    const counts = [];
    const live = database.liveCount({ recordType, predicate: "n < 100" }, (count) => counts.push(count));
    await until(() => live.count === 2, "the first number");
    const change = async (recordName, n) => records(await database.newRecordsBatch().forceUpdate(
        { recordType, recordName, fields: { n: { value: n } } }).commit());
    await change(first, 50);
    await change(second, 200);
    await until(() => live.count === 1, "a record that left");
    same(counts, [2, 1], "a change within the result is no news");
    live.close();
    await live.closed;
    await change(second, 1);
    same(counts, [2, 1], "nothing is told after closing");
    const refused = database.liveCount({ recordType: "NoSuchType" }, () => undefined);
    await fails(refused.closed, "NOT_FOUND", "a live count of no type");
});

addSharing({ scenario, check, same, fails, records, names, unique });

/**
 * All scenarios, ready to run.
 *
 * @param CloudKit the module's default export
 * @param {object} settings url, container, apiToken, webAuthToken, guestToken, endpoints: `url` only where the module cannot
 *     know it; `guestToken` of another user; `endpoints` what the server serves
 * @returns {{name: string, skip: string | false, run: () => Promise<void>}[]}
 */
export function suite(CloudKit, settings) {
    const connect = ({ url = settings.url, ...tokens } = {}) => CloudKit.configure({
        url,
        containers: [{
            containerIdentifier: settings.container,
            environment: "development",
            apiTokenAuth: { apiToken: settings.apiToken, ckWebAuthToken: settings.webAuthToken, ...tokens },
        }],
    }).getDefaultContainer();
    return scenarios.map(({ name, needs, run }) => ({
        name,
        skip: needs && !settings.endpoints.some((path) => path.endsWith(needs)) && `the server has no ${needs}`,
        run: async () => {
            const guest = connect({ ckWebAuthToken: settings.guestToken });
            const container = connect();
            await run({ CloudKit, settings, connect, container, guest, database: container.publicCloudDatabase });
        },
    }));
}
