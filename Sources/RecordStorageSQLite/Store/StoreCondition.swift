import RecordStorage
import Synchronization

/// What a store can do at this moment, and why not more: told by whoever finds out, asked before each write.
final class StoreCondition: Sendable {
    private struct State {
        var health = StoreHealth.good
        /// What was reported last of each kind, so that a lasting trouble is told once a minute.
        var reported: [String: ContinuousClock.Instant] = [:]
    }

    private let state = Mutex(State())
    private let sink: @Sendable (String) -> Void
    /// Whether somebody looks for room again after the disk was full, and says so with ``noteRoom()``.
    private let waitsForRoom: Bool

    private static let reportInterval = Duration.seconds(60)

    /// - Parameter sink: takes a sentence for the operator's log.
    init(waitsForRoom: Bool, sink: @escaping @Sendable (String) -> Void) {
        self.waitsForRoom = waitsForRoom
        self.sink = sink
    }

    var health: StoreHealth { state.withLock { $0.health } }

    /// Whether nothing is known against writing into the database file: what a disk has not confirmed once, it may
    /// confirm falsely when it is asked again, and the log must stay as it is then.
    var isDiskSound: Bool {
        if case .readOnly = health { false } else { true }
    }

    /// Why no write is taken; nil where writes are taken.
    var refusal: StorageError? {
        switch health {
        case .good: nil
        case .full: .full()
        case .readOnly(let reason): .readOnly(reason: reason)
        case .closed: .closed
        }
    }

    /// After a commit that the disk did not confirm, nothing is acknowledged any more: what the file system
    /// holds is unknown, and asking again may be told a lie. A full disk is no such case: nothing was lost.
    func noteFailedCommit(_ error: any Error) {
        guard let error = error as? StorageError else { return }
        if error.isFull { return noteFull() }
        guard !error.isTemporary else { return }
        refuse("A commit failed.", error)
    }

    /// The same for pages that were to go from the log into the database file: the log still has them.
    func noteFailedCheckpoint(_ error: StorageError) {
        if error.isFull { return noteFull() }
        refuse("The write-ahead log could not be moved into the database.", error)
    }

    private func refuse(_ sentence: String, _ error: StorageError) {
        let isNew = state.withLock { state in
            switch state.health {
            case .good, .full:
                state.health = .readOnly(reason: error.description)
                return true
            case .readOnly, .closed: return false
            }
        }
        if isNew { sink("\(sentence) Only reads are served until a restart: \(error)") }
    }

    /// The disk has no room.
    func noteFull() {
        guard waitsForRoom else { return }
        let isNew = state.withLock { state in
            guard state.health == .good else { return false }
            state.health = .full
            return true
        }
        if isNew { sink("The disk is full. Only reads are served until there is room.") }
    }

    /// The disk has room again.
    func noteRoom() {
        let isNew = state.withLock { state in
            guard state.health == .full else { return false }
            state.health = .good
            return true
        }
        if isNew { sink("The disk has room again; writes continue.") }
    }

    /// The store is closing.
    func noteClosed() { state.withLock { $0.health = .closed } }

    /// Tells the operator of something that lasts, at most once a minute for each kind.
    func report(_ kind: String, _ sentence: String) {
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            if let last = state.reported[kind], now - last < Self.reportInterval { return false }
            state.reported[kind] = now
            return true
        }
        if isDue { sink(sentence) }
    }
}
