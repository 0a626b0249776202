/// Which questions about a field are allowed (Documentation/Protocol.md, 'The schema language').
public struct FieldIndexes: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Equality and membership.
    public static let queryable = FieldIndexes(rawValue: 1)
    /// Order and ranges.
    public static let sortable = FieldIndexes(rawValue: 2)
    /// Words of text.
    public static let searchable = FieldIndexes(rawValue: 4)

    /// The indexes in the words of the schema language, in the order of its exports.
    public var words: [String] {
        [(FieldIndexes.queryable, "QUERYABLE"), (.searchable, "SEARCHABLE"), (.sortable, "SORTABLE")]
            .filter { contains($0.0) }.map(\.1)
    }

    /// What development gives a new field: everything that its type allows.
    public static func all(for type: FieldType) -> FieldIndexes {
        switch (type.scalar, type.isList) {
        case (.string, false): [.queryable, .sortable, .searchable]
        case (.string, true): [.queryable, .searchable]
        case (.int64, false), (.double, false), (.timestamp, false): [.queryable, .sortable]
        case (.int64, true), (.double, true), (.timestamp, true): [.queryable]
        case (.reference, _), (.location, false): [.queryable]
        case (.location, true), (.bytes, _), (.asset, _): []
        }
    }
}

/// One field of a record type.
public struct FieldSchema: Hashable, Sendable {
    /// The field's name.
    public var name: String
    /// Its type, fixed once the field exists.
    public var type: FieldType
    /// What may be asked of it.
    public var indexes: FieldIndexes
    /// The number that storage knows the field by, unique in its type and never used again.
    public var column: Int
    /// What the schema's text says of the type beyond the values it holds.
    public var declaration: FieldDeclaration
    /// Whether storage is still entering the values of older records into the field's indexes, so that nothing can be
    /// asked of it yet.
    public var isBeingFilled = false

    /// Creates a field.
    public init(
        name: String, type: FieldType, indexes: FieldIndexes, column: Int,
        declaration: FieldDeclaration = .plain
    ) {
        self.name = name
        self.type = type
        self.indexes = indexes
        self.column = column
        self.declaration = declaration
    }
}

/// One record type of a tenant's schema.
public struct RecordType: Hashable, Sendable {
    /// The type's name.
    public let name: String
    /// The number that storage knows the type by, unique over all tenants.
    public let id: Int64
    /// The fields in the order in which they were added.
    public private(set) var fields: [FieldSchema]
    /// Whether one of the fields holds files.
    public private(set) var hasAssets: Bool
    /// Whether one of the fields is encrypted.
    public private(set) var hasEncryptedFields: Bool
    /// What may be asked of the system's fields, as far as the schema's text says so.
    public var systemIndexes: [SystemFieldName: FieldIndexes] = [:]
    /// Who may do what with records of the type in public databases, as far as it was said: ``effectiveGrants`` is
    /// what counts.
    public var grants: [SecurityGrant]?
    /// What is kept of earlier versions of the type's records; nil for nothing. No part of the schema's text, and each
    /// environment's own.
    public var keeping: VersionKeeping?
    private var positions: [String: Int]

    /// Whether it only keeps what was deleted: its name is none that a type can be given, and it has no records.
    public var isHidden: Bool { name.utf8.first == UInt8(ascii: "~") }

    /// Creates a type.
    public init(name: String, id: Int64, fields: [FieldSchema] = []) {
        self.name = name
        self.id = id
        self.fields = fields
        self.hasAssets = fields.contains { $0.type.scalar == .asset }
        self.hasEncryptedFields = fields.contains { $0.declaration == .encrypted }
        self.positions = Dictionary(
            fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The field of the given name, if the type has one.
    public subscript(name: String) -> FieldSchema? {
        positions[name].map { fields[$0] }
    }

    /// Adds a field, or replaces the one of the same name.
    public mutating func set(_ field: FieldSchema) {
        if let position = positions[field.name] {
            fields[position] = field
        } else {
            positions[field.name] = fields.count
            fields.append(field)
        }
        if field.type.scalar == .asset { hasAssets = true }
        if field.declaration == .encrypted { hasEncryptedFields = true }
    }

    /// Takes a field out.
    public mutating func remove(fieldNamed name: String) {
        fields.removeAll { $0.name == name }
        hasAssets = fields.contains { $0.type.scalar == .asset }
        hasEncryptedFields = fields.contains { $0.declaration == .encrypted }
        positions = Dictionary(
            fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
