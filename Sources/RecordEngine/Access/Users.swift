public import RecordModel
public import RecordStorage

/// Users as the operator knows them: by name.
public enum Users {
    /// Makes a user.
    ///
    /// - Throws: `EXISTS` when the name is taken, `BAD_REQUEST` when it cannot be one.
    public static func add(
        _ name: String, to tenant: Tenant, store: any RecordStore, environment: ServiceEnvironment
    ) async throws -> UserRow {
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard !name.isEmpty, name.utf8.count <= Limits.nameLength, isPlain else {
            throw ServiceError(
                .badRequest,
                "A user's name is 1 to \(Limits.nameLength) bytes of text without control characters.")
        }
        let user = UserRow(
            tenant: tenant, recordName: "_" + AccessToken.make(random: environment.random(16)), label: name,
            createdAt: environment.now())
        return try await store.write { store in
            guard try !store.users(of: tenant).contains(where: { $0.label == name }) else {
                throw ServiceError(
                    .exists, "There is a user '\(name)' in \(tenant) already.",
                    remedy:
                        "Make a token for that user: stratus token create --container \(tenant.container) --environment \(tenant.environment.rawValue) --user \(ShellWord.inQuotes(name))"
                )
            }
            try store.insert(user)
            return user
        }
    }

    /// The user of a name, or of a record name.
    ///
    /// - Throws: `NOT_FOUND`.
    public static func find(
        _ name: String, in tenant: Tenant, store: any RecordStore
    ) async throws -> UserRow {
        try await store.read(.short) { try find(name, in: tenant, reader: $0) }
    }

    static func find(_ name: String, in tenant: Tenant, reader: any StoreReader) throws -> UserRow {
        guard
            let user = try reader.users(of: tenant).first(where: { $0.label == name || $0.recordName == name }
            )
        else {
            throw ServiceError(
                .notFound, "There is no user '\(name)' in \(tenant).",
                remedy:
                    "Make one: stratus user add \(ShellWord.inQuotes(name)) --container \(tenant.container) --environment \(tenant.environment.rawValue)"
            )
        }
        return user
    }
}
