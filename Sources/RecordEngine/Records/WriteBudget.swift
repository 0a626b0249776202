import RecordModel
import RecordStorage

/// How much one request may make the service write: the new states of records, and the former ones that are kept.
///
/// What a request sends is bounded by its length. What it changes is not: a small field in each of 200 records of a
/// megabyte writes 200 MiB, with former states twice as much, and a cascade of deletions ten thousand states. One commit
/// has all of a request, and the write-ahead log has room for it (`Limits/requestWriteBytes`).
///
/// An object, which a request's batch and all its saves share; the write it belongs to runs on one thread.
final class WriteBudget {
    /// What was written.
    private var bytes = 0
    private let limit: Int

    /// A budget for a request of so many bytes, which may be written besides.
    init(requestBytes: Int) { limit = Limits.requestWriteBytes + requestBytes }

    /// Counts what was written, or is about to be.
    func take(_ bytes: Int) { self.bytes += bytes }

    /// Counts a record that was saved: its body, what columns have of it besides, and its former state.
    func take(_ record: NewRecord, keeping former: Int) {
        let indexed = record.fields.reduce(0) { $0 + Self.bytes(of: $1.value) }
        take(record.body.count + indexed + former)
    }

    private static func bytes(of value: FieldValue) -> Int {
        switch value {
        case .string(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .list(let elements, of: _): elements.reduce(0) { $0 + bytes(of: $1) }
        case .int64, .double, .timestamp, .reference, .asset, .location: 0
        }
    }

    /// Refuses an operation before it does anything where those before it have written as much as a request may.
    ///
    /// - Throws: `TRY_AGAIN_LATER`, since the operation goes through in a request of its own; `BAD_REQUEST` for a batch
    ///   that is all or nothing.
    func check(isAtomic: Bool) throws(ServiceError) {
        guard bytes >= limit else { return }
        guard isAtomic else { throw .requestIsFull }
        throw ServiceError(
            .badRequest, "The batch writes \(Limits.requestWriteBytes) bytes more than it sent.",
            remedy: "Send fewer operations in one batch.")
    }

    /// Refuses a deletion whose records, kept as they were, are more than a request may write.
    ///
    /// - Throws: `TRY_AGAIN_LATER` after other operations, `QUOTA_EXCEEDED` for one that is too large by itself.
    func check(keeping bytes: Int) throws(ServiceError) {
        guard self.bytes + bytes > limit else { return }
        guard self.bytes == 0 else { throw .requestIsFull }
        throw ServiceError(
            exceeding: "requestWriteBytes",
            "\(bytes) bytes of earlier versions would be kept of what goes with this record; \(Limits.requestWriteBytes) are allowed.",
            remedy: "Delete some of those that refer to it first.")
    }
}

extension ServiceError {
    /// An operation that a request had no room for any more; nothing was done for it.
    static let requestIsFull: ServiceError = {
        var error = ServiceError(
            .tryAgainLater,
            "The operations before this one wrote \(Limits.requestWriteBytes) bytes more than was sent, the most of one request.",
            remedy: "Send those that are missing again.")
        error.retryAfterSeconds = 1
        return error
    }()
}
