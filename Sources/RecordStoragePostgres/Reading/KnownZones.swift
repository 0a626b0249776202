internal import PostgresAccess
internal import RecordStorage
internal import Synchronization

/// The default zones that a node has seen, by their names: most requests name one, and its row says nothing that changes.
///
/// Nobody has to tell a node that one is gone: whoever takes a zone from here asks for it again with the first question, and
/// starts over where the answer is another one.
final class KnownZones: Sendable {
    /// A zone by what a request says of it.
    struct Name: Hashable {
        var tenant: Int64
        var owner: String
        var zone: String
    }

    /// What a request believes of a zone until it is confirmed.
    struct Claim {
        var name: Name
        var zone: ZoneRow
    }

    /// How many are known at most, at some 250 bytes each; beyond, all are forgotten.
    private static let limit = 10_000

    private let zones = Mutex<[Name: ZoneRow]>([:])

    subscript(name: Name) -> ZoneRow? { zones.withLock { $0[name] } }

    /// Notes a zone; one with a feed is left out, since its row changes with each write.
    func note(_ zone: ZoneRow, _ name: Name) {
        guard !zone.isTracked, !zone.isDeleted else { return }
        zones.withLock { zones in
            if zones.count >= Self.limit { zones.removeAll() }
            zones[name] = zone
        }
    }

    func forget(_ name: Name) { zones.withLock { _ = $0.removeValue(forKey: name) } }
}

extension PostgresReader {
    private static let zoneStatement = PostgresStatement(
        """
        SELECT m.value, b.id, z.id, z.sequence, z.horizon FROM meta m
        LEFT JOIN database b ON b.tenant = $1 AND b.owner = $2
        LEFT JOIN zone z ON z.database = b.id AND z.name = $3 AND NOT z.deleted
        WHERE m.key = 'schemaVersion'
        """, .int8, .text, .text)

    /// Asks for the version of the schema, a database and one of its zones.
    static func zoneCommand(_ name: KnownZones.Name) -> PostgresCommand {
        PostgresCommand(zoneStatement, values: values(of: name))
    }

    /// A zone's name as parameters of statements: its tenant, owner and name.
    static func values(of name: KnownZones.Name) -> [PostgresValue] {
        [
            .int(name.tenant), .text(PostgresText.encoded(name.owner)),
            .text(PostgresText.encoded(name.zone)),
        ]
    }

    /// The zone in the answer; nil where it, or its database, is not there.
    static func zone(_ rows: PostgresRows, named name: KnownZones.Name) -> ZoneRow? {
        guard let database = rows.optionalInt(0, 1), let id = rows.optionalInt(0, 2) else { return nil }
        return ZoneRow(
            id: id, database: database, name: name.zone, sequence: rows.int(0, 3), isDeleted: false,
            forgottenUntil: rows.int(0, 4))
    }
}
