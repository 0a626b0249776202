import Synchronization

/// One line that says how far a long piece of work is: redrawn in place on a terminal, a plain line now and
/// then otherwise.
final class ProgressLine: Sendable {
    /// How much of the work is done.
    struct Amount: Sendable {
        /// What is done and what there is to do, in the unit of the work (bytes of a file, say).
        var done: Int64
        var total: Int64
        /// How many records, or other things, that is.
        var records: Int
    }

    private struct State {
        var lastDrawn: ContinuousClock.Instant?
        var isOpen = false
    }

    private let console: Console
    private let title: String
    private let unit: String
    private let startedAt: ContinuousClock.Instant
    private let recordsBefore: Int
    private let doneBefore: Int64
    private let state = Mutex(State())

    private static let redrawTerminal = Duration.milliseconds(100)
    private static let redrawPlain = Duration.seconds(5)
    /// Shorter work says nothing.
    private static let patience = Duration.seconds(1)

    /// Starts the clock. What was done by an earlier run does not count into the rate.
    init(
        _ title: String, unit: String = "records", console: Console,
        before: Amount = Amount(done: 0, total: 0, records: 0)
    ) {
        self.title = title
        self.unit = unit
        self.console = console
        startedAt = .now
        recordsBefore = before.records
        doneBefore = before.done
    }

    /// Shows the amount, if it is time to.
    func update(_ amount: Amount) {
        let now = ContinuousClock.now
        let interval = console.isErrorTerminal ? Self.redrawTerminal : Self.redrawPlain
        let isDue = state.withLock { state in
            let since = state.lastDrawn ?? startedAt
            let wait = state.lastDrawn == nil && console.isErrorTerminal ? Self.patience : interval
            guard now - since >= wait else { return false }
            state.lastDrawn = now
            state.isOpen = console.isErrorTerminal
            return true
        }
        if isDue { draw(text(amount, elapsed: now - startedAt)) }
    }

    /// Ends the line, so that what follows stands below it.
    func finish() {
        let wasOpen = state.withLock { state in
            defer { state.isOpen = false }
            return state.isOpen
        }
        if wasOpen { console.clearProgress() }
    }

    /// The line for an amount: title, per cent, rate and the time that is left.
    func text(_ amount: Amount, elapsed: Duration) -> String {
        let share = amount.total > 0 ? Double(amount.done) / Double(amount.total) : 0
        let seconds = elapsed / .seconds(1)
        // Of work whose end is not known, what is done is said.
        var text =
            amount.total > 0
            ? "\(title)… \(Int(share * 100)) %" : "\(title)… \(Format.grouped(amount.records)) \(unit)"
        guard seconds > 0 else { return text }
        let rate = Double(amount.records - recordsBefore) / seconds
        text += ", \(Format.grouped(Int(rate))) \(unit)/s"
        let speed = Double(amount.done - doneBefore) / seconds
        if speed > 0, amount.total > amount.done {
            text += ", \(Format.seconds(Double(amount.total - amount.done) / speed)) left"
        }
        return text
    }

    private func draw(_ text: String) {
        if console.isErrorTerminal {
            console.show(progress: text)
        } else {
            console.note(text)
        }
    }
}
