public import RecordModel
public import RecordStorage
import RecordWire

/// A share as an operator sees it: what is shared, by whom, by which link, and with whom.
public struct ShareOverview: Sendable {
    /// Somebody who takes part, was invited, asked, left or was put out.
    public struct Person: Sendable {
        /// What the store has of them.
        public let row: ParticipantRow
        /// A name, or else what they were invited by.
        public let name: String
    }

    /// What the store has of the share.
    public let row: ShareRow
    /// The name of the zone.
    public let zone: String
    /// The record name of the owner.
    public let owner: String
    /// The owner's name.
    public let ownerName: String
    /// The share's title, where it has one.
    public let title: String?
    /// The first ``mostPeople`` participants, those added first at the beginning.
    public let people: [Person]
    /// Whether there are more.
    public let hasMorePeople: Bool

    /// How many people of one share are read for a list.
    public static let mostPeople = 20

    /// The shares of a container, the newest first.
    ///
    /// - Parameters:
    ///   - tenant: the container and environment.
    ///   - place: the share to go on after; nil for the beginning.
    ///   - limit: the most shares.
    ///   - reader: what reads the store.
    /// - Throws: `StorageError`.
    public static func page(
        of tenant: Tenant, after place: SharePlace? = nil, limit: Int, _ reader: any StoreReader
    ) throws -> [ShareOverview] {
        let names = PeopleNames(tenant, reader)
        return try reader.shares(of: tenant, after: place, limit: limit).compactMap {
            try ShareOverview($0, names, people: mostPeople, reader)
        }
    }

    /// One share with all of its people.
    ///
    /// - Returns: nil where there is no such share in the container.
    /// - Throws: `StorageError`.
    public static func find(
        _ name: String, in zone: Int64, of tenant: Tenant, _ reader: any StoreReader
    ) throws -> ShareOverview? {
        guard let row = try reader.share(named: name, in: zone) else { return nil }
        return try ShareOverview(row, PeopleNames(tenant, reader), people: nil, reader)
    }

    /// The share that a record of a private database belongs to, with all of its people.
    ///
    /// - Returns: nil where nothing shares the record.
    /// - Throws: `StorageError`; `QUOTA_EXCEEDED` where too many records are above the record.
    public static func share(
        ofRecordNamed record: String, in place: AccessExplanation.Place, of tenant: Tenant,
        _ reader: any StoreReader
    ) throws -> ShareOverview? {
        guard let owner = place.owner,
            let number = try reader.database(DatabaseID(tenant: tenant, owner: owner)),
            let zone = try reader.zone(named: place.zone, in: number),
            let share = try ShareHierarchy(zone: zone, reader).share(of: record)
        else { return nil }
        return try ShareOverview(share, PeopleNames(tenant, reader), people: mostPeople, reader)
    }

    /// - Parameter most: the most people; nil for all.
    private init?(
        _ row: ShareRow, _ names: PeopleNames, people most: Int?, _ reader: any StoreReader
    ) throws {
        guard let zone = try reader.zone(numbered: row.zone), !zone.isDeleted,
            let database = try reader.keyedDatabase(numbered: row.database)?.id,
            let owner = database.owner, database.tenant == names.tenant
        else { return nil }
        self.row = row
        self.zone = zone.name
        self.owner = owner
        ownerName = try names.name(of: owner)
        title = try reader.record(named: row.name, in: row.zone).flatMap { record in
            let field = try RecordBody.fields(of: record.body).first { $0.name == "cloudkit.title" }
            if case .string(let text)? = field?.value, !text.isEmpty { return text }
            return nil
        }
        let rows = try reader.participants(ofShare: row.name, in: row.zone, limit: most.map { $0 + 1 })
        people = try rows.prefix(most ?? rows.count).map { row in
            let name = try row.user.map { try names.name(of: $0) }
            return Person(row: row, name: name ?? row.address ?? "whoever opens the link first")
        }
        hasMorePeople = rows.count > people.count
    }

    /// What is shared, in words.
    public var subject: String { row.root.map { "the record \($0)" } ?? "the zone \(zone)" }

    /// Whom the link lets in at a time, in words.
    public func linkWords(at now: Int64) -> String {
        var words =
            switch row.publicPermission {
            case .none: ["for those invited"]
            case .read: ["for everybody, to read"]
            case .write: ["for everybody, to read and change"]
            }
        if row.hasEnded(at: now) { words = ["ended"] }
        if row.options.contains(.showsToEverybody) { words.append("without an account") }
        if row.options.contains(.takesRequests) { words.append("takes requests") }
        return words.joined(separator: ", ")
    }

    /// Where a list goes on after this share.
    public var place: SharePlace { SharePlace(row) }
}

/// The names of users, each looked up once.
private final class PeopleNames {
    let tenant: Tenant
    private let reader: any StoreReader
    private var known: [String: String] = [:]

    init(_ tenant: Tenant, _ reader: any StoreReader) {
        self.tenant = tenant
        self.reader = reader
    }

    func name(of user: String) throws -> String {
        if let name = known[user] { return name }
        let name = try reader.user(named: user, of: tenant)?.label ?? user
        known[user] = name
        return name
    }
}

extension ShareOverview.Person {
    /// What somebody is to the share, in a word.
    public var roleWords: String {
        switch row.role {
        case .user: "participant"
        case .administrator: "administrator"
        case .visitor: "came by the link"
        }
    }

    /// How far somebody is, in a word.
    public var statusWords: String {
        switch row.status {
        case .invited: "invited"
        case .accepted: "accepted"
        case .removed: "removed"
        case .unsubscribed: "left"
        case .requested: "asks to be let in"
        case .blocked: "blocked"
        }
    }

    /// What somebody may do, in a word of the protocol.
    public var permissionWords: String { SharePermission(row.permission).rawValue }
}
