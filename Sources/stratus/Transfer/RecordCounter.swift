import Synchronization

/// Counts records as they go by, for a line of progress.
final class RecordCounter: Sendable {
    private let count = Mutex(0)
    private let progress: ProgressLine

    init(_ progress: ProgressLine) { self.progress = progress }

    func add(_ number: Int) {
        let sum = count.withLock { count in
            count += number
            return count
        }
        progress.update(.init(done: 0, total: 0, records: sum))
    }
}
