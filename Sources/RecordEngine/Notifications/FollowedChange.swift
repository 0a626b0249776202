import RecordStorage
import RecordWire
import Synchronization

/// A change on its way to receivers, which share it: its bodies are read once, by the first that needs them.
final class FollowedChange: Sendable {
    private struct Records {
        var before: LoggedRecord?
        var after: LoggedRecord?
    }

    let logged: LoggedChange
    private let records = Mutex<Records?>(nil)

    init(_ logged: LoggedChange) { self.logged = logged }

    var sequence: Int64 { logged.sequence }
    var kind: LoggedChange.Kind { logged.kind }

    /// The record as it was; nil for a new one.
    var before: LoggedRecord? { read().before }
    /// The record as it is since; nil for a deleted one.
    var after: LoggedRecord? { read().after }

    private func read() -> Records {
        records.withLock { records in
            if let records { return records }
            // A body that cannot be read fulfils nothing: `stratus doctor` finds it.
            let read = Records(
                before: logged.before.flatMap { try? LoggedRecord(body: $0) },
                after: logged.after.flatMap { try? LoggedRecord(body: $0) })
            records = read
            return read
        }
    }
}
