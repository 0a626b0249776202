// What a developer writes against the declarations of cloudkit.js, compiled by scripts/tests/typescript.py and then
// run against a live server: every exported name is used once, and what must not compile is marked as an error.

import CloudKit, {
    CKError, CloudKit as named, Container, Database, DatabaseChangesResponse, QueryResponse, RecordZoneChangesResponse,
    LiveCount, LiveQuery, Notification, QueryNotification, RecordInfosResponse, RecordZoneNotification, RecordZonesBatchBuilder,
    RecordZonesResponse,
    RecordsBatchBuilder, RecordsResponse, SubscriptionsBatchBuilder, SubscriptionsResponse,
} from "/cloudkit.js";
import type {
    Asset, AssetRereference, AuthTokenStore, Comparator, Configuration, ContainerConfiguration, CountOptions, DatabaseChangesOptions,
    DatabaseScope, DeleteOptions, DeletedRecord, DiscoveredUsers, Environment, ErrorCode, FieldType, FieldValue, FieldValueInput, LiveUpdate,
    Location, NameComponents, NotificationInfo, Query, QueryFilter, QueryOptions, QuerySort, Record, RecordField, RecordFieldInput, RecordInput,
    RecordInfo, RecordLike, RecordOptions, RecordStamp, RecordZone, RecordZoneChanges, RecordZoneChangesOptions, Reference,
    ReferenceAction, RequestOptions, SaveOptions, Share, ShareParticipant, ShareParticipantAcceptanceStatus, ShareParticipantInput,
    ShareParticipantPermission, ShareParticipantType, SharingUIOptions, SharingUIResult, ShortGUID, ShortGUIDLike, Subscription, SystemFieldName, UploadProgress, UserIdentity, UserLookupInfo, ZoneID, ZoneLike,
    ZoneOptions,
} from "/cloudkit.js";

interface Settings { url: string; container: string; apiToken: string; webAuthToken: string }

function check(truth: boolean, sentence: string): asserts truth {
    if (!truth) throw new Error(sentence);
}

// -------------------------------------------------------------------------------------------------------- Configuring

function connect({ url, container, apiToken, webAuthToken }: Settings): Container {
    const environment: Environment = CloudKit.DEVELOPMENT_ENVIRONMENT;
    const first: ContainerConfiguration = {
        containerIdentifier: container, environment, apiTokenAuth: { apiToken, ckWebAuthToken: webAuthToken },
    };
    const other: ContainerConfiguration = {
        containerIdentifier: "iCloud.other", environment: CloudKit.PRODUCTION_ENVIRONMENT, url,
        apiTokenAuth: { apiToken, persist: false, signInButton: { id: "in", theme: CloudKit.AppleIDButtonTheme.BLACK }, signOutButton: { id: "out" } },
    };
    const kept = new Map<string, string | null>();
    const authTokenStore: AuthTokenStore = {
        putToken(containerIdentifier, token) { kept.set(containerIdentifier, token); },
        getToken: async (containerIdentifier) => kept.get(containerIdentifier),
    };
    const configuration: Configuration = {
        containers: [first, other], url, services: { fetch, authTokenStore }, locale: "de-AT",
    };
    const made: Container = CloudKit.configure(configuration).getDefaultContainer();
    const found: Container | undefined = CloudKit.getContainer("iCloud.other");
    check(found?.environment === "production" && CloudKit.getAllContainers().length === 2, "containers");
    check(made.containerIdentifier === container && named === CloudKit, "the default container");
    check(CloudKit.WS_API_VERSION === "1" && CloudKit.VERSION.length > 0, "versions");
    check(CloudKit.BUILD_VERSION === CloudKit.VERSION && made.apnsEnvironment === environment, "the build");
    check(CloudKit.fetch === fetch && CloudKit.Promise === Promise, "what the configuration replaces");
    return made;
}

async function signIn(container: Container): Promise<void> {
    const identity: UserIdentity | null = await container.setUpAuth();
    check(identity !== null, "somebody is signed in");
    const again: UserIdentity = await container.whenUserSignsIn();
    const people: UserIdentity[] = (await container.discoverUserIdentityWithEmailAddress("ada@example.org")).users;
    const all: DiscoveredUsers = await container.discoverAllUserIdentities({ resultsLimit: 10 });
    const itself = await container.discoverUserIdentityWithUserRecordName("_0123456789abcdef0123456789abcdef");
    const numbered = await container.discoverUserIdentityWithPhoneNumber("+43 1 234");
    const infos: UserLookupInfo[] = [{ emailAddress: "ada@example.org" }, { phoneNumber: "+43 1 234" }];
    const several: DiscoveredUsers = await container.discoverUserIdentities(infos);
    people.push(...all.users, ...itself.users, ...numbered.users, ...several.users);
    const asked: UserIdentity = await container.fetchCurrentUserIdentity({ signal: new AbortController().signal });
    const components: NameComponents | undefined = asked.nameComponents;
    check(components?.givenName === undefined || components.givenName.length > 0, "a name");
    check(identity.userRecordName === again.userRecordName, "the same user");
}

async function signOut(container: Container): Promise<void> {
    const out: Promise<void> = container.whenUserSignsOut();
    await container.signOut();
    await out;
}

// ------------------------------------------------------------------------------------------------------------ Records

/** A record with a field of every type. */
function everyType(recordType: string, signal: AbortSignal): { record: RecordInput; options: SaveOptions } {
    const action: ReferenceAction = CloudKit.ReferenceAction.NONE;
    const owner: Reference = { recordName: "owner", action };
    const place: Location = { latitude: 52.52, longitude: 13.405 };
    const text: FieldValueInput = "Ada";
    const time: RecordFieldInput = { value: Date.now(), type: "TIMESTAMP" };
    const bytes: RecordFieldInput = { value: "SGFsbG8=", type: "BYTES" };
    const record: RecordInput = {
        recordName: `${recordType}-1`, recordType,
        fields: {
            text, time, bytes, owner, place, number: 7, half: { value: 0.5 }, yes: true, nothing: null,
            words: ["a", "b"], file: new Blob(["bytes"]),
        },
    };
    const onProgress = ({ recordName, fieldName, sent, total }: UploadProgress): void => {
        check(sent <= total && fieldName === "file" && recordName === `${recordType}-1`, "progress");
    };
    return { record, options: { atomic: true, desiredKeys: ["text", "file"], onProgress, signal } };
}

async function save(database: Database, recordType: string): Promise<Record> {
    const { record, options } = everyType(recordType, new AbortController().signal);
    const response: RecordsResponse = await database.saveRecords([record], options);
    if (response.hasErrors) throw response.errors[0];
    check(response.isResponse, "a response");
    const [saved] = response.records;
    const stamp: RecordStamp = saved.created;
    const field: RecordField = saved.fields.file;
    const type: FieldType = field.type;
    const asset: Asset = field.value;
    const value: FieldValue = saved.fields.text.value;
    check(type === "ASSETID" && value === "Ada" && stamp.timestamp > 0 && asset.size === 5, "what was saved");
    const address: string | undefined = CloudKit.assetURL(asset, "greeting.txt");
    check(address === undefined || address.startsWith("http"), "an address");
    return saved;
}

async function query(database: Database, recordType: string): Promise<void> {
    const comparator: Comparator = CloudKit.QueryFilterComparator.GREATER_THAN_OR_EQUALS;
    const systemFieldName: SystemFieldName = "createdTimestamp";
    const filter: QueryFilter = { comparator, fieldName: "number", fieldValue: { value: 1 } };
    const sort: QuerySort = { systemFieldName, ascending: false };
    const wanted: Query = { recordType, filterBy: [filter], sortBy: [sort], predicate: "text != 'Eve'" };
    const options: QueryOptions = { resultsLimit: 1, zoneWide: false, desiredKeys: ["number"], numbersAsStrings: true };
    let page: QueryResponse = await database.performQuery(wanted, options);
    const seen = page.records.map((record) => record.fields.number.value as string);
    check(page.query.recordType === recordType && page.resultsLimit === 1 && page.numbersAsStrings === true, "a page");
    check(page.zoneID === undefined && page.zoneWide === false && page.desiredKeys?.length === 1, "its options");
    while (page.moreComing) {
        const marker: string | null = page.continuationMarker;
        check(marker !== null, "a marker");
        page = await database.performQuery(page);
        seen.push(...page.records.map((record) => record.fields.number.value as string));
    }
    const counting: CountOptions = { zoneWide: false };
    const count: number = await database.countRecords(wanted, counting);
    check(count === seen.length && count === 2, `records: ${count}, ${seen}`);
}

async function change(database: Database, recordType: string, saved: Record): Promise<void> {
    const batch: RecordsBatchBuilder = database.newRecordsBatch({ atomic: false });
    const more = (name: string): RecordInput => ({ recordName: `${recordType}-${name}`, recordType, fields: { number: 1 } });
    await database.saveRecords({ recordType: "A", fields: { at: new Date(), many: 9007199254740993n } });
    batch.create(more("2"), { desiredKeys: ["number"] }).createOrUpdate([more("3")]).forceUpdate(more("4"))
        .forceReplace(more("5")).update({ ...saved, fields: { number: 8 } });
    const made: RecordsResponse<Record | DeletedRecord> = await batch.commit();
    check(made.errors.length === 0, String(made.errors[0]));
    const tags: RecordLike[] = made.records.slice(0, 2).map((record) => (
        { recordName: record.recordName, recordChangeTag: record.deleted ? "" : record.recordChangeTag }));
    const [second, third] = tags as { recordName: string; recordChangeTag: string }[];
    const removal = await database.newRecordsBatch().replace({ ...third, fields: {} }).delete(second)
        .forceDelete([`${recordType}-4`, `${recordType}-5`]).commit();
    const gone = removal.records.filter((record): record is DeletedRecord => record.deleted === true);
    check(gone.length === 3, "deleted records");
    const fetching: RecordOptions = { desiredKeys: ["text"], numbersAsStrings: false };
    const fetched = await database.fetchRecords([saved.recordName, `${recordType}-4`], fetching);
    check(fetched.records.length === 1 && fetched.errors[0].recordName === `${recordType}-4`, "fetched records");
}

async function reuse(database: Database, recordType: string, saved: Record): Promise<void> {
    const source: AssetRereference = { recordName: saved.recordName, fieldName: "file" };
    const place: ZoneOptions = {};
    // The files of a list come together, a single one alone.
    const values: (Asset | Asset[])[] = await database.assetRereference(source, place);
    const copy: RecordInput = { recordType, recordName: `${recordType}-copy`, fields: { file: values[0], number: 3 } };
    const response = await database.saveRecords([copy]);
    check(!response.hasErrors, String(response.errors[0]));
}

// -------------------------------------------------------------------------------------------------- Zones and changes

async function zones(database: Database, recordType: string): Promise<void> {
    const zoneID: ZoneID = { zoneName: `${recordType}-zone` };
    const likes: ZoneLike[] = [zoneID.zoneName, zoneID, { zoneID }, { zoneID: zoneID.zoneName }];
    const saved: RecordZonesResponse = await database.saveRecordZones(zoneID);
    check(!saved.hasErrors && saved.isResponse, "a zone is made");
    const batch: RecordZonesBatchBuilder = database.newRecordZonesBatch();
    await batch.create("passing").commit();
    await database.newRecordZonesBatch().delete("passing").commit();
    for (const like of likes) {
        const { zones: [zone] }: { zones: RecordZone[] } = await database.fetchRecordZones(like);
        check(zone.zoneID.zoneName === zoneID.zoneName, "the zone");
    }
    const signal: RequestOptions = { signal: new AbortController().signal };
    check((await database.fetchAllRecordZones(signal)).zones.length > 0, "all zones");

    await database.saveRecords({ recordType, recordName: "in-zone", zoneID, fields: { number: 1 } }, { zoneID });
    const asked: DatabaseChangesOptions = { resultsLimit: 100 };
    const changed: DatabaseChangesResponse = await database.fetchDatabaseChanges(asked);
    check(changed.syncToken.length > 0 && !changed.moreComing && changed.resultsLimit === 100, "changes of a database");
    check(changed.zones.some((zone) => zone.zoneID.zoneName === zoneID.zoneName && !zone.deleted), "its zones");
    const each: RecordZoneChangesOptions = { zoneID, desiredRecordTypes: [recordType] };
    const response: RecordZoneChangesResponse = await database.fetchRecordZoneChanges([each]);
    const changes: RecordZoneChanges = response.zones[0];
    check(changes.records.length === 1 && changes.errors.length === 0 && !changes.moreComing, "changes of a zone");
    const deleting: DeleteOptions = { zoneID, atomic: true };
    await database.deleteRecords("in-zone", deleting);
    const { zones: [after] } = await database.fetchRecordZoneChanges({ zoneID, syncToken: changes.syncToken });
    check(after.records[0].deleted === true, "a deleted record");
    await database.deleteRecordZones(likes[0]);
}

// ------------------------------------------------------------------------------------------------------------- Errors

async function errors(database: Database, recordType: string): Promise<void> {
    try {
        await database.performQuery({ recordType, predicate: "(" });
        check(false, "a broken predicate is refused");
    } catch (error) {
        if (!(error instanceof CKError)) throw error;
        const code: ErrorCode = error.ckErrorCode;
        check(code === CKError.BAD_REQUEST && error.isError && error.isCKError && error.isServerError, "a CKError");
        check(error.serverErrorCode === "BAD_REQUEST" && error.reason.length > 0 && error.uuid !== undefined, "its texts");
        check(error.exceededLimit === undefined, "it names the limit only where one was exceeded");
        check(!error.isServerExtensionError && error.extensionErrorCode === undefined, "no extension");
        const none: (string | number | undefined)[] = [
            error.retryAfter, error.redirectURL, error.recordName, error.zoneID?.zoneName, error.subscriptionID,
            error.serverRecord?.recordName,
        ];
        check(none.every((value) => value === undefined), `what the error does not tell: ${none}`);
        const json: { [key: string]: unknown } = error.toJSON();
        check(json.reason === error.reason && (error.remedy?.length ?? 1) > 0, "as JSON");
    }
    const own = new CKError({ reason: "no network" }, { code: CKError.NETWORK_ERROR, cause: new Error("cable") });
    check(own.ckErrorCode === "NETWORK_ERROR" && own.message === "no network", "an error of one's own");
}

async function tell(container: Container, recordType: string): Promise<void> {
    const database: Database = container.privateCloudDatabase;
    await database.saveRecords({ recordType, recordName: "told", fields: { number: 1 } });
    const notificationInfo: NotificationInfo = { alertBody: "new", additionalFields: ["number"] };
    const wanted: Subscription = {
        subscriptionID: "told", subscriptionType: CloudKit.SubscriptionType.QUERY, query: { recordType }, firesOn: ["create"], notificationInfo,
    };
    const response: SubscriptionsResponse = await database.saveSubscriptions([wanted]);
    check(response.subscriptions[0].subscriptionType === "query" && !response.hasErrors, "a subscription");
    check((await database.fetchAllSubscriptions()).subscriptions.length > 0, "all subscriptions");
    check((await database.fetchSubscriptions("told")).subscriptions.length === 1, "a subscription by name");
    const listener = (notification: Notification): void => {
        const texts: (string | undefined)[] = [
            notification.notificationID, notification.notificationType, notification.subscriptionID,
            notification.title, notification.titleLocalizationKey, notification.titleLocalizationArgs?.join(),
            notification.subtitle, notification.subtitleLocalizationKey, notification.subtitleLocalizationArgs?.join(),
            notification.alertBody, notification.alertLocalizationKey, notification.alertLocalizationArgs?.join(),
            notification.alertActionLocalizationKey, notification.alertLaunchImage, notification.soundName,
            notification.category, notification.zoneID?.zoneName, notification.containerIdentifier,
        ];
        check(texts.length > 0 && (notification.badge ?? 0) >= 0, "what is shown");
        check(!notification.isPublicDatabase && !notification.startAgain, "a private database");
        if (!(notification instanceof QueryNotification)) return;
        check(notification.queryNotificationReason === "RECORD_CREATED", "a reason");
        check(notification.recordName.length > 0 && notification.recordFields.number === 1, "a record");
    };
    container.addNotificationListener(listener);
    await container.registerForNotifications();
    check(container.isRegisteredForNotifications, "registered");
    container.whenNotificationsFail().then((error: CKError) => console.error(error.ckErrorCode));
    listener(CloudKit.parseRawNotification({ ck: { nid: "1", cid: "c", met: { dbs: 1, sid: "told" } } }));
    await container.unregisterForNotifications();
    container.removeNotificationListener(listener);
    const worker = await serviceWorker();
    const push: PushSubscription = await container.registerForPush(worker);
    check(push.endpoint.startsWith("https://"), "a registration for pushes");
    check(await container.unregisterForPush(worker), "an end of pushes");
    const first = await new Promise<LiveUpdate>((resolve) => {
        const live: LiveQuery = database.liveQuery({ recordType }, (update) => {
            check(live.records.length === update.records.length, "the records now");
            live.close();
            live.closed.then(() => resolve(update));
        });
    });
    const count = await new Promise<number>((resolve) => {
        const live: LiveCount = database.liveCount({ recordType }, (count) => {
            check(live.count === count, "the number now");
            live.close();
            live.closed.then(() => resolve(count));
        });
    });
    check(count === 1, "the number of records");
    check(first.records.length === 1 && first.change.type === "fetched", "the first page");
    check((await database.deleteSubscriptions("told")).subscriptions[0].deleted, "a deleted subscription");
    const batch: SubscriptionsBatchBuilder = database.newSubscriptionsBatch();
    check((await batch.create(wanted).delete("told-before").commit()).isResponse, "a batch of subscriptions");
}

/** Shares a record, and finds what its link opens. */
async function share(container: Container, recordType: string): Promise<void> {
    const database: Database = container.privateCloudDatabase;
    const zoneID = `Shared${recordType}`;
    await database.saveRecordZones(zoneID);
    const { records: [root] } = await database.saveRecords({ recordType, recordName: "root", createShortGUID: true }, { zoneID });
    const invited: ShareParticipantInput = {
        type: CloudKit.ShareParticipantType.USER, permission: "READ_ONLY", userIdentity: { lookupInfo: { emailAddress: "bob@example.org" } },
    };
    const permission: ShareParticipantPermission = CloudKit.ShareParticipantPermission.NONE;
    const { records: [saved] } = await database.saveRecords({
        recordType: CloudKit.ShareRecordType.NAME, forRecord: { recordName: root.recordName, recordChangeTag: root.recordChangeTag },
        fields: { [CloudKit.ShareRecordType.TITLE_FIELD_NAME]: "Shared" }, publicPermission: "NONE", participants: [invited], denyAccessRequests: true,
    }, { zoneID });
    const made = saved as Share;
    const bob: ShareParticipant = made.participants[1];
    const status: ShareParticipantAcceptanceStatus = bob.acceptanceStatus;
    const type: ShareParticipantType = bob.type;
    check(status === "INVITED" && type === "USER" && made.publicPermission === permission, "a share");
    const link: ShortGUID = { value: root.shortGUID ?? "", shouldFetchRootRecord: false };
    const given: ShortGUIDLike[] = [link, root, made.webpageURL ?? ""];
    const found: RecordInfosResponse = await container.fetchRecordInfos(given);
    const info: RecordInfo = found.results[0];
    check(found.results.length === 3 && info.rootRecordName === "root" && info.databaseScope === "PRIVATE", "what a link opens");
    check((await container.acceptShares(info)).results[0].participantType === "OWNER", "the owner's own share");
    check((await container.requestAccess("0".repeat(25))).results[0].shortGUID.value.length > 0, "a request");
    const options: SharingUIOptions = {
        record: root, zoneID, shareTitle: "Shared", shareType: "org.example.list", supportedAccess: ["PRIVATE"], supportedPermissions: "READ_ONLY",
    };
    const result: SharingUIResult | CKError = await database.shareWithUI(options).catch((error: CKError) => error);
    check(result instanceof CKError && result.ckErrorCode === CKError.CONFIGURATION_ERROR, "no page");
    const missing = await container.fetchRecordInfos("0".repeat(25));
    const error: CKError = missing.errors[0];
    check(error.ckErrorCode === CKError.NOT_FOUND && error.shortGUID?.value !== "" && !error.potentialMatchList, "a link to nothing");
    await database.deleteRecordZones(zoneID);
}

/** What a browser gives a page for its service worker, with keys as the browser makes them. */
async function serviceWorker(): Promise<ServiceWorkerRegistration> {
    const pair = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
    const key = await crypto.subtle.exportKey("raw", pair.publicKey);
    const text = (bytes: ArrayBuffer | Uint8Array): string =>
        btoa(String.fromCharCode(...new Uint8Array(bytes)))
            .replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
    const endpoint = "https://push.example.net/told";
    const keys = { p256dh: text(key), auth: text(crypto.getRandomValues(new Uint8Array(16))) };
    let kept: unknown = null;
    const subscribe = async (options: PushSubscriptionOptionsInit) => {
        check(options.userVisibleOnly === true && typeof options.applicationServerKey === "string", "the server's key");
        return kept = { endpoint, toJSON: () => ({ endpoint, keys }), unsubscribe: async () => true };
    };
    const getSubscription = async () => kept;
    return { pushManager: { subscribe, getSubscription } } as unknown as ServiceWorkerRegistration;
}

/** The classes are there as values, for `instanceof`. */
const classes = [
    [CloudKit.CKError, CKError], [CloudKit.Container, Container], [CloudKit.Database, Database],
    [CloudKit.RecordsBatchBuilder, RecordsBatchBuilder], [CloudKit.RecordZonesBatchBuilder, RecordZonesBatchBuilder],
    [CloudKit.QueryResponse, QueryResponse], [CloudKit.RecordsResponse, RecordsResponse],
    [CloudKit.RecordZonesResponse, RecordZonesResponse], [CloudKit.DatabaseChangesResponse, DatabaseChangesResponse],
    [CloudKit.RecordZoneChangesResponse, RecordZoneChangesResponse],
    [CloudKit.RecordInfosResponse, RecordInfosResponse],
    [CloudKit.SubscriptionsResponse, SubscriptionsResponse],
    [CloudKit.SubscriptionsBatchBuilder, SubscriptionsBatchBuilder],
    [CloudKit.LiveQuery, LiveQuery],
    [CloudKit.LiveCount, LiveCount],
    [CloudKit.Notification, Notification],
    [CloudKit.QueryNotification, QueryNotification],
    [CloudKit.RecordZoneNotification, RecordZoneNotification],
];

export async function run(settings: Settings): Promise<void> {
    for (const [member, exported] of classes) check(member === exported, "a class of the module");
    const container = connect(settings);
    await signIn(container);
    const scope: DatabaseScope = CloudKit.DatabaseScope.PUBLIC;
    const database: Database = container.getDatabaseWithDatabaseScope(scope);
    check(database === container.publicCloudDatabase && database.databaseScope === "PUBLIC", "the public database");
    check(database.containerIdentifier === settings.container, "its container");
    check(container.sharedCloudDatabase instanceof Database, "the shared database");
    const recordType = `Typed${Date.now().toString(36)}`;
    const saved = await save(database, recordType);
    await reuse(database, recordType, saved);
    await query(database, recordType);
    await change(database, recordType, saved);
    await zones(container.privateCloudDatabase, recordType);
    await errors(database, recordType);
    await tell(container, recordType);
    await share(container, recordType);
    await signOut(container);
}

// -------------------------------------------------------------------------------------------------------- Wrong uses

/** Never called: each line has to be refused by the compiler. */
export async function wrong(container: Container, database: Database, page: QueryResponse): Promise<void> {
    // @ts-expect-error: the environment has a fixed spelling
    CloudKit.configure({ containers: [{ containerIdentifier: "a", environment: "Production", apiTokenAuth: { apiToken: "" } }] });
    // @ts-expect-error: a container needs a token
    CloudKit.configure({ containers: [{ containerIdentifier: "a", environment: "production" }] });
    // @ts-expect-error: there may be no such container
    CloudKit.getContainer("a").signOut();
    // @ts-expect-error: databases are had from containers
    new Database();
    // @ts-expect-error: containers are configured
    new Container();
    // @ts-expect-error: responses come from the server
    new QueryResponse();
    // @ts-expect-error: the scope is one of three
    container.getDatabaseWithDatabaseScope("public");
    // @ts-expect-error: a query names its type
    await database.performQuery({ filterBy: [] });
    // @ts-expect-error: there is no such comparator
    await database.performQuery({ recordType: "A", filterBy: [{ comparator: "EQUAL", fieldName: "a", fieldValue: { value: 1 } }] });
    // @ts-expect-error: a filter's value stands in fieldValue
    await database.performQuery({ recordType: "A", filterBy: [{ comparator: "EQUALS", fieldName: "a", value: 1 }] });
    // @ts-expect-error: the option is called resultsLimit
    await database.performQuery({ recordType: "A" }, { limit: 10 });
    // @ts-expect-error: a query gives a page, not a list
    (await database.performQuery({ recordType: "A" })).length;
    // @ts-expect-error: a page is not changed
    page.continuationMarker = "x";
    // @ts-expect-error: counting gives a number
    (await database.countRecords({ recordType: "A" })).count;
    // @ts-expect-error: types have fixed names
    await database.saveRecords({ recordType: "A", fields: { at: { value: 1, type: "DATE" } } });
    // @ts-expect-error: a record to fetch has a name
    await database.fetchRecords({ recordType: "A" });
    // @ts-expect-error: a dialog of sharing needs the zone
    await database.shareWithUI({ record: { recordName: "a" } });
    // @ts-expect-error: there is no such permission
    await database.saveRecords({ recordType: "cloudkit.share", publicPermission: "WRITE" });
    // @ts-expect-error: sharing may have ended in the dialog
    (await database.shareWithUI({ zoneID: "Z" })).share.participants;
    // @ts-expect-error: a zone has a name
    await database.saveRecordZones({ name: "A" });
    // @ts-expect-error: changes are asked of a zone
    await database.fetchRecordZoneChanges({ syncToken: "x" });
    // @ts-expect-error: a batch is committed before it has records
    database.newRecordsBatch().create({ recordType: "A" }).records;
    // @ts-expect-error: nobody may be signed in
    (await container.setUpAuth()).userRecordName;
    // @ts-expect-error: an error's code is not changed
    page.errors[0].ckErrorCode = "CONFLICT";
    // @ts-expect-error: the address may not be known
    CloudKit.assetURL({ fileChecksum: "", size: 1 }).length;
    // @ts-expect-error: a page made of nothing is none
    const made: RecordsResponse = { records: [], errors: [], hasErrors: false };
    window.addEventListener("cloudkitloaded", () => window.CloudKit.getDefaultContainer());
    // @ts-expect-error: the global has the same types
    window.CloudKit.getDefaultContainer().database;
    return void made;
}
