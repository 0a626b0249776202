/// A job that the nodes on one store do once between them, such as a sweep.
///
/// The lease saves work; it does not make anything safe: a node that was stopped for longer than its lease and goes on may
/// work beside its successor, so each step of a job checks in its own write what it is about to do.
public struct StoreJob: Hashable, Sendable {
    /// What names it on all nodes.
    public var name: String
    /// How long after it was done it is due again, in seconds.
    public var intervalSeconds: Int
    /// How long a node that is never heard of again keeps others from it, in seconds.
    public var leaseSeconds: Int

    /// How long leases are where nothing else is said, in seconds.
    public static let usualLeaseSeconds = 60

    /// Makes a job.
    public init(name: String, intervalSeconds: Int, leaseSeconds: Int = StoreJob.usualLeaseSeconds) {
        self.name = name
        self.intervalSeconds = intervalSeconds
        self.leaseSeconds = leaseSeconds
    }
}

/// For engines that one process uses alone.
extension RecordStore {
    /// True: no other node could have the job. When it was last done is not remembered.
    ///
    /// - Throws: never; engines behind a network do.
    public func takeLease(of job: StoreJob) async throws -> Bool { true }
    /// True: no other node could have taken the job.
    ///
    /// - Throws: never; engines behind a network do.
    public func renewLease(of job: StoreJob) async throws -> Bool { true }
    /// Does nothing: no other node waits for the job.
    ///
    /// - Throws: never; engines behind a network do.
    public func returnLease(of job: StoreJob, isDone: Bool) async throws {}
}
