public import RecordModel
public import RecordStorage

extension Accounts {
    /// Says whether others may find a person in a container, and under which name.
    ///
    /// - Parameters:
    ///   - discovery: what the person answered; spaces around names do not count.
    ///   - session: the person's, at the sign-in page: an app cannot answer for its user.
    ///   - tenant: the container.
    /// - Returns: what is kept.
    /// - Throws: `BAD_REQUEST` for a name that is too long or has control characters; `StorageError`.
    public func setDiscovery(
        _ discovery: UserDiscovery, of session: PageSession, in tenant: Tenant
    ) async throws -> UserDiscovery {
        let kept = UserDiscovery(
            isAllowed: discovery.isAllowed, givenName: try Self.name(discovery.givenName),
            familyName: try Self.name(discovery.familyName))
        let now = environment.now()
        try await store.write { store in
            try store.setDiscovery(kept, ofUserNamed: session.user.recordName, tenant: tenant)
            try store.insert(Self.deed("account.discovery", session.account.address, tenant, now))
        }
        return kept
    }

    static func name(_ text: String) throws(ServiceError) -> String {
        let words = text.split(separator: " ").joined(separator: " ")
        let isPlain = words.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard isPlain, words.utf8.count <= Limits.personNameBytes else {
            throw ServiceError(
                .badRequest, "A name has \(Limits.personNameBytes) bytes at most, without control characters."
            )
        }
        return words
    }
}
