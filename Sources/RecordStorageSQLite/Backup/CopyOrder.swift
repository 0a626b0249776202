import Synchronization

/// A copy of the database that somebody asked the writing thread for.
final class CopyOrder: Sendable {
    /// The file to write: empty, or not there yet.
    let path: String
    private let amount = Mutex((done: 0, total: 0))
    private let wasGivenUp = Atomic<Bool>(false)
    private let ended: @Sendable (Result<Void, any Error>) -> Void

    /// - Parameter ended: called once, by the writing thread.
    init(path: String, ended: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        self.path = path
        self.ended = ended
    }

    /// How many pages are done, and how many there are.
    var progress: (done: Int, total: Int) { amount.withLock { $0 } }

    /// Has the writing thread end it before the next slice.
    func giveUp() { wasGivenUp.store(true, ordering: .relaxed) }

    var isGivenUp: Bool { wasGivenUp.load(ordering: .relaxed) }

    func note(_ progress: (done: Int, total: Int)) { amount.withLock { $0 = progress } }

    func end(_ result: Result<Void, any Error>) { ended(result) }
}
