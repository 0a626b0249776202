internal import RecordWire

extension CKSyncEngine {
    /// Fetches what changed, in the order that ``Event`` documents.
    func fetch(_ options: FetchChangesOptions, reason: SyncReason) async throws(CKError) {
        try await checkAccount()
        let context = FetchChangesContext(reason: reason, options: options)
        await tell(.willFetchChanges(.init(context: context)))
        var errors: [AnyHashable: any Error] = [:]
        var failure: CKError?
        do throws(CKError) {
            try await fetchDatabase(context)
            errors = try await fetchZones(context)
        } catch {
            failure = error
        }
        await tell(.didFetchChanges(.init(context: context)))
        if let failure { throw failure }
        if !errors.isEmpty { throw CKError.partialFailure(errors) }
    }

    /// Fetches which zones changed.
    private func fetchDatabase(_ context: FetchChangesContext) async throws(CKError) {
        while true {
            let options = await nextOptions(context)
            let token = state.current.databaseToken
            let page: CKDatabase.DatabaseChanges
            do {
                page = try await database.databaseChangesPage(
                    since: token, limit: nil, options: database.options(for: options.operationGroup))
            } catch {
                guard error.code == .changeTokenExpired, token != nil else { throw error }
                state.change { $0.databaseToken = nil }
                continue
            }
            try refuseIfCancelled()
            if !page.modifications.isEmpty || !page.deletions.isEmpty {
                await tell(
                    .fetchedDatabaseChanges(
                        .init(modifications: page.modifications, deletions: page.deletions)))
            }
            let isNew = page.changeToken != token
            state.change { $0.note(page) }
            if isNew { await tellState() }
            guard page.moreComing else { return }
        }
    }

    /// Fetches the zones that changed, one after the other, in the order that the delegate wants.
    ///
    /// - Returns: the errors of single zones.
    private func fetchZones(_ context: FetchChangesContext) async throws(CKError) -> [AnyHashable: any Error]
    {
        var errors: [AnyHashable: any Error] = [:]
        var done: Set<CKRecordZone.ID> = []
        while let zoneID = state.current.nextZone(await nextOptions(context), without: done) {
            done.insert(zoneID)
            await tell(.willFetchRecordZoneChanges(.init(zoneID: zoneID)))
            var failure: CKError?
            do throws(CKError) { try await fetchZone(zoneID, context) } catch { failure = error }
            await tell(.didFetchRecordZoneChanges(.init(zoneID: zoneID, error: failure)))
            guard let failure else { continue }
            if failure.passesByItself { throw failure }
            errors[zoneID] = failure
        }
        return errors
    }

    /// Fetches the pages of one zone.
    private func fetchZone(_ zoneID: CKRecordZone.ID, _ context: FetchChangesContext) async throws(CKError) {
        while true {
            let options = await nextOptions(context)
            let token = state.current.zoneTokens[zoneID]
            let wish = ZoneChangesRequest(zoneID: zoneID.wire, syncToken: token?.text)
            let pages = try await database.zoneChangesPages(
                [(zoneID, wish)], options: database.options(for: options.operationGroup))
            try refuseIfCancelled()
            let page: (events: [CKDatabase.ZoneEvent], token: CKServerChangeToken, moreComing: Bool)
            switch pages.first?.result {
            case nil: throw CKError(.internalError, "The service's answer leaves out the zone.")
            case .success(let changes)?: page = changes
            case .failure(let error)? where error.code == .changeTokenExpired && token != nil:
                state.change { $0.zoneTokens[zoneID] = nil }
                continue
            case .failure(let error)?:
                if error.code == .zoneNotFound { state.change { $0.forgetZone(zoneID) } }
                throw error
            }
            if let event = try Event.FetchedRecordZoneChanges(page.events) {
                await tell(.fetchedRecordZoneChanges(event))
            }
            state.change { values in
                values.zoneTokens[zoneID] = page.token
                if !page.moreComing { values.unfetchedZoneIDs.removeAll { $0 == zoneID } }
            }
            await tellState()
            guard page.moreComing else { return }
        }
    }

    func refuseIfCancelled() throws(CKError) {
        if Task.isCancelled { throw CKError(any: CancellationError()) }
    }
}

extension CKSyncEngine.Event.FetchedRecordZoneChanges {
    /// Gathers what a page reports; nil where that is nothing.
    ///
    /// - Throws: why a record could not be had, its file for example: the page is then fetched again, so that
    ///   the record is not missed.
    fileprivate init?(_ events: [CKDatabase.ZoneEvent]) throws(CKError) {
        var modifications: [CKDatabase.RecordZoneChange.Modification] = []
        var deletions: [CKDatabase.RecordZoneChange.Deletion] = []
        for event in events {
            switch event {
            case .changed(_, .success(let record)): modifications.append(.init(record: record))
            case .changed(_, .failure(let error)): throw CKError(any: error)
            case .deleted(let recordID, let type):
                deletions.append(.init(recordID: recordID, recordType: type))
            }
        }
        if modifications.isEmpty, deletions.isEmpty { return nil }
        self.init(modifications: modifications, deletions: deletions)
    }
}

extension CKSyncEngine.StateValues {
    /// Takes note of a page of the database's feed, once the delegate knows of it.
    ///
    /// A zone that is among both was deleted and made again: it is fetched from its beginning.
    fileprivate mutating func note(_ page: CKDatabase.DatabaseChanges) {
        for deletion in page.deletions { forgetZone(deletion.zoneID) }
        var known = Set(unfetchedZoneIDs)
        for change in page.modifications where known.insert(change.zoneID).inserted {
            unfetchedZoneIDs.append(change.zoneID)
        }
        databaseToken = page.changeToken
    }

    /// Forgets how far a zone that is gone was fetched. What waits to be sent to it stays: the app may save the zone
    /// again.
    fileprivate mutating func forgetZone(_ zoneID: CKRecordZone.ID) {
        unfetchedZoneIDs.removeAll { $0 == zoneID }
        zoneTokens[zoneID] = nil
    }

    /// The zone to fetch next; nil where none is left.
    fileprivate func nextZone(
        _ options: CKSyncEngine.FetchChangesOptions, without done: Set<CKRecordZone.ID>
    ) -> CKRecordZone.ID? {
        let wanted = unfetchedZoneIDs.filter { options.scope.contains($0) && !done.contains($0) }
        return options.prioritizedZoneIDs.first { wanted.contains($0) } ?? wanted.first
    }
}

extension CKDatabase {
    /// How the requests of a group are made: as its configuration says, and where that says nothing as others are.
    func options(for group: CKOperationGroup) -> ServiceClient.Options {
        ServiceClient.Options(group.defaultConfiguration?.settings ?? .init(), over: options)
    }
}
