public import RecordModel
public import RecordStorage
internal import Synchronization

/// The records of all tenants in memory: nothing is on disk, and nothing is left when it goes.
///
/// It is the model that engines are compared with, and the store of tests. Everything is a value: a read has the state
/// of its moment, a write works on a copy that takes the state's place when it succeeds. Collections share what did
/// not change, so a copy costs nothing; scans look at all records of their zones.
public final class MemoryStore: RecordStore {
    private struct Shared {
        var moment = MemoryMoment()
        var isClosed = false
    }

    private let shared = Mutex(Shared())
    private let listener = ChangeListener<Void>()
    private let revocations = ChangeListener<Void>()

    /// Makes an empty store.
    public init() {}

    public var health: StoreHealth { shared.withLock { $0.isClosed ? .closed : .good } }

    public func schema(of tenant: Tenant) -> Schema {
        shared.withLock { $0.moment.schema(of: tenant) }
    }

    public func read<Value: Sendable>(
        _ effort: ReadEffort, for party: ReadParty,
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let moment = try shared.withLock { shared in
            if shared.isClosed { throw StorageError.closed }
            return shared.moment
        }
        return try moment.read(body)
    }

    public func write<Value: Sendable>(
        _ effort: WriteEffort, _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value {
        let (value, hasLogged, hasRevoked) = try shared.withLock { shared in
            if shared.isClosed { throw StorageError.closed }
            return try shared.moment.write(body)
        }
        if hasLogged { listener.call() }
        if hasRevoked { revocations.call() }
        return value
    }

    public func listen(_ listener: (@Sendable () -> Void)?) { self.listener.set(listener) }

    public func listenForRevocations(_ listener: (@Sendable () -> Void)?) { revocations.set(listener) }

    public func effort(of scan: RecordScan) -> ReadEffort { .short }

    public func explain(_ scan: RecordScan) -> ScanExplanation { ScanExplanation(plan: .scan) }

    /// There are no indexes here, and none is missed.
    public func makeIndex(for scan: RecordScan) async throws {}

    public func close() async { shared.withLock { $0.isClosed = true } }
}
