// Sharing between two users through cloudkit.js: scenarios of the suite (suite.mjs), which gives its own means.

/** @param {object} means `scenario`, and the checks of the suite */
export function addSharing({ scenario, check, same, fails, records, names, unique }) {
    /** A zone with a list and an item below it. */
    async function makeList(database) {
        const zoneID = unique("Shared");
        same((await database.saveRecordZones({ zoneName: zoneID })).errors, [], "a zone");
        const [list] = records(await database.saveRecords(
            { recordType: "List", recordName: "list", createShortGUID: true, fields: { name: "Cafés" } }, { zoneID }));
        const [item] = records(await database.saveRecords(
            { recordType: "Item", recordName: "item", parent: { recordName: "list" }, fields: { text: "Olive" } }, { zoneID }));
        return { zoneID, list, item };
    }

    /** Shares a list with whoever has its link, with the permission to change it. */
    async function share(database, { zoneID, list }, members = { publicPermission: "READ_WRITE" }) {
        const [root] = records(await database.fetchRecords(list.recordName, { zoneID }));
        const { recordName, recordChangeTag } = root;
        const [made] = records(await database.saveRecords(
            { recordType: "cloudkit.share", forRecord: { recordName, recordChangeTag }, fields: {}, ...members }, { zoneID }));
        return made;
    }

    scenario("shares a list with another user, who changes it in the shared database", async ({ container, guest }) => {
        const database = container.privateCloudDatabase;
        const made = await makeList(database);
        const { zoneID, list } = made;
        check(/^[\w-]{20,}$/.test(list.shortGUID), `a short GUID: ${list.shortGUID}`);
        await share(database, made);

        const shared = guest.sharedCloudDatabase;
        const before = await guest.fetchRecordInfos([list.shortGUID]);
        same(before.errors, [], "what the link opens");
        const [info] = before.results;
        same([info.rootRecordName, info.zoneID.zoneName, info.databaseScope], ["list", zoneID, "SHARED"], "the record and its place");
        check(info.participantStatus !== "ACCEPTED", "not accepted yet");
        for (const link of [list.shortGUID, info.webpageURL, `${info.webpageURL}#Cafes`, `See ${info.webpageURL} for it`, info,
            { value: list.shortGUID, shouldFetchRootRecord: true }, { shortGUID: list.shortGUID }]) {
            same((await guest.fetchRecordInfos(link)).results.map(({ rootRecordName }) => rootRecordName), ["list"], `${JSON.stringify(link)}`);
        }
        const accepted = await guest.acceptShares(info);
        same([accepted.errors, accepted.results[0].participantStatus], [[], "ACCEPTED"], "accepting");
        same((await guest.acceptShares([list.shortGUID])).errors, [], "accepting twice");

        const place = { zoneID: info.zoneID };
        check((await shared.fetchAllRecordZones()).zones.some((zone) => zone.zoneID.zoneName === zoneID), "the zone is there");
        const [found] = records(await shared.fetchRecords("item", place));
        same(found.fields.text.value, "Olive", "a record below the list");
        found.fields.text.value = "Fig";
        records(await shared.saveRecords(found, place));
        records(await shared.saveRecords(
            { recordType: "Item", recordName: "guests", parent: { recordName: "list" }, fields: { text: "Bean" } }, place));
        same(names(await database.performQuery({ recordType: "Item", sortBy: [{ systemFieldName: "recordName" }] }, { zoneID })),
            ["guests", "item"], "what the owner sees");
        same(await shared.countRecords({ recordType: "Item" }, place), 2, "what the guest counts");
        const { zones: [changes] } = await shared.fetchRecordZoneChanges({ zoneID: info.zoneID });
        check(changes.records.some(({ recordName }) => recordName === "guests"), "a feed of the shared zone");

        // Without a parent a record would be nobody's who shares.
        const alone = await shared.saveRecords({ recordType: "Item", recordName: "alone", fields: {} }, place);
        same(alone.errors.map(({ ckErrorCode }) => ckErrorCode), ["ACCESS_DENIED"], "a record without a parent");
        // What a page saves as it was fetched has nothing in it that only the server writes.
        const [own] = records(await database.fetchRecords("list", { zoneID }));
        own.fields.name.value = "Cafés, more";
        records(await database.saveRecords(own, { zoneID }));

        // A record that leaves the list leaves the guest.
        const [item] = records(await database.fetchRecords("item", { zoneID }));
        const [moved] = records(await database.saveRecords({ ...item, parent: null }, { zoneID }));
        same(moved.parent, undefined, "no parent");
        same((await shared.fetchRecords("item", place)).errors[0].ckErrorCode, "NOT_FOUND", "what is not shared any more");
        await database.deleteRecordZones(zoneID);
        const gone = await guest.fetchRecordInfos(list.shortGUID);
        same([gone.results, gone.errors.map(({ ckErrorCode }) => ckErrorCode)], [[], ["NOT_FOUND"]], "a share that has gone");
        same(gone.errors[0].shortGUID.value, list.shortGUID, "which it was");
    });

    scenario("asks for access, and is let in", async ({ container, guest }) => {
        const database = container.privateCloudDatabase;
        const made = await makeList(database);
        const { zoneID } = made;
        const { shortGUID, recordName } = await share(database, made, { publicPermission: "NONE", denyAccessRequests: false });
        const asked = await guest.requestAccess([shortGUID, "0".repeat(25)]);
        same([asked.errors, asked.results.length], [[], 2], "the same for what there is and for what there is not");
        const [before] = records(await database.fetchRecords(recordName, { zoneID }));
        same(before.requesters.length, 1, "who asks");
        const { userRecordName } = before.requesters[0].userIdentity;
        const [after] = records(await database.saveRecords({
            ...before, participants: [...before.participants, { permission: "READ_ONLY", userIdentity: { lookupInfo: { userRecordName } } }],
        }, { zoneID }));
        same([after.requesters.length, after.participants.length, after.participants[1].isApprovedRequester], [0, 2, true], "who is let in");
        const again = await guest.requestAccess(shortGUID);
        same(again.errors.map(({ ckErrorCode }) => ckErrorCode), ["EXISTS"], "who asks again");
        same((await guest.acceptShares(shortGUID)).results[0].participantPermission, "READ_ONLY", "what the guest may do");
        await database.deleteRecordZones(zoneID);
    });

    scenario("reads what a link shows without an account, and changes nothing", async ({ container, connect }) => {
        const database = container.privateCloudDatabase;
        const made = await makeList(database);
        const { zoneID } = made;
        const open = await share(database, made, { publicPermission: "READ_WRITE", publicAnonymousAccess: true });
        const anybody = connect({ ckWebAuthToken: undefined });
        const shared = anybody.sharedCloudDatabase;
        const place = { zoneID: { zoneName: zoneID, ownerRecordName: open.owner.userIdentity.userRecordName } };
        await fails(shared.fetchRecords("item", place), "AUTHENTICATION_REQUIRED", "before the link");
        const { results: [info], errors } = await anybody.fetchRecordInfos(open.shortGUID);
        same([errors, info.zoneID.zoneName, info.zoneID.ownerRecordName], [[], zoneID, place.zoneID.ownerRecordName], "what the link opens");
        same(names(await shared.fetchRecords(["list", "item"], place)), ["list", "item"], "records by name");
        same(names(await shared.performQuery({ recordType: "Item" }, place)), ["item"], "a query");
        same((await shared.fetchRecordZoneChanges(place)).zones[0].records.some(({ recordName }) => recordName === "item"), true, "changes");
        const refused = await shared.saveRecords({ recordType: "Item", parent: { recordName: "list" } }, place).catch((error) => ({ errors: [error] }));
        check(["ACCESS_DENIED", "AUTHENTICATION_REQUIRED"].includes(refused.errors[0]?.ckErrorCode), `a change: ${refused.errors[0]}`);
        await database.deleteRecordZones(zoneID);
        // Without the owner's leave it needs an account.
        const other = await makeList(database);
        await share(database, other);
        const closed = await connect({ ckWebAuthToken: undefined }).fetchRecordInfos(other.list.shortGUID);
        same(closed.errors.map(({ ckErrorCode }) => ckErrorCode), ["AUTHENTICATION_REQUIRED"], "a share that is not for everybody");
        await database.deleteRecordZones(other.zoneID);
    });

    scenario("names the owner of a zone in the shared database", async ({ container }) => {
        const shared = container.sharedCloudDatabase;
        const calls = {
            performQuery: () => shared.performQuery({ recordType: "Item" }),
            countRecords: () => shared.countRecords({ recordType: "Item" }, { zoneID: "Z" }),
            fetchRecords: () => shared.fetchRecords("a", { zoneID: { zoneName: "Z" } }),
            saveRecords: () => shared.saveRecords({ recordType: "Item" }),
            deleteRecords: () => shared.deleteRecords("a", { zoneName: "Z" }),
            assetRereference: () => shared.assetRereference({ recordName: "a", fieldName: "f" }),
            fetchRecordZones: () => shared.fetchRecordZones("Z"),
            fetchRecordZoneChanges: () => shared.fetchRecordZoneChanges({ zoneID: "Z" }),
            liveQuery: async () => shared.liveQuery({ recordType: "Item" }, () => undefined, { zoneID: "Z" }),
            shareWithUI: () => shared.shareWithUI({ record: { recordName: "a" }, zoneID: "Z" }),
        };
        for (const [name, call] of Object.entries(calls)) {
            const error = await fails(call(), "INVALID_ARGUMENTS", name);
            check(/ownerRecordName/.test(error.reason), `${name} says what is missing: ${error.reason}`);
        }
    });

    scenario("refuses to share what cannot be shared, in a sentence", async ({ CloudKit, container }) => {
        const database = container.privateCloudDatabase;
        const record = { recordName: "a" };
        await fails(container.publicCloudDatabase.shareWithUI({ record, zoneID: "Z" }), "BAD_REQUEST", "the public database");
        for (const options of [undefined, null, {}, { record }, { record, zoneID: "Z", shareTitle: 7 }, { record, zoneID: "Z", shareThumbnail: new Blob([]) },  { record, zoneID: "_defaultZone" }, { record: {}, zoneID: "Z" }, { record, zoneID: 7 },
            { record, zoneID: "Z", supportedAccess: ["EVERYBODY"] }, { record, zoneID: "Z", supportedPermissions: [] }]) {
            await fails(database.shareWithUI(options), "INVALID_ARGUMENTS", JSON.stringify(options));
        }
        for (const given of ["", " ", null, {}, { value: "" }, [7]]) {
            await fails(container.fetchRecordInfos(given), "INVALID_ARGUMENTS", `a link that is ${JSON.stringify(given)}`);
        }
        same(CloudKit.ShareRecordType.NAME, "cloudkit.share", "the type");
        same(CloudKit.ShareParticipantPermission.READ_WRITE, "READ_WRITE", "a permission");
        same(CloudKit.ShareParticipantAcceptanceStatus.ACCEPTED, "ACCEPTED", "a status");
        same(CloudKit.ShareParticipantType.PRIVATE_USER, "PRIVATE_USER", "a type of participants");
    });
}
