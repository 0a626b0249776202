public import RecordStorage
import Synchronization

extension RecordService {
    /// Removes the records of users who are gone, where no other node does. What goes wrong with one of them does not keep
    /// the others.
    ///
    /// - Parameters:
    ///   - done: users for whom it was done by this process; they are looked at again when their notes have had their
    ///     time (``Erasures/graceMilliseconds``).
    ///   - tell: told of each user for whom something was done.
    /// - Throws: `StorageError` where the store cannot be read or written, the first one; `CancellationError`.
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
            var problem: (any Error)?
            for row in due {
                do {
                    let report = try await Erasures.run(row, in: store, now: environment.now)
                    finished.withLock { _ = $0.insert(row) }
                    if report != Erasures.Report() { tell(row, report) }
                } catch let error where Self.isOfOneUser(error) {
                    problem = problem ?? error
                }
            }
            if let problem { throw problem }
        }
    }

    /// Whether the next user may fare better: not where the store is away, or the work is to end.
    private static func isOfOneUser(_ error: any Error) -> Bool {
        if let error = error as? StorageError { return !error.isTemporary }
        return !(error is CancellationError)
    }
}
