import RecordModel
public import SchemaLanguage

/// Random schemas that are allowed.
public struct RandomSchema {
    private var random: Random

    /// Begins at a seed.
    public init(random: Random) { self.random = random }

    /// Another schema.
    public mutating func document() -> SchemaDocument {
        var roles: [String] = []
        for _ in 0..<random.int(0...3) { roles.append(unique(name(), in: roles)) }
        var types: [SchemaRecordType] = []
        for _ in 0..<random.int(0...6) {
            types.append(type(unique(typeName(besides: types), in: types.map(\.name)), roles: roles))
        }
        return SchemaDocument(roles: roles, types: types)
    }

    private func unique(_ name: String, in names: [String]) -> String {
        names.contains(name) ? unique(name + "x", in: names) : name
    }

    private mutating func type(_ name: String, roles: [String]) -> SchemaRecordType {
        var type = SchemaRecordType(name: name)
        let isShares = name == ShareRecordType.name
        for own in ShareRecordType.fields where isShares && random.oneIn(2) {
            type.fields.append(
                SchemaField(name: own.name, type: DeclaredType(own.type), indexes: indexes(own.type)))
        }
        for _ in 0..<random.int(0...8) {
            type.fields.append(field(unique(fieldName(inShares: isShares), in: type.fields.map(\.name))))
        }
        for system in SystemFieldName.allCases where random.oneIn(3) {
            type.fields.append(
                SchemaField(
                    name: system.rawValue, type: DeclaredType(system.type), indexes: indexes(system.type)))
        }
        type.fields.shuffle(using: &random)
        for _ in 0..<random.int(0...3) {
            let role = random.pick(SecurityGrant.systemRoles + roles, else: "_world")
            let permissions = SecurityPermissions(rawValue: UInt8(random.int(1...7)))
            type.grants.append(SecurityGrant(permissions, to: role))
        }
        return type
    }

    private mutating func field(_ name: String) -> SchemaField {
        let scalar = random.pick(FieldType.Scalar.allCases, else: .string)
        var declaration = random.pick(FieldDeclaration.allCases, else: .plain)
        if scalar == .asset || scalar == .reference, declaration == .encrypted { declaration = .plain }
        let type = DeclaredType(FieldType(scalar, isList: random.oneIn(4)), declaration)
        let indexes = declaration == .encrypted ? [] : indexes(type.type)
        return SchemaField(name: name, type: type, indexes: indexes)
    }

    private mutating func indexes(_ type: FieldType) -> FieldIndexes {
        guard type.scalar != .asset else { return [] }
        var allowed: FieldIndexes = .queryable
        if !type.isList { allowed.insert(.sortable) }
        if type.scalar == .string { allowed.insert(.searchable) }
        return FieldIndexes(rawValue: UInt8(random.int(0...7))).intersection(allowed)
    }

    private static let words = [
        "title", "Note", "grant", "SORTABLE", "order", "type", "List", "string", "TO", "encrypted", "define",
        "cloudkit.share", "a b", "_private", "Ärger", "1st", "--", "/*", "CD_entityName", "record", "ROLE",
    ]

    /// The names of fields of the service's own are none: those have their types.
    private mutating func fieldName(inShares: Bool) -> String {
        if inShares, random.oneIn(4) {
            return ShareRecordType.fieldPrefix + "of" + random.text(Array("abc"), 1...3)
        }
        return undotted(name())
    }

    private mutating func typeName(besides types: [SchemaRecordType]) -> String {
        let shares = ShareRecordType.name
        return !types.contains { $0.name == shares } && random.oneIn(5) ? shares : undotted(name())
    }

    private func undotted(_ name: String) -> String { name.contains(".") ? "note" : name }

    private mutating func name() -> String {
        if random.oneIn(2) { return random.pick(Self.words, else: "n") }
        let letters = Array("abcdefgXYZ")
        return random.text(letters, 1...3) + random.text(letters + Array("_0123456789"), 0...12)
    }
}
