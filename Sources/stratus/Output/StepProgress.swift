/// Shows the steps of long work, one line for each that takes a second, with how much of it is done where that is known.
final class StepProgress {
    private let console: Console
    private var name = ""
    private var line: ProgressLine?

    init(console: Console) { self.console = console }

    /// Takes what is done now, and how much of it.
    func update(_ what: String, _ done: Int, _ total: Int) {
        if what != name {
            line?.finish()
            name = what
            line = ProgressLine(what, unit: "steps", console: console)
        }
        line?.update(ProgressLine.Amount(done: Int64(done), total: Int64(total), records: done))
    }

    /// Clears the line.
    func finish() { line?.finish() }
}
