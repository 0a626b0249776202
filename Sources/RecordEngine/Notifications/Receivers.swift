import RecordModel
import RecordStorage

extension StoreWriter {
    /// Stores a receiver that is new. Of its kind the one that was silent for longest makes room: pages make couriers each
    /// time they are loaded, and a phone must not go for them.
    ///
    /// - Throws: `AUTHENTICATION_REQUIRED` where its session ended meanwhile; `StorageError`.
    func add(_ row: ReceiverRow, at now: Int64) throws {
        try checkSession(of: row)
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

    /// - Throws: `AUTHENTICATION_REQUIRED` where the session of whoever registers a receiver ended meanwhile.
    func checkSession(of row: ReceiverRow) throws {
        guard let id = row.session, try session(id) == nil else { return }
        throw ServiceError.needsUser
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
    /// Refuses a receiver that is gone, or whose user or account is shut.
    ///
    /// - Throws: `NOT_FOUND`; `StorageError`.
    func checkIsReached(_ reader: any StoreReader) throws {
        let owner = try reader.user(named: user, of: tenant)
        guard let stored = try reader.receiver(digest: digest), stored.endedAt == nil, stored.user == user,
            owner?.isDisabled != true,
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
