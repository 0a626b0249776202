internal import RecordWire

extension CKSyncEngine {
    /// What one sending came to.
    private struct Tally {
        /// The error of each record and zone that failed.
        var errors: [AnyHashable: any Error] = [:]
        /// How many batches of records, one after the other, of which nothing was saved or deleted.
        var fruitlessBatches = 0
        /// The most of them: a delegate that gives the same batch over and over must not keep the engine busy.
        static let maximumFruitlessBatches = 3
    }

    /// Sends what waits, in the order that ``Event`` documents.
    func send(_ options: SendChangesOptions, reason: SyncReason) async throws(CKError) {
        guard state.current.hasWork(in: options.scope) else { return }
        try await checkAccount()
        // What others delete after the first fetch is in the feed; who never fetched would never hear of it.
        if state.current.databaseToken == nil {
            try await fetch(.init(operationGroup: options.operationGroup), reason: .scheduled)
        }
        let context = SendChangesContext(reason: reason, options: options)
        await tell(.willSendChanges(.init(context: context)))
        var tally = Tally()
        var failure: CKError?
        do throws(CKError) {
            repeat {
                try refuseIfCancelled()
                try await sendZones(context, &tally)
            } while try await sendBatch(context, &tally)
        } catch {
            failure = error
        }
        await tell(.didSendChanges(.init(context: context)))
        if let failure { throw failure }
        if !tally.errors.isEmpty { throw CKError.partialFailure(tally.errors) }
    }

    /// Saves and deletes the zones that wait; before the records, which need them.
    private func sendZones(_ context: SendChangesContext, _ tally: inout Tally) async throws(CKError) {
        let before = state.current
        let changes = before.zones.changes.filter { context.options.scope.containsZone($0.zoneID) }
        guard !changes.isEmpty else { return }
        var outcome = ZoneOutcomes()
        var failure: CKError?
        do throws(CKError) {
            try await database.run(
                saveZones: changes.compactMap(\.savedZone), deleteZones: changes.compactMap(\.deletedZoneID),
                options: database.options(for: context.options.operationGroup)
            ) { outcome.note($0) }
        } catch {
            failure = error
        }
        outcome.noteRest(of: changes, failure)
        let errors = outcome.errors
        state.change { values in
            for change in changes where errors[change.zoneID]?.passesByItself != true {
                values.zones.removeSent(change, for: change.zoneID, since: before.zones.mark)
            }
        }
        for (zoneID, error) in errors { tally.errors[zoneID] = error }
        await learnBeginnings(of: outcome.event.savedZones, context)
        await tell(.sentDatabaseChanges(outcome.event))
        await tellState()
        if let failure { throw failure }
        if let error = errors.values.first(where: \.passesByItself) { throw error }
    }

    /// Learns where the feeds of new zones begin, before records are sent there: the first fetch then reports what
    /// others deleted meanwhile. A zone that has records already is left to the next fetch, as is one that
    /// cannot be asked for.
    private func learnBeginnings(of zones: [CKRecordZone], _ context: SendChangesContext) async {
        for zoneID in zones.map(\.zoneID) where state.current.zoneTokens[zoneID] == nil {
            // As said: left to the next fetch.
            let pages = try? await database.zoneChangesPages(
                [(zoneID, ZoneChangesRequest(zoneID: zoneID.wire))],
                options: database.options(for: context.options.operationGroup))
            guard case .success(let page)? = pages?.first?.result, page.events.isEmpty, !page.moreComing
            else { continue }
            state.change { $0.zoneTokens[zoneID] = page.token }
        }
    }

    /// Sends the next batch of records; false where the delegate has none.
    private func sendBatch(_ context: SendChangesContext, _ tally: inout Tally) async throws(CKError) -> Bool
    {
        let before = state.current
        if before.hasUntrackedChanges { state.change { $0.hasUntrackedChanges = false } }
        guard let batch = await nextBatch(context), !batch.isEmpty else { return false }
        let changes = batch.changes
        if let stranger = changes.first(where: { !context.options.scope.contains($0) }) {
            state.change { $0.hasUntrackedChanges = before.hasUntrackedChanges }
            throw CKError(
                .invalidArguments, "The batch holds a change outside of what is sent: \(stranger).",
                remedy: "Give only changes that context.options.scope contains.")
        }
        var outcome = RecordOutcomes()
        var failure: CKError?
        do throws(CKError) {
            let plan = try ModifyPlan(
                saving: batch.recordsToSave, deleting: batch.recordIDsToDelete,
                policy: .ifServerRecordUnchanged, isAtomic: batch.atomicByZone, in: database)
            try await database.run(plan, options: database.options(for: context.options.operationGroup)) {
                outcome.note($0)
            }
        } catch {
            failure = error
        }
        outcome.noteRest(of: batch, failure)
        let errors = outcome.errors
        let isInterrupted = errors.values.contains(where: \.passesByItself)
        state.change { values in
            for change in changes where errors[change.recordID]?.passesByItself != true {
                values.records.removeSent(change, for: change.recordID, since: before.records.mark)
            }
            if isInterrupted, before.hasUntrackedChanges { values.hasUntrackedChanges = true }
        }
        for (recordID, error) in errors { tally.errors[recordID] = error }
        await tell(.sentRecordZoneChanges(outcome.event))
        await tellState()
        if isInterrupted, let failure { throw failure }
        if isInterrupted { throw CKError.partialFailure(tally.errors) }
        tally.fruitlessBatches = errors.count == changes.count ? tally.fruitlessBatches + 1 : 0
        return tally.fruitlessBatches < Tally.maximumFruitlessBatches
    }
}

extension CKSyncEngine.StateValues {
    /// Whether there is something to send, or the app says so.
    fileprivate func hasWork(in scope: CKSyncEngine.SendChangesOptions.Scope) -> Bool {
        hasUntrackedChanges || zones.changes.contains { scope.containsZone($0.zoneID) }
            || records.changes.contains { scope.contains($0) }
    }
}

extension CKSyncEngine.PendingDatabaseChange {
    fileprivate var savedZone: CKRecordZone? { if case .saveZone(let zone) = self { zone } else { nil } }
    fileprivate var deletedZoneID: CKRecordZone.ID? {
        if case .deleteZone(let zoneID) = self { zoneID } else { nil }
    }
}

extension CKSyncEngine.RecordZoneChangeBatch {
    /// What the batch does, as pending changes.
    fileprivate var changes: [CKSyncEngine.PendingRecordZoneChange] {
        recordsToSave.map { .saveRecord($0.recordID) } + recordIDsToDelete.map { .deleteRecord($0) }
    }
}
