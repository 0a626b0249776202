/// All record types of one tenant, at one moment.
///
/// What every request asks of all types together is counted when one changes, not when it is asked.
public struct Schema: Hashable, Sendable {
    /// The types by name.
    public private(set) var types: [String: RecordType] = [:]
    /// The types that are there for people and apps, by name.
    public var visibleTypes: [String: RecordType] { types.filter { !$0.value.isHidden } }
    /// The security roles that were declared, in their order.
    public var roles: [String]
    private var names: [Int64: String] = [:]
    /// How many types can hold files, have records that not everybody may read, or both.
    private var withFiles = 0
    private var restricted = 0
    private var restrictedWithFiles = 0

    /// Makes a schema of the given types.
    public init(types: [String: RecordType] = [:], roles: [String] = []) {
        self.roles = roles
        for type in types.values { set(type) }
    }

    /// The type of a number.
    public func type(numbered id: Int64) -> RecordType? { names[id].flatMap { types[$0] } }

    /// Adds a type, or replaces the one of the same name.
    public mutating func set(_ type: RecordType) {
        remove(typeNamed: type.name)
        types[type.name] = type
        names[type.id] = type.name
        count(type, 1)
    }

    /// Takes a type out.
    public mutating func remove(typeNamed name: String) {
        guard let type = types.removeValue(forKey: name) else { return }
        if names[type.id] == name { names[type.id] = nil }
        count(type, -1)
    }

    private mutating func count(_ type: RecordType, _ step: Int) {
        if type.hasAssets { withFiles += step }
        if !type.isReadableByEverybody { restricted += step }
        if type.hasAssets, !type.isReadableByEverybody { restrictedWithFiles += step }
        assert(restrictedWithFiles >= 0 && min(withFiles, restricted) >= restrictedWithFiles)
    }

    /// Whether records of some type may hold files.
    public var hasAssets: Bool { withFiles > 0 }

    /// Whether everybody may read all records of all types.
    public var isReadableByEverybody: Bool { restricted == 0 }

    /// Whether everybody may read all records that can hold files.
    public var filesAreReadableByEverybody: Bool { restrictedWithFiles == 0 }
}

extension [Tenant: Schema] {
    /// The type of a number, whosever it is.
    public func recordType(_ id: Int64) -> RecordType? {
        for schema in values {
            if let type = schema.type(numbered: id) { return type }
        }
        return nil
    }
}
