// The types of cloudkit.js. Members marked (Stratus) are not in Apple's CloudKit JS.
// SPDX-License-Identifier: Apache-2.0

// -------------------------------------------------------------------------------------------------------- Dictionaries

export type Environment = "development" | "production";
export type DatabaseScope = "PUBLIC" | "PRIVATE" | "SHARED";
export type ReferenceAction = "NONE" | "DELETE_SELF" | "VALIDATE";

export interface ZoneID {
    zoneName: string;
    ownerRecordName?: string;
    zoneType?: "DEFAULT_ZONE" | "REGULAR_CUSTOM_ZONE";
}

export interface RecordZone {
    zoneID: ZoneID;
    syncToken?: string;
    atomic?: boolean;
    deleted?: boolean;
    /** The share of the whole zone, where there is one. */
    share?: Reference;
}

/** The name of a zone, its zoneID, or the zone itself. */
export type ZoneLike = string | ZoneID | { zoneID: string | ZoneID };

export interface Reference {
    recordName: string;
    action?: ReferenceAction;
    zoneID?: ZoneID;
}

/** Degrees on WGS 84; metres; metres per second; milliseconds since 1970. */
export interface Location {
    latitude: number;
    longitude: number;
    horizontalAccuracy?: number;
    verticalAccuracy?: number;
    altitude?: number;
    speed?: number;
    course?: number;
    timestamp?: number;
}

/** A stored file. `CloudKit.assetURL` makes an address of `downloadURL`. */
export interface Asset {
    fileChecksum: string;
    size: number;
    referenceChecksum?: string;
    wrappingKey?: string;
    receipt?: string;
    downloadURL?: string;
}

/** Another record's asset, to be used again without sending it. */
export interface AssetRereference {
    recordName: string;
    fieldName: string;
}

type ScalarType = "STRING" | "INT64" | "DOUBLE" | "TIMESTAMP" | "BYTES" | "REFERENCE" | "ASSETID" | "LOCATION";
export type FieldType = ScalarType | `${ScalarType}_LIST` | "UNKNOWN_LIST";

type Scalar = string | number | Reference | Asset | Location;
/** What a field holds: milliseconds for TIMESTAMP, base64 for BYTES. */
export type FieldValue = Scalar | Scalar[];

type ScalarInput = Scalar | boolean | Date | bigint | Blob | AssetRereference;
/**
 * What may be saved; null removes the field. A File is a Blob, a Date becomes a TIMESTAMP, a bigint an INT64. NaN and
 * Infinity are INVALID_ARGUMENTS, and so is a whole number beyond 2^53, which may have been rounded: give a bigint, or
 * the type DOUBLE.
 */
export type FieldValueInput = ScalarInput | ScalarInput[] | null;

/** A field as it is read. */
export interface RecordField {
    // What a record holds is known to its app, not to this library.
    value: any;
    type: FieldType;
}

/** A field as it is saved; without `type` the server takes it from the schema, or from the value. */
export interface RecordFieldInput {
    value: FieldValueInput;
    type?: FieldType | "ASSET";
}

export interface RecordStamp {
    /** Milliseconds since 1970. */
    timestamp: number;
    userRecordName: string;
    deviceID?: string;
}

/** A record as it is read. */
export interface Record {
    recordName: string;
    recordType: string;
    fields: { [fieldName: string]: RecordField };
    recordChangeTag: string;
    created: RecordStamp;
    modified: RecordStamp;
    deleted?: false;
    pluginFields?: object;
    zoneID?: ZoneID;
    parent?: Reference;
    /** The share of this record and of those below it. */
    share?: Reference;
    /** What names the record in links. */
    shortGUID?: string;
}

/** What a change feed says of a deleted record. */
export interface DeletedRecord {
    recordName: string;
    deleted: true;
    recordType?: string;
    zoneID?: ZoneID;
}

/** A record as it is saved. */
export interface RecordInput {
    /** Chosen by the server where it is missing. */
    recordName?: string;
    /** Needed to create a record, and to send a file with it. */
    recordType?: string;
    /** Needed to update, replace or delete without force. */
    recordChangeTag?: string;
    fields?: { [fieldName: string]: RecordFieldInput | FieldValueInput };
    zoneID?: string | ZoneID;
    /** null takes the record out of what it was below. */
    parent?: Reference | null;
    share?: Reference | null;
    /** Whether the record gets a `shortGUID`, which links to it and to what it shares need. */
    createShortGUID?: boolean;
    /** Of a new share: the record that it opens to others; missing for the share of a zone, `cloudkit.zoneshare`. */
    forRecord?: { recordName: string; recordChangeTag?: string };
    /** Of a share: what anyone with the link may do. */
    publicPermission?: Exclude<ShareParticipantPermission, "UNKNOWN">;
    /** Of a share: everybody who is to have access; missing leaves the list as it is. */
    participants?: ShareParticipantInput[];
    /** (Stratus) Of a share: whether nobody may ask for access; true where it is missing. */
    denyAccessRequests?: boolean;
    /** (Stratus) Of a share: whether it can be read without an account. */
    publicAnonymousAccess?: boolean;
    /** (Stratus) Of a share: when its link ends, in milliseconds since 1970; null for never. */
    linkEndsAt?: number | null;
    /** (Stratus) Of a share: whose requests are denied, who is blocked, and who no more; by participantId or userRecordName. */
    denyRequesters?: string[];
    blockRequesters?: string[];
    unblockIdentities?: string[];
}

/** A record name, or a record that has one. */
export type RecordLike = string | { recordName: string; recordChangeTag?: string; zoneID?: string | ZoneID };

export type Comparator =
    | "EQUALS" | "NOT_EQUALS"
    | "LESS_THAN" | "LESS_THAN_OR_EQUALS" | "GREATER_THAN" | "GREATER_THAN_OR_EQUALS"
    | "NEAR"
    | "CONTAINS_ALL_TOKENS" | "CONTAINS_ANY_TOKENS"
    | "IN" | "NOT_IN"
    | "LIST_CONTAINS" | "NOT_LIST_CONTAINS"
    | "LIST_CONTAINS_ANY" | "NOT_LIST_CONTAINS_ANY"
    | "LIST_CONTAINS_ALL" | "NOT_LIST_CONTAINS_ALL"
    | "BEGINS_WITH" | "NOT_BEGINS_WITH"
    | "LIST_MEMBER_BEGINS_WITH" | "NOT_LIST_MEMBER_BEGINS_WITH";

export type SystemFieldName =
    | "recordName" | "createdTimestamp" | "modifiedTimestamp" | "createdUserRecordName" | "modifiedUserRecordName"
    | "share" | "parent";

export interface QueryFilter {
    comparator: Comparator;
    fieldName?: string;
    systemFieldName?: SystemFieldName;
    fieldValue: { value: FieldValue | Date | bigint | (Date | bigint)[] | null; type?: FieldType };
    /** For NEAR, in metres. */
    distance?: number;
}

export interface QuerySort {
    fieldName?: string;
    systemFieldName?: SystemFieldName;
    /** true where it is missing. */
    ascending?: boolean;
    /** Sorts by the distance from there. */
    relativeLocation?: { value: Location; type?: "LOCATION" };
}

export interface Query {
    recordType: string;
    /** All of them have to hold. */
    filterBy?: QueryFilter[];
    sortBy?: QuerySort[];
    /** (Stratus) A further condition in the predicate format language: `"city == 'Lisbon' OR rating > 4"`. */
    predicate?: string;
}

export interface NameComponents {
    namePrefix?: string;
    givenName?: string;
    middleName?: string;
    familyName?: string;
    nameSuffix?: string;
    nickname?: string;
}

/** Whom to look for: by one of these. */
export interface UserLookupInfo {
    emailAddress?: string;
    phoneNumber?: string;
    userRecordName?: string;
}

export interface UserIdentity {
    userRecordName: string;
    nameComponents?: NameComponents;
    lookupInfo?: UserLookupInfo;
    /** (Stratus) Whether the signed-in user lets others find them; not there before the user has answered, and of others. */
    isDiscoverable?: boolean;
}

// ------------------------------------------------------------------------------------------------------------- Sharing

export type ShareParticipantPermission = "UNKNOWN" | "NONE" | "READ_ONLY" | "READ_WRITE";
/** The server says INVITED, REMOVED and UNSUBSCRIBED (who left); PENDING is taken for INVITED. */
export type ShareParticipantAcceptanceStatus =
    | "UNKNOWN" | "PENDING" | "ACCEPTED" | "INVITED" | "REMOVED" | "UNSUBSCRIBED";
/** The server says USER; PRIVATE_USER is taken for it. */
export type ShareParticipantType = "UNKNOWN" | "OWNER" | "PRIVATE_USER" | "PUBLIC_USER" | "ADMINISTRATOR" | "USER";

export interface ShareParticipant {
    participantId: string;
    type: ShareParticipantType;
    acceptanceStatus: ShareParticipantAcceptanceStatus;
    permission: ShareParticipantPermission;
    /** What is known of the person; nothing of who has not opened a one-time link yet. */
    userIdentity?: Partial<UserIdentity>;
    isApprovedRequester?: boolean;
    orgUser?: boolean;
    /** Milliseconds since 1970. */
    dateAddedToShare?: number;
}

/** A participant as it is saved; without `userIdentity` whoever opens its one-time link first. */
export interface ShareParticipantInput {
    /** Chosen by the server where it is missing. */
    participantId?: string;
    type?: ShareParticipantType;
    acceptanceStatus?: ShareParticipantAcceptanceStatus;
    permission?: ShareParticipantPermission;
    userIdentity?: Partial<UserIdentity>;
}

/** A record of the type `cloudkit.share`: who has access to a record and to those below it, or to a zone. */
export interface Share extends Record {
    recordType: "cloudkit.share";
    publicPermission: ShareParticipantPermission;
    /** The owner first. */
    participants: ShareParticipant[];
    owner?: ShareParticipant;
    currentUserParticipant?: ShareParticipant;
    /** (Stratus) The address of the page that opens the share. */
    webpageURL?: string;
    forRecord?: { recordName: string; recordChangeTag?: string };
    /** (Stratus) Who asked for access, and who may not; for those who manage the share. */
    requesters?: ShareParticipant[];
    blocked?: ShareParticipant[];
    denyAccessRequests?: boolean;
    publicAnonymousAccess?: boolean;
    linkEndsAt?: number;
    /** (Stratus) The links of participants without an identity; for those who manage the share. */
    oneTimeStableUrlInfo?: { oneTimeLinks: { participantId: string; shortGUID: string; webpageURL?: string }[] };
}

/** A short GUID, a link, or a text with a link in it. */
export interface ShortGUID {
    value: string;
    shouldFetchRootRecord?: boolean;
    rootRecordDesiredKeys?: string[];
}

/** What names a share: also a record or a RecordInfo, which have its short GUID. */
export type ShortGUIDLike = string | ShortGUID | { shortGUID?: string | ShortGUID };

/** What a link opens, and what the signed-in user is to it. */
export interface RecordInfo {
    shortGUID: ShortGUID;
    containerIdentifier: string;
    environment: Environment;
    /** Where the user finds it: PRIVATE for the owner, SHARED for everybody else. */
    databaseScope: DatabaseScope;
    zoneID: ZoneID;
    /** Missing for the share of a zone. */
    rootRecordName?: string;
    rootRecord?: Record;
    share: Share;
    ownerIdentity?: Partial<UserIdentity>;
    participantType: ShareParticipantType;
    participantStatus: ShareParticipantAcceptanceStatus;
    participantPermission: ShareParticipantPermission;
    /** (Stratus) The address of the page that opens the share. */
    webpageURL?: string;
    /** For a link to a record below the root: that record, and those above it, the nearest first. */
    resolvedRecordName?: string;
    ancestorRecordNames?: string[];
    /** Where the share can be read without an account. */
    anonymousPublicAccess?: { token: string; databasePartition: string };
}

export interface SharingUIOptions {
    /** The record to share, with those below it. (Stratus) Where it is missing, the whole zone. */
    record?: RecordInput & { recordName: string };
    /** A custom zone of the private database; with its owner in the shared one. */
    zoneID: ZoneLike;
    /** Of a share that is made. */
    shareTitle?: string;
    shareType?: string;
    /** An image in base64. */
    shareThumbnail?: string;
    /** Whether people are invited, or anyone with the link has access; both where it is missing. */
    supportedAccess?: ("PRIVATE" | "PUBLIC")[] | "PRIVATE" | "PUBLIC";
    /** What they may do, what is chosen at the beginning first; both where it is missing. */
    supportedPermissions?: ("READ_WRITE" | "READ_ONLY")[] | "READ_WRITE" | "READ_ONLY";
}

export interface SharingUIResult {
    /** As it was left; null where sharing was ended in the dialog. */
    share: Share | null;
}

export interface DiscoveredUsers {
    users: UserIdentity[];
    /** (Stratus) Where the next page of all users begins; not there after the last. */
    continuationMarker?: string;
}

// ------------------------------------------------------------------------------------------------------------- Options

export interface RequestOptions {
    /** (Stratus) Ends the request; its promise is rejected with the signal's reason. */
    signal?: AbortSignal;
}

export interface ZoneOptions extends RequestOptions {
    /** The default zone where it is missing. */
    zoneID?: ZoneLike;
    /** The same by its name alone. */
    zoneName?: string;
}

export interface RecordOptions extends ZoneOptions {
    /** The fields wanted in the answer; all where it is missing. */
    desiredKeys?: string[];
    /**
     * Numbers are answered as text: an INT64 beyond 2^53 is read exactly only so. Without it such a number is rounded,
     * but saved exactly as long as its field is the one that was fetched, and unchanged.
     */
    numbersAsStrings?: boolean;
}

export interface QueryOptions extends RecordOptions {
    /** Look through all zones of the database; without effect beside `zoneID`. */
    zoneWide?: boolean;
    /** 1 to 200; 200 where it is missing. */
    resultsLimit?: number;
    continuationMarker?: string | null;
}

export interface CountOptions extends ZoneOptions {
    zoneWide?: boolean;
}

/** (Stratus) How far the upload of one file is, in bytes. */
export interface UploadProgress {
    recordName: string;
    fieldName: string;
    sent: number;
    total: number;
}

export interface SaveOptions extends RecordOptions {
    /** All or nothing; true where it is missing; has effect in custom zones only. */
    atomic?: boolean;
    /** (Stratus) Called as files are sent. Outside browsers, only when a file is there as a whole. */
    onProgress?: (progress: UploadProgress) => void;
}

export interface DeleteOptions extends ZoneOptions {
    atomic?: boolean;
}

export interface DatabaseChangesOptions extends RequestOptions {
    syncToken?: string;
    resultsLimit?: number;
}

export interface RecordZoneChangesOptions {
    zoneID: string | ZoneID;
    syncToken?: string;
    resultsLimit?: number;
    desiredKeys?: string[];
    desiredRecordTypes?: string[];
    numbersAsStrings?: boolean;
}

// -------------------------------------------------------------------------------------------------- Errors, responses

type ServerCode =
    | "ACCESS_DENIED" | "ATOMIC_ERROR" | "AUTHENTICATION_FAILED" | "AUTHENTICATION_REQUIRED" | "BAD_REQUEST"
    | "CONFLICT" | "EXISTS" | "INTERNAL_ERROR" | "NOT_FOUND" | "QUOTA_EXCEEDED" | "THROTTLED" | "TRY_AGAIN_LATER"
    | "UNIQUE_FIELD_ERROR" | "VALIDATING_REFERENCE_ERROR" | "ZONE_BUSY" | "ZONE_NOT_FOUND";
type LocalCode =
    | "CONFIGURATION_ERROR" | "INVALID_ARGUMENTS" | "NETWORK_ERROR" | "SERVICE_UNAVAILABLE"
    | "UNEXPECTED_SERVER_RESPONSE" | "UNKNOWN_ERROR" | "AUTH_PERSIST_ERROR" | "SHARE_UI_TIMEOUT"
    | "SHARE_UI_CANCELLED";
/** A server may know further codes. */
export type ErrorCode = ServerCode | LocalCode | (string & {});

/** Why a request, a record or a zone failed. */
export class CKError extends Error {
    constructor(
        dictionary: { serverErrorCode?: string; reason?: string; [key: string]: unknown },
        local?: { code?: ErrorCode; cause?: unknown });

    readonly ckErrorCode: ErrorCode;
    readonly serverErrorCode?: string;
    readonly extensionErrorCode?: string;
    readonly reason: string;
    /** Seconds to wait before trying again; missing when trying again does not help. */
    readonly retryAfter?: number;
    /** The request's id, which is in the server's log, too. */
    readonly uuid?: string;
    readonly redirectURL?: string;
    readonly recordName?: string;
    readonly zoneID?: ZoneID;
    readonly subscriptionID?: string;
    readonly isError: true;
    readonly isCKError: true;
    readonly isServerError: boolean;
    readonly isServerExtensionError: boolean;
    /** (Stratus) What to do about it, in a sentence. */
    readonly remedy?: string;
    /** (Stratus) The limit that was exceeded, by its name in /limits; undefined for an account without room. */
    readonly exceededLimit?: string;
    /** (Stratus) For CONFLICT: the record that the server has. */
    readonly serverRecord?: Record;
    /** (Stratus) The share that was asked for. */
    readonly shortGUID?: ShortGUID;
    /** (Stratus) Who was invited and has no account yet, with part of the address: the user may be one of them. */
    readonly potentialMatchList?: { participantId: string; contactInformation: UserLookupInfo }[];
    toJSON(): { [key: string]: unknown };
    toString(): string;

    static readonly ACCESS_DENIED: "ACCESS_DENIED";
    static readonly ATOMIC_ERROR: "ATOMIC_ERROR";
    static readonly AUTHENTICATION_FAILED: "AUTHENTICATION_FAILED";
    static readonly AUTHENTICATION_REQUIRED: "AUTHENTICATION_REQUIRED";
    static readonly BAD_REQUEST: "BAD_REQUEST";
    static readonly CONFIGURATION_ERROR: "CONFIGURATION_ERROR";
    static readonly CONFLICT: "CONFLICT";
    static readonly EXISTS: "EXISTS";
    static readonly INTERNAL_ERROR: "INTERNAL_ERROR";
    static readonly INVALID_ARGUMENTS: "INVALID_ARGUMENTS";
    static readonly NETWORK_ERROR: "NETWORK_ERROR";
    static readonly NOT_FOUND: "NOT_FOUND";
    static readonly QUOTA_EXCEEDED: "QUOTA_EXCEEDED";
    static readonly SERVICE_UNAVAILABLE: "SERVICE_UNAVAILABLE";
    static readonly SHARE_UI_CANCELLED: "SHARE_UI_CANCELLED";
    static readonly SHARE_UI_TIMEOUT: "SHARE_UI_TIMEOUT";
    static readonly THROTTLED: "THROTTLED";
    static readonly TRY_AGAIN_LATER: "TRY_AGAIN_LATER";
    static readonly UNEXPECTED_SERVER_RESPONSE: "UNEXPECTED_SERVER_RESPONSE";
    static readonly UNIQUE_FIELD_ERROR: "UNIQUE_FIELD_ERROR";
    static readonly UNKNOWN_ERROR: "UNKNOWN_ERROR";
    static readonly AUTH_PERSIST_ERROR: "AUTH_PERSIST_ERROR";
    static readonly VALIDATING_REFERENCE_ERROR: "VALIDATING_REFERENCE_ERROR";
    static readonly ZONE_BUSY: "ZONE_BUSY";
    static readonly ZONE_NOT_FOUND: "ZONE_NOT_FOUND";
}

interface Response {
    /** Why single records or zones failed. */
    readonly errors: CKError[];
    readonly hasErrors: boolean;
    readonly isResponse: true;
}

export class RecordsResponse<Item = Record> implements Response {
    protected constructor();
    readonly records: Item[];
    readonly errors: CKError[];
    readonly hasErrors: boolean;
    readonly isResponse: true;
}

/** One page of a query. Give it to performQuery for the next one as long as `moreComing` is true. */
export class QueryResponse extends RecordsResponse {
    readonly query: Query;
    readonly zoneID?: ZoneID;
    readonly zoneWide?: boolean;
    readonly resultsLimit?: number;
    readonly desiredKeys?: string[];
    readonly numbersAsStrings?: boolean;
    /** null on the last page. */
    readonly continuationMarker: string | null;
    readonly moreComing: boolean;
}

export class RecordZonesResponse implements Response {
    private constructor();
    readonly zones: RecordZone[];
    readonly errors: CKError[];
    readonly hasErrors: boolean;
    readonly isResponse: true;
}

export class DatabaseChangesResponse implements Response {
    private constructor();
    readonly zones: { zoneID: ZoneID; deleted: boolean }[];
    readonly syncToken: string;
    readonly moreComing: boolean;
    readonly resultsLimit?: number;
    readonly errors: CKError[];
    readonly hasErrors: boolean;
    readonly isResponse: true;
}

export interface RecordZoneChanges {
    zoneID: ZoneID;
    records: (Record | DeletedRecord)[];
    errors: CKError[];
    syncToken: string;
    moreComing: boolean;
}

export class RecordZoneChangesResponse implements Response {
    private constructor();
    readonly zones: RecordZoneChanges[];
    readonly errors: CKError[];
    readonly hasErrors: boolean;
    readonly isResponse: true;
}

/** Answer to fetchRecordInfos, acceptShares and requestAccess. */
export class RecordInfosResponse<Item = RecordInfo> implements Response {
    private constructor();
    readonly results: Item[];
    readonly errors: CKError[];
    readonly hasErrors: boolean;
    readonly isResponse: true;
}

export class SubscriptionsResponse<Item = Subscription> implements Response {
    private constructor();
    readonly subscriptions: Item[];
    readonly errors: CKError[];
    readonly hasErrors: boolean;
    readonly isResponse: true;
}

// ------------------------------------------------------------------------------------ Subscriptions and notifications

export interface NotificationInfo {
    title?: string;
    titleLocalizationKey?: string;
    titleLocalizationArgs?: string[];
    subtitle?: string;
    subtitleLocalizationKey?: string;
    subtitleLocalizationArgs?: string[];
    alertBody?: string;
    alertLocalizationKey?: string;
    alertLocalizationArgs?: string[];
    alertActionLocalizationKey?: string;
    alertLaunchImage?: string;
    soundName?: string;
    shouldBadge?: boolean;
    shouldSendContentAvailable?: boolean;
    additionalFields?: string[];
    category?: string;
}

export interface Subscription {
    subscriptionID?: string;
    subscriptionType: "query" | "zone" | "database";
    zoneID?: ZoneID;
    query?: Query;
    firesOn?: ("create" | "update" | "delete")[];
    firesOnce?: boolean;
    zoneWide?: boolean;
    notificationInfo?: NotificationInfo;
}

/** What a subscription tells. */
export class Notification {
    protected constructor();
    readonly notificationID: string;
    readonly containerIdentifier: string;
    readonly subscriptionID?: string;
    readonly notificationType: "QUERY_NOTIFICATION" | "RECORD_ZONE_NOTIFICATION" | "DATABASE_NOTIFICATION";
    readonly zoneID?: ZoneID;
    readonly isPublicDatabase: boolean;
    /** (Stratus) Whether the server does not know any more what happened: fetch what you show again. */
    readonly startAgain: boolean;
    readonly title?: string;
    readonly titleLocalizationKey?: string;
    readonly titleLocalizationArgs?: string[];
    readonly subtitle?: string;
    readonly subtitleLocalizationKey?: string;
    readonly subtitleLocalizationArgs?: string[];
    readonly alertBody?: string;
    readonly alertLocalizationKey?: string;
    readonly alertLocalizationArgs?: string[];
    readonly alertActionLocalizationKey?: string;
    readonly alertLaunchImage?: string;
    readonly soundName?: string;
    readonly badge?: number;
    readonly category?: string;
}

/** A record that a query matches was created, updated or deleted. */
export class QueryNotification extends Notification {
    readonly queryNotificationReason: "RECORD_CREATED" | "RECORD_UPDATED" | "RECORD_DELETED";
    readonly recordName: string;
    readonly recordFields: { [name: string]: string | number };
}

/** Records of a zone changed. */
export class RecordZoneNotification extends Notification {}

/** (Stratus) What became of the records of a live query. */
export interface LiveUpdate {
    /** The records in their order. */
    records: Record[];
    change: {
        type: "fetched" | "inserted" | "changed" | "removed";
        recordName?: string;
        index?: number;
        previousIndex?: number;
    };
}

/** (Stratus) A query that is followed; Database.liveQuery begins one. */
export class LiveQuery {
    private constructor();
    /** Fulfilled when it was closed, rejected with a CKError where the server refuses. */
    readonly closed: Promise<void>;
    readonly records: Record[];
    close(): void;
}

/** (Stratus) A number of records that is followed; Database.liveCount begins one. */
export class LiveCount {
    private constructor();
    /** Fulfilled when it was closed, rejected with a CKError where the server refuses. */
    readonly closed: Promise<void>;
    /** The number now; undefined before the first came. */
    readonly count: number | undefined;
    close(): void;
}

// --------------------------------------------------------------------------------------------- Databases, containers

/** Changes of records that are sent in one request, in this order. */
export class RecordsBatchBuilder {
    private constructor();
    create(records: RecordInput | RecordInput[], options?: { desiredKeys?: string[] }): this;
    createOrUpdate(records: RecordInput | RecordInput[], options?: { desiredKeys?: string[] }): this;
    update(records: RecordInput | RecordInput[], options?: { desiredKeys?: string[] }): this;
    forceUpdate(records: RecordInput | RecordInput[], options?: { desiredKeys?: string[] }): this;
    replace(records: RecordInput | RecordInput[], options?: { desiredKeys?: string[] }): this;
    forceReplace(records: RecordInput | RecordInput[], options?: { desiredKeys?: string[] }): this;
    delete(records: RecordLike | RecordLike[]): this;
    forceDelete(records: RecordLike | RecordLike[]): this;
    commit(): Promise<RecordsResponse<Record | DeletedRecord>>;
}

/** Changes of zones that are sent in one request. */
export class RecordZonesBatchBuilder {
    private constructor();
    create(zones: ZoneLike | ZoneLike[]): this;
    delete(zones: ZoneLike | ZoneLike[]): this;
    commit(): Promise<RecordZonesResponse>;
}

/** Changes of subscriptions that are sent in one request. */
export class SubscriptionsBatchBuilder {
    private constructor();
    create(subscriptions: Subscription | Subscription[]): this;
    delete(subscriptions: string | Subscription | (string | Subscription)[]): this;
    commit(): Promise<SubscriptionsResponse<Subscription | { subscriptionID: string; deleted: true }>>;
}

export class Database {
    private constructor();
    readonly containerIdentifier: string;
    readonly databaseScope: DatabaseScope;

    performQuery(query: Query | QueryResponse, options?: QueryOptions): Promise<QueryResponse>;
    /** (Stratus) Counts the records that match, without reading them. */
    countRecords(query: Query, options?: CountOptions): Promise<number>;
    fetchRecords(records: RecordLike | RecordLike[], options?: RecordOptions): Promise<RecordsResponse>;
    saveRecords(records: RecordInput | RecordInput[], options?: SaveOptions): Promise<RecordsResponse>;
    deleteRecords(
        records: RecordLike | RecordLike[], options?: DeleteOptions): Promise<RecordsResponse<DeletedRecord>>;
    newRecordsBatch(options?: SaveOptions): RecordsBatchBuilder;
    /** For each field asked for its value: an asset, or those of a list. */
    assetRereference(
        assets: AssetRereference | AssetRereference[], options?: ZoneOptions): Promise<(Asset | Asset[])[]>;

    fetchAllRecordZones(options?: RequestOptions): Promise<RecordZonesResponse>;
    fetchRecordZones(zones: ZoneLike | ZoneLike[], options?: RequestOptions): Promise<RecordZonesResponse>;
    saveRecordZones(zones: ZoneLike | ZoneLike[], options?: RequestOptions): Promise<RecordZonesResponse>;
    deleteRecordZones(zones: ZoneLike | ZoneLike[], options?: RequestOptions): Promise<RecordZonesResponse>;
    newRecordZonesBatch(options?: RequestOptions): RecordZonesBatchBuilder;

    fetchDatabaseChanges(options?: DatabaseChangesOptions): Promise<DatabaseChangesResponse>;
    fetchRecordZoneChanges(
        zones: RecordZoneChangesOptions | RecordZoneChangesOptions[],
        options?: RequestOptions): Promise<RecordZoneChangesResponse>;

    saveSubscriptions(
        subscriptions: Subscription | Subscription[], options?: RequestOptions): Promise<SubscriptionsResponse>;
    deleteSubscriptions(
        subscriptions: string | Subscription | (string | Subscription)[],
        options?: RequestOptions): Promise<SubscriptionsResponse<{ subscriptionID: string; deleted: true }>>;
    fetchSubscriptions(
        subscriptions: string | Subscription | (string | Subscription)[],
        options?: RequestOptions): Promise<SubscriptionsResponse>;
    fetchAllSubscriptions(options?: RequestOptions): Promise<SubscriptionsResponse>;
    newSubscriptionsBatch(options?: RequestOptions): SubscriptionsBatchBuilder;
    /**
     * Shows a dialog in which a person says who has access to a record; call it after a click, in a page. Rejects with
     * SHARE_UI_CANCELLED where it was closed and nothing is shared.
     */
    shareWithUI(options?: SharingUIOptions): Promise<SharingUIResult>;
    /** (Stratus) Follows the records that match a query. */
    liveQuery(query: Query, callback: (update: LiveUpdate) => void, options?: QueryOptions): LiveQuery;
    /** (Stratus) Follows how many records match a query. */
    liveCount(query: Query, callback: (count: number) => void, options?: QueryOptions): LiveCount;
}

export class Container {
    private constructor();
    readonly containerIdentifier: string;
    readonly environment: Environment;
    /** That of the configuration, or the container's own. */
    readonly apnsEnvironment: Environment;
    readonly publicCloudDatabase: Database;
    readonly privateCloudDatabase: Database;
    readonly sharedCloudDatabase: Database;
    getDatabaseWithDatabaseScope(scope: DatabaseScope): Database;
    /** Gives null where nobody is signed in, and draws the button that opens the sign-in page, if there is a place. */
    setUpAuth(): Promise<UserIdentity | null>;
    whenUserSignsIn(): Promise<UserIdentity>;
    /** Fulfilled also when another window of the app signs out that keeps its token in the same place. */
    whenUserSignsOut(): Promise<void>;
    signOut(): Promise<void>;
    fetchCurrentUserIdentity(options?: RequestOptions): Promise<UserIdentity>;
    /** All users who allow it on their account page, by pages. */
    discoverAllUserIdentities(
        options?: RequestOptions & { resultsLimit?: number; continuationMarker?: string }): Promise<DiscoveredUsers>;
    /** Several users at once. */
    discoverUserIdentities(
        lookupInfos: UserLookupInfo | UserLookupInfo[], options?: RequestOptions): Promise<DiscoveredUsers>;
    discoverUserIdentityWithEmailAddress(emailAddress: string, options?: RequestOptions): Promise<DiscoveredUsers>;
    discoverUserIdentityWithPhoneNumber(phoneNumber: string, options?: RequestOptions): Promise<DiscoveredUsers>;
    discoverUserIdentityWithUserRecordName(
        userRecordName: string, options?: RequestOptions): Promise<DiscoveredUsers>;
    /**
     * Tells what links open, before they are accepted. (Stratus) Where nobody is signed in and the owner allows it, the shared
     * database reads what they open then.
     */
    fetchRecordInfos(shortGUIDs: ShortGUIDLike | ShortGUIDLike[], options?: RequestOptions): Promise<RecordInfosResponse>;
    /** Accepts shares: what they open is in `sharedCloudDatabase` then. */
    acceptShares(shortGUIDs: ShortGUIDLike | ShortGUIDLike[], options?: RequestOptions): Promise<RecordInfosResponse>;
    /** (Stratus) Asks the owners of shares for access. */
    requestAccess(
        shortGUIDs: ShortGUIDLike | ShortGUIDLike[],
        options?: RequestOptions): Promise<RecordInfosResponse<{ shortGUID: ShortGUID }>>;
    readonly isRegisteredForNotifications: boolean;
    registerForNotifications(): Promise<void>;
    unregisterForNotifications(): Promise<void>;
    /** (Stratus) Gives the error when receiving ended by itself, since nobody is signed in any more for example. */
    whenNotificationsFail(): Promise<CKError>;
    /** Has notifications sent to a service worker, also while no page is open. */
    registerForPush(registration: ServiceWorkerRegistration): Promise<PushSubscription>;
    /** Ends what registerForPush began; whether there was a subscription. */
    unregisterForPush(registration: ServiceWorkerRegistration): Promise<boolean>;
    addNotificationListener(listener: (notification: Notification) => void): void;
    removeNotificationListener(listener: (notification: Notification) => void): void;
}

// ------------------------------------------------------------------------------------------------------- Configuration

export interface ContainerConfiguration {
    containerIdentifier: string;
    environment: Environment;
    apiTokenAuth: {
        apiToken: string;
        ckWebAuthToken?: string;
        /** Whether the token is kept in the browser's storage, for all windows of the app. */
        persist?: boolean;
        /** The element for the button that opens the sign-in page; `apple-sign-in-button` where it is missing. */
        signInButton?: { id?: string; theme?: string };
        /** The element for the button that signs out; `apple-sign-out-button` where it is missing. */
        signOutButton?: { id?: string; theme?: string };
    };
    /** Taken, so that a configuration for iCloud is one for this service; receivers of pushes say their environment themselves. */
    apnsEnvironment?: "development" | "production";
    /** (Stratus) The server of this container. */
    url?: string;
}

/** Keeps web auth tokens between visits. */
export interface AuthTokenStore {
    /** Keeps the token of a container; null forgets it. */
    putToken(containerIdentifier: string, token: string | null): void | Promise<void>;
    getToken(containerIdentifier: string): string | null | undefined | Promise<string | null | undefined>;
}

export interface Configuration {
    containers: ContainerConfiguration[];
    /** (Stratus) The server of all containers; the one that served this module where it is missing. */
    url?: string;
    services?: {
        fetch?: typeof fetch;
        authTokenStore?: AuthTokenStore;
        /** Taken, so that a configuration for iCloud is one for this service. Nothing is logged, and promises are the language's own. */
        logger?: unknown;
        Promise?: PromiseConstructorLike;
    };
    /** The language of the buttons and of the dialog for sharing; that of the page where it is missing. */
    locale?: string;
}

export interface CloudKit {
    readonly VERSION: string;
    /** The same as VERSION. */
    readonly BUILD_VERSION: string;
    readonly WS_API_VERSION: "1";
    readonly DEVELOPMENT_ENVIRONMENT: "development";
    readonly PRODUCTION_ENVIRONMENT: "production";
    readonly DatabaseScope: { readonly [Name in DatabaseScope]: Name };
    readonly ReferenceAction: { readonly [Name in ReferenceAction]: Name };
    readonly QueryFilterComparator: { readonly [Name in Comparator]: Name };
    readonly SubscriptionType: {
        readonly QUERY: "query"; readonly ZONE: "zone"; readonly RECORD_ZONE: "zone"; readonly DATABASE: "database";
    };
    /** Taken as a button's `theme`, so that a configuration for iCloud is one for this service; the page's styles decide. */
    readonly AppleIDButtonTheme: { readonly [Name in "BLACK" | "WHITE" | "WHITE_WITH_OUTLINE"]: Name };
    readonly ShareRecordType: {
        readonly NAME: "cloudkit.share";
        readonly TITLE_FIELD_NAME: "cloudkit.title";
        readonly TYPE_FIELD_NAME: "cloudkit.type";
        readonly THUMBNAIL_IMAGE_DATA_FIELD_NAME: "cloudkit.thumbnailImageData";
    };
    readonly ShareParticipantPermission: { readonly [Name in ShareParticipantPermission]: Name };
    readonly ShareParticipantAcceptanceStatus: { readonly [Name in ShareParticipantAcceptanceStatus]: Name };
    readonly ShareParticipantType: { readonly [Name in ShareParticipantType]: Name };
    /** What requests are sent with: `services.fetch` of the configuration, or the language's own. */
    readonly fetch: typeof fetch;
    /** `services.Promise` of the configuration, or the language's own, which all methods give. */
    readonly Promise: PromiseConstructorLike;
    readonly CKError: typeof CKError;
    readonly Container: typeof Container;
    readonly Database: typeof Database;
    readonly RecordsBatchBuilder: typeof RecordsBatchBuilder;
    readonly RecordZonesBatchBuilder: typeof RecordZonesBatchBuilder;
    readonly SubscriptionsBatchBuilder: typeof SubscriptionsBatchBuilder;
    readonly QueryResponse: typeof QueryResponse;
    readonly RecordsResponse: typeof RecordsResponse;
    readonly RecordZonesResponse: typeof RecordZonesResponse;
    readonly DatabaseChangesResponse: typeof DatabaseChangesResponse;
    readonly RecordZoneChangesResponse: typeof RecordZoneChangesResponse;
    readonly RecordInfosResponse: typeof RecordInfosResponse;
    readonly SubscriptionsResponse: typeof SubscriptionsResponse;
    readonly LiveQuery: typeof LiveQuery;
    readonly LiveCount: typeof LiveCount;
    readonly Notification: typeof Notification;
    readonly QueryNotification: typeof QueryNotification;
    readonly RecordZoneNotification: typeof RecordZoneNotification;

    configure(configuration: Configuration): CloudKit;
    /** Makes a notification of what a push brings; throws INVALID_ARGUMENTS for what a subscription does not send. */
    parseRawNotification(payload: object): Notification;
    getDefaultContainer(): Container;
    getContainer(containerIdentifier: string): Container | undefined;
    getAllContainers(): Container[];
    /** (Stratus) The address of an asset's bytes; undefined when it was not yet read from the server. */
    assetURL(asset: Asset, fileName?: string): string | undefined;
}

export const CloudKit: CloudKit;
export default CloudKit;

declare global {
    interface Window { CloudKit: CloudKit }
    interface WindowEventMap { cloudkitloaded: Event }
}
