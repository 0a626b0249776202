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
        let user = try make(name, of: tenant, environment)
        return try await store.write { store in
            try insert(user, store)
            return user
        }
    }

    /// A user that is not stored yet.
    static func make(
        _ name: String, of tenant: Tenant, _ environment: ServiceEnvironment
    ) throws(ServiceError) -> UserRow {
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard !name.isEmpty, name.utf8.count <= Limits.nameLength, isPlain else {
            throw ServiceError(
                .badRequest,
                "A user's name is 1 to \(Limits.nameLength) bytes of text without control characters.")
        }
        return UserRow(
            tenant: tenant, recordName: "_" + AccessToken.make(random: environment.random(16)), label: name,
            createdAt: environment.now())
    }

    /// Stores a user that was made.
    ///
    /// - Throws: `EXISTS` when the name is taken; `StorageError`.
    static func insert(_ user: UserRow, _ store: any StoreWriter) throws {
        let (tenant, name) = (user.tenant, user.label)
        guard try !store.users(of: tenant).contains(where: { $0.label == name }) else {
            throw ServiceError(
                .exists, "\(tenant) already has a user '\(name)'.",
                remedy:
                    "Make a token for that user: stratus token create --container \(tenant.container) --environment \(tenant.environment.rawValue) --user \(ShellWord.inQuotes(name))"
            )
        }
        try store.insert(user)
    }

    /// The user of a name, or of a record name.
    ///
    /// - Throws: `NOT_FOUND`.
    public static func find(
        _ name: String, in tenant: Tenant, store: any RecordStore
    ) async throws -> UserRow {
        try await store.read(.short) { try find(name, in: tenant, reader: $0) }
    }

    /// Shuts a user out of a container, or lets it in again: no session goes on, and no token or key is good for it. Servers
    /// know at once; one on SQLite, which another process changed it beside, within five seconds.
    ///
    /// - Parameters:
    ///   - isDisabled: whether it is shut out.
    ///   - name: the name or the record name.
    ///   - tenant: of which container.
    ///   - store: where the user is.
    /// - Returns: the user, as it is now.
    /// - Throws: `NOT_FOUND`; `StorageError`.
    @discardableResult
    public static func setDisabled(
        _ isDisabled: Bool, _ name: String, of tenant: Tenant, store: any RecordStore
    ) async throws -> UserRow {
        try await store.write { store in
            var user = try find(name, in: tenant, reader: store)
            user.isDisabled = isDisabled
            try store.setDisabled(isDisabled, ofUserNamed: user.recordName, tenant: tenant)
            if isDisabled, let account = user.account {
                try store.endSessions(of: account) { $0.tenant == tenant }
            }
            return user
        }
    }

    /// Removes a user whom an operator made. The records go in slices behind it (``Erasures``).
    ///
    /// - Parameters:
    ///   - name: the name or the record name.
    ///   - tenant: of which container.
    ///   - publicRecords: what becomes of public records; nil for what the container's operator said.
    ///   - now: the time in milliseconds.
    ///   - store: where the user is.
    /// - Returns: the user.
    /// - Throws: `NOT_FOUND`; `BAD_REQUEST` for a user who has an account, which goes as a whole; `StorageError`.
    @discardableResult
    public static func remove(
        _ name: String, from tenant: Tenant, publicRecords: ErasureRow.PublicRecords? = nil, now: Int64,
        store: any RecordStore
    ) async throws -> UserRow {
        try await store.write { store in
            let user = try find(name, in: tenant, reader: store)
            if let account = try user.account.flatMap({ try store.account($0) }) {
                throw ServiceError(
                    .badRequest,
                    "'\(user.label)' has an account, which would be that user again at the next sign-in.",
                    remedy:
                        "Remove the account: stratus account remove \(ShellWord.inQuotes(account.address))")
            }
            try Erasures.remove(user, publicRecords: publicRecords, now: now, store)
            return user
        }
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
