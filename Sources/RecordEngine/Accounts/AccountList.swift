import RecordModel
public import RecordStorage

/// Accounts as operators handle them.
public enum AccountList {
    /// The account of an address.
    ///
    /// - Throws: `NOT_FOUND`.
    public static func find(_ address: String, store: any RecordStore) async throws -> AccountRow {
        let name = MailAddress(address)?.text ?? address
        guard let row = try await store.read(.short, { try $0.account(withAddress: name) }) else {
            throw missing(name)
        }
        return row
    }

    private static func missing(_ name: String) -> ServiceError {
        ServiceError(
            .notFound, "There is no account with the address '\(name.prefix(100))'.",
            remedy: "'stratus account list' shows them, 'stratus account invite' makes one.")
    }

    /// Shuts an account, whose sessions end and for whom no token or key is good any more, or opens it again.
    ///
    /// - Throws: `NOT_FOUND` for an address without an account; `StorageError` where the store cannot be written.
    public static func setDisabled(_ isDisabled: Bool, _ address: String, store: any RecordStore) async throws
    {
        let found = try await find(address, store: store)
        try await store.write { store in
            // It may have got another address meanwhile, or be gone.
            guard var account = try store.account(found.id) else { throw missing(found.address) }
            account.isDisabled = isDisabled
            try store.store(account)
            guard isDisabled else { return }
            try store.endSessions(of: account.id)
        }
    }

    /// Removes an account and its users in all containers. Their records go in slices behind it (``Erasures``).
    ///
    /// - Parameters:
    ///   - address: whose.
    ///   - publicRecords: what becomes of public records; nil for what each container's operator said.
    ///   - now: the time in milliseconds.
    ///   - store: where the account is.
    /// - Returns: the users that it had.
    /// - Throws: `NOT_FOUND`; `StorageError`.
    @discardableResult
    public static func remove(
        _ address: String, publicRecords: ErasureRow.PublicRecords? = nil, now: Int64,
        store: any RecordStore
    ) async throws -> [UserRow] {
        let account = try await find(address, store: store)
        return try await store.write { store in
            let users = try store.users(ofAccount: account.id)
            try Erasures.remove(account, publicRecords: publicRecords, now: now, store)
            return users
        }
    }
}
