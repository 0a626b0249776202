/// Finding users. The service cannot yet: everything here completes with `CKError.serverRejectedRequest`, which
/// says which version of the server will.
@available(*, deprecated, message: "Share records with a CKShare instead of discovering users.")
extension CKContainer {
    /// Finds the users whom the device's address book knows.
    ///
    /// - Throws: `CKError`.
    public func allUserIdentitiesFromContacts() async throws -> [CKUserIdentity] {
        throw PlannedFeature.userDiscovery.error
    }

    /// Finds the user with an email address; nil where nobody wants to be found by it.
    ///
    /// - Throws: `CKError`.
    public func userIdentity(forEmailAddress email: String) async throws -> CKUserIdentity? {
        throw PlannedFeature.userDiscovery.error
    }

    /// Finds the user with a phone number; nil where nobody wants to be found by it.
    ///
    /// - Throws: `CKError`.
    public func userIdentity(forPhoneNumber phoneNumber: String) async throws -> CKUserIdentity? {
        throw PlannedFeature.userDiscovery.error
    }

    /// Finds the user with a record; nil where the user does not want to be found.
    ///
    /// - Throws: `CKError`.
    public func userIdentity(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKUserIdentity? {
        throw PlannedFeature.userDiscovery.error
    }

    /// Finds users by their email addresses; who cannot be found is left out.
    ///
    /// - Throws: `CKError`.
    public func userIdentities(
        forEmailAddresses emails: [String]
    ) async throws -> [String: CKUserIdentity] {
        throw PlannedFeature.userDiscovery.error
    }

    /// Finds users by their phone numbers; who cannot be found is left out.
    ///
    /// - Throws: `CKError`.
    public func userIdentities(
        forPhoneNumbers phoneNumbers: [String]
    ) async throws -> [String: CKUserIdentity] {
        throw PlannedFeature.userDiscovery.error
    }

    /// Finds users by their records; who cannot be found is left out.
    ///
    /// - Throws: `CKError`.
    public func userIdentities(
        forUserRecordIDs userRecordIDs: [CKRecord.ID]
    ) async throws -> [CKRecord.ID: CKUserIdentity] {
        throw PlannedFeature.userDiscovery.error
    }
}

@available(*, deprecated, message: "Share records with a CKShare instead of discovering users.")
extension CKContainer {
    /// Finds the users whom the device's address book knows; see ``allUserIdentitiesFromContacts()``.
    @preconcurrency
    public func discoverAllIdentities(
        completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await allUserIdentitiesFromContacts() }
    }

    /// Finds the user with an email address; see ``userIdentity(forEmailAddress:)``.
    @preconcurrency
    public func discoverUserIdentity(
        withEmailAddress email: String,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Handler { completionHandler($0 ?? nil, $1) }.run { [self] in
            try await userIdentity(forEmailAddress: email)
        }
    }

    /// Finds the user with a phone number; see ``userIdentity(forPhoneNumber:)``.
    @preconcurrency
    public func discoverUserIdentity(
        withPhoneNumber phoneNumber: String,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Handler { completionHandler($0 ?? nil, $1) }.run { [self] in
            try await userIdentity(forPhoneNumber: phoneNumber)
        }
    }

    /// Finds the user with a record; see ``userIdentity(forUserRecordID:)``.
    @preconcurrency
    public func discoverUserIdentity(
        withUserRecordID userRecordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Handler { completionHandler($0 ?? nil, $1) }.run { [self] in
            try await userIdentity(forUserRecordID: userRecordID)
        }
    }

    /// Finds users by their email addresses; see ``userIdentities(forEmailAddresses:)``.
    @preconcurrency
    public func discoverUserIdentities(
        forEmailAddresses emails: [String],
        completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await userIdentities(forEmailAddresses: emails) }
    }

    /// Finds users by their phone numbers; see ``userIdentities(forPhoneNumbers:)``.
    @preconcurrency
    public func discoverUserIdentities(
        forPhoneNumbers phoneNumbers: [String],
        completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await userIdentities(forPhoneNumbers: phoneNumbers) }
    }

    /// Finds users by their records; see ``userIdentities(forUserRecordIDs:)``.
    @preconcurrency
    public func discoverUserIdentities(
        forUserRecordIDs userRecordIDs: [CKRecord.ID],
        completionHandler: @escaping @Sendable (Result<[CKRecord.ID: CKUserIdentity], any Error>) -> Void
    ) {
        Handler(completionHandler).run { [self] in
            try await userIdentities(forUserRecordIDs: userRecordIDs)
        }
    }
}
