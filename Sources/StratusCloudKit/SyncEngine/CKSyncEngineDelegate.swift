/// What an app gives a sync engine: what to do with news, and which records to send.
///
/// The engine holds its delegate weakly. The calls come one at a time; do not await the engine's `fetchChanges` or
/// `sendChanges` in them, which throw then: begin those in a detached task.
public protocol CKSyncEngineDelegate: AnyObject, Sendable {
    /// Takes note of an event. The next one comes after this returned.
    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async

    /// Gives the next changes of records to send, within the scope of the context's options; nil ends the sending.
    ///
    /// ```swift
    /// let scope = context.options.scope
    /// let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
    /// return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
    ///     self.store.record(for: recordID)
    /// }
    /// ```
    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch?

    /// Says what to fetch next; asked before each request of a fetch. By default what the context says.
    func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions
}

extension CKSyncEngineDelegate {
    /// The options of the context.
    public func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions {
        context.options
    }
}
