public import RecordStorage
import Synchronization

extension RecordService {
    /// Removes the records of users who are gone, where no other node does.
    ///
    /// - Parameters:
    ///   - done: users for whom it was done by this process; they are looked at again when their notes have had their
    ///     time (``Erasures/graceMilliseconds``).
    ///   - tell: told of each user for whom something was done.
    /// - Throws: `StorageError`; `CancellationError`.
    public func eraseUsers(
        passing done: inout Set<ErasureRow>,
        _ tell: @escaping @Sendable (ErasureRow, Erasures.Report) -> Void
    ) async throws {
        let rows = try await Erasures.waiting(in: store)
        done.formIntersection(rows)
        let now = environment.now()
        let due = rows.filter { !done.contains($0) || now - $0.createdAt >= Erasures.graceMilliseconds }
        guard !due.isEmpty else { return }
        let finished = Mutex<Set<ErasureRow>>([])
        defer { done.formUnion(finished.withLock { $0 }) }
        try await run(.erasure) { [store, environment] in
            for row in due {
                let report = try await Erasures.run(row, in: store, now: environment.now)
                finished.withLock { _ = $0.insert(row) }
                if report != Erasures.Report() { tell(row, report) }
            }
        }
    }
}
