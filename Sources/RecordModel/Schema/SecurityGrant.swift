/// What a role may do with the records of a type.
public struct SecurityPermissions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// To read them.
    public static let read = SecurityPermissions(rawValue: 1)
    /// To make them.
    public static let create = SecurityPermissions(rawValue: 2)
    /// To change and delete them.
    public static let write = SecurityPermissions(rawValue: 4)

    /// The permissions in the words of the schema language, in the order of its exports.
    public var words: [String] {
        [(SecurityPermissions.read, "READ"), (.create, "CREATE"), (.write, "WRITE")]
            .filter { contains($0.0) }.map(\.1)
    }
}

/// One line of a record type's permissions, which count in public databases.
public struct SecurityGrant: Hashable, Sendable {
    /// The role: one of ``systemRoles``, or a declared one.
    public var role: String
    /// What it may do.
    public var permissions: SecurityPermissions

    /// Grants permissions to a role.
    public init(_ permissions: SecurityPermissions, to role: String) {
        self.role = role
        self.permissions = permissions
    }

    /// The role of who made a record.
    public static let creatorRole = "_creator"
    /// The role of everybody who signed in.
    public static let signedInRole = "_icloud"
    /// The role of everybody.
    public static let worldRole = "_world"
    /// The roles that need no declaration.
    public static let systemRoles = [creatorRole, signedInRole, worldRole]

    /// What a type has that nobody wrote permissions for, in the order of exports.
    public static let defaults = [
        SecurityGrant(.write, to: creatorRole), SecurityGrant(.create, to: signedInRole),
        SecurityGrant(.read, to: worldRole),
    ]
    /// What the type `Users` has then: users have their records from the beginning, so nobody makes them.
    public static let usersDefaults = [
        SecurityGrant(.write, to: creatorRole), SecurityGrant(.read, to: worldRole),
    ]

    /// What the type of shares has then, as in exports of Apple's; who may do what with a share the share says.
    public static let shareDefaults = usersDefaults

    /// What a type has that nobody wrote permissions for.
    public static func defaults(ofTypeNamed name: String) -> [SecurityGrant] {
        switch name {
        case "Users": usersDefaults
        case ShareRecordType.name: shareDefaults
        default: defaults
        }
    }
}

extension RecordType {
    /// The permissions that count: those that were written, else the defaults.
    ///
    /// A text that gives a type no permission at all says nothing about permissions: locking everybody out of data
    /// that was there before takes a word.
    public var effectiveGrants: [SecurityGrant] {
        if let grants, !grants.isEmpty { return grants }
        return SecurityGrant.defaults(ofTypeNamed: name)
    }

    /// Whether everybody may read all records of the type.
    public var isReadableByEverybody: Bool {
        effectiveGrants.contains { $0.role == SecurityGrant.worldRole && $0.permissions.contains(.read) }
    }
}
