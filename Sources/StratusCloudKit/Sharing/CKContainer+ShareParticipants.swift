/// Making participants of users, to be added to a share.
///
/// Everybody can be invited: who is not known to the service, or does not want to be found, is a participant whose identity has
/// no account (``CKUserIdentity/hasiCloudAccount``), and is matched when the share is accepted.
extension CKContainer {
    /// Makes a participant of the user with an email address.
    ///
    /// - Throws: `CKError`: `notAuthenticated` where nobody is signed in; another code when the request fails otherwise. An
    ///   address that nobody has is no failure.
    public func shareParticipant(
        forEmailAddress emailAddress: String
    ) async throws -> CKShare.Participant { try await participant(.init(emailAddress: emailAddress)) }

    /// Makes a participant of the user with a phone number.
    ///
    /// - Throws: `CKError` as ``shareParticipant(forEmailAddress:)`` throws it.
    public func shareParticipant(
        forPhoneNumber phoneNumber: String
    ) async throws -> CKShare.Participant { try await participant(.init(phoneNumber: phoneNumber)) }

    /// Makes a participant of the user with a record.
    ///
    /// - Throws: `CKError` as ``shareParticipant(forEmailAddress:)`` throws it.
    public func shareParticipant(
        forUserRecordID userRecordID: CKRecord.ID
    ) async throws -> CKShare.Participant { try await participant(.init(userRecordID: userRecordID)) }

    /// Makes participants of the users with email addresses.
    ///
    /// - Throws: `CKError` as ``shareParticipant(forEmailAddress:)`` throws it.
    public func shareParticipants(
        forEmailAddresses emails: [String]
    ) async throws -> [String: Result<CKShare.Participant, any Error>] {
        try await participants(emails) { .init(emailAddress: $0) }
    }

    /// Makes participants of the users with phone numbers.
    ///
    /// - Throws: `CKError` as ``shareParticipant(forEmailAddress:)`` throws it.
    public func shareParticipants(
        forPhoneNumbers phoneNumbers: [String]
    ) async throws -> [String: Result<CKShare.Participant, any Error>] {
        try await participants(phoneNumbers) { .init(phoneNumber: $0) }
    }

    /// Makes participants of the users with records.
    ///
    /// - Throws: `CKError` as ``shareParticipant(forEmailAddress:)`` throws it.
    public func shareParticipants(
        forUserRecordIDs userRecordIDs: [CKRecord.ID]
    ) async throws -> [CKRecord.ID: Result<CKShare.Participant, any Error>] {
        try await participants(userRecordIDs) { .init(userRecordID: $0) }
    }

    private func participant(_ lookup: CKUserIdentity.LookupInfo) async throws -> CKShare.Participant {
        guard let result = try await participants([lookup], lookup: { $0 })[lookup] else {
            throw CKError(.internalError, "The service's answer leaves out the participant.")
        }
        return try result.get()
    }

    private func participants<Key: Hashable>(
        _ keys: [Key], lookup: (Key) -> CKUserIdentity.LookupInfo
    ) async throws -> [Key: Result<CKShare.Participant, any Error>] {
        let keysByLookup = Dictionary(keys.map { (lookup($0), $0) }) { first, _ in first }
        var results: [Key: Result<CKShare.Participant, any Error>] = [:]
        try await run(
            fetchParticipants: keys.map(lookup), options: publicCloudDatabase.options
        ) { lookup, participant in
            if let key = keysByLookup[lookup] { results[key] = .success(participant) }
        }
        return results
    }
}

extension CKContainer {
    /// Makes a participant of each user that is looked up, in the order of the lookups; of the same lookup one.
    ///
    /// The service names a user to those who may look for people, where the user wants to be found. Everybody else is
    /// invited by what they are looked up by.
    /// - Throws: why the service could not be asked.
    func run(
        fetchParticipants lookups: [CKUserIdentity.LookupInfo], options: ServiceClient.Options,
        onParticipant: (CKUserIdentity.LookupInfo, CKShare.Participant) -> Void
    ) async throws(CKError) {
        var known: [CKUserIdentity.LookupInfo: CKUserIdentity] = [:]
        do throws(CKError) {
            for found in try await identities(lookups, options: options) {
                known[found.lookup] = found.identity
            }
        } catch {
            // An app that may not look for people, and one that has looked for too many, can invite them all the same; what
            // is wrong with an address is said when the share is saved.
            guard [.permissionFailure, .requestRateLimited, .invalidArguments].contains(error.code) else {
                throw error
            }
        }
        var seen: Set<CKUserIdentity.LookupInfo> = []
        for lookup in lookups where seen.insert(lookup).inserted {
            let identity =
                known[lookup]
                ?? CKUserIdentity(
                    userRecordID: lookup.userRecordID, lookupInfo: lookup, hasiCloudAccount: false)
            onParticipant(lookup, CKShare.Participant(userIdentity: identity))
        }
    }
}

extension CKContainer {
    /// Makes a participant of the user with an email address; see ``shareParticipant(forEmailAddress:)``.
    @preconcurrency
    public func fetchShareParticipant(
        withEmailAddress emailAddress: String,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] in
            try await shareParticipant(forEmailAddress: emailAddress)
        }
    }

    /// Makes a participant of the user with a phone number; see ``shareParticipant(forPhoneNumber:)``.
    @preconcurrency
    public func fetchShareParticipant(
        withPhoneNumber phoneNumber: String,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await shareParticipant(forPhoneNumber: phoneNumber) }
    }

    /// Makes a participant of the user with a record; see ``shareParticipant(forUserRecordID:)``.
    @preconcurrency
    public func fetchShareParticipant(
        withUserRecordID userRecordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] in
            try await shareParticipant(forUserRecordID: userRecordID)
        }
    }

    /// Makes participants of the users with email addresses; see ``shareParticipants(forEmailAddresses:)``.
    @preconcurrency
    public func fetchShareParticipants(
        forEmailAddresses emails: [String],
        completionHandler:
            @escaping @Sendable (Result<[String: Result<CKShare.Participant, any Error>], any Error>) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await shareParticipants(forEmailAddresses: emails) }
    }

    /// Makes participants of the users with phone numbers; see ``shareParticipants(forPhoneNumbers:)``.
    @preconcurrency
    public func fetchShareParticipants(
        forPhoneNumbers phoneNumbers: [String],
        completionHandler:
            @escaping @Sendable (Result<[String: Result<CKShare.Participant, any Error>], any Error>) -> Void
    ) {
        Handler(completionHandler).run { [self] in
            try await shareParticipants(forPhoneNumbers: phoneNumbers)
        }
    }

    /// Makes participants of the users with records; see ``shareParticipants(forUserRecordIDs:)``.
    @preconcurrency
    public func fetchShareParticipants(
        forUserRecordIDs userRecordIDs: [CKRecord.ID],
        completionHandler:
            @escaping @Sendable (
                Result<[CKRecord.ID: Result<CKShare.Participant, any Error>], any Error>
            ) -> Void
    ) {
        Handler(completionHandler).run { [self] in
            try await shareParticipants(forUserRecordIDs: userRecordIDs)
        }
    }
}
