/// When the writing thread works in the background: a slice now and then, so that writes wait for one slice at the
/// most and the work still comes to an end under any load.
struct BackgroundPace {
    /// How slices are run; tests choose other values.
    struct Settings: Sendable {
        /// The longest slice, in seconds. A write that comes meanwhile waits for its end.
        var sliceSeconds = 0.005
        /// The most rows of one slice.
        var rowsPerSlice = Int.max
        /// How long to pause after a slice while others write, as a multiple of the slice's own time.
        var pauseUnderLoad = 3.0
        /// The same while nobody writes.
        var pauseAlone = 0.5
        /// Whether slices run by themselves; otherwise a test runs each of them.
        var isAutomatic = true
        /// How many rows the write that makes a job goes through itself, so that small things are done at once.
        var rowsAtOnce = 200
        /// How long to wait after a failure, in seconds.
        var pauseAfterFailure = 1.0
        /// How long to wait for room in the log, in seconds.
        var pauseWithoutRoom = 0.01
        /// How often the log of moments and the tombstones are looked at, in seconds.
        var housekeepingSeconds = 3_600.0
    }

    let settings: Settings
    private var nextSlice: UInt64 = 0
    /// Whether there may be work; found out by looking.
    var hasWork: Bool

    init(_ settings: Settings) {
        self.settings = settings
        hasWork = settings.isAutomatic
    }

    /// How long the thread may sleep, in nanoseconds; nil where nothing is to be done.
    func sleep(at now: UInt64) -> UInt64? {
        guard hasWork, settings.isAutomatic else { return nil }
        return nextSlice > now ? nextSlice - now : 0
    }

    /// Notes the end of a slice.
    mutating func sliceEnded(at now: UInt64, after duration: UInt64, writesWait: Bool) {
        let pause = Double(duration) * (writesWait ? settings.pauseUnderLoad : settings.pauseAlone)
        nextSlice = now + UInt64(pause)
    }

    /// Notes a slice that failed, of which nothing stays.
    mutating func sliceFailed(at now: UInt64) {
        nextSlice = now + UInt64(settings.pauseAfterFailure * 1e9)
    }

    /// Notes that there was no room for a slice.
    mutating func waited(at now: UInt64) {
        nextSlice = now + UInt64(settings.pauseWithoutRoom * 1e9)
    }

    /// Notes that there is nothing to do until something changes.
    mutating func restUntilChange() { hasWork = false }
}
