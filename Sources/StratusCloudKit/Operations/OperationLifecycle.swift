/// Where an operation is in its life; each step is taken once.
struct OperationLifecycle: Sendable {
    private enum Phase: Sendable {
        case waiting, running, finished
    }

    private var phase = Phase.waiting
    private var isClaimed = false
    private var task: Task<Void, Never>?

    var isExecuting: Bool { phase == .running }
    var isFinished: Bool { phase == .finished }

    /// Takes the operation for a queue; false where one has it already or it has run.
    mutating func claim() -> Bool {
        guard !isClaimed, phase == .waiting else { return false }
        isClaimed = true
        return true
    }

    /// Begins to run; false where it ran before.
    mutating func begin() -> Bool {
        guard phase == .waiting else { return false }
        phase = .running
        return true
    }

    /// Keeps the task that does the work, for cancellation.
    mutating func keep(_ task: Task<Void, Never>) {
        if phase == .running { self.task = task }
    }

    /// Ends; gives up the task.
    mutating func finish() {
        phase = .finished
        task = nil
    }

    /// Asks the work to stop, if there is any.
    func cancelTask() { task?.cancel() }
}
