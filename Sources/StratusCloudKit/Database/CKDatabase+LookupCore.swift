internal import RecordModel
internal import RecordWire

extension CKDatabase {
    /// Fetches records by their IDs, zone by zone, in as many requests as it takes.
    ///
    /// - Parameters:
    ///   - onProgress: how much of a record's files is here, below 1; called one at a time.
    ///   - onMatch: called once for each ID, one at a time.
    /// - Throws: why a request failed as a whole. A zone that is not there fails the records in it only.
    func run(
        lookup recordIDs: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]?, options: ServiceClient.Options,
        onProgress: (CKRecord.ID, Double) -> Void = { _, _ in }, onMatch: (MatchResult) -> Void
    ) async throws(CKError) {
        var seen: Set<CKRecord.ID> = []
        var zones: [CKRecordZone.ID] = []
        var namesByZone: [CKRecordZone.ID: [String]] = [:]
        for recordID in recordIDs where seen.insert(recordID).inserted {
            if namesByZone[recordID.zoneID] == nil { zones.append(recordID.zoneID) }
            namesByZone[recordID.zoneID, default: []].append(recordID.recordName)
        }
        for zone in zones {
            var rest = (namesByZone[zone] ?? [])[...]
            while !rest.isEmpty {
                let names = Array(rest.prefix(Limits.itemsPerRequest))
                rest = rest.dropFirst(
                    try await lookUp(names, in: zone, desiredKeys, options, onProgress, onMatch))
            }
        }
    }

    /// Looks up some names of a zone; at least the first.
    ///
    /// - Returns: how many names are dealt with. An answer holds so many bytes at most (`Limits.answerBytes`), and
    ///   the service tells of those for which it had no room that they may be asked for again.
    private func lookUp(
        _ names: [String], in zone: CKRecordZone.ID, _ desiredKeys: [CKRecord.FieldKey]?,
        _ options: ServiceClient.Options, _ onProgress: (CKRecord.ID, Double) -> Void,
        _ onMatch: (MatchResult) -> Void
    ) async throws(CKError) -> Int {
        var request = RecordsLookupRequest(
            records: names.map { .init(recordName: $0) }, zoneID: zone.named(in: databaseScope))
        request.desiredKeys = desiredKeys
        let answer: RecordsResponse
        do {
            answer = try await post(.recordsLookup, request, options: options)
        } catch {
            guard error.code == .zoneNotFound else { throw error }
            for name in names { onMatch((CKRecord.ID(recordName: name, zoneID: zone), .failure(error))) }
            return names.count
        }
        let full = answer.records.dropFirst().firstIndex { item in
            if case .failure(let error) = item { error.serverErrorCode == "TRY_AGAIN_LATER" } else { false }
        }
        let count = min(full ?? names.count, names.count)
        let matches = names.prefix(count).enumerated().map { index, name -> MatchResult in
            let recordID = CKRecord.ID(recordName: name, zoneID: zone)
            guard answer.records.indices.contains(index) else {
                return (
                    recordID, .failure(CKError(.internalError, "The service's answer leaves out the record."))
                )
            }
            return (recordID, match(answer.records[index], zoneID: zone).1)
        }
        try await deliver(matches, options: options, onProgress: onProgress, onMatch: onMatch)
        return count
    }
}
