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
                rest = rest.dropFirst(Limits.itemsPerRequest)
                try await lookUp(names, in: zone, desiredKeys, options, onProgress, onMatch)
            }
        }
    }

    private func lookUp(
        _ names: [String], in zone: CKRecordZone.ID, _ desiredKeys: [CKRecord.FieldKey]?,
        _ options: ServiceClient.Options, _ onProgress: (CKRecord.ID, Double) -> Void,
        _ onMatch: (MatchResult) -> Void
    ) async throws(CKError) {
        var request = RecordsLookupRequest(
            records: names.map { .init(recordName: $0) }, zoneID: zone.isDefaultZone ? nil : zone.wire)
        request.desiredKeys = desiredKeys
        let answer: RecordsResponse
        do {
            answer = try await post(.recordsLookup, request, options: options)
        } catch {
            guard error.code == .zoneNotFound else { throw error }
            for name in names { onMatch((CKRecord.ID(recordName: name, zoneID: zone), .failure(error))) }
            return
        }
        let matches = names.enumerated().map { index, name -> MatchResult in
            let recordID = CKRecord.ID(recordName: name, zoneID: zone)
            guard answer.records.indices.contains(index) else {
                return (
                    recordID, .failure(CKError(.internalError, "The service's answer leaves out the record."))
                )
            }
            return (recordID, match(answer.records[index], zoneID: zone).1)
        }
        try await deliver(matches, options: options, onProgress: onProgress, onMatch: onMatch)
    }
}
