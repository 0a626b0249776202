internal import Foundation
internal import RecordModel
internal import RecordWire

extension CKDatabase {
    /// What became of one zone.
    enum ZoneOutcome {
        case fetched(CKRecordZone.ID, Result<CKRecordZone, any Error>)
        case saved(CKRecordZone.ID, Result<CKRecordZone, any Error>)
        case deleted(CKRecordZone.ID, Result<Void, any Error>)
    }

    /// Fetches zones by their IDs, or, with nil, all zones of the database.
    func run(
        fetchZones zoneIDs: [CKRecordZone.ID]?, options: ServiceClient.Options,
        onOutcome: (ZoneOutcome) -> Void
    ) async throws(CKError) {
        guard let zoneIDs else {
            let answer: ZonesResponse = try await get(.zonesList, options: options)
            for case .success(let wire) in answer.zones {
                let zone = zone(wire)
                onOutcome(.fetched(zone.zoneID, .success(zone)))
            }
            return
        }
        var rest = zoneIDs[...]
        while !rest.isEmpty {
            let wanted = Array(rest.prefix(Limits.itemsPerRequest))
            rest = rest.dropFirst(Limits.itemsPerRequest)
            let answer: ZonesResponse = try await post(
                .zonesLookup, ZonesLookupRequest(zones: wanted.map(\.wire)), options: options)
            for (index, zoneID) in wanted.enumerated() {
                onOutcome(.fetched(zoneID, result(answer, index, zoneID)))
            }
        }
    }

    /// Saves and deletes zones. Saving one that is there succeeds.
    func run(
        saveZones zones: [CKRecordZone], deleteZones zoneIDs: [CKRecordZone.ID],
        options: ServiceClient.Options, onOutcome: (ZoneOutcome) -> Void
    ) async throws(CKError) {
        guard databaseScope != .shared else {
            let error = CKError(
                .badDatabase, "Zones of the shared database belong to others, who create and delete them.",
                remedy: "To leave a share, delete it from the shared database.")
            for zone in zones { onOutcome(.saved(zone.zoneID, .failure(error))) }
            for zoneID in zoneIDs { onOutcome(.deleted(zoneID, .failure(error))) }
            return
        }
        let operations =
            zones.map { (isDelete: false, zoneID: $0.zoneID) } + zoneIDs.map { (isDelete: true, zoneID: $0) }
        var rest = operations[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(Limits.itemsPerRequest))
            rest = rest.dropFirst(Limits.itemsPerRequest)
            var request = ZonesModifyRequest(
                operations: batch.map { .init(isDelete: $0.isDelete, zoneID: $0.zoneID.wire) })
            request.idempotencyKey = UUID().uuidString
            let answer: ZonesResponse = try await post(
                .zonesModify, request, isWrite: true, options: options)
            for (index, item) in batch.enumerated() {
                let result = result(answer, index, item.zoneID, existsIsFine: !item.isDelete)
                onOutcome(
                    item.isDelete
                        ? .deleted(item.zoneID, result.map { _ in () }) : .saved(item.zoneID, result))
            }
        }
    }

    private func result(
        _ answer: ZonesResponse, _ index: Int, _ zoneID: CKRecordZone.ID, existsIsFine: Bool = false
    ) -> Result<CKRecordZone, any Error> {
        guard answer.zones.indices.contains(index) else {
            return .failure(CKError(.internalError, "The service's answer leaves out the zone."))
        }
        switch answer.zones[index] {
        case .success(let wire): return .success(zone(wire, as: zoneID))
        // The wire calls it an error, the framework success (Documentation/Protocol.md, 'Zones').
        case .failure(let error) where existsIsFine && error.serverErrorCode == "EXISTS":
            return .success(
                CKRecordZone(zoneID: zoneID, capabilities: capabilities(isAtomic: true, of: zoneID)))
        case .failure(let error): return .failure(CKError(error))
        }
    }

    private func zone(_ wire: ZoneDictionary, as asked: CKRecordZone.ID? = nil) -> CKRecordZone {
        let zoneID = asked ?? CKRecordZone.ID.from(wire.zoneID, scope: databaseScope)
        return CKRecordZone(
            zoneID: zoneID, capabilities: capabilities(isAtomic: wire.atomic, of: zoneID),
            share: wire.share.map { CKReference($0, from: zoneID) })
    }

    private func capabilities(isAtomic: Bool, of zoneID: CKRecordZone.ID) -> CKRecordZone.Capabilities {
        var capabilities: CKRecordZone.Capabilities = []
        if isAtomic { capabilities.insert(.atomic) }
        if zoneID.isDefaultZone { return capabilities }
        capabilities.insert(.fetchChanges)
        if databaseScope == .private { capabilities.formUnion([.sharing, .zoneWideSharing]) }
        return capabilities
    }
}
