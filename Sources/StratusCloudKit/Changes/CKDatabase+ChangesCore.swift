internal import RecordModel
internal import RecordWire

extension CKDatabase {
    /// One thing that happened in a zone.
    enum ZoneEvent {
        case changed(CKRecord.ID, Result<CKRecord, any Error>)
        case deleted(CKRecord.ID, CKRecord.RecordType)
    }

    /// What happened in a zone, and where to go on.
    typealias FetchedZone = (events: [ZoneEvent], token: CKServerChangeToken, moreComing: Bool)

    /// What was fetched of one zone's feed.
    struct ZonePage {
        let zoneID: CKRecordZone.ID
        let result: Result<FetchedZone, CKError>
    }

    /// Fetches one page of the database's feed.
    func databaseChangesPage(
        since token: CKServerChangeToken?, limit: Int?, options: ServiceClient.Options
    ) async throws(CKError) -> DatabaseChanges {
        let answer: DatabaseChangesResponse
        do {
            answer = try await post(
                .changesDatabase,
                DatabaseChangesRequest(
                    syncToken: token?.text, resultsLimit: limit.flatMap { $0 > 0 ? $0 : nil }),
                options: options)
        } catch {
            throw error.asExpiredToken(token)
        }
        // A zone that was deleted and made again is named as often as that happened: among the deletions first, and as
        // it is now. Each list names it once.
        var changes: DatabaseChanges = ([], [], CKServerChangeToken(answer.syncToken), answer.moreComing)
        var named: (deleted: Set<CKRecordZone.ID>, changed: Set<CKRecordZone.ID>) = ([], [])
        for case .success(let zone) in answer.zones {
            let zoneID = CKRecordZone.ID.from(zone.zoneID, scope: databaseScope)
            if zone.deleted {
                // What was there before a deletion is gone with it.
                if named.changed.remove(zoneID) != nil {
                    changes.modifications.removeAll { $0.zoneID == zoneID }
                }
                if named.deleted.insert(zoneID).inserted {
                    changes.deletions.append(.init(zoneID: zoneID, reason: .deleted))
                }
            } else if named.changed.insert(zoneID).inserted {
                changes.modifications.append(.init(zoneID: zoneID))
            }
        }
        return changes
    }

    /// Fetches one page of each of some zones' feeds, with the files of the records.
    ///
    /// - Returns: one page for each zone, in their order.
    func zoneChangesPages(
        _ wishes: [(zoneID: CKRecordZone.ID, wish: ZoneChangesRequest)], options: ServiceClient.Options
    ) async throws(CKError) -> [ZonePage] {
        let request = ZonesChangesRequest(zones: wishes.map(\.wish))
        let answer: ZonesChangesResponse = try await post(.changesZone, request, options: options)
        let pages = wishes.enumerated().map { index, wanted in
            guard answer.zones.indices.contains(index) else {
                let error = CKError(.internalError, "The service's answer leaves out the zone.")
                return ZonePage(zoneID: wanted.zoneID, result: .failure(error))
            }
            switch answer.zones[index] {
            case .success(let changes): return page(changes, zoneID: wanted.zoneID)
            case .failure(let wire):
                let token = wanted.wish.syncToken.map(CKServerChangeToken.init)
                return ZonePage(
                    zoneID: wanted.zoneID, result: .failure(CKError(wire).asExpiredToken(token)))
            }
        }
        var filled: [ZonePage] = []
        for page in pages { filled.append(try await withFiles(page, options: options)) }
        return filled
    }

    /// A page whose records have their files.
    private func withFiles(
        _ page: ZonePage, options: ServiceClient.Options
    ) async throws(CKError) -> ZonePage {
        guard case .success(var changes) = page.result else { return page }
        let matches = changes.events.compactMap { event -> MatchResult? in
            if case .changed(let recordID, let result) = event { (recordID, result) } else { nil }
        }
        var delivered: [MatchResult] = []
        try await deliver(matches, options: options) { delivered.append($0) }
        var next = delivered.makeIterator()
        changes.events = changes.events.map { event in
            guard case .changed = event, let (recordID, result) = next.next() else { return event }
            return .changed(recordID, result)
        }
        return ZonePage(zoneID: page.zoneID, result: .success(changes))
    }

    private func page(_ changes: ZoneChanges, zoneID: CKRecordZone.ID) -> ZonePage {
        let events = changes.records.map { item -> ZoneEvent in
            if case .success(let wire) = item, wire.deleted {
                let recordID = CKRecord.ID(recordName: wire.recordName, zoneID: zoneID)
                return .deleted(recordID, wire.recordType ?? "")
            }
            let (recordID, result) = match(item, zoneID: zoneID)
            return .changed(recordID, result)
        }
        return ZonePage(
            zoneID: zoneID,
            result: .success((events, CKServerChangeToken(changes.syncToken), changes.moreComing)))
    }
}

extension CKError {
    /// The error as the native interface names it when a token caused it.
    ///
    /// NB: the wire has no code for a token that cannot be used; the live service answers BAD_REQUEST with
    /// exactly this reason (Documentation/Protocol.md, 'Sync tokens'), and so does ours.
    fileprivate func asExpiredToken(_ token: CKServerChangeToken?) -> CKError {
        guard token != nil, code == .invalidArguments,
            errorDescription == "Unknown sync continuation type"
        else { return self }
        return CKError(
            .changeTokenExpired, "The change token cannot be used any more.",
            remedy: "Drop what was fetched with it and fetch again without a token.", userInfo: userInfo)
    }
}
