import RecordModel
import RecordStorage
import RecordWire

/// What somebody may do with each record of somebody else's zone, as long as one read or write lasts: the one place where shares
/// decide.
final class ShareMembers {
    let access: ZoneAccess
    let hierarchy: ShareHierarchy
    private let reader: any StoreReader
    /// What the visitor is to the shares that were looked at, by their names.
    private var roles: [ExactText: ParticipantRow?] = [:]

    init(_ access: ZoneAccess, _ hierarchy: ShareHierarchy, _ reader: any StoreReader) throws {
        self.access = access
        self.hierarchy = hierarchy
        self.reader = reader
        if case .participant(let name) = access.visitor {
            for row in try reader.participations(ofUser: name, in: access.zone.id) {
                roles[ExactText(row.share)] = row
            }
        }
    }

    /// What the visitor is to a share; nil for nobody, and for whoever has nothing but the link.
    func participant(of share: String) -> ParticipantRow? { roles[ExactText(share)] ?? nil }

    /// The shares of the zone that let the visitor in.
    var participations: [ParticipantRow] {
        roles.values.compactMap(\.self).filter { $0.status == .accepted && $0.permission != .none }
    }

    /// Whether the visitor sees every record of the zone.
    var seesAll: Bool { hierarchy.zoneShare.map { permission(in: $0) != .none } ?? false }

    /// What the visitor may do with what a share opens.
    func permission(in share: ShareRow) -> ShareRow.Permission {
        switch access.visitor {
        case .anybody(share.name): return .read
        case .anybody: return .none
        case .participant:
            guard let role = participant(of: share.name), role.status == .accepted else { return .none }
            return role.permission
        }
    }

    /// What the visitor may do with a record, also with one that is not there yet.
    func permission(ofRecordNamed name: String) throws -> ShareRow.Permission {
        try hierarchy.share(of: name).map { permission(in: $0) } ?? .none
    }

    /// What the visitor may do with a record whose record above is known.
    func permission(ofRecordNamed name: String, below parent: String?) throws -> ShareRow.Permission {
        try hierarchy.share(of: name, below: parent).map { permission(in: $0) } ?? .none
    }

    /// Whether the visitor sees the record of a body.
    func sees(_ body: UnsafeRawBufferPointer) throws -> Bool {
        if seesAll { return true }
        let name = try RecordBody.quickName(of: body)
        return try permission(ofRecordNamed: name, below: RecordBody.relations(of: body).parent) != .none
    }
}

extension AccessRights {
    /// Whether a caller may read, or change and delete, a record.
    ///
    /// - Parameters:
    ///   - permission: what the caller wants to do.
    ///   - name: the record's name.
    ///   - type: its type.
    ///   - creator: who made it.
    ///   - members: what is shared with the caller, in the shared database; nil elsewhere.
    func may(
        _ permission: SecurityPermissions, recordNamed name: String, of type: RecordType,
        madeBy creator: String, _ members: ShareMembers?
    ) throws -> Bool {
        guard let members else { return may(permission, recordOf: type, madeBy: creator) }
        return try members.permission(ofRecordNamed: name) >= (permission == .read ? .read : .write)
    }

    /// Whether a caller may read, or change and delete, a record. Nobody may whose type is not there any more.
    func may(
        _ permission: SecurityPermissions, recordNamed name: String, _ origin: RecordOrigin,
        in schema: Schema, _ members: ShareMembers?
    ) throws -> Bool {
        guard let members else { return may(permission, origin, in: schema) }
        return try members.permission(ofRecordNamed: name) >= (permission == .read ? .read : .write)
    }
}
