import RecordStorage

extension RecordService {
    /// How many sessions are looked at in one write.
    private static let sessionsPerWrite = 1_000

    /// Forgets sessions that have ended, with their tokens, and links that nobody opened in time.
    ///
    /// They are good for nothing from their end on, whether they are still there or not. A write takes a slice of them, so
    /// that others' writes go on beside it, however many people have signed in.
    ///
    /// - Throws: `StorageError`; `CancellationError` between two slices.
    public func sweepSignIns() async throws {
        let now = environment.now()
        var place: String? = ""
        while let last = place {
            try Task.checkCancellation()
            place = try await store.write {
                try $0.deleteSessions(endedBefore: now, after: last, limit: Self.sessionsPerWrite)
            }
        }
        // Mails are limited, and with them their links.
        try await store.write { try $0.deleteAccountLinks(expiredBefore: now) }
    }
}
