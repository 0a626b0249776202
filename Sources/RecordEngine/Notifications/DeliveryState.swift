import RecordModel
import RecordStorage
import Synchronization

/// How far receivers have got, in memory: their cursors reach the store a moment later, many in one write.
///
/// What is lost with the process is told again, which is allowed, and never left out.
final class DeliveryState: Sendable {
    private struct State {
        var places: [[UInt8]: NotificationPlace] = [:]
        var quiet: [[UInt8]: QuietStretch] = [:]
        var unsaved: Set<[UInt8]> = []
        /// What was handed over since it was stored last.
        var attempts: [[UInt8]: [ReceiverState.Attempt]] = [:]
        var isSaving = false
    }

    private let store: any RecordStore
    private let now: @Sendable () -> Int64
    private let state = Mutex(State())
    /// What is on its way to receivers.
    let handovers = Handovers()

    /// How long cursors wait to be stored.
    private static let savingInterval = Duration.seconds(1)
    /// The most receivers that are remembered; above it those whose cursors are stored are forgotten.
    private static let remembered = 20_000

    init(store: any RecordStore, now: @escaping @Sendable () -> Int64) {
        self.store = store
        self.now = now
    }

    /// How far a receiver has got, where that is known here.
    func place(of digest: [UInt8]) -> NotificationPlace? { state.withLock { $0.places[digest] } }

    /// Notes how far a receiver has got, and whether by a notification that was handed over.
    func set(_ place: NotificationPlace, of digest: [UInt8], isDelivery: Bool = false) {
        let attempt =
            isDelivery
            ? ReceiverState.Attempt(at: now(), change: place.change, isTaken: true, answer: "") : nil
        change(digest) { state in
            if state.places.count >= Self.remembered {
                state.places = state.places.filter { state.unsaved.contains($0.key) }
                state.quiet = state.quiet.filter { state.unsaved.contains($0.key) }
            }
            state.places[digest] = place
            if let attempt { state.attempts[digest, default: []].append(attempt) }
        }
    }

    /// Notes that nothing came for a receiver, after what its client named.
    func set(_ quiet: QuietStretch, of digest: [UInt8]) {
        set(quiet.upTo, of: digest)
        state.withLock { $0.quiet[digest] = quiet }
    }

    /// Where a receiver goes on whose client names the last notification that it has.
    ///
    /// - Parameter row: as it is stored, perhaps by another node.
    func start(after named: NotificationPlace, of row: ReceiverRow) -> NotificationPlace {
        // A state that cannot be read only costs another look at the log.
        let stored = (try? ReceiverState(json: row.state))?.quiet
        let known = [stored, state.withLock { $0.quiet[row.digest] }].compactMap { $0 }
        return known.filter { $0.after == named }.map(\.upTo).reduce(named, max)
    }

    /// Notes what became of a push.
    func note(_ attempt: ReceiverState.Attempt, of digest: [UInt8]) {
        change(digest) { $0.attempts[digest, default: []].append(attempt) }
    }

    private func change(_ digest: [UInt8], _ body: (inout State) -> Void) {
        let shallSave = state.withLock { state in
            body(&state)
            state.unsaved.insert(digest)
            defer { state.isSaving = true }
            return !state.isSaving
        }
        guard shallSave else { return }
        Task {
            try? await Task.sleep(for: Self.savingInterval)
            await save()
        }
    }

    /// Stores the cursors that are not stored yet.
    func save() async {
        let (places, attempts) = state.withLock { state in
            defer {
                state.unsaved = []
                state.attempts = [:]
            }
            state.isSaving = false
            let places = state.unsaved.map { (digest: $0, place: state.places[$0], quiet: state.quiet[$0]) }
            return (places, state.attempts)
        }
        let now = now()
        // What cannot be stored is told again after a restart.
        try? await store.write { store in
            for (digest, place, quiet) in places {
                guard var row = try store.receiver(digest: digest) else { continue }
                if let place {
                    row.cursor = place.subscription == .max ? place.change : place.change - 1
                    row.seenAt = max(row.seenAt, now)
                }
                if attempts[digest] != nil || quiet != nil {
                    var state = (try? ReceiverState(json: row.state)) ?? ReceiverState()
                    for attempt in attempts[digest] ?? [] { state.note(attempt) }
                    state.quiet = quiet ?? state.quiet
                    row.state = state.json
                }
                try store.store(row)
            }
        }
    }
}
