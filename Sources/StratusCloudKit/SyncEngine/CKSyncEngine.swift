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
public final class CKSyncEngine: Sendable, CustomStringConvertible {
    /// The database.
    public let database: CKDatabase
    /// What waits to be sent, and how far the engine fetched.
    public let state: State

    /// Makes an engine; it asks nothing of the service yet, and nobody needs to be signed in.
    public init(_ configuration: Configuration) {
        database = configuration.database
        state = State(configuration.stateSerialization?.values ?? StateValues()) {}
    }

    /// Fetches what changed at the service.
    ///
    /// - Throws: `CKError`.
    public func fetchChanges(_ options: FetchChangesOptions = .init()) async throws {
        throw PlannedFeature.automaticSync.error
    }

    /// Sends what waits.
    ///
    /// - Throws: `CKError`.
    public func sendChanges(_ options: SendChangesOptions = .init()) async throws {
        throw PlannedFeature.automaticSync.error
    }

    /// Ends what is fetched and sent at the moment, as soon as it can be.
    public func cancelOperations() async {}

    /// The database, and how much waits.
    public var description: String {
        let state = state.current
        return "CKSyncEngine of the \(database.databaseScope) database, "
            + "\(state.records.count) records and \(state.zones.count) zones wait"
    }
}
