internal import Synchronization

/// Keeps an app's own data and a database of the service the same: it remembers what waits to be sent and how far
/// it fetched, and tells the app's delegate what is new.
///
/// ```swift
/// let engine = CKSyncEngine(
///     .init(database: container.privateCloudDatabase, stateSerialization: saved, delegate: store))
/// engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
/// try await engine.sendChanges()
/// try await engine.fetchChanges()
/// ```
///
/// The engine fetches and sends when it is asked to; it does not yet by itself. Fetches and sends come one after the
/// other, and so do the calls of the delegate. Nothing stops the app: where Apple's would, an error is thrown.
public final class CKSyncEngine: Sendable, CustomStringConvertible {
    /// The database.
    public let database: CKDatabase
    /// What waits to be sent, and how far the engine fetched.
    public let state: State

    private weak let delegate: (any CKSyncEngineDelegate)?
    /// The calls of the delegate.
    private let calls = SerialTasks()
    /// The fetches and sends.
    private let work = SerialTasks()
    private let running = Mutex(Running())
    /// Whether a call of the delegate with the newest state is on its way.
    private let isStateUpdateDue = Mutex(false)
    /// The sign-in, as ``TokenStore`` counts them, of which the user is known.
    let knownSession = Mutex<Int?>(nil)

    /// What was begun and did not end yet.
    private struct Running: Sendable {
        var tasks: [Int: Task<Void, any Error>] = [:]
        var fetch: (id: Int, scope: FetchChangesOptions.Scope)?
        var count = 0
    }

    /// The engine whose delegate the current task calls.
    @TaskLocal private static var caller: ObjectIdentifier?

    /// Makes an engine; it asks nothing of the service yet, and nobody needs to be signed in.
    public init(_ configuration: Configuration) {
        database = configuration.database
        delegate = configuration.delegate
        state = State(configuration.stateSerialization?.values ?? StateValues())
        state.observe { [weak self] in self?.startStateUpdate() }
        if configuration.automaticallySync {
            CloudKitLog.warn(
                of: .automaticSync,
                remedy:
                    "Call fetchChanges() and sendChanges() of CKSyncEngine, and set automaticallySync to false."
            )
        }
    }

    /// Fetches what changed at the service, and returns when the delegate has handled it all.
    ///
    /// The service is always asked. A call during another fetch of the same scope waits for that one.
    ///
    /// - Throws: `CKError`: `notAuthenticated` where nobody is signed in, `partialFailure` where single zones could
    ///   not be fetched, `invalidArguments` in a call of the delegate.
    public func fetchChanges(_ options: FetchChangesOptions = .init()) async throws {
        try refuseInsideOfCalls()
        let task = running.withLock { running in
            if let fetch = running.fetch, fetch.scope == options.scope, let task = running.tasks[fetch.id] {
                return task
            }
            let id = running.count
            running.fetch = (id, options.scope)
            return start(&running) { try await self.fetch(options, reason: .manual) }
        }
        try await wait(for: task)
    }

    /// Sends what waits, and returns when the delegate has handled what became of it.
    ///
    /// Where nothing waits, nothing happens. An engine that never fetched does so first, so that it hears of what others
    /// delete from now on.
    ///
    /// - Throws: `CKError`: `partialFailure` where single records or zones failed, also where the delegate dealt
    ///   with it; `notAuthenticated` where nobody is signed in; `invalidArguments` in a call of the delegate, and
    ///   for a batch that holds records outside of the scope.
    public func sendChanges(_ options: SendChangesOptions = .init()) async throws {
        try refuseInsideOfCalls()
        let task = running.withLock { running in
            start(&running) { try await self.send(options, reason: .manual) }
        }
        try await wait(for: task)
    }

    /// Ends what is fetched and sent at the moment, and what waits for that.
    ///
    /// Requests on their way may still be done. Outside of the delegate's calls this returns when all has ended.
    public func cancelOperations() async {
        let tasks = running.withLock { Array($0.tasks.values) }
        for task in tasks { task.cancel() }
        guard Self.caller != ObjectIdentifier(self) else { return }
        for task in tasks { _ = await task.result }
    }

    /// The database, and how much waits.
    public var description: String {
        let state = state.current
        return "CKSyncEngine of the \(database.databaseScope) database, "
            + "\(state.records.count) records and \(state.zones.count) zones wait"
    }

    private func start(
        _ running: inout Running, _ job: @escaping @Sendable () async throws -> Void
    ) -> Task<Void, any Error> {
        let id = running.count
        running.count += 1
        let task = work.start {
            defer {
                self.running.withLock { running in
                    running.tasks[id] = nil
                    if running.fetch?.id == id { running.fetch = nil }
                }
            }
            try await job()
        }
        running.tasks[id] = task
        return task
    }

    private func wait(for task: Task<Void, any Error>) async throws {
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func refuseInsideOfCalls() throws(CKError) {
        guard Self.caller == ObjectIdentifier(self) else { return }
        throw CKError(
            .invalidArguments,
            "A sync engine was asked to sync in a call of its delegate, which it waits for.",
            remedy: "Use Task.detached { try await syncEngine.fetchChanges() } there.")
    }
}

extension CKSyncEngine {
    /// Tells the delegate of an event, and returns when it has handled it.
    func tell(_ event: Event) async {
        await call { delegate, engine in await delegate.handleEvent(event, syncEngine: engine) }
    }

    /// Tells the delegate of the newest state.
    func tellState() async {
        isStateUpdateDue.withLock { $0 = false }
        await tell(.stateUpdate(.init(stateSerialization: .init(state.current))))
    }

    /// Asks the delegate what to fetch next.
    func nextOptions(_ context: FetchChangesContext) async -> FetchChangesOptions {
        await call { delegate, engine in
            await delegate.nextFetchChangesOptions(context, syncEngine: engine)
        } ?? context.options
    }

    /// Asks the delegate what to send next.
    func nextBatch(_ context: SendChangesContext) async -> RecordZoneChangeBatch? {
        let batch = await call { delegate, engine in
            await delegate.nextRecordZoneChangeBatch(context, syncEngine: engine)
        }
        return batch ?? nil
    }

    /// Calls the delegate, after all calls before; nil where it is gone.
    @discardableResult
    private func call<Value: Sendable>(
        _ body: @escaping @Sendable (any CKSyncEngineDelegate, CKSyncEngine) async -> Value
    ) async -> Value? {
        guard let delegate else { return nil }
        let task = calls.start {
            await Self.$caller.withValue(ObjectIdentifier(self)) { await body(delegate, self) }
        }
        // Nil where the engine ended before the delegate was asked.
        return try? await task.value
    }

    /// Makes sure that the delegate hears of a change that the app made; many at once are one event.
    private func startStateUpdate() {
        let isFirst = isStateUpdateDue.withLock { isDue in
            defer { isDue = true }
            return !isDue
        }
        guard isFirst else { return }
        Task.detached { [weak self] in
            guard let self, isStateUpdateDue.withLock({ $0 }) else { return }
            await tellState()
        }
    }
}
