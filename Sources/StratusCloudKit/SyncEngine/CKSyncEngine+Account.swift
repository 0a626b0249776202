internal import RecordModel
internal import RecordWire
internal import Synchronization

extension CKSyncEngine {
    /// Finds out whose data is synced, and tells the delegate where that changed since the last sync.
    ///
    /// The service is asked once for each sign-in.
    ///
    /// - Throws: `CKError.notAuthenticated` where nobody is signed in, `CKError.badDatabase` for a public database.
    func checkAccount() async throws(CKError) {
        guard database.databaseScope != .public else {
            throw CKError(
                .badDatabase, "A sync engine cannot sync a public database.",
                remedy: "Give it the private or the shared one.")
        }
        let tokens = database.client.tokens
        let session = tokens.session
        guard tokens.current != nil else {
            knownSession.withLock { $0 = nil }
            await note(user: nil)
            throw CKError(
                .notAuthenticated, "Nobody is signed in.",
                remedy: "Set the container's webAuthToken, and sync again.")
        }
        guard knownSession.withLock({ $0 != session }) else { return }
        let user: UserIdentityResponse = try await database.client.send(
            .usersCaller, in: .public, body: nil, options: database.options,
            as: UserIdentityResponse.self)
        await note(user: user.userRecordName)
        knownSession.withLock { $0 = session }
    }

    /// Takes note of who is signed in; forgets what belongs to another user.
    private func note(user: String?) async {
        let previous = state.current.userRecordName
        let event: Event.AccountChange.ChangeType
        switch (previous, user) {
        case (nil, nil): return
        case (let one?, let other?) where one == other: return
        case (nil, let user?): event = .signIn(currentUser: CKRecord.ID(recordName: user))
        case (let previous?, nil): event = .signOut(previousUser: CKRecord.ID(recordName: previous))
        case (let previous?, let user?):
            event = .switchAccounts(
                previousUser: CKRecord.ID(recordName: previous), currentUser: CKRecord.ID(recordName: user))
        }
        state.change { values in
            if previous != nil { values.forgetAll() }
            values.userRecordName = user
        }
        await tell(.accountChange(.init(changeType: event)))
        await tellState()
    }
}
