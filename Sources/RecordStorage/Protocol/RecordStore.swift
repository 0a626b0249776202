public import RecordModel

/// A place that keeps the records of all tenants: one engine of SQL behind it, nothing of SQL in front.
///
/// # The fault model
/// - A write is acknowledged (its `write` returns) only after the disk has it. A process or a machine that
///   stops at any moment loses nothing that was acknowledged, and each write that was not is stored whole or
///   not at all.
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
    ///   - body: what to read; an engine may run it again from its beginning. The reader is valid only inside.
    /// - Throws: what the closure throws; ``StorageError`` when the engine fails, time runs out or too many reads
    ///   wait; `CancellationError`.
    func read<Value: Sendable>(
        _ effort: ReadEffort, for party: ReadParty,
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value

    /// Runs a closure as one write, and returns when the disk has it.
    ///
    /// Writes of a node follow each other on a thread of the store, perhaps several in one commit; when a closure throws, what it
    /// did is undone and nobody else's work is. Writes that wait at the same time are done in any order. An engine may run a
    /// closure more than once before one run counts: up to its first question, or again where another node was in the way. So it
    /// changes nothing but the writer, and what it returns comes from the run that counts.
    /// - Parameters:
    ///   - effort: how much work it is: an engine may let short ones go first.
    ///   - body: the write.
    /// - Throws: what the closure throws; ``StorageError`` when the engine fails or too many writes wait.
    func write<Value: Sendable>(
        _ effort: WriteEffort, _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value

    /// The schema of a tenant as of the last commit, without a read; empty where nothing is stored yet.
    func schema(of tenant: Tenant) -> Schema

    /// How much work a scan would be.
    func effort(of scan: RecordScan) -> ReadEffort

    /// How a scan's rows would be found.
    func explain(_ scan: RecordScan) -> ScanExplanation

    /// Has the index made that would serve a scan, where one would and does not exist yet.
    ///
    /// It is made in the background, beside other writes: a small one is there when this returns, a large one later.
    /// An engine that keeps few indexes may drop the one used longest ago.
    /// - Throws: ``StorageError`` where it cannot be noted that it is wanted; `CancellationError`, while it is made all the same.
    func makeIndex(for scan: RecordScan) async throws

    /// Takes a job that is due and that no other node has, so that nobody else does it until the lease ends.
    ///
    /// A node that has it already gets it again. Times are those of the database's clock.
    /// - Returns: whether the job is this node's; false while another one has it, and until it is due again.
    /// - Throws: ``StorageError`` where the database cannot be asked; `CancellationError`.
    func takeLease(of job: StoreJob) async throws -> Bool
    /// Keeps a job for another ``StoreJob/leaseSeconds``.
    ///
    /// - Returns: false where the lease has ended: another node may have the job.
    /// - Throws: ``StorageError`` where the database cannot be asked; `CancellationError`.
    func renewLease(of job: StoreJob) async throws -> Bool
    /// Lets other nodes have a job: when it is due again where it was done, at once where it was not.
    ///
    /// - Throws: ``StorageError`` where the database cannot be asked; `CancellationError`. Then the job is free when its lease
    ///   ends.
    func returnLease(of job: StoreJob, isDone: Bool) async throws

    /// Has a closure called after each commit that logged changes, of this node or of another one.
    ///
    /// It is a hint that may come late or, where a connection was lost, not at all: whoever follows the log looks at it now
    /// and then without one. There is one listener; nil takes it away. The closure runs on any thread and returns at once.
    func listen(_ listener: (@Sendable () -> Void)?)

    /// Has a closure called after each commit that took something away from callers: a token, a session, a user or a role. Of
    /// this store, and of other nodes on the same database.
    ///
    /// Whoever remembers what callers may forgets it then. It is a hint: one of another node comes within milliseconds, or half a
    /// second late where the connection for hints was lost. There is one listener; nil takes it away. The closure runs on any
    /// thread and returns at once.
    func listenForRevocations(_ listener: (@Sendable () -> Void)?)

    /// Has a closure called after each commit of another node that changed subscriptions, once for each user who owns them;
    /// it may be called for this node's as well.
    ///
    /// It is a hint that comes within milliseconds or, where the connection for hints was lost, not at all: whoever waits on behalf of
    /// a user reads the subscriptions again now and then. There is one listener; nil takes it away. The closure runs on any
    /// thread and returns at once.
    func listenForSubscribers(_ listener: (@Sendable (_ user: String) -> Void)?)

    /// Whether writes are being taken, and if not, why.
    var health: StoreHealth { get }

    /// Figures of the store at this moment, for whoever watches it, by the names of their metrics.
    var gauges: [(name: String, value: Int)] { get }
    /// What is still to be done for writes that were acknowledged, as of a moment ago.
    var backgroundWork: BackgroundWork { get }

    /// Waits for running work, and closes the files. Later calls fail.
    func close() async
}

extension RecordStore {
    /// Nobody is ever called: whoever follows the log has to look.
    public func listen(_ listener: (@Sendable () -> Void)?) {}

    /// Nobody is ever called: whoever remembers what callers may has to look again by the clock.
    public func listenForRevocations(_ listener: (@Sendable () -> Void)?) {}

    /// Nobody is ever called: there are no other nodes.
    public func listenForSubscribers(_ listener: (@Sendable (_ user: String) -> Void)?) {}

    /// Runs a short write.
    ///
    /// - Throws: what the closure throws; ``StorageError`` when the engine fails or too many writes wait.
    public func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value {
        try await write(.short, body)
    }

    /// None.
    public var gauges: [(name: String, value: Int)] { [] }
}

/// How much work a read may be.
public enum ReadEffort: Sendable {
    /// A few steps in an index: done at once, on the caller's thread where the engine is in this process.
    case short
    /// A scan: done on a thread of its own, so that short reads do not wait behind it.
    case long
}

/// How much work a write may be.
public enum WriteEffort: Sendable {
    /// A few records.
    case short
    /// A batch. Short writes that wait need not wait for all batches that came before them.
    case long

    /// The most records of a short write.
    public static let shortRecords = 10

    /// The effort of a write of so many records.
    public init(records: Int) { self = records > Self.shortRecords ? .long : .short }
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

extension RecordStore {
    /// Runs a closure on one snapshot of the store, for the service itself.
    ///
    /// - Throws: what the closure throws; ``StorageError`` and `CancellationError` as ``read(_:for:_:)`` does.
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
