public import RecordModel
public import RecordStorage
import RecordWire

/// Why somebody may or may not see a record: the answer to an operator, in one sentence.
///
/// What may be done is decided where requests are decided, `AccessRights` and `ShareMembers`; the sentence says from what.
///
///     let place = AccessExplanation.Place(owner: "_0f…", zone: "Lists")
///     let why = try AccessExplanation(of: "milk", in: place, for: ada, of: tenant, reader, now: now)
///     print(why.sentence)
public struct AccessExplanation: Hashable, Sendable {
    /// Where a record is.
    public struct Place: Hashable, Sendable {
        /// The record name of the user whose private database it is; nil for the public one.
        public var owner: String?
        /// The name of the zone.
        public var zone: String

        /// Names a place.
        public init(owner: String?, zone: String = ZoneID.defaultName) {
            self.owner = owner
            self.zone = zone
        }
    }

    /// What decided.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The user is shut out of the container.
        case userDisabled
        /// There is no such zone, or no such record.
        case zoneMissing, recordMissing
        /// The grants of the record's type say so.
        case grants
        /// The record is in the user's own database.
        case ownDatabase
        /// The record is in somebody else's default zone, which nobody can share.
        case defaultZone
        /// Neither the record nor one above it nor the zone is shared.
        case notShared
        /// What the user is to the share.
        case participant, permissionNone, invited, left, removed, requested, blocked, notInvited
    }

    /// Whether the user may look at the record.
    public let mayRead: Bool
    /// Whether the user may change and delete it.
    public let mayWrite: Bool
    /// What decided.
    public let reason: Reason
    /// The same for a person.
    public let sentence: String
    /// The record name of the share that the record belongs to; nil where none was found.
    public let share: String?

    /// Explains what a user may do with a record.
    ///
    /// - Parameters:
    ///   - record: the name of the record.
    ///   - place: where it is.
    ///   - user: who wants to see it.
    ///   - tenant: the container and environment.
    ///   - reader: what reads the store.
    ///   - now: the time, in milliseconds.
    /// - Throws: `StorageError`; `QUOTA_EXCEEDED` where too many records are above the record.
    public init(
        of record: String, in place: Place, for user: UserRow, of tenant: Tenant,
        _ reader: any StoreReader, now: Int64
    ) throws {
        let names = try AccessNames(record: record, place: place, user: user, tenant, reader)
        let verdict = try AccessFinding(names, tenant: tenant, reader: reader, now: now).verdict()
        mayRead = verdict.permission != .none
        mayWrite = verdict.permission == .write || verdict.writesUnread
        reason = verdict.reason
        sentence = verdict.sentence
        share = verdict.share
    }
}

/// What the sentence calls everything.
struct AccessNames {
    let record: String
    let place: AccessExplanation.Place
    let user: UserRow
    /// The name of the place's owner.
    let owner: String

    var who: String { user.label }
    var it: String { "'\(record.prefix(64))'" }
    var zone: String { "'\(place.zone.prefix(64))'" }

    init(
        record: String, place: AccessExplanation.Place, user: UserRow, _ tenant: Tenant,
        _ reader: any StoreReader
    ) throws {
        self.record = record
        self.place = place
        self.user = user
        owner = try place.owner.map { try reader.user(named: $0, of: tenant)?.label ?? $0 } ?? ""
    }
}

/// Finds out what decides about a record, in the order in which a request would.
struct AccessFinding {
    struct Verdict {
        var permission: ShareRow.Permission
        var reason: AccessExplanation.Reason
        var sentence: String
        var share: String?
        /// Whether the record may be changed and not read, which only grants can say.
        var writesUnread = false
    }

    let names: AccessNames
    let tenant: Tenant
    let reader: any StoreReader
    let now: Int64

    init(_ names: AccessNames, tenant: Tenant, reader: any StoreReader, now: Int64) {
        self.names = names
        self.tenant = tenant
        self.reader = reader
        self.now = now
    }

    private var place: AccessExplanation.Place { names.place }
    private var user: UserRow { names.user }

    func verdict() throws -> Verdict {
        if user.isDisabled {
            return no(.userDisabled, "\(names.who) is shut out of the container, so no request is answered.")
        }
        let number = try reader.database(DatabaseID(tenant: tenant, owner: place.owner))
        guard let zone = try number.flatMap({ try reader.zone(named: place.zone, in: $0) }), !zone.isDeleted
        else {
            if place.zone == ZoneID.defaultName { return missing() }
            return no(.zoneMissing, "There is no zone \(names.zone) in \(databaseWords).")
        }
        // Names, types and makers are not encrypted.
        guard let row = try SealedStore.base(of: reader).record(named: names.record, in: zone.id) else {
            return missing()
        }
        guard let owner = place.owner else { return try byGrants(row) }
        if owner == user.recordName {
            return Verdict(
                permission: .write, reason: .ownDatabase,
                sentence:
                    "\(names.who) may read and change \(names.it): it is in \(names.who)'s own private database."
            )
        }
        guard zone.isTracked else {
            return no(
                .defaultZone,
                "\(names.who) cannot see \(names.it): it is in the default zone of \(names.owner), and default zones cannot be shared."
            )
        }
        return try SharedAccessFinding(names, zone, tenant: tenant, reader: reader, now: now).verdict()
    }

    private var databaseWords: String {
        place.owner == nil ? "the public database" : "the private database of \(names.owner)"
    }

    private func no(_ reason: AccessExplanation.Reason, _ sentence: String) -> Verdict {
        Verdict(permission: .none, reason: reason, sentence: sentence)
    }

    private func missing() -> Verdict {
        let zone = place.zone == ZoneID.defaultName ? "the default zone" : "the zone \(names.zone)"
        return no(
            .recordMissing,
            "There is no record \(names.it) in \(zone) of \(databaseWords), so nobody sees it.")
    }

    // MARK: The public database

    private func byGrants(_ row: RecordRow) throws -> Verdict {
        let schema = try reader.schema(of: tenant)
        guard let type = schema.type(numbered: row.type) else { return missing() }
        let declared = user.roles.filter(schema.roles.contains)
        let rights = AccessRights(
            of: .user(user.recordName), roles: declared, in: DatabaseID(tenant: tenant, owner: nil))
        func may(_ permission: SecurityPermissions) -> Bool {
            rights.may(permission, recordOf: type, madeBy: row.createdBy)
        }
        let (reads, writes) = (may(.read), may(.write))
        let deed =
            switch (reads, writes) {
            case (true, true): "may read and change"
            case (true, false): "may read, and not change,"
            case (false, true): "may change, and not read,"
            case (false, false): "may neither read nor change"
            }
        var sentence =
            "\(names.who) \(deed) \(names.it): \(type.name) grants READ to \(roles(.read, type)), WRITE to \(roles(.write, type))"
        let grants = type.effectiveGrants
        if grants.contains(where: { $0.role == SecurityGrant.creatorRole }) {
            let creator = try reader.user(named: row.createdBy, of: tenant)?.label ?? row.createdBy
            sentence += "; its creator is \(creator)"
        }
        if grants.contains(where: { !SecurityGrant.systemRoles.contains($0.role) }) {
            sentence += "; \(names.who) has "
            sentence +=
                declared.isEmpty
                ? "no role"
                : (declared.count == 1 ? "the role " : "the roles ") + declared.joined(separator: ", ")
        }
        return Verdict(
            permission: reads ? (writes ? .write : .read) : .none, reason: .grants, sentence: sentence + ".",
            writesUnread: writes && !reads)
    }

    /// Who has a right, in words.
    private func roles(_ permission: SecurityPermissions, _ type: RecordType) -> String {
        let words = type.effectiveGrants.filter { $0.permissions.contains(permission) }.map(\.roleWords)
        return words.isEmpty ? "nobody" : words.joined(separator: " and ")
    }
}

extension SecurityGrant {
    /// Whom a grant is for, in words.
    public var roleWords: String {
        switch role {
        case Self.worldRole: "everybody"
        case Self.signedInRole: "everybody who signed in"
        case Self.creatorRole: "its creator"
        default: "the role \(role)"
        }
    }
}
