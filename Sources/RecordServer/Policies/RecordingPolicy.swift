import HummingbirdCore

/// Tells the log, the history and the metrics of each request. It comes first, so its answers are complete.
struct RecordingPolicy: RequestPolicy {
    let log: RequestLog
    let state: ServerState

    func leave(_ passage: inout RequestPassage, _ response: inout Response) {
        if Task.isCancelled, passage.entry.status >= 500 { passage.entry.status = Self.clientLeft }
        passage.entry.duration = ContinuousClock.now - passage.start
        log.write(passage.entry)
        state.history.record(passage.entry)
        state.metrics.record(passage.entry)
    }

    /// The status in the log of a request whose client did not wait for the answer, as other servers have it.
    private static let clientLeft = 499
}
