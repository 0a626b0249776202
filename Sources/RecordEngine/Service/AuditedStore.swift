public import RecordModel
public import RecordStorage

/// What an operator does, noted in the audit log in the same write that does it: neither is there without the other.
///
///     try await AuditedAction.$current.withValue(AuditedAction { outcome in AuditRow(…) }) {
///         try await Users.add(name, to: tenant, store: store, environment: environment)
///     }
public struct AuditedAction: Sendable {
    /// What a write has come to.
    public struct Outcome {
        /// What the write gives back.
        public let value: Any
        /// The answer of a request to the service, as the bytes of a JSON object; nil for other writes.
        public let answer: [UInt8]?

        /// What the only write of a deed gives back; nil where it is nil.
        ///
        /// A write that gives another type is a mistake of the program, which would leave the deed out of the log.
        public func given<Value>(_ type: Value.Type) -> Value? {
            assert(value is Value?, "the deed's write gives no \(type)")
            return value as? Value
        }
    }

    /// The deed that the task's next writes are, in an ``AuditedStore``.
    @TaskLocal public static var current: AuditedAction?

    let row: @Sendable (Outcome) -> AuditRow?

    /// Makes a deed.
    ///
    /// - Parameter row: what the log gets; nil where nothing was done.
    public init(_ row: @escaping @Sendable (Outcome) -> AuditRow?) { self.row = row }
}

/// A store whose writes note the ``AuditedAction/current`` deed, if there is one.
public struct AuditedStore: RecordStore {
    private let base: any RecordStore

    /// Wraps a store; one that is wrapped already stays as it is.
    public init(_ store: any RecordStore) { base = (store as? AuditedStore)?.base ?? store }

    /// Runs a closure as one write, with the row of the task's deed in it.
    ///
    /// - Throws: what the closure and the store beneath throw.
    public func write<Value: Sendable>(
        _ effort: WriteEffort, _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value {
        // The writing thread has no task: the deed is taken along.
        guard let deed = AuditedAction.current else { return try await base.write(effort, body) }
        return try await base.write(effort) { store in
            let value = try body(store)
            let outcome = AuditedAction.Outcome(value: value, answer: (value as? ServiceOutput)?.body)
            if let row = deed.row(outcome) { try store.insert(row) }
            return value
        }
    }

    public func read<Value: Sendable>(
        _ effort: ReadEffort, for party: ReadParty,
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value {
        try await base.read(effort, for: party, body)
    }

    public func schema(of tenant: Tenant) -> Schema { base.schema(of: tenant) }
    public func effort(of scan: RecordScan) -> ReadEffort { base.effort(of: scan) }
    public func explain(_ scan: RecordScan) -> ScanExplanation { base.explain(scan) }
    /// The deed is noted first: an engine may make an index outside its writes, and none is made that is not noted.
    ///
    /// - Throws: `StorageError` where the deed or the index cannot be noted, since the engine cannot be reached or its disk is
    ///   full, for example; `CancellationError`.
    public func makeIndex(for scan: RecordScan) async throws {
        if let row = AuditedAction.current?.row(AuditedAction.Outcome(value: (), answer: nil)) {
            try await base.write { try $0.insert(row) }
        }
        try await base.makeIndex(for: scan)
    }
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
