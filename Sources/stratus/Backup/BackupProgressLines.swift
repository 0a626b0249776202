import RecordBackup
import Synchronization

/// Shows the steps of a backup on standard error, one line for each that takes a while.
final class BackupProgressLines: Sendable {
    private struct State {
        var step: BackupStep?
        var line: ProgressLine?
    }

    private let console: Console
    private let state = Mutex(State())

    init(console: Console) { self.console = console }

    /// Takes what is done.
    var update: BackupProgress {
        { [self] step, done, total in
            let line = state.withLock { state -> ProgressLine? in
                if step != state.step {
                    state.line?.finish()
                    state.step = step
                    state.line = ProgressLine(step.rawValue, unit: Self.unit(of: step), console: console)
                }
                return state.line
            }
            line?.update(.init(done: Int64(done), total: Int64(total), records: done))
        }
    }

    /// Clears the line.
    func finish() {
        state.withLock { state in
            state.line?.finish()
            state = State()
        }
    }

    private static func unit(of step: BackupStep) -> String {
        switch step {
        case .database: "pages"
        case .files: "files"
        case .reading: "bytes"
        case .checking, .removing, .sending, .replaying: "steps"
        }
    }
}
