internal import Foundation
internal import RecordModel
internal import RecordWire

/// Finding users: those who allowed it on their account page, for an app whose API token may ask for people.
///
/// Who did not allow it is as if there were no account. `CKError.permissionFailure` says that the API token may not ask;
/// `stratus token create --people` makes one that may.
@available(*, deprecated, message: "Share records with a CKShare instead of discovering users.")
extension CKContainer {
    /// Finds all users of the container who allow it: there is no address book here that would narrow them down.
    ///
    /// - Throws: `CKError`: `notAuthenticated` where nobody is signed in, `permissionFailure` where the API token may
    ///   not ask for people, `requestRateLimited` where the user has looked for too many within an hour; another code
    ///   when a request fails otherwise.
    public func allUserIdentitiesFromContacts() async throws -> [CKUserIdentity] {
        var found: [CKUserIdentity] = []
        try await forEachIdentity(options: .init()) { found.append($0) }
        return found
    }

    /// Finds the user with an email address; nil where nobody wants to be found by it.
    ///
    /// - Throws: `CKError` as ``allUserIdentitiesFromContacts()`` throws it; `invalidArguments` for an address that
    ///   is too long.
    public func userIdentity(forEmailAddress email: String) async throws -> CKUserIdentity? {
        try await identities([.init(emailAddress: email)], options: .init()).first?.identity
    }

    /// Finds the user with a phone number; nil where nobody wants to be found by it.
    ///
    /// - Throws: `CKError` as ``allUserIdentitiesFromContacts()`` throws it; `invalidArguments` for a number that is
    ///   too long.
    public func userIdentity(forPhoneNumber phoneNumber: String) async throws -> CKUserIdentity? {
        try await identities([.init(phoneNumber: phoneNumber)], options: .init()).first?.identity
    }

    /// Finds the user with a record; nil where the user does not want to be found.
    ///
    /// - Throws: `CKError` as ``allUserIdentitiesFromContacts()`` throws it; `invalidArguments` for a record name
    ///   that is too long.
    public func userIdentity(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKUserIdentity? {
        try await identities([.init(userRecordID: userRecordID)], options: .init()).first?.identity
    }

    /// Finds users by their email addresses; who cannot be found is left out.
    ///
    /// - Throws: `CKError` as ``userIdentity(forEmailAddress:)`` throws it; users found before are not returned then.
    public func userIdentities(
        forEmailAddresses emails: [String]
    ) async throws -> [String: CKUserIdentity] {
        let found = try await identities(emails.map { .init(emailAddress: $0) }, options: .init())
        return Dictionary(
            found.compactMap { item in item.lookup.emailAddress.map { ($0, item.identity) } }
        ) { first, _ in first }
    }

    /// Finds users by their phone numbers; who cannot be found is left out.
    ///
    /// - Throws: `CKError` as ``userIdentity(forPhoneNumber:)`` throws it; users found before are not returned then.
    public func userIdentities(
        forPhoneNumbers phoneNumbers: [String]
    ) async throws -> [String: CKUserIdentity] {
        let found = try await identities(phoneNumbers.map { .init(phoneNumber: $0) }, options: .init())
        return Dictionary(
            found.compactMap { item in item.lookup.phoneNumber.map { ($0, item.identity) } }
        ) { first, _ in first }
    }

    /// Finds users by their records; who cannot be found is left out.
    ///
    /// - Throws: `CKError` as ``userIdentity(forUserRecordID:)`` throws it; users found before are not returned then.
    public func userIdentities(
        forUserRecordIDs userRecordIDs: [CKRecord.ID]
    ) async throws -> [CKRecord.ID: CKUserIdentity] {
        let found = try await identities(userRecordIDs.map { .init(userRecordID: $0) }, options: .init())
        return Dictionary(
            found.compactMap { item in item.lookup.userRecordID.map { ($0, item.identity) } }
        ) { first, _ in first }
    }
}

@available(*, deprecated, message: "Share records with a CKShare instead of discovering users.")
extension CKContainer {
    /// Finds all users who allow it; see ``allUserIdentitiesFromContacts()``.
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

extension CKContainer {
    /// A user who was found, and what found them.
    typealias FoundIdentity = (identity: CKUserIdentity, lookup: CKUserIdentity.LookupInfo)

    /// Those of the lookups who are found, in their order.
    func identities(
        _ lookups: [CKUserIdentity.LookupInfo], options: ServiceClient.Options
    ) async throws(CKError) -> [FoundIdentity] {
        var found: [FoundIdentity] = []
        var rest = lookups[...]
        while !rest.isEmpty {
            let part = rest.prefix(Limits.userLookupsPerRequest)
            rest = rest.dropFirst(part.count)
            let asked = Dictionary(part.map { ($0.wire, $0) }) { first, _ in first }
            let answer: UsersDiscoverResponse = try await publicCloudDatabase.post(
                .usersDiscover, UsersRequest(lookups: part.map(\.wire)), options: options)
            for user in answer.users {
                guard let lookup = user.lookup.flatMap({ asked[$0] }) else { continue }
                found.append((CKUserIdentity(user, lookup), lookup))
            }
        }
        return found
    }

    /// Calls a body with each user who can be found.
    func forEachIdentity(
        options: ServiceClient.Options, _ body: (CKUserIdentity) -> Void
    ) async throws(CKError) {
        var marker: String?
        repeat {
            let request = UsersRequest(lookups: nil, continuationMarker: marker)
            let answer: UsersDiscoverResponse = try await publicCloudDatabase.post(
                .usersDiscover, request, options: options)
            for user in answer.users { body(CKUserIdentity(user, nil)) }
            marker = answer.continuationMarker
        } while marker != nil
    }
}

extension CKUserIdentity {
    fileprivate convenience init(_ user: UserIdentityResponse, _ lookup: LookupInfo?) {
        var name: PersonNameComponents?
        if user.givenName != nil || user.familyName != nil {
            name = PersonNameComponents()
            name?.givenName = user.givenName
            name?.familyName = user.familyName
        }
        self.init(
            userRecordID: CKRecord.ID(recordName: user.userRecordName), lookupInfo: lookup,
            nameComponents: name, hasiCloudAccount: true)
    }
}
