
// ------------------------------------------------------------------------------------------------------------ Sharing

const SHARE_TYPE = "cloudkit.share";
/** The name of the share of a whole zone. */
const ZONE_SHARE_NAME = "cloudkit.zoneshare";
/** How often a change of a share is made again after somebody else changed it, who joined for example. */
const SHARE_ATTEMPTS = 4;

/** What only the server writes: not sent back with a record that was fetched. */
const SERVER_KEYS = [
    "created", "modified", "deleted", "pluginFields", "shortGUID", "webpageURL", "owner", "currentUserParticipant",
    "requesters", "blocked", "oneTimeStableUrlInfo", "displayedHostname", "stableUrl", "shortTokenHash",
];

/** Answer to fetchRecordInfos, acceptShares and requestAccess: `results` without those that failed. */
export class RecordInfosResponse extends Response {
    constructor(items) {
        const { good, errors } = separate(items);
        super(errors);
        this.results = good;
    }
}

/** A short GUID, a link, a text with a link in it, a record that has one, or a RecordInfo, as the server wants it. */
function shortGUIDOf(given) {
    if (typeof given === "string" && given.trim()) return { value: given };
    const { value, shortGUID, shouldFetchRootRecord, rootRecordDesiredKeys } = given ?? {};
    const wanted = { shouldFetchRootRecord, rootRecordDesiredKeys };
    if (typeof value === "string" && value.trim()) return { value, ...wanted };
    if (shortGUID) return { ...shortGUIDOf(shortGUID), ...wanted };
    throw invalidArguments("A share is named by its short GUID or its link: a text, or an object with 'value'.");
}

/** A participant as a change of the list sends it. */
function sentParticipant({ participantId, type, permission, acceptanceStatus, userIdentity }) {
    const { userRecordName, lookupInfo } = userIdentity ?? {};
    const identity = userRecordName || lookupInfo ? { userIdentity: { userRecordName, lookupInfo } } : {};
    return { participantId, type, permission, acceptanceStatus, ...identity };
}

const participantsOf = (share) => (share.participants ?? []).map(sentParticipant);
const identifierOf = ({ participantId, userIdentity }) => participantId ?? userIdentity?.userRecordName;

/** The changes that a share's dialog makes: each gives the members of the share that are other ones afterwards. */
const ShareChange = {
    /** Invites somebody by mail address. */
    invite: (emailAddress, permission) => (share) => ({
        participants: [...participantsOf(share), { type: "USER", permission, userIdentity: { lookupInfo: { emailAddress } } }],
    }),
    /** Adds a place for whoever opens its link first. */
    addOneTime: (participantId, permission) => (share) => ({
        participants: [...participantsOf(share), { participantId, type: "USER", permission }],
    }),
    setPermission: (participantId, permission) => (share) => ({
        participants: participantsOf(share).map((one) => (one.participantId === participantId ? { ...one, permission } : one)),
    }),
    remove: (participantId) => (share) => ({
        participants: participantsOf(share).filter((one) => one.participantId !== participantId),
    }),
    /** Lets in somebody who asked. */
    approve: (requester, permission) => (share) => {
        const { userRecordName, lookupInfo } = requester.userIdentity ?? {};
        const userIdentity = { lookupInfo: userRecordName ? { userRecordName } : lookupInfo };
        return { participants: [...participantsOf(share), { type: "USER", permission, userIdentity }] };
    },
    deny: (requester) => () => ({ denyRequesters: [identifierOf(requester)] }),
    block: (requester) => () => ({ blockRequesters: [identifierOf(requester)] }),
    unblock: (identity) => () => ({ unblockIdentities: [identifierOf(identity)] }),
    /** What anyone with the link may do; NONE where only people who are invited may open it. */
    setPublicPermission: (publicPermission) => () => ({ publicPermission }),
    setRequestsAllowed: (allowed) => () => ({ denyAccessRequests: !allowed }),
    nothing: () => () => ({}),
};

/** A record, or a whole zone, and the share that opens it to others, if there is one already. */
class SharedItem {
    #database;
    #zoneID;
    #given;
    #fields;
    #rootIsNew = false;
    /** The record that is shared; undefined for a zone. */
    root;
    /** The share as the server has it; undefined before there is one, and after it was deleted. */
    share;

    constructor(database, { record, zoneID, shareTitle, shareType, shareThumbnail }) {
        this.#database = database;
        this.#given = record === undefined || record === null ? undefined : recordOf(record);
        this.#zoneID = zoneIDOf(zoneID ?? this.#given?.zoneID);
        if (!this.#zoneID || this.#zoneID.zoneName === "_defaultZone") {
            throw invalidArguments("Sharing needs the 'zoneID' of a custom zone: records of the default zone cannot be shared.");
        }
        if (this.#given && !this.#given.recordName) throw invalidArguments("The 'record' to share needs its 'recordName'.");
        for (const [name, text] of Object.entries({ shareTitle, shareType, shareThumbnail })) {
            if (text !== undefined && text !== null && typeof text !== "string") throw invalidArguments(`'${name}' is a text.`);
        }
        this.#fields = Object.fromEntries([
            ["cloudkit.title", shareTitle, "STRING"], ["cloudkit.type", shareType, "STRING"],
            // An image's data in base64, perhaps with the header of a data: address.
            ["cloudkit.thumbnailImageData", shareThumbnail?.replace(/^data:[^,]*,/, ""), "BYTES"],
        ].filter(([, value]) => value).map(([name, value, type]) => [name, { value, type }]));
    }

    get zoneID() { return this.#zoneID; }

    get title() { return this.share?.fields?.["cloudkit.title"]?.value ?? this.#fields["cloudkit.title"]?.value; }

    get isInOwnersDatabase() { return this.#database.databaseScope === "PRIVATE"; }

    /** Whether the signed-in user may change who has access. */
    get isManaged() {
        if (!this.share) return this.isInOwnersDatabase;
        return ["OWNER", "ADMINISTRATOR"].includes(this.share.currentUserParticipant?.type ?? (this.isInOwnersDatabase && "OWNER"));
    }

    /** Fetches the record and its share. */
    async open() {
        this.share = undefined;
        const name = this.#given?.recordName;
        if (!this.#given || name === ZONE_SHARE_NAME) {
            this.share = await this.#fetch(ZONE_SHARE_NAME);
        } else if (this.#given.recordType === SHARE_TYPE) {
            this.share = await this.#fetch(name);
            if (!this.share) throw new CKError({ serverErrorCode: "NOT_FOUND", recordName: name, reason: "This share was ended." });
        } else {
            this.root = await this.#fetch(name);
            this.#rootIsNew = !this.root;
            if (this.#rootIsNew && !this.#given.recordType) {
                throw new CKError({ serverErrorCode: "NOT_FOUND", recordName: name, reason: `There is no record '${name}'.` });
            }
            const shareName = this.root?.share?.recordName;
            if (shareName) this.share = await this.#fetch(shareName);
        }
        return this;
    }

    /**
     * Changes the share; makes it before, where there is none. Where somebody else changed it meanwhile, the change is made
     * in what they left.
     *
     * @param {(share: object) => object} change one of ShareChange
     */
    async change(change) {
        for (let attempt = 1; ; attempt += 1) {
            try {
                await (this.share ? this.#update(change(this.share)) : this.#make(change({})));
                return this.share;
            } catch (error) {
                // EXISTS: somebody else made the share of the zone.
                const isOutdated = ["CONFLICT", ...(this.share ? [] : ["EXISTS"])].includes(error.ckErrorCode);
                if (!isOutdated || attempt === SHARE_ATTEMPTS) throw error;
                await this.open();
            }
        }
    }

    /** Deletes the share: for its owner sharing ends, for anybody else their own access. */
    async end() {
        await this.#commit((batch) => batch.forceDelete({ recordName: this.share.recordName }));
        this.share = undefined;
        // The record has another change tag.
        if (this.isInOwnersDatabase && this.root) await this.open();
    }

    async #fetch(recordName) {
        const { records: [record], errors: [error] } = await this.#database.fetchRecords(recordName, { zoneID: this.#zoneID });
        if (error && error.ckErrorCode !== "NOT_FOUND") throw error;
        return record;
    }

    async #update(members) {
        if (Object.keys(members).length === 0) return;
        const { recordName, recordType, recordChangeTag } = this.share;
        const [share] = await this.#commit((batch) => batch.update({ recordName, recordType, recordChangeTag, ...members }));
        this.share = share;
    }

    async #make(members) {
        const share = { recordType: SHARE_TYPE, fields: this.#fields, publicPermission: "NONE", ...members };
        if (!this.#given) {
            [this.share] = await this.#commit((batch) => batch.create({ ...share, recordName: ZONE_SHARE_NAME }));
        } else if (this.root?.shortGUID) {
            const { recordName, recordChangeTag } = this.root;
            [this.share] = await this.#commit((batch) => batch.create({ ...share, forRecord: { recordName, recordChangeTag } }));
        } else {
            const { recordName, recordChangeTag } = this.root ?? this.#given;
            const root = this.#rootIsNew
                ? { ...this.#given, createShortGUID: true } : { recordName, recordChangeTag, createShortGUID: true };
            const saved = await this.#commit((batch) => (
                batch[this.#rootIsNew ? "create" : "update"](root).create({ ...share, forRecord: { recordName } })));
            [this.root, this.share] = saved;
            this.#rootIsNew = false;
        }
    }

    async #commit(add) {
        const { records, errors: [error, ...others] } =
            await add(this.#database.newRecordsBatch({ zoneID: this.#zoneID, atomic: true })).commit();
        // Of a request that failed as a whole, most records only say that another one failed.
        if (error) throw [error, ...others].find(({ ckErrorCode }) => ckErrorCode !== "ATOMIC_ERROR") ?? error;
        return records;
    }
}
