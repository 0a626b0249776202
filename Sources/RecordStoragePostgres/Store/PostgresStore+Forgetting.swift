internal import Foundation
internal import RecordModel
internal import RecordStorage

/// Deletions leave the change feeds after a long time, once for all nodes.
extension PostgresStore {
    /// How long deletions stay in the change feeds.
    struct DeletionHorizon: Sendable {
        /// The shortest time, in milliseconds.
        var milliseconds = Int64(Limits.deletionSeconds) * 1_000
        /// The fewest changes.
        var changes = Int64(Limits.deletionChanges)
    }

    private static let forgetting = StoreJob(name: "deletions", intervalSeconds: 3_600)
    /// How often a node checks whether the job is due and nobody else's.
    private static let forgettingLook = Duration.seconds(60)
    /// How many deletions go in one write, which others wait for.
    private static let forgottenPerWrite = 500

    /// Forgets what is due once an hour, until the task is cancelled.
    func forgetForEver() async {
        while !Task.isCancelled {
            do {
                try await Task.sleep(for: Self.forgettingLook)
                guard try await takeLease(of: Self.forgetting) else { continue }
                try await forgetDeletions(now: Int64(Date().timeIntervalSince1970 * 1_000))
                try await returnLease(of: Self.forgetting, isDone: true)
            } catch {
                // What fails now is done when the lease is over, by whichever node.
            }
        }
    }

    /// Forgets what is old enough, some at a time.
    ///
    /// - Returns: how many deletions were forgotten.
    @discardableResult
    func forgetDeletions(now: Int64, horizon: DeletionHorizon = DeletionHorizon()) async throws -> Int {
        let last = try await write { writer in
            guard let writer = writer as? PostgresWriter else { return Int64(0) }
            return try writer.noteMoment(
                now, keepingMilliseconds: horizon.milliseconds, changes: horizon.changes)
        }
        var (forgotten, count) = (0, 0)
        repeat {
            try Task.checkCancellation()
            count = try await write { writer in
                try (writer as? PostgresWriter)?.forgetDeletions(upTo: last, limit: Self.forgottenPerWrite)
                    ?? 0
            }
            forgotten += count
            guard try await renewLease(of: Self.forgetting) || count == 0 else { return forgotten }
        } while count > 0
        return forgotten
    }
}
