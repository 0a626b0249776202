import Synchronization

/// Notes that several requests may have at once; the same one is shown once in a while.
final class RepeatedNotes: Sendable {
    private static let pause = Duration.seconds(5)

    private let console: Console
    private let last = Mutex<(text: String, at: ContinuousClock.Instant)?>(nil)

    init(_ console: Console) { self.console = console }

    /// Shows a note unless it was shown a moment ago.
    func note(_ text: String) {
        let now = ContinuousClock.now
        let isNew = last.withLock { last in
            if let last, last.text == text, now - last.at < Self.pause { return false }
            last = (text, now)
            return true
        }
        if isNew { console.note(text) }
    }
}
