import RecordModel
import RecordStorage
import RecordWire

/// The change feeds of the shared database: what others share with somebody, and what they share no more.
///
/// - A record that left what is shared comes as a deletion; its name is told to nobody who did not see it.
/// - Where the participant was let into more, or records came in that were made before, the feed of the zone begins again: what the
///   client has comes again, and deletions go on from where they were.
/// - Where everything of a zone was taken away in between, old tokens are refused: the client starts again from nothing.
struct SharedChanges {
    /// Where a feed is: the change it has come to, until where deletions are known, and the access with which it was made.
    ///
    /// A token says the day on which it was given: what went is forgotten after `Limits.deletionSeconds`, and a token from before that
    /// is refused.
    struct Place: Equatable {
        var sequence: Int64
        var quietUntil: Int64
        var access: Int64

        private static let dayMilliseconds: Int64 = 86_400_000
        private static let mostDays = Int64(Limits.deletionSeconds) * 1_000 / dayMilliseconds
        /// What went until this time is known to no token that is good at another one.
        static func forgotten(at now: Int64) -> Int64 { now - (mostDays + 2) * dayMilliseconds }

        static let beginning = Place(sequence: 0, quietUntil: 0, access: 0)

        /// A token that a client keeps.
        func token(_ zone: Int64, _ user: String, now: Int64, _ secret: ServiceSecret) -> String {
            var bytes = TokenBytes()
            bytes.write(sequence)
            bytes.write(quietUntil)
            bytes.write(access)
            bytes.write(now / Self.dayMilliseconds)
            return SealedToken.seal(bytes.bytes, for: Self.owner(zone, user), secret: secret)
        }

        init(sequence: Int64, quietUntil: Int64, access: Int64) {
            self.sequence = sequence
            self.quietUntil = quietUntil
            self.access = access
        }

        /// The place of a token.
        ///
        /// - Throws: the error of a token that says nothing here.
        init(
            _ token: String?, _ zone: Int64, _ user: String, now: Int64, _ secret: ServiceSecret
        ) throws(ServiceError) {
            guard let token, !token.isEmpty else {
                self = .beginning
                return
            }
            guard let payload = SealedToken.open(token, for: Self.owner(zone, user), secret: secret) else {
                throw SyncToken.unknown
            }
            var bytes = TokenBytes(payload)
            guard let sequence = bytes.readInt(), let quietUntil = bytes.readInt(),
                let access = bytes.readInt(), let day = bytes.readInt(),
                bytes.isAtEnd, now / Self.dayMilliseconds - day <= Self.mostDays
            else { throw SyncToken.unknown }
            self.init(sequence: sequence, quietUntil: quietUntil, access: access)
        }

        private static func owner(_ zone: Int64, _ user: String) -> [UInt8] {
            Array("shared \(zone) \(user)".utf8)
        }
    }

    /// One change of what is shared.
    struct Change {
        let name: String
        let type: Int64
        let sequence: Int64
        /// The record; nil for a deletion.
        let body: [UInt8]?
    }

    let zone: ZoneRow
    let members: ShareMembers
    let reader: any StoreReader

    /// The name under which tokens are made: the participant's, or that of nobody in particular.
    var user: String { members.access.name ?? "" }

    /// The newest change of what the participant has access to.
    func access() throws -> Int64 {
        var access: Int64 = 0
        for row in members.participations {
            access = max(access, row.since, try members.hierarchy.share(named: row.share)?.grown ?? 0)
        }
        return access
    }

    /// The position of the newest change of which the participant has to learn.
    func end() throws -> Int64 {
        if members.access.name == nil { return zone.sequence }
        return try SharedZones.sequence(of: zone, members.participations, reader)
    }

    /// Where a feed goes on that was at a place.
    ///
    /// - Throws: the error of a token that is refused.
    func start(from place: Place) throws -> Place {
        let access = try access()
        guard place != .beginning else {
            return Place(sequence: 0, quietUntil: try end(), access: access)
        }
        let known = max(place.sequence, place.quietUntil)
        guard known >= zone.forgottenUntil,
            try reader.participations(ofUser: user, in: zone.id).allSatisfy({ $0.lost <= known })
        else { throw SyncToken.unknown }
        guard place.access < access else { return place }
        return Place(sequence: 0, quietUntil: known, access: access)
    }

    /// How many changes of a zone are looked at at once.
    private static let portion = 400

    /// Walks the changes after a place, in their order.
    ///
    /// - Parameter visit: tells whether to go on; a change that it refuses comes again with the next page.
    /// - Returns: where the walk ended, and whether there is more.
    func walk(
        from start: Place, types: [Int64]?, _ visit: (Change) throws -> Bool
    ) throws -> (place: Place, moreComing: Bool) {
        var place = start
        var looked = 0
        let (departed, horizon) = try departures(after: max(start.quietUntil, start.sequence), types)
        var left = departed[...]
        while true {
            var portion: [Change] = []
            let feed = ChangeFeed(
                zone: zone.id, after: place.sequence, tombstonesAfter: start.quietUntil, types: types,
                limit: Self.portion)
            try reader.changes(feed) { change in
                portion.append(
                    Change(
                        name: change.name, type: change.type, sequence: change.sequence,
                        body: change.body.map { Array($0) }))
                return portion.count < Self.portion
            }
            let isLast = portion.count < Self.portion
            for change in portion {
                guard change.sequence <= horizon else { return (place, true) }
                while let first = left.first, first.sequence < change.sequence {
                    guard try visit(first) else { return (place, true) }
                    place.sequence = max(place.sequence, first.sequence)
                    left.removeFirst()
                }
                if try isVisible(change) {
                    guard try visit(change) else { return (place, true) }
                }
                place.sequence = change.sequence
            }
            looked += portion.count
            guard !isLast else { break }
            // What others change in their zone must not keep a participant's read going for ever.
            guard looked < Limits.sharedChangesPerAnswer else { return (place, true) }
        }
        for change in left {
            guard try visit(change) else { return (place, true) }
            place.sequence = max(place.sequence, change.sequence)
        }
        guard horizon == .max else {
            place.sequence = max(place.sequence, horizon)
            return (place, true)
        }
        place.sequence = max(place.sequence, try end())
        return (place, false)
    }

    private func isVisible(_ change: Change) throws -> Bool {
        guard let body = change.body else { return members.seesAll }
        return try body.withUnsafeBytes { try members.sees($0) }
    }

    /// What went out of the participant's sight, after a position, and the position until which all of it is known.
    private func departures(
        after sequence: Int64, _ types: [Int64]?
    ) throws -> (changes: [Change], horizon: Int64) {
        guard !members.seesAll else { return ([], .max) }
        let rows = try reader.departures(in: zone.id, after: sequence, limit: Limits.sharedChangesPerAnswer)
        let isCut = rows.count == Limits.sharedChangesPerAnswer
        let changes = try rows.compactMap { row -> Change? in
            guard types?.contains(row.type) ?? true else { return nil }
            let role = members.participant(of: row.share)
            let wasSeen: Bool
            if let user = row.user {
                wasSeen = user == members.access.name
            } else if let role {
                // What went before the participant came in was never seen.
                wasSeen = role.isLetIn && row.sequence > role.since
            } else {
                wasSeen = members.access.visitor == .anybody(share: row.share)
            }
            // A record that came in again is no deletion.
            guard wasSeen, try members.permission(ofRecordNamed: row.name) == .none else { return nil }
            return Change(name: row.name, type: row.type, sequence: row.sequence, body: nil)
        }
        return (changes, isCut ? rows.last?.sequence ?? .max : .max)
    }
}

extension RecordService {
    /// The zones of the shared database that changed since a token, and those that are shared no more.
    func changedSharedZones(
        _ token: String?, _ resultsLimit: Int?, _ context: CallContext
    ) async throws -> (zones: [SharedZones.Zone], token: String, moreComing: Bool) {
        guard let user = context.participant else { throw ServiceError.needsUser }
        let limit = try Self.limit(resultsLimit)
        let secret = secret
        return try await store(for: context).read(.short, for: context.party) { reader in
            let place = try SharedChanges.Place(token, 0, user, now: context.now, secret)
            let all = try SharedZones.all(of: user, context, reader, isWhole: true)
                .filter { $0.sequence > place.sequence && ($0.isOpen || place.sequence > 0) }
                .sorted { ($0.sequence, $0.zone.id) < ($1.sequence, $1.zone.id) }
            // Zones of one position come together: one share may end for several at once.
            var zones = Array(all.prefix(limit))
            while zones.count < all.count, all[zones.count].sequence == zones.last?.sequence {
                zones.append(all[zones.count])
            }
            let last = zones.last?.sequence ?? place.sequence
            let next = SharedChanges.Place(sequence: last, quietUntil: 0, access: 0)
            return (zones, next.token(0, user, now: context.now, secret), zones.count < all.count)
        }
    }

    /// Writes the changes of one zone of the shared database as far as the answer has room for them, and gives their number.
    static func writeShared(
        _ wish: ZoneChangesRequest, atMost most: Int, _ budget: inout AnswerBudget, _ context: CallContext,
        _ reader: any StoreReader, _ secret: ServiceSecret, to writer: inout JSONWriter
    ) throws -> Int {
        let context = try context.entering(wish.zoneID, reader)
        guard let access = context.access else { throw ServiceError.zoneNotFound(wish.zoneID) }
        let zone = access.zone
        let answers = try ShareAnswers(context, zone, reader, secret)
        guard let members = answers.members else { throw ServiceError.zoneNotFound(wish.zoneID) }
        let feed = SharedChanges(zone: zone, members: members, reader: reader)
        let start = try feed.start(
            from: SharedChanges.Place(wish.syncToken, zone.id, feed.user, now: context.now, secret))
        let schema = try reader.schemaTypes(context.tenant)
        let limit = min(try limit(wish.resultsLimit), most)
        let suffix = context.zoneSuffix(zone.name)
        var selection = RecordBody.Selection(
            desiredKeys: wish.desiredKeys, numbersAsStrings: wish.numbersAsStrings, suffix: suffix,
            assetURL: context.assetURLs(try reader.schema(of: context.tenant), secret))
        writer.beginObject()
        writer.zoneMembers(zone, context)
        writer.key("records")
        writer.beginArray()
        var count = 0
        let types = wish.desiredRecordTypes.map { names in names.compactMap { schema.numbers[$0] } }
        let (place, moreComing) = try feed.walk(from: start, types: types) { change in
            guard count < limit else { return false }
            selection.suffix = suffix + (try answers.suffix(ofRecordNamed: change.name) ?? [])
            let isWritten = try budget.write(to: &writer) { writer in
                if let body = change.body {
                    try body.withUnsafeBytes { try RecordBody.write($0, selection, to: &writer) }
                } else {
                    writer.tombstone(change.name, type: schema.names[change.type], zone: zone.name, context)
                }
            }
            if isWritten { count += 1 }
            return isWritten
        }
        writer.endArray()
        writer.member("syncToken", place.token(zone.id, feed.user, now: context.now, secret))
        writer.member("moreComing", moreComing)
        if moreComing { budget.writeReason(to: &writer) }
        writer.endObject()
        return count
    }
}
