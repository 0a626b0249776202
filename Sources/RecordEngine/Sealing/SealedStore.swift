public import RecordModel
public import RecordStorage

/// A store whose encrypted fields lie sealed in it: values are sealed where a body goes in, and opened where one comes out.
///
/// Everything above sees bodies as they are sent, everything below as bytes. What was stored in the clear before is read as
/// it is, and sealed by the next write of its record. Rows for copies (`rows(of:)`) stay sealed; the keys of their databases
/// go with them, wrapped.
public struct SealedStore: RecordStore {
    private let base: any RecordStore
    private let keys: SealingKeys

    /// Wraps a store; one that is wrapped already stays as it is, with its keys.
    ///
    /// - Parameters:
    ///   - store: where the records are.
    ///   - keys: what seals them.
    public init(_ store: any RecordStore, keys: SealingKeys) {
        let wrapped = store as? SealedStore
        base = wrapped?.base ?? store
        self.keys = wrapped?.keys ?? keys
    }

    /// The store beneath, whose bodies are sealed.
    public static func base(of store: any RecordStore) -> any RecordStore {
        (store as? SealedStore)?.base ?? store
    }

    /// What a reader reads from, whose bodies are sealed: removing records needs no key.
    static func base(of reader: any StoreReader) -> any StoreReader {
        (reader as? SealedReader)?.base ?? reader
    }

    /// What a writer writes to, whose bodies are sealed.
    static func base(of writer: any StoreWriter) -> any StoreWriter {
        (writer as? SealedWriter)?.writer ?? writer
    }

    /// What is wrong with the master key, by the first database that has a key; nil where it opens it or there is none.
    ///
    /// - Throws: `StorageError` where the store cannot be read; `CancellationError`.
    public static func problem(of store: any RecordStore) async throws -> SealingError? {
        guard let sealed = store as? SealedStore,
            let first = try await sealed.base.read(.short, { try $0.keyedDatabases(after: 0, limit: 1) })
                .first,
            let wrapped = first.key
        else { return nil }
        do {
            _ = try sealed.keys.masterKey().unwrap(wrapped, of: first.id)
            return nil
        } catch let error as SealingError {
            return error
        }
    }

    /// Runs a closure as one write, of a writer that seals.
    ///
    /// - Throws: what the closure and the store beneath throw; ``SealingError`` where there is no valid master key, or a record's
    ///   encrypted field does not open.
    public func write<Value: Sendable>(
        _ effort: WriteEffort, _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value {
        try await base.write(effort) { [keys] in try body(SealedWriter($0, keys)) }
    }

    /// Runs a closure on one snapshot, of a reader that opens what is sealed.
    ///
    /// - Throws: what the closure and the store beneath throw; ``SealingError`` where there is no valid master key, or a record's
    ///   encrypted field does not open.
    public func read<Value: Sendable>(
        _ effort: ReadEffort, for party: ReadParty,
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value {
        try await base.read(effort, for: party) { [keys] in try body(SealedReader($0, keys)) }
    }

    public func schema(of tenant: Tenant) -> Schema { base.schema(of: tenant) }
    public func effort(of scan: RecordScan) -> ReadEffort { base.effort(of: scan) }
    public func explain(_ scan: RecordScan) -> ScanExplanation { base.explain(scan) }
    public func makeIndex(for scan: RecordScan) async throws { try await base.makeIndex(for: scan) }
    public func takeLease(of job: StoreJob) async throws -> Bool { try await base.takeLease(of: job) }
    public func renewLease(of job: StoreJob) async throws -> Bool { try await base.renewLease(of: job) }
    public func returnLease(of job: StoreJob, isDone: Bool) async throws {
        try await base.returnLease(of: job, isDone: isDone)
    }
    public func listen(_ listener: (@Sendable () -> Void)?) { base.listen(listener) }
    public func listenForRevocations(_ listener: (@Sendable () -> Void)?) {
        base.listenForRevocations(listener)
    }
    public func listenForSubscribers(_ listener: (@Sendable (_ user: String) -> Void)?) {
        base.listenForSubscribers(listener)
    }
    public var health: StoreHealth { base.health }
    public var gauges: [(name: String, value: Int)] { base.gauges }
    public var backgroundWork: BackgroundWork { base.backgroundWork }
    public func close() async { await base.close() }
}

/// Where the master key comes from, and randomness.
public struct SealingKeys: Sendable {
    let master: @Sendable () throws -> MasterKey
    let random: @Sendable (Int) -> [UInt8]

    /// Names the sources.
    ///
    /// - Parameters:
    ///   - random: gives so many random bytes.
    ///   - master: gives the master key, when a read or a write first needs it; what it throws is the cause of their
    ///     ``SealingError``.
    public init(
        random: @escaping @Sendable (Int) -> [UInt8], master: @escaping @Sendable () throws -> MasterKey
    ) {
        self.random = random
        self.master = master
    }

    /// The master key.
    ///
    /// - Throws: ``SealingError``.
    func masterKey() throws -> MasterKey {
        do {
            return try master()
        } catch let error as SealingError {
            throw error
        } catch {
            throw SealingError.missingKey(error)
        }
    }
}
