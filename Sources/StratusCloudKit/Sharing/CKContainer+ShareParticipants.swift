/// Making participants of users. The service cannot yet: everything here completes with
/// `CKError.serverRejectedRequest`, which says which version of the server will.
extension CKContainer {
    /// Makes a participant of the user with an email address.
    ///
    /// - Throws: `CKError.serverRejectedRequest`, always.
    public func shareParticipant(
        forEmailAddress emailAddress: String
    ) async throws -> CKShare.Participant {
        throw PlannedFeature.sharing.error
    }

    /// Makes a participant of the user with a phone number.
    ///
    /// - Throws: `CKError.serverRejectedRequest`, always.
    public func shareParticipant(
        forPhoneNumber phoneNumber: String
    ) async throws -> CKShare.Participant {
        throw PlannedFeature.sharing.error
    }

    /// Makes a participant of the user with a record.
    ///
    /// - Throws: `CKError.serverRejectedRequest`, always.
    public func shareParticipant(
        forUserRecordID userRecordID: CKRecord.ID
    ) async throws -> CKShare.Participant {
        throw PlannedFeature.sharing.error
    }

    /// Makes participants of the users with email addresses.
    ///
    /// - Throws: `CKError.serverRejectedRequest`, always.
    public func shareParticipants(
        forEmailAddresses emails: [String]
    ) async throws -> [String: Result<CKShare.Participant, any Error>] {
        throw PlannedFeature.sharing.error
    }

    /// Makes participants of the users with phone numbers.
    ///
    /// - Throws: `CKError.serverRejectedRequest`, always.
    public func shareParticipants(
        forPhoneNumbers phoneNumbers: [String]
    ) async throws -> [String: Result<CKShare.Participant, any Error>] {
        throw PlannedFeature.sharing.error
    }

    /// Makes participants of the users with records.
    ///
    /// - Throws: `CKError.serverRejectedRequest`, always.
    public func shareParticipants(
        forUserRecordIDs userRecordIDs: [CKRecord.ID]
    ) async throws -> [CKRecord.ID: Result<CKShare.Participant, any Error>] {
        throw PlannedFeature.sharing.error
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
