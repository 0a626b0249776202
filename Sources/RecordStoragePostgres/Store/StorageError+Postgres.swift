internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension StorageError {
    /// What went wrong, in the words of the boundary; errors of a closure stay as they are where they are not the
    /// server's.
    init(_ error: any Error) {
        switch error {
        case let error as StorageError: self = error
        case let failure as PostgresFailure:
            if failure.isConnectionLost || failure.isUnavailable {
                self = .unreachable(failure)
            } else if failure.isFull {
                self = .full("The disk of the database server", cause: failure)
            } else if failure.isCancelled {
                self = .timeout(seconds: Limits.querySeconds)
            } else if failure.isConflict {
                self = .busy
            } else if failure.isTooWide {
                self = .tooWide(failure)
            } else {
                self = .engine("PostgreSQL refused a statement.", failure)
            }
        case PostgresPool.Refusal.busy: self = .busy
        case PostgresPool.Refusal.closed: self = .closed
        default: self = .engine("The storage failed.", error)
        }
    }
}
