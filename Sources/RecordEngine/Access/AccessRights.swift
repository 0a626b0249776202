import RecordModel
import RecordStorage

/// What a caller may do with the records of one database: the one place where a schema's grants decide.
///
/// Grants count in public databases. A private one is its owner's, and operators may do everything everywhere. Rights
/// add up over the roles that a caller has: `_world` has everybody, `_icloud` whoever signed in, `_creator` who made the
/// record, and a declared role whom operators gave it to. A right of `_creator` to create has no effect, since nobody has
/// made the record yet (Documentation/Protocol.md, 'Security roles').
///
/// In somebody else's zone no grant counts: there the shares decide, record by record, which ``ShareMembers`` knows. What can be said
/// of a type alone is then as far as any of its records may be shared.
struct AccessRights: Hashable, Sendable {
    /// Which records of a type a right is for.
    enum Reach: Hashable, Sendable {
        case all
        /// Those that the user of this record name made.
        case own(String)
        case none
    }

    private let caller: Caller
    private let roles: [String]
    /// Whether everything is allowed.
    let isUnlimited: Bool
    /// Whether shares decide.
    let areShared: Bool

    /// - Parameters:
    ///   - caller: who asks.
    ///   - roles: the roles that operators gave to the caller.
    ///   - database: in which database.
    ///   - access: what lets the caller into a zone of somebody else.
    init(of caller: Caller, roles: [String], in database: DatabaseID, access: ZoneAccess? = nil) {
        self.caller = caller
        self.roles = roles
        areShared = access != nil
        isUnlimited =
            switch caller {
            case _ where access != nil: false
            case .administrator: true
            // Nobody else gets a context of a private database without access, and nobody without a name may.
            case .user(let name): database.owner == name
            case .anonymous: false
            }
        assert(isUnlimited || areShared || database.owner == nil)
    }

    /// Which records of a type a caller has a right to.
    func reach(of permission: SecurityPermissions, in type: RecordType) -> Reach {
        if isUnlimited || areShared { return .all }
        var reach = Reach.none
        for grant in type.effectiveGrants where grant.permissions.contains(permission) {
            switch (grant.role, caller) {
            case (SecurityGrant.worldRole, _), (SecurityGrant.signedInRole, .user): return .all
            case (SecurityGrant.creatorRole, .user(let name)): reach = .own(name)
            case (let role, .user) where roles.contains(role): return .all
            default: break
            }
        }
        return reach
    }

    /// Whether a caller may read, or change and delete, a record.
    func may(_ permission: SecurityPermissions, recordOf type: RecordType, madeBy creator: String) -> Bool {
        assert(!areShared, "Which records are shared, their names decide.")
        if areShared { return false }
        return switch reach(of: permission, in: type) {
        case .all: true
        case .own(let name): name == creator
        case .none: false
        }
    }

    /// Whether a caller may read, or change and delete, a record. Nobody may whose type is not there any more.
    func may(_ permission: SecurityPermissions, _ origin: RecordOrigin, in schema: Schema) -> Bool {
        if isUnlimited { return true }
        guard !areShared, let type = schema.type(numbered: origin.type) else { return false }
        return may(permission, recordOf: type, madeBy: origin.createdBy)
    }

    /// Whether a caller may make records of a type.
    func mayCreate(_ type: RecordType) -> Bool { reach(of: .create, in: type) == .all }

    /// Whether every record of every type may be read: then nobody needs to look at who made which.
    func mayReadAll(of schema: Schema) -> Bool {
        if areShared { return false }
        return isUnlimited || schema.isReadableByEverybody
            || schema.types.values.allSatisfy { reach(of: .read, in: $0) == .all }
    }

    /// Whether there is any type whose records may be made or changed.
    func mayWriteAny(of schema: Schema) -> Bool {
        if areShared { return caller != .anonymous }
        if isUnlimited || caller != .anonymous { return true }
        return schema.types.values.contains {
            reach(of: .create, in: $0) != .none || reach(of: .write, in: $0) != .none
        }
    }

    /// The refusal of a right to a type.
    func refusal(_ permission: SecurityPermissions, of type: RecordType) -> ServiceError {
        let word = permission.words.first ?? ""
        if caller == .anonymous, type.effectiveGrants.contains(where: { $0.permissions.contains(permission) })
        {
            return ServiceError(
                .authenticationRequired, ServiceError.needsUser.reason,
                remedy: "'\(type.name)' grants \(word) to users who signed in only: send a 'ckWebAuthToken'.")
        }
        return ServiceError(
            .accessDenied, "\(word) operation not permitted",
            remedy: "The grants of '\(type.name)' decide who may; 'stratus schema export' shows them.")
    }
}

extension Schema {
    /// The type of users' records, which is there before the first of them is stored.
    var users: RecordType { types[UserRecords.typeName] ?? RecordType(name: UserRecords.typeName, id: 0) }
}
