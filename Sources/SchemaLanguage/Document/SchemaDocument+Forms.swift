import RecordModel

extension SchemaDocument {
    /// The document in the one form of all that mean the same: everything sorted, the permissions of a role
    /// together and the defaults where there is none, fields of the system only where they have an index, and the type
    /// `Users`, which is always there. The type of shares has its three fields, named or not.
    public func normalized() -> SchemaDocument {
        SchemaDocument(
            roles: Set(roles).sorted(by: Self.precedes),
            types: completed.map { type in
                let fields = type.fields.filter { $0.systemName == nil || !$0.indexes.isEmpty }
                return SchemaRecordType(
                    name: type.name, fields: Self.sorted(fields), grants: Self.merged(type.effectiveGrants))
            })
    }

    /// The document as it is exported: normalized, with all fields of the system in every type.
    public func exported() -> SchemaDocument {
        var document = normalized()
        for index in document.types.indices {
            let type = document.types[index]
            let implicit = SystemFieldName.allCases.filter { type[$0.rawValue] == nil }
                .map { SchemaField(name: $0.rawValue, type: DeclaredType($0.type)) }
            document.types[index].fields = Self.sorted(type.fields + implicit)
        }
        return document
    }

    /// The types in their order, with that of users and its field of roles, which nothing takes away, and with the
    /// fields that shares always have.
    private var completed: [SchemaRecordType] {
        let users = SchemaRecordType.users
        var all = types
        if let index = all.firstIndex(where: { $0.name == users.name }) {
            all[index].fields += users.fields.filter { all[index][$0.name] == nil }
        } else {
            all.append(users)
        }
        if let index = all.firstIndex(where: { $0.name == ShareRecordType.name }) {
            all[index].fields += ShareRecordType.fields.filter { all[index][$0.name] == nil }
                .map { SchemaField(name: $0.name, type: DeclaredType($0.type)) }
        }
        return all.sorted { Self.precedes($0.name, $1.name) }
    }

    private static func sorted(_ fields: [SchemaField]) -> [SchemaField] {
        fields.sorted { precedes($0.name, $1.name) }
    }

    private static func merged(_ grants: [SecurityGrant]) -> [SecurityGrant] {
        var permissions: [String: SecurityPermissions] = [:]
        for grant in grants { permissions[grant.role, default: []].formUnion(grant.permissions) }
        return permissions.sorted { precedes($0.key, $1.key) }.map { SecurityGrant($0.value, to: $0.key) }
    }

    /// The order of bytes, in which Apple's exports stand.
    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
