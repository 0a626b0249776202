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

/// One line of a record type's permissions.
///
/// Grants are kept and exported; this version does not enforce them.
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

    /// The roles that need no declaration: who made the record, who signed in, everybody.
    public static let systemRoles = ["_creator", "_icloud", "_world"]

    /// What a type has that development made by itself, in the order of exports.
    public static let defaults = [
        SecurityGrant(.write, to: "_creator"), SecurityGrant(.create, to: "_icloud"),
        SecurityGrant(.read, to: "_world"),
    ]
}
