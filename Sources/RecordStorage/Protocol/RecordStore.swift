public import RecordModel

/// A place that keeps the records of all tenants: one engine of SQL behind it, nothing of SQL in front.
///
/// # The fault model
/// - A write is acknowledged (its `write` returns) only after the disk has it. A process or a machine that
///   stops at any moment loses nothing that was acknowledged, and of what was not each write is there whole
///   or not at all.
/// - When the disk refuses to confirm, the store stops taking writes for good: what the file system holds
///   then is not known, and a second attempt may report a false success. Reading goes on. A restart recovers.
/// - Reads see one moment: all that was acknowledged before they began, nothing half done.
/// - Writes are serialised. One write's failure undoes that write alone, also when it was committed together
///   with others.
public protocol RecordStore: Sendable {
    /// Runs a closure on one snapshot of the store.
    ///
    /// Long reads are few at once. Those that wait take turns by party, and no party may hold the last free
    /// place, so a flood of one party's reads does not keep others waiting. Waiting counts against the time that
    /// a read may take, and only so many wait. When the task is cancelled, a read that waits leaves at once, and a
    /// long one that runs ends within moments.
    ///
    /// - Parameters:
    ///   - effort: how long the closure may keep its thread.
    ///   - party: for whom it is.
    ///   - body: what to read. The reader is valid only inside.
    /// - Throws: what the closure throws; ``StorageError`` when the engine fails, time runs out or too many reads
    ///   wait; `CancellationError`.
    func read<Value: Sendable>(
        _ effort: ReadEffort, for party: ReadParty,
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value

    /// Runs a closure as one write, and returns when the disk has it.
    ///
    /// The closure runs on the store's one writing thread, perhaps in one commit with others; when it throws,
    /// what it did is undone and nobody else's work is.
    /// - Throws: what the closure throws; ``StorageError`` when the engine fails or too many writes wait.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value

    /// The schema of a tenant as of the last commit, without a read; empty where nothing is stored yet.
    func schema(of tenant: Tenant) -> Schema

    /// How much work a scan would be.
    func effort(of scan: RecordScan) -> ReadEffort

    /// How a scan's rows would be found.
    func explain(_ scan: RecordScan) -> ScanExplanation

    /// Has the index made that would serve a scan, where one would and it is not there yet.
    ///
    /// It is made in the background, beside other writes: a small one is there when this returns, a large one later.
    /// An engine that keeps few indexes may drop the one used longest ago.
    /// - Throws: ``StorageError``.
    func makeIndex(for scan: RecordScan) async throws

    /// Takes a job that is due and that no other node has, so that nobody else does it until the lease ends.
    ///
    /// A node that has it already gets it again. Times are those of the database's clock.
    /// - Returns: whether the job is this node's; false while another one has it, and until it is due again.
    /// - Throws: ``StorageError``.
    func takeLease(of job: StoreJob) async throws -> Bool
    /// Keeps a job for another ``StoreJob/leaseSeconds``.
    ///
    /// - Returns: false where the lease has ended: another node may have the job.
    /// - Throws: ``StorageError``.
    func renewLease(of job: StoreJob) async throws -> Bool
    /// Lets other nodes have a job: when it is due again where it was done, at once where it was not.
    ///
    /// - Throws: ``StorageError``.
    func returnLease(of job: StoreJob, isDone: Bool) async throws

    /// Has a closure called after each commit that logged changes, of this node or of another one.
    ///
    /// It is a hint that may come late or, where a connection was lost, not at all: who follows the log looks at it now
    /// and then by itself. There is one listener; nil takes it away. The closure runs on any thread and returns at once.
    func listen(_ listener: (@Sendable () -> Void)?)

    /// Whether writes are being taken, and if not, why.
    var health: StoreHealth { get }

    /// Figures of the store at this moment for who watches it, by the names of their metrics.
    var gauges: [(name: String, value: Int)] { get }
    /// What is still to be done for writes that were acknowledged, as of a moment ago.
    var backgroundWork: BackgroundWork { get }

    /// Waits for running work, and closes the files. Later calls fail.
    func close() async
}

extension RecordStore {
    /// Nobody is ever called: whoever follows the log has to look.
    public func listen(_ listener: (@Sendable () -> Void)?) {}

    /// None.
    public var gauges: [(name: String, value: Int)] { [] }
}

/// How much work a read may be.
public enum ReadEffort: Sendable {
    /// A few steps in an index: done at once, on the caller's thread.
    case short
    /// A scan: done on a thread of its own, so that short reads do not wait behind it.
    case long
}

/// For whom a read is done: long reads are shared out fairly between parties.
public struct ReadParty: Hashable, Sendable {
    private let tenant: Tenant?
    private let name: String

    private init(tenant: Tenant?, name: String) {
        self.tenant = tenant
        self.name = name
    }

    /// A user, an app without one, or whoever else is told apart inside a tenant.
    public init(tenant: Tenant, name: String) {
        self.init(tenant: Optional(tenant), name: name)
    }

    /// An operator at work, for all tenants alike.
    public static func administrator(_ name: String) -> ReadParty { ReadParty(tenant: nil, name: name) }

    /// The service itself.
    public static let service = ReadParty(tenant: nil, name: "")
}

extension StoreReader {
    /// The names of the records whose DELETE_SELF or VALIDATE references point at a record.
    public func referrers(to name: String, in zone: Int64, limit: Int) throws -> [ReferrerRow] {
        try referrers(to: name, in: zone, action: nil, limit: limit)
    }

    /// All tokens of a tenant with their digests, the newest first.
    public func identifiedTokens(of tenant: Tenant) throws -> [IdentifiedToken] {
        try identifiedTokens(of: tenant, limit: .max)
    }

    /// All users of a tenant, the newest first.
    public func users(of tenant: Tenant) throws -> [UserRow] { try users(of: tenant, limit: .max) }
}

extension RecordStore {
    /// Runs a closure on one snapshot of the store, for the service itself.
    public func read<Value: Sendable>(
        _ effort: ReadEffort, _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value {
        try await read(effort, for: .service, body)
    }
}

/// Whether a store does its work.
public enum StoreHealth: Sendable, Equatable {
    /// Reads and writes are served.
    case good
    /// The disk is full; only reads are served until there is room.
    case full
    /// The disk failed; only reads are served until a restart.
    case readOnly(reason: String)
    /// The store was closed.
    case closed
}

/// What can be asked of a snapshot.
///
/// Everything is read from the one moment at which the read began. A reader is used by one thread at a time and only
/// inside the closure that got it. Times are milliseconds since 1970, sizes are bytes, and a limit is the most elements
/// that a list has.
///
/// Every method throws ``StorageError``: `timeout` when the time of a read is over, `corrupt` for damage, `engine` for
/// everything else that the engine refuses. Methods with a visitor also throw what the visitor throws, and stop there.
public protocol StoreReader {
    /// The schema of a tenant; empty where the tenant has stored nothing yet.
    func schema(of tenant: Tenant) throws -> Schema

    /// The number of a database; nil where nothing was ever stored in it.
    func database(_ id: DatabaseID) throws -> Int64?
    /// A zone by name; deleted ones are not found.
    func zone(named name: String, in database: Int64) throws -> ZoneRow?
    /// The zones that exist, by name.
    func zones(in database: Int64) throws -> [ZoneRow]
    /// The first of the zones that exist, by name, from a name on.
    func zones(in database: Int64, from name: String, limit: Int) throws -> [ZoneRow]
    /// The zones that changed or were deleted after a sequence number, in that order.
    func zones(in database: Int64, changedAfter sequence: Int64, limit: Int) throws -> [ZoneRow]

    /// A record by name, over all types of the zone.
    func record(named name: String, in zone: Int64) throws -> RecordRow?
    /// Shows the body of a record by name, whose bytes are valid only while they are visited.
    ///
    /// - Returns: whether there is such a record.
    func body(
        ofRecordNamed name: String, in zone: Int64, _ visit: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool
    /// The names of the records whose DELETE_SELF or VALIDATE references, or those of one kind, point at a record.
    func referrers(
        to name: String, in zone: Int64, action: Reference.Action?, limit: Int
    ) throws -> [ReferrerRow]
    /// Of which type a record is and who made it, without its body; nil where it is not there.
    func origin(ofRecordNamed name: String, in zone: Int64) throws -> RecordOrigin?
    /// How many references of one kind point at a record, those of one holder left out.
    func referenceCount(
        to name: String, in zone: Int64, action: Reference.Action, besides holder: String
    ) throws -> Int
    /// Walks the rows that a scan asks for, in its order, until there are no more or enough.
    ///
    /// - Parameters:
    ///   - scan: what is asked for, and in which order.
    ///   - visit: tells whether the row is taken. The first that is not ends the walk, and the next page begins with
    ///     it.
    func scan(_ scan: RecordScan, _ visit: (borrowing ScanRow) throws -> Bool) throws -> ScanOutcome
    /// The number of rows that a scan would find without its limit.
    func count(_ scan: RecordScan) throws -> Int
    /// Walks a zone's records in the order of their last change.
    ///
    /// - Parameters:
    ///   - feed: the zone, and from where on.
    ///   - visit: tells whether to go on.
    func changes(_ feed: ChangeFeed, _ visit: (borrowing ChangeRow) throws -> Bool) throws

    /// The versions that are kept of the records that a name had, the newest first, before one of a number (nil for the
    /// newest); at most so many, fewer where their bodies are more than `Limits.answerBytes`, but two where there are two.
    func versions(ofRecordNamed name: String, in zone: Int64, before id: Int64?, limit: Int) throws
        -> [RecordVersion]
    /// The version of a name by its own sequence number.
    func version(_ sequence: Int64, ofRecordNamed name: String, in zone: Int64) throws -> RecordVersion?
    /// The last states of a zone's deleted records of a type, those first that were deleted last, before one of a number;
    /// as many as ``versions(ofRecordNamed:in:before:limit:)`` gives.
    func deletedVersions(ofType type: Int64, in zone: Int64, before id: Int64?, limit: Int) throws
        -> [RecordVersion]
    /// The groups of versions that there are, in the order of zones, types and ends, after one.
    func versionGroups(after group: VersionGroup?, limit: Int) throws -> [VersionGroup]
    /// How much the versions of a database take.
    func versionUsage(of database: Int64) throws -> VersionUsage

    /// A file by its content, with all of its uses, those of versions among them; nil where it is not known.
    func asset(_ digest: AssetDigest) throws -> AssetRow?
    /// The files that records of a tenant refer to, in the order of their digests, after a given one.
    func assets(of tenant: Tenant, after digest: AssetDigest?, limit: Int) throws -> [AssetRow]
    /// Which fields of a tenant's records refer to a file; public ones first.
    func assetUses(of digest: AssetDigest, in tenant: Tenant, limit: Int) throws -> [AssetUse]
    /// How much room the files take that records of a tenant refer to.
    func assetUsage(of tenant: Tenant) throws -> AssetUsage
    /// Files that nothing has referred to since before a time, in milliseconds, the oldest first.
    func assets(unusedBefore time: Int64, limit: Int) throws -> [AssetDigest]
    /// When the oldest file that is known was first uploaded, in milliseconds; nil where none is known.
    func oldestAsset() throws -> Int64?

    /// How much a database holds, by its number: what is in the tables, also of zones and types that are being removed.
    ///
    /// Exact once ``isUsageCounted``; a writer sees its own changes at once.
    func usage(of database: Int64) throws -> StorageUsage
    /// How much all databases of a tenant hold.
    func usage(of tenant: Tenant) throws -> StorageUsage
    /// How much each database of a tenant holds, the largest first.
    func databaseUsages(of tenant: Tenant, limit: Int) throws -> [DatabaseUsage]
    /// The bytes of the files that a record refers to; a file counts for each field that refers to it.
    func assetBytes(ofRecordNamed name: String, in zone: Int64) throws -> Int64
    /// Whether all that was stored by versions without counts is counted by now.
    var isUsageCounted: Bool { get throws }

    /// The last sequence number that was given.
    func lastSequence() throws -> Int64
    /// The token of the given digest.
    func token(digest: [UInt8]) throws -> TokenRow?
    /// The newest tokens of a tenant with their digests, the newest first; not those of sessions.
    func identifiedTokens(of tenant: Tenant, limit: Int) throws -> [IdentifiedToken]
    /// The user of a record name.
    func user(named recordName: String, of tenant: Tenant) throws -> UserRow?
    /// The newest users of a tenant, the newest first.
    func users(of tenant: Tenant, limit: Int) throws -> [UserRow]
    /// The record name of the user with a label; nil where there is none.
    func userName(labelled label: String, of tenant: Tenant) throws -> String?
    /// How many users and tokens a tenant has; tokens of sessions do not count.
    func accessCounts(of tenant: Tenant) throws -> (users: Int, tokens: Int)
    /// The tenants that have stored something.
    func tenants() throws -> [Tenant]

    /// The account of an id.
    func account(_ id: String) throws -> AccountRow?
    /// The account of an address, in the form in which addresses are compared.
    func account(withAddress address: String) throws -> AccountRow?
    /// The first accounts by address, after an address.
    func accounts(after address: String, limit: Int) throws -> [AccountRow]
    /// What shows that an account is somebody's, by kind and name.
    func credentials(of account: String) throws -> [CredentialRow]
    /// A credential by kind and name; nil where nobody has it.
    func credential(_ kind: CredentialRow.Kind, named name: String) throws -> CredentialRow?
    /// The link of the given digest.
    func accountLink(digest: [UInt8]) throws -> AccountLinkRow?
    /// The session of an id.
    func session(_ id: String) throws -> SessionRow?
    /// The sessions of an account in all tenants, the newest first.
    func sessions(of account: String) throws -> [SessionRow]
    /// The users that an account is in the tenants that it has been to.
    func users(ofAccount account: String) throws -> [UserRow]
    /// Who may come in by a tenant's sign-in page; nil where nobody has said it.
    func signInPolicy(of tenant: Tenant) throws -> SignInPolicyRow?
    /// The providers with which people sign in to a tenant, by name.
    func signInProviders(of tenant: Tenant) throws -> [SignInProviderRow]
    /// Users whose records are being removed, those first that were removed first.
    func erasures(limit: Int) throws -> [ErasureRow]

    /// A user's subscriptions in a database, by name.
    func subscriptions(of user: String, in database: Int64) throws -> [SubscriptionRow]
    /// The subscription of a name.
    func subscription(named name: String, of user: String, in database: Int64) throws -> SubscriptionRow?
    /// The subscriptions of all users and webhooks of a tenant, after a place, by database, user and name.
    func subscriptions(of tenant: Tenant, after place: SubscriptionPlace, limit: Int) throws
        -> [SubscriptionRow]
    /// The receiver of the given digest.
    func receiver(digest: [UInt8]) throws -> ReceiverRow?
    /// A user's receivers, those first that were silent for longest.
    func receivers(of user: String, in tenant: Tenant) throws -> [ReceiverRow]
    /// The receivers of a tenant after a digest, in the order of digests.
    func receivers(of tenant: Tenant, after digest: [UInt8], limit: Int) throws -> [ReceiverRow]
    /// The receivers of all tenants that are reached by pushes, after a digest, in the order of digests.
    func pushReceivers(after digest: [UInt8], limit: Int) throws -> [ReceiverRow]
    /// How many receivers are reached by pushes.
    func pushReceiverCount() throws -> Int
    /// The key of a tenant for Apple's push service, as JSON; nil where there is none.
    func pushKey(of tenant: Tenant) throws -> [UInt8]?
    /// All webhooks of all tenants, the oldest first; there are few.
    func webhooks() throws -> [WebhookRow]
    /// The webhook of an id.
    func webhook(_ id: String) throws -> WebhookRow?
    /// Since when changes of a type in a database are logged; nil where they are not.
    func watch(of type: Int64, in database: Int64) throws -> ChangeWatch?
    /// Logged changes in the order of their commits, after a position.
    ///
    /// - Parameters:
    ///   - sequence: the position.
    ///   - database: whose changes; nil for those of all.
    ///   - limit: the most; fewer where their bodies are more than `Limits.answerBytes`, but at least one.
    func loggedChanges(after sequence: Int64, in database: Int64?, limit: Int) throws -> [LoggedChange]
    /// The logged changes of what has a name in a database, a record or a zone, the newest first.
    ///
    /// The log has no index of names: this looks at all that it has of the database.
    func loggedChanges(named name: String, in database: Int64, limit: Int) throws -> [LoggedChange]
    /// The sequence number up to which the log may have forgotten changes.
    func forgottenChanges() throws -> Int64

    /// What became of a request, by the digest of its key; nil where nothing is kept.
    func keptOutcome(of key: [UInt8]) throws -> KeptOutcome?

    /// The operators by name.
    func operators() throws -> [OperatorRow]
    /// The operator's token of the given digest.
    func operatorToken(digest: [UInt8]) throws -> OperatorTokenRow?
    /// What lets an operator in.
    func operatorTokens(of name: String) throws -> [OperatorTokenRow]
    /// What operators did, the newest first, before a position in the log (nil for its end).
    func audit(before id: Int64?, limit: Int) throws -> [AuditRow]
    /// What operators did to some subjects of a tenant, the newest first.
    ///
    /// The log has no index: this looks through all of it, which makes it a long read.
    /// - Parameters:
    ///   - tenant: whose log.
    ///   - subjects: their whole texts.
    ///   - prefix: subjects that begin with it count as well; nil for none.
    func audit(of tenant: Tenant, subjects: [String], prefix: String?) throws -> [AuditRow]
    /// The numbers of all databases of a tenant.
    func databases(of tenant: Tenant) throws -> [Int64]
    /// How many records of a type there are, in all zones of all databases.
    ///
    /// Looks at each of them.
    func recordCount(of type: RecordType) throws -> Int
    /// Whether there is any record of a type; some steps in an index.
    func hasRecords(of type: RecordType) throws -> Bool
    /// How many custom zones a database has; one look.
    func customZoneCount(in database: Int64) throws -> Int
    /// The sequence number up to which deletions of a database's zones may be forgotten.
    func forgottenZones(in database: Int64) throws -> Int64

    /// Some rows of a part of the store that may be large, for ``rows(of:after:_:)``: databases and zones by number,
    /// records by zone and name, assets and tokens by digest, versions by number, users by tenant and record name,
    /// accounts by address. Tokens of sessions are left out, as sessions are: who was signed in signs in again.
    ///
    /// Nothing may be left to do in the background, and no other process may write meanwhile.
    func pagedRows(of section: StoreSection, after last: StoreRow?, _ portion: CopyPortion) throws
        -> [StoreRow]
    /// The highest number that a field of a type has or had.
    func lastColumn(of type: RecordType) throws -> Int
    /// What lets operators in, by digest.
    func allOperatorTokens() throws -> [StoreRow]
    /// The last numbers that were given.
    func counters() throws -> StoreCounters
}

/// What can be done in one write.
///
/// What is written is seen at once by the same writer, and by readers after the commit. A method checks nothing that the
/// rules of the service say; it throws ``StorageError`` as readers do, and `full` when the disk has no room. After an
/// error the closure must throw too, so that its write is undone.
public protocol StoreWriter: StoreReader {
    /// The next sequence number: a change's position in the log, given once and never again.
    func nextSequence() throws -> Int64

    /// The number of a database, made with its default zone where it is missing.
    func makeDatabase(_ id: DatabaseID) throws -> Int64
    /// Makes a zone that does not exist.
    func makeZone(named name: String, in database: Int64) throws -> ZoneRow
    /// Deletes a zone with all its records, leaving a tombstone for the change feed.
    ///
    /// A small write whatever the zone holds: see ``BackgroundWork``. A zone made later under its name is another one.
    func deleteZone(_ zone: ZoneRow) throws
    /// Deletes all custom zones of a tenant.
    func deleteCustomZones(of tenant: Tenant) throws

    /// Makes a record type, or gives the one of that name.
    func makeType(named name: String, tenant: Tenant) throws -> RecordType
    /// Adds a field to a type; its column number is a new one.
    func addField(_ field: FieldSchema, to recordType: RecordType, tenant: Tenant) throws -> RecordType
    /// Changes what may be asked of a field; values that are there already are taken up, those of many records in
    /// the background: until then the field says that it is being filled.
    func setIndexes(_ indexes: FieldIndexes, ofField name: String, in recordType: RecordType, tenant: Tenant)
        throws
    /// Changes how the schema's text declares a field; its values stay as they are.
    func setDeclaration(
        _ declaration: FieldDeclaration, ofField name: String, in recordType: RecordType, tenant: Tenant
    ) throws
    /// Removes a field, and its values from all records, which are no new versions of them.
    ///
    /// A small write whatever the type holds: see ``BackgroundWork``.
    func removeField(named name: String, from recordType: RecordType, tenant: Tenant) throws -> RecordType
    /// Removes a type with all its records; in tracked zones tombstones stay, which may follow in the background.
    ///
    /// A small write whatever the type holds: see ``BackgroundWork``.
    func removeType(_ recordType: RecordType, tenant: Tenant) throws
    /// Keeps what a schema's text says of the system's fields and of permissions.
    func setAnnotations(
        systemIndexes: [SystemFieldName: FieldIndexes], grants: [SecurityGrant]?, of recordType: RecordType,
        tenant: Tenant
    ) throws -> RecordType
    /// Keeps the names of the security roles.
    func setRoles(_ roles: [String], tenant: Tenant) throws

    /// Stores a new record; its name must be free.
    func insert(_ record: NewRecord) throws
    /// Replaces a record by a newer state.
    func update(_ row: RecordRow, with record: NewRecord) throws
    /// Gives a record a new version without a change of its values; the body has the version in it.
    func retag(_ row: RecordRow, in zone: ZoneRow, sequence: Int64, body: [UInt8]) throws
    /// Deletes a record; in a tracked zone a tombstone stays.
    func delete(_ row: RecordRow, in zone: ZoneRow, sequence: Int64) throws

    /// Has versions of a type's records kept from now on, or no longer; those that are there stay.
    func setKeeping(_ keeping: VersionKeeping?, of recordType: RecordType, tenant: Tenant) throws
        -> RecordType
    /// Keeps a version, whose files stay as long as it does.
    ///
    /// - Parameters:
    ///   - version: what to keep.
    ///   - count: the most that are kept of its name; the oldest go.
    ///   - room: how many bytes all versions of its database may take; where they take more, the oldest of its zone and
    ///     type go, replaced ones before deleted ones. Nil for any number.
    func keep(_ version: RecordVersion, atMost count: Int, room: Int64?) throws
    /// Notes that a record of a name was made: those of its versions that were deleted are ``RecordVersion/End/returned``.
    func noteReturn(ofRecordNamed name: String, in zone: Int64) throws
    /// Forgets the versions of a group that ended before a time in milliseconds, from the oldest on: as many as one write
    /// may do without keeping others waiting.
    ///
    /// - Returns: whether there are no more of them.
    func forgetVersions(of group: VersionGroup, endedBefore time: Int64) throws -> Bool
    /// Forgets all versions of a name in a zone, which are as many as a setting allows.
    func forgetVersions(ofRecordNamed name: String, in zone: Int64) throws

    /// Notes that a file is there, or that its upload was repeated: unused from now on, until a record is
    /// stored that refers to it.
    func noteAsset(_ content: AssetContent, at now: Int64) throws
    /// Gives the files that records let go of the time since when they are unused; those that others hold
    /// are none. At most so many; the number done is returned.
    func dateReleasedAssets(at now: Int64, limit: Int) throws -> Int
    /// Forgets a file, if nothing has referred to it since before a time.
    ///
    /// - Returns: whether it was forgotten.
    func removeAsset(_ digest: AssetDigest, unusedBefore time: Int64) throws -> Bool

    /// Stores a token.
    func insert(_ token: TokenRow, digest: [UInt8]) throws
    /// Forgets a token.
    func deleteToken(digest: [UInt8]) throws
    /// Notes when a key was used, in milliseconds.
    func noteUse(ofToken digest: [UInt8], at now: Int64) throws
    /// Stores a user.
    func insert(_ user: UserRow) throws
    /// Gives a user these roles in the place of those before.
    func setRoles(_ roles: [String], ofUserNamed recordName: String, tenant: Tenant) throws
    /// Gives a user another label, which must be free.
    func setLabel(_ label: String, ofUserNamed recordName: String, tenant: Tenant) throws
    /// Forgets a user. Records stay as they are.
    func deleteUser(named recordName: String, of tenant: Tenant) throws

    /// Stores an account, in the place of the one with its id; its address must be free.
    func store(_ account: AccountRow) throws
    /// Forgets an account with its credentials, links and sessions. Its users stay.
    func deleteAccount(_ id: String) throws
    /// Stores a credential, in the place of the one with its kind and name.
    func store(_ credential: CredentialRow) throws
    /// Forgets a credential.
    func deleteCredential(_ kind: CredentialRow.Kind, named name: String) throws
    /// Stores a link.
    func insert(_ link: AccountLinkRow, digest: [UInt8]) throws
    /// Forgets a link.
    func deleteAccountLink(digest: [UInt8]) throws
    /// Forgets the links that were mailed to an address, and those of an account.
    func deleteAccountLinks(to address: String, of account: String?) throws
    /// Forgets the links that ended before a time in milliseconds.
    func deleteAccountLinks(expiredBefore time: Int64) throws
    /// Stores a session, in the place of the one with its id.
    func store(_ session: SessionRow) throws
    /// Forgets a session with its tokens.
    func deleteSession(_ id: String) throws
    /// Looks at some sessions in the order of their ids, and forgets those that ended before a time in milliseconds or
    /// whose last token did.
    ///
    /// - Parameters:
    ///   - time: milliseconds since 1970.
    ///   - id: the session after which to begin; an empty text for the first.
    ///   - limit: how many to look at.
    /// - Returns: the last one that was looked at; nil where there was none.
    func deleteSessions(endedBefore time: Int64, after id: String, limit: Int) throws -> String?
    /// Gives a token of a session another end and another succession.
    func setSuccession(_ succession: TokenSuccession, expiresAt: Int64?, ofToken digest: [UInt8]) throws
    /// Forgets the tokens of a session that were replaced before a time in milliseconds.
    func deleteTokens(of session: String, replacedBefore time: Int64) throws
    /// Stores who may come in by a tenant's sign-in page.
    func store(_ policy: SignInPolicyRow) throws
    /// Stores a provider, in the place of the tenant's one with its name.
    func store(_ provider: SignInProviderRow) throws
    /// Forgets a provider. What accounts have of it stays.
    func deleteSignInProvider(named name: String, of tenant: Tenant) throws
    /// Notes that a user's records are to go, in the place of an earlier note.
    func store(_ erasure: ErasureRow) throws
    /// Forgets that a user's records are to go.
    func deleteErasure(ofUserNamed name: String, in tenant: Tenant) throws

    /// Stores a subscription, in the place of the one with its name.
    func store(_ subscription: SubscriptionRow) throws
    /// Forgets a subscription.
    func deleteSubscription(named name: String, of user: String, in database: Int64) throws
    /// Stores a receiver, in the place of the one with its digest.
    func store(_ receiver: ReceiverRow) throws
    /// Forgets a receiver.
    func deleteReceiver(digest: [UInt8]) throws
    /// Forgets the receivers that ask by themselves and have not since before a time in milliseconds.
    func deleteReceivers(unseenSince time: Int64) throws
    /// Stores a tenant's key for Apple's push service, in the place of the former one; nil forgets it.
    func store(pushKey: [UInt8]?, of tenant: Tenant) throws
    /// Stores a webhook, in the place of the one with its id.
    func store(_ webhook: WebhookRow) throws
    /// Forgets a webhook. Its subscriptions are others' to delete.
    func deleteWebhook(_ id: String) throws
    /// Has the changes of a type in a database logged from the next commit on, and notes that this was asked for.
    func watch(_ type: Int64, in database: Int64, at now: Int64) throws -> ChangeWatch
    /// Ends the watches that have not been asked for since before a time in milliseconds and that no subscription needs.
    func deleteWatches(unusedSince time: Int64) throws
    /// Forgets the oldest logged changes of before a time, as many as one write may do without keeping others waiting;
    /// notes the time once all of them are gone. Both times are in milliseconds.
    ///
    /// - Returns: whether all of them are gone.
    func forgetChanges(before time: Int64, at now: Int64) throws -> Bool

    /// Keeps what became of a request, in the place of an earlier one with the same key.
    ///
    /// - Parameters:
    ///   - outcome: what to keep.
    ///   - room: how many bytes all that is kept may take, each counted with `Limits/keptOutcomeOverheadBytes`; the oldest
    ///     go first.
    func keep(_ outcome: KeptOutcome, room: Int64) throws
    /// Forgets what was kept before a time in milliseconds, from the oldest on; at most so many, whose number is
    /// returned.
    func forgetKeptOutcomes(before time: Int64, limit: Int) throws -> Int

    /// Stores an operator, whose name must be free.
    func insert(_ row: OperatorRow) throws
    /// Forgets an operator with all tokens.
    func deleteOperator(named name: String) throws
    /// Stores an operator's token.
    func insert(_ token: OperatorTokenRow, digest: [UInt8]) throws
    /// Forgets an operator's token.
    func deleteOperatorToken(digest: [UInt8]) throws
    /// Forgets the operators' tokens that ended before a time in milliseconds.
    func deleteOperatorTokens(expiredBefore time: Int64) throws
    /// Notes what an operator did; of very many the oldest go (`Limits/auditEntries`).
    func insert(_ row: AuditRow) throws

    /// Stores rows of another store with the numbers that they have there, in the order of ``StoreSection``; the store
    /// must have been empty before the first.
    func restore(_ rows: [StoreRow]) throws
    /// Marks the store as one that a copy is being made into, or takes the mark away: as long as it is there, nobody
    /// can open the store.
    func markUnfinishedCopy(_ isUnfinished: Bool) throws
}

extension StoreWriter {
    /// Adds a field of a plain type to a type.
    public func addField(
        named name: String, type: FieldType, indexes: FieldIndexes, to recordType: RecordType, tenant: Tenant
    ) throws -> RecordType {
        try addField(
            FieldSchema(name: name, type: type, indexes: indexes, column: 0), to: recordType, tenant: tenant)
    }
}
