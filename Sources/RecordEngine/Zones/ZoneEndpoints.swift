import RecordModel
import RecordStorage
import RecordWire

extension RecordService {
    /// `zones/list`: the zones of the database. The default zone is always among them.
    func listZones(_ context: CallContext) async throws -> ServiceOutput {
        let secret = secret
        if context.scope == .shared { return try await sharedZones(context) }
        return try await store(for: context).readAnswer(.short) { reader in
            var zones: [ZoneRow] = []
            if let database = try reader.database(context.database) { zones = try reader.zones(in: database) }
            if !zones.contains(where: { !$0.isTracked }) { zones.insert(.unwrittenDefault, at: 0) }
            let shared = try zones.map { try reader.sharesZone($0, context) }
            return ServiceOutput { writer in
                writer.beginObject()
                writer.zones(zones, context, secret: secret, shared)
                writer.endObject()
            }
        }
    }

    /// `zones/lookup`: zones by name, in the order asked for.
    func lookupZones(_ request: ZonesLookupRequest, _ context: CallContext) async throws -> ServiceOutput {
        guard request.zones.count <= Limits.itemsPerRequest else {
            throw ServiceError.tooMany(
                "zones", request.zones.count, exceeding: "itemsPerRequest", Limits.itemsPerRequest)
        }
        let secret = secret
        return try await store(for: context).readAnswer(.short) { reader in
            try ServiceOutput { writer in
                writer.beginObject()
                writer.key("zones")
                writer.beginArray()
                for zoneID in request.zones {
                    do {
                        let context = try context.entering(zoneID, reader)
                        let zone = try Zones.find(zoneID, context, reader) ?? .unwrittenDefault
                        let isShared = try reader.sharesZone(zone, context)
                        writer.zone(zone, context, secret: secret, isShared: isShared)
                    } catch let error as ServiceError {
                        writer.itemError(error, zoneID: zoneID, context)
                    }
                }
                writer.endArray()
                writer.endObject()
            }
        }
    }

    /// `zones/modify`: makes and deletes custom zones of a private database, each by itself.
    ///
    /// - Parameter key: what names the request and its repetitions, which take effect once.
    func modifyZones(
        _ request: ZonesModifyRequest, _ key: IdempotencyKey?, _ context: CallContext
    ) async throws -> ServiceOutput {
        try Self.check(request, context)
        let secret = secret
        return try await store(for: context).writeAnswer { store in
            let outcome = try IdempotentResult.of(
                key, count: request.operations.count, in: store, now: context.now
            ) {
                var outcome = IdempotentResult()
                for operation in request.operations {
                    do {
                        let zone = try Self.apply(operation, context, store)
                        outcome.add(.zone(id: zone.id, sequence: zone.sequence))
                    } catch let error as ServiceError {
                        outcome.add(.failed(error))
                    }
                }
                return outcome
            }
            return try Self.answer(request, outcome, context, secret)
        }
    }

    private static func check(
        _ request: ZonesModifyRequest, _ context: CallContext
    ) throws(ServiceError) {
        guard request.operations.count <= Limits.itemsPerRequest else {
            throw ServiceError.tooMany(
                "operations", request.operations.count, exceeding: "itemsPerRequest", Limits.itemsPerRequest)
        }
        guard context.scope != .shared else {
            throw ServiceError.notInShared(
                "Zones of the shared database are made and deleted by their owners.",
                remedy: "Delete the share's record to leave a zone that is shared with you.")
        }
        guard context.database.owner != nil else {
            throw ServiceError(
                .badRequest, "Custom zones live in private databases only.",
                remedy: "Use the private database, or the default zone of the public one.")
        }
        var names: Set<String> = []
        for operation in request.operations {
            guard names.insert(operation.zoneID.zoneName).inserted else {
                throw ServiceError(
                    .badRequest,
                    "The zone '\(operation.zoneID.zoneName.prefix(64))' is in more than one operation.",
                    remedy: "Send the operations on one zone one after the other, each in its own request.")
            }
        }
    }

    /// What a request is answered, the first time and when it is repeated.
    private static func answer(
        _ request: ZonesModifyRequest, _ outcome: IdempotentResult, _ context: CallContext,
        _ secret: ServiceSecret
    ) throws -> ServiceOutput {
        var failures: [ItemFailure] = []
        var output = try ServiceOutput { writer in
            writer.beginObject()
            writer.key("zones")
            writer.beginArray()
            for (operation, item) in zip(request.operations, outcome.items) {
                switch item {
                case .zone(let id, let sequence):
                    let zone = ZoneRow(
                        id: id, database: 0, name: operation.zoneID.zoneName, sequence: sequence,
                        isDeleted: operation.isDelete)
                    writer.zone(zone, context, secret: secret)
                case .failed(let error):
                    failures.append(ItemFailure(name: operation.zoneID.zoneName, error: error))
                    writer.itemError(error, zoneID: operation.zoneID, context)
                case .saved, .deleted: throw IdempotentResult.unreadable
                }
            }
            writer.endArray()
            writer.endObject()
        }
        output.note(failures, among: request.operations.count)
        return output
    }

    private static func apply(
        _ operation: ZonesModifyRequest.Operation, _ context: CallContext, _ store: any StoreWriter
    ) throws -> ZoneRow {
        let name = operation.zoneID.zoneName
        try Zones.checkOwner(operation.zoneID, context)
        guard !operation.zoneID.isDefault else {
            throw ServiceError(.badRequest, "The default zone is always there and cannot be made or deleted.")
        }
        let database = try store.makeDatabase(context.database)
        let existing = try store.zone(named: name, in: database)
        if operation.isDelete {
            guard var zone = existing else { throw ServiceError.zoneNotFound(operation.zoneID) }
            if try store.schema(of: context.tenant).types[RecordInput.shareType] != nil {
                try ShareKeeper(ShareHierarchy(zone: zone, store), store, now: context.now).endAll()
            }
            try store.deleteZone(zone)
            try store.deleteShareLinks(in: zone.id)
            zone.isDeleted = true
            return zone
        }
        try Names.checkZoneName(name)
        guard existing == nil else {
            throw ServiceError(.exists, "The zone '\(name)' already exists.")
        }
        guard try store.customZoneCount(in: database) < Limits.zonesPerDatabase else {
            throw ServiceError(
                exceeding: "zonesPerDatabase",
                "The database has \(Limits.zonesPerDatabase) zones; no more are allowed.")
        }
        return try store.makeZone(named: name, in: database)
    }
}

extension ZoneRow {
    /// The default zone of a database in which nothing was stored yet.
    static let unwrittenDefault = ZoneRow(
        id: 0, database: 0, name: ZoneID.defaultName, sequence: 0, isDeleted: false)
}
