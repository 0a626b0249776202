internal import RecordWire

extension CKContainer {
    /// Whether a user is signed in, as the service sees it.
    ///
    /// - Throws: `CKError` when the service cannot be asked.
    public func accountStatus() async throws -> CKAccountStatus {
        guard tokens.current != nil else { return .noAccount }
        do {
            _ = try await userRecordID()
            return .available
        } catch CKError.notAuthenticated {
            return .noAccount
        }
    }

    /// Whether a user is signed in, as the service sees it.
    @preconcurrency
    public func accountStatus(completionHandler: @escaping @Sendable (CKAccountStatus, (any Error)?) -> Void)
    {
        Handler { completionHandler($0 ?? .couldNotDetermine, $1) }.run { [self] in
            try await accountStatus()
        }
    }

    /// The ID of the user's record, the same on all devices, another one in every container.
    ///
    /// - Throws: `CKError.notAuthenticated` when nobody is signed in.
    public func userRecordID() async throws -> CKRecord.ID {
        let user: UserIdentityResponse = try await publicCloudDatabase.get(.usersCaller, options: .init())
        return CKRecord.ID(recordName: user.userRecordName)
    }

    /// The ID of the user's record, the same on all devices, another one in every container.
    @preconcurrency
    public func fetchUserRecordID(completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void)
    {
        Handler(completionHandler).run { [self] in try await userRecordID() }
    }
}
