internal import StratusCoreData

/// Looks after a store's file for commits of others: other processes, or other coordinators of this one.
///
/// The system reports when the file or its log is written. What was written need not be committed yet: SQLite publishes
/// a commit in shared memory, after the log is on disk, and nothing reports that. So a first look comes soon, and
/// more follow at growing distances.
///
/// Unchecked sendable: what changes is used on the monitor's queue only.
final class RemoteChangeMonitor: @unchecked Sendable {
    private let queue = DispatchQueue(label: "stratus.coredata.remote", qos: .utility)
    private let timer: any DispatchSourceTimer
    private let look: @Sendable () -> Void
    private var watch: FolderWatch?
    /// How many looks have followed the last event; nil while none is due.
    private var looks: Int?

    /// Milliseconds in which events are gathered.
    private static let delay = 20
    /// Looks after an event, each twice as late as the one before: the last about five seconds after it.
    private static let looksPerEvent = 8

    /// - Parameter path: the file.
    /// - Parameter polls: look each second instead of asking the system.
    /// - Parameter look: called on a queue of the monitor's own whenever others may have committed.
    init(path: String, polls: Bool = false, look: @escaping @Sendable () -> Void) {
        self.look = look
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.lookNow() }
        timer.resume()
        // SQLite names its log after the file itself, not after a link to it.
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let name = file.lastPathComponent
        let names: Set = [name, name + "-wal", name + "-journal"]
        let folder = file.deletingLastPathComponent().path
        let notified =
            polls
            ? nil
            : FolderWatch.notified(folder, names: names, queue) { [weak self] in self?.somethingHappened() }
        watch = notified ?? FolderWatch.polling(queue, look)
    }

    deinit {
        timer.cancel()
        watch?.cancel()
    }

    private func somethingHappened() {
        // A look that is due at once serves all events until then.
        guard looks != 0 else { return }
        looks = 0
        timer.schedule(deadline: .now() + .milliseconds(Self.delay))
    }

    private func lookNow() {
        guard let done = looks else { return }
        look()
        let next = done + 1
        guard next < Self.looksPerEvent else { return looks = nil }
        looks = next
        timer.schedule(deadline: .now() + .milliseconds(Self.delay << next))
    }
}
