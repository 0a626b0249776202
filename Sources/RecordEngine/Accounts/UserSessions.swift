public import RecordModel
public import RecordStorage

/// Where users are signed in, as operators handle it.
public enum UserSessions {
    /// A user's sessions in a tenant, the newest first.
    ///
    /// - Parameters:
    ///   - user: the name or the record name.
    ///   - tenant: of which container.
    ///   - store: where the sessions are.
    /// - Throws: `NOT_FOUND`.
    public static func list(
        of user: String, in tenant: Tenant, store: any RecordStore
    ) async throws -> [SessionRow] {
        try await store.read(.short) { try list(of: user, in: tenant, $0) }
    }

    private static func list(
        of user: String, in tenant: Tenant, _ reader: any StoreReader
    ) throws -> [SessionRow] {
        let row = try Users.find(user, in: tenant, reader: reader)
        guard let account = row.account else { return [] }
        return try reader.sessions(of: account).filter { $0.tenant == tenant }
    }

    /// Ends a user's sessions in a tenant, at once on each node. A process beside a server on SQLite is noticed by it within five
    /// seconds.
    ///
    /// - Parameters:
    ///   - id: one session alone; nil for all.
    ///   - user: the name or the record name.
    ///   - tenant: where the user is signed in.
    ///   - store: what keeps the sessions.
    /// - Returns: how many there were.
    /// - Throws: `NOT_FOUND` for a user or a session that is not there.
    public static func end(
        _ id: String?, of user: String, in tenant: Tenant, store: any RecordStore
    ) async throws -> Int {
        try await store.write { store in
            let found = try list(of: user, in: tenant, store).filter { id == nil || $0.id == id }
            guard id == nil || !found.isEmpty else {
                throw ServiceError(
                    .notFound, "'\(user)' has no such session.", remedy: "'stratus user sessions' lists them."
                )
            }
            for session in found { try store.deleteSession(session.id) }
            return found.count
        }
    }
}
