public import RecordModel

/// What a text in the CloudKit schema language says (Documentation/Protocol.md, 'The schema language').
///
/// Roles, types, fields and grants keep the order of the text; comments are not kept. Two documents that mean
/// the same are equal once both are ``normalized()``.
public struct SchemaDocument: Hashable, Sendable {
    /// The security roles that the text declares.
    public var roles: [String]
    /// The record types that the text declares.
    public var types: [SchemaRecordType]

    /// Makes a document of its parts.
    public init(roles: [String] = [], types: [SchemaRecordType] = []) {
        self.roles = roles
        self.types = types
    }

    /// The record type of the given name, if there is one.
    public subscript(name: String) -> SchemaRecordType? { types.first { $0.name == name } }
}

/// A record type as the schema language declares it.
public struct SchemaRecordType: Hashable, Sendable {
    /// The type's name.
    public var name: String
    /// Its fields, those of the system that are named among them.
    public var fields: [SchemaField]
    /// Who may do what with its records.
    public var grants: [SecurityGrant]

    /// Makes a type of its parts.
    public init(name: String, fields: [SchemaField] = [], grants: [SecurityGrant] = []) {
        self.name = name
        self.fields = fields
        self.grants = grants
    }

    /// The field of the given name, if the declaration has it.
    public subscript(name: String) -> SchemaField? { fields.first { $0.name == name } }

    /// The type that every container has: users.
    public static let users = SchemaRecordType(
        name: "Users",
        fields: [SchemaField(name: "roles", type: DeclaredType(.list(.int64)))],
        grants: SecurityGrant.usersDefaults)

    /// Whether a field of the type cannot be taken away: the role field of users, and three fields of shares.
    public func isAlwaysThere(_ field: String) -> Bool {
        switch name {
        case Self.users.name: Self.users[field] != nil
        case ShareRecordType.name: ShareRecordType.field(named: field) != nil
        default: false
        }
    }

    /// The permissions that count: those of the text, else the defaults, as for `RecordType`.
    public var effectiveGrants: [SecurityGrant] {
        grants.isEmpty ? SecurityGrant.defaults(ofTypeNamed: name) : grants
    }
}

/// A field as the schema language declares it.
public struct SchemaField: Hashable, Sendable {
    /// The field's name.
    public var name: String
    /// Its type.
    public var type: DeclaredType
    /// What may be asked of it.
    public var indexes: FieldIndexes

    /// Makes a field of its parts.
    public init(name: String, type: DeclaredType, indexes: FieldIndexes = []) {
        self.name = name
        self.type = type
        self.indexes = indexes
    }

    /// The field of the system that the name is, if it is one.
    public var systemName: SystemFieldName? { SystemFieldName(rawValue: name) }
}
