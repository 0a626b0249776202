import RecordModel
import RecordStorage

extension StoreWriter {
    /// Stores a receiver that is new. Of its kind the one that was silent for longest makes room: pages make couriers each
    /// time they are loaded, and a phone must not go for them.
    ///
    /// - Throws: `AUTHENTICATION_REQUIRED` where its session or its token ended meanwhile; `StorageError`.
    func add(_ row: ReceiverRow, at now: Int64) throws {
        try checkOrigin(of: row, at: now)
        let isPush = row.channel != .courier
        let others = try receivers(of: row.user, in: row.tenant).filter {
            $0.endedAt == nil && $0.digest != row.digest && ($0.channel != .courier) == isPush
        }
        let most = isPush ? Limits.pushReceiversPerUser : Limits.receiversPerUser
        for old in others.prefix(max(0, others.count - most + 1)) {
            try end(
                old, because: "It made room for another receiver of its user, who has \(most) at most.",
                at: now)
        }
        try store(row)
    }

    /// - Throws: `AUTHENTICATION_REQUIRED` where the session or the token of whoever registers a receiver ended meanwhile.
    func checkOrigin(of row: ReceiverRow, at now: Int64) throws {
        guard try row.isOriginGood(self, at: now) else { throw ServiceError.needsUser }
    }

    /// Ends a receiver. One that pushes reach is remembered with the reason for ``Limits/receiverSeconds``, without its
    /// address, so that operators see why it gets nothing.
    func end(_ row: ReceiverRow, because reason: String, at now: Int64) throws {
        guard row.channel != .courier else { return try deleteReceiver(digest: row.digest) }
        var row = row
        row.endedAt = now
        row.endReason = reason
        row.definition = []
        try store(row)
        let ended = try receivers(of: row.user, in: row.tenant).filter { $0.endedAt != nil }
            .sorted { ($0.endedAt ?? 0) < ($1.endedAt ?? 0) }
        for old in ended.dropLast(Limits.endedReceiversPerUser) { try deleteReceiver(digest: old.digest) }
    }
}

extension ReceiverRow {
    /// Why a receiver ended, for operators.
    static let orphanReason = "The session or the token that it was registered with was revoked, or is over."

    /// Whether the session or the tokens are good with which it was registered; of one where that is not known, any token or
    /// key that an operator made for its user.
    func isOriginGood(_ reader: any StoreReader, at now: Int64) throws -> Bool {
        func isGood(_ token: TokenRow?) -> Bool {
            guard let token else { return false }
            return token.tenant == tenant && token.expiresAt ?? .max > now
        }
        switch origin {
        case .session(let id):
            guard let session = try reader.session(id), session.endsAt > now else { return false }
            return try session.apiToken.map { isGood(try reader.token(digest: $0)) } ?? true
        case .tokens(let digests): return try digests.allSatisfy { isGood(try reader.token(digest: $0)) }
        case nil:
            return try reader.identifiedTokens(of: tenant).contains {
                $0.row.user == user && isGood($0.row)
            }
        }
    }

    /// Refuses a receiver that is gone, whose user or account is shut, or whose session or token is over.
    ///
    /// - Throws: `NOT_FOUND`; `StorageError`.
    func checkIsReached(_ reader: any StoreReader, at now: Int64) throws {
        let owner = try reader.user(named: user, of: tenant)
        guard let stored = try reader.receiver(digest: digest), stored.endedAt == nil, stored.user == user,
            try stored.isOriginGood(reader, at: now), owner?.isDisabled != true,
            try owner?.account.flatMap({ try reader.account($0) })?.isDisabled != true
        else { throw ServiceError.noReceiver }
    }
}

extension ServiceError {
    /// The answer to whoever asks at an address that no receiver has.
    static var noReceiver: ServiceError {
        ServiceError(
            .notFound, "There is no such receiver of notifications.",
            remedy: "Call 'tokens/create' for a new address.")
    }
}
