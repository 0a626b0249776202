import RecordModel
import RecordStorage
import RecordWire

/// The zones that others share with somebody.
struct SharedZones {
    /// A zone with what somebody is to its shares.
    struct Zone {
        let zone: ZoneRow
        let database: DatabaseID
        let participations: [ParticipantRow]
        /// The position of the last change of which the participant has to learn.
        let sequence: Int64

        /// Where clients know it: its database and its name.
        fileprivate var place: Place { Place(database: zone.database, name: ExactText(zone.name)) }

        fileprivate struct Place: Hashable {
            let database: Int64
            let name: ExactText
        }

        /// Whether anything of it is shared with the participant now.
        var isOpen: Bool { !zone.isDeleted && participations.contains { $0.isLetIn } }
    }

    /// The zones of which something is or was shared with a user.
    ///
    /// - Parameter isWhole: whether those are wanted, too, that are shared no more. One that was made again with its name and is
    ///   shared now is there once: no token of the earlier one is good in it.
    static func all(
        of user: String, _ context: CallContext, _ reader: any StoreReader, isWhole: Bool = false
    ) throws -> [Zone] {
        let rows = try reader.participations(ofUser: user, of: context.tenant)
        let zones = try Dictionary(grouping: rows, by: \.zone).sorted { $0.key < $1.key }.compactMap {
            number, rows -> Zone? in
            guard rows.contains(where: { $0.isLetIn || isWhole && $0.lost > 0 }),
                let zone = try reader.zone(numbered: number),
                let database = try reader.keyedDatabase(numbered: zone.database)?.id
            else { return nil }
            return Zone(
                zone: zone, database: database, participations: rows,
                sequence: try sequence(of: zone, rows, reader))
        }
        guard isWhole else { return zones }
        let open = Set(zones.filter(\.isOpen).map(\.place))
        return zones.filter { $0.isOpen || !open.contains($0.place) }
    }

    /// The position of the last change of which a participant has to learn.
    static func sequence(
        of zone: ZoneRow, _ rows: [ParticipantRow], _ reader: any StoreReader
    ) throws -> Int64 {
        var sequence: Int64 = 0
        let isOpen = !zone.isDeleted && rows.contains(where: \.isLetIn)
        for row in rows {
            sequence = max(sequence, row.lost)
            // With something left of the zone, what went of it is told there.
            if isOpen { sequence = max(sequence, row.since) }
            guard row.isLetIn else { continue }
            guard !zone.isDeleted, let share = try reader.share(named: row.share, in: zone.id) else {
                continue
            }
            // Whoever sees the whole zone sees all of its changes.
            sequence = max(sequence, share.changed, share.root == nil ? zone.sequence : 0)
        }
        return sequence
    }
}

extension ParticipantRow {
    /// Whether what is shared is open to the participant now.
    var isLetIn: Bool { status == .accepted && permission != .none }
}

extension StoreReader {
    /// Whether the whole of a zone is shared.
    func sharesZone(_ zone: ZoneRow, _ context: CallContext) throws -> Bool {
        guard zone.isTracked, context.database.owner != nil,
            try schema(of: context.tenant).types[RecordInput.shareType] != nil,
            let share = try share(named: RecordInput.zoneShareName, in: zone.id)
        else { return false }
        return share.root == nil
    }
}

extension RecordService {
    /// `zones/list` of the shared database: the zones of which something is shared with the caller.
    func sharedZones(_ context: CallContext) async throws -> ServiceOutput {
        guard let user = context.participant else { throw ServiceError.needsUser }
        let secret = secret
        return try await store(for: context).readAnswer(.short, for: context.party) { reader in
            let zones = try SharedZones.all(of: user, context, reader).filter(\.isOpen)
            return try ServiceOutput { writer in
                writer.beginObject()
                writer.key("zones")
                writer.beginArray()
                for zone in zones {
                    let entered = context.entering(zone, as: user)
                    writer.zone(
                        zone.zone, entered, secret: secret,
                        isShared: try reader.sharesZone(zone.zone, entered))
                }
                writer.endArray()
                writer.endObject()
            }
        }
    }
}

extension CallContext {
    /// The request as it is in a zone of which something is shared with a user.
    func entering(_ zone: SharedZones.Zone, as user: String) -> CallContext {
        var entered = self
        entered.database = zone.database
        entered.access = ZoneAccess(zone: zone.zone, visitor: .participant(user))
        return entered
    }
}
