import RecordModel
import RecordStorage
import RecordWire

extension RecordService {
    /// `changes/database`: the custom zones that changed since a token.
    func databaseChanges(_ request: DatabaseChangesRequest, _ context: CallContext) async throws
        -> ServiceOutput
    {
        try Self.checkHasChanges(context)
        if context.scope == .shared {
            let (zones, token, moreComing) = try await changedSharedZones(
                request.syncToken, request.resultsLimit, context)
            return sharedAnswer(zones, "syncToken", token, moreComing, context)
        }
        let (zones, token, moreComing) = try await changed(request.syncToken, request.resultsLimit, context)
        return ServiceOutput { writer in
            writer.beginObject()
            writer.key("zones")
            writer.beginArray()
            for zone in zones {
                writer.beginObject()
                writer.zoneMembers(zone, context)
                writer.member("deleted", zone.isDeleted)
                writer.endObject()
            }
            writer.endArray()
            writer.member("syncToken", token)
            writer.member("moreComing", moreComing)
            writer.endObject()
        }
    }

    /// `zones/changes`, the older form, whose token is called `metaSyncToken`.
    func changedZones(_ request: DatabaseChangesRequest, _ context: CallContext) async throws -> ServiceOutput
    {
        try Self.checkHasChanges(context)
        if context.scope == .shared {
            let (zones, token, moreComing) = try await changedSharedZones(
                request.metaSyncToken, request.resultsLimit, context)
            return sharedAnswer(zones, "metaSyncToken", token, moreComing, context)
        }
        let (zones, token, moreComing) = try await changed(
            request.metaSyncToken, request.resultsLimit, context)
        let secret = secret
        return ServiceOutput { writer in
            writer.beginObject()
            writer.zones(zones, context, secret: secret)
            writer.member("metaSyncToken", token)
            writer.member("moreComing", moreComing)
            writer.endObject()
        }
    }

    private func sharedAnswer(
        _ zones: [SharedZones.Zone], _ name: StaticString, _ token: String, _ moreComing: Bool,
        _ context: CallContext
    ) -> ServiceOutput {
        ServiceOutput { writer in
            writer.beginObject()
            writer.key("zones")
            writer.beginArray()
            for zone in zones {
                writer.beginObject()
                writer.zoneMembers(zone.zone, context.entering(zone, as: context.participant ?? ""))
                writer.member("deleted", !zone.isOpen)
                writer.endObject()
            }
            writer.endArray()
            writer.member(name, token)
            writer.member("moreComing", moreComing)
            writer.endObject()
        }
    }

    private func changed(
        _ token: String?, _ resultsLimit: Int?, _ context: CallContext
    ) async throws -> (zones: [ZoneRow], token: String, moreComing: Bool) {
        let limit = try Self.limit(resultsLimit)
        let secret = secret
        return try await store(for: context).read(.short) { reader in
            guard let database = try reader.database(context.database) else {
                // Nothing is stored yet; the token of the beginning stays good, and no other is.
                _ = try SyncToken.read(token, for: .database(0), secret: secret)
                return ([], SyncToken.make(0, for: .database(0), secret: secret), false)
            }
            let isUnwritten =
                token.map { (try? SyncToken.read($0, for: .database(0), secret: secret)) != nil } ?? false
            let after = isUnwritten ? 0 : try SyncToken.read(token, for: .database(database), secret: secret)
            if after > 0, after < (try reader.forgottenZones(in: database)) { throw SyncToken.unknown }
            var zones = try reader.zones(in: database, changedAfter: after, limit: limit + 1)
            let moreComing = zones.count > limit
            if moreComing { zones.removeLast() }
            // At the end of the log, the end is the position to go on from, though the last change was elsewhere.
            let place = moreComing ? zones.last?.sequence ?? after : max(after, zones.last?.sequence ?? after)
            return (zones, SyncToken.make(place, for: .database(database), secret: secret), moreComing)
        }
    }

    /// `changes/zone`: the records of several zones that changed, each since its own token.
    func zoneChanges(_ request: ZonesChangesRequest, _ context: CallContext) async throws -> ServiceOutput {
        try Self.checkHasChanges(context)
        guard request.zones.count <= Limits.itemsPerRequest else {
            throw ServiceError.tooMany(
                "zones", request.zones.count, exceeding: "itemsPerRequest", Limits.itemsPerRequest)
        }
        let secret = secret
        return try await store(for: context).readAnswer(Self.effort(of: request.zones), for: context.party) {
            reader in
            var items = 0
            var failures: [ItemFailure] = []
            var left = Limits.recordsPerAnswer
            var budget = AnswerBudget()
            var output = try ServiceOutput { writer in
                writer.beginObject()
                writer.key("zones")
                writer.beginArray()
                for wish in request.zones {
                    let mark = writer.mark
                    do {
                        let count = try Self.write(
                            wish, atMost: left, &budget, context, reader, secret, to: &writer)
                        left -= count
                        items += count
                    } catch let error as ServiceError {
                        writer.rewind(to: mark)
                        failures.append(ItemFailure(name: wish.zoneID.zoneName, error: error))
                        // Without a token: some clients take an error that has one for a page without changes.
                        writer.itemError(error, zoneID: wish.zoneID, context)
                    }
                }
                writer.endArray()
                writer.endObject()
            }
            output.note(failures, among: items)
            return output
        }
    }

    /// `records/changes`, the older form for one zone.
    func recordChanges(_ request: RecordsChangesRequest, _ context: CallContext) async throws -> ServiceOutput
    {
        try Self.checkHasChanges(context)
        let secret = secret
        return try await store(for: context).readAnswer(Self.effort(of: [request.zone]), for: context.party) {
            reader in
            var items = 0
            var budget = AnswerBudget()
            var output = try ServiceOutput { writer in
                items = try Self.write(
                    request.zone, atMost: Limits.recordsPerAnswer, &budget, context, reader, secret,
                    to: &writer)
            }
            output.items = items
            return output
        }
    }

    /// A choice of types may pass over any number of changes before it finds one.
    private static func effort(of wishes: [ZoneChangesRequest]) -> ReadEffort {
        wishes.contains { $0.desiredRecordTypes != nil || $0.zoneID.ownerName != nil } ? .long : .short
    }

    /// Writes the changes of one zone as far as the answer has room for them, and gives their number.
    private static func write(
        _ wish: ZoneChangesRequest, atMost most: Int, _ budget: inout AnswerBudget, _ context: CallContext,
        _ reader: any StoreReader, _ secret: ServiceSecret, to writer: inout JSONWriter
    ) throws -> Int {
        if context.scope == .shared {
            return try writeShared(wish, atMost: most, &budget, context, reader, secret, to: &writer)
        }
        guard !wish.zoneID.isDefault, let zone = try Zones.find(wish.zoneID, context, reader) else {
            throw ServiceError(
                .badRequest, "The default zone has no change feed.",
                remedy: "Keep records to be synced in a custom zone.")
        }
        let schema = try reader.schemaTypes(context.tenant)
        var (after, quietUntil) = try SyncToken.place(wish.syncToken, for: .zone(zone.id), secret: secret)
        // Deletions that the client has to learn of are forgotten; those of before its first fetch are none of its.
        if after > 0, max(after, quietUntil) < zone.forgottenUntil { throw SyncToken.unknown }
        if after == 0 { quietUntil = zone.sequence }
        let limit = min(try self.limit(wish.resultsLimit), most)
        let types = wish.desiredRecordTypes.map { names in names.compactMap { schema.numbers[$0] } }
        let suffix = context.zoneSuffix(zone.name)
        let answers = try ShareAnswers(context, zone, reader, secret)
        var selection = RecordBody.Selection(
            desiredKeys: wish.desiredKeys, numbersAsStrings: wish.numbersAsStrings, suffix: suffix,
            assetURL: context.assetURLs(try reader.schema(of: context.tenant), secret))
        writer.beginObject()
        writer.zoneMembers(zone, context)
        writer.key("records")
        writer.beginArray()
        var count = 0
        var place = after
        var moreComing = false
        let feed = ChangeFeed(
            zone: zone.id, after: after, tombstonesAfter: quietUntil, types: types, limit: limit + 1)
        try reader.changes(feed) { change in
            if let body = change.body, let share = try answers.suffix(of: body) {
                selection.suffix = suffix + share
            } else {
                selection.suffix = suffix
            }
            let isWritten =
                try count < limit
                && budget.write(to: &writer) { writer in
                    if let body = change.body {
                        try RecordBody.write(body, selection, to: &writer)
                    } else {
                        writer.tombstone(
                            change.name, type: schema.names[change.type], zone: zone.name, context)
                    }
                }
            moreComing = !isWritten
            if isWritten {
                count += 1
                place = change.sequence
            }
            return isWritten
        }
        writer.endArray()
        // What the wish left out is done for the client as well.
        if !moreComing { place = max(place, zone.sequence) }
        let token = SyncToken.make(place, quietUntil: quietUntil, for: .zone(zone.id), secret: secret)
        writer.member("syncToken", token)
        writer.member("moreComing", moreComing)
        if moreComing { budget.writeReason(to: &writer) }
        writer.endObject()
        return count
    }

    /// The number of items wanted, within what is allowed.
    static func limit(_ wanted: Int?) throws(ServiceError) -> Int {
        guard let wanted else { return Limits.recordsPerAnswer }
        guard wanted > 0 else {
            throw ServiceError(
                .badRequest,
                "'resultsLimit' must be at least 1; an answer has at most \(Limits.recordsPerAnswer).")
        }
        return min(wanted, Limits.recordsPerAnswer)
    }

    private static func checkHasChanges(_ context: CallContext) throws(ServiceError) {
        guard context.scope != .public else {
            throw ServiceError(
                .badRequest, "The public database has no change feed.",
                remedy: "Query by 'modifiedTimestamp' instead.")
        }
    }
}

extension StoreReader {
    /// The numbers of a tenant's types by name, and the other way around.
    func schemaTypes(
        _ tenant: Tenant
    ) throws -> (numbers: [String: Int64], names: [Int64: String]) {
        let types = try schema(of: tenant).types.values.map { ($0.name, $0.id) }
        return (
            Dictionary(types, uniquingKeysWith: { first, _ in first }),
            Dictionary(types.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        )
    }
}

extension JSONWriter {
    /// Writes the tombstone of a record.
    ///
    /// Its type has a name of its own: clients take what has a `recordType` for a whole record.
    mutating func tombstone(_ name: String, type: String?, zone: String, _ context: CallContext) {
        beginObject()
        member("recordName", name)
        member("deletedRecordType", type)
        if context.answersZones {
            key("zoneID")
            zoneDictionary(zone, context)
        }
        member("deleted", true)
        endObject()
    }
}
