public import Foundation
internal import Synchronization

/// What all operations of CloudKit have in common: a configuration, a group, and running once.
///
/// An operation runs once. It does its work in a task, outside the thread that starts it, and is finished
/// after its result block, which comes exactly once, also after a failure or a cancellation; the operation's
/// own `completionBlock` comes after that.
///
/// Sendable is unchecked, as for every `Operation`: settings and blocks are plain variables that an app sets
/// before it adds the operation to a queue, whose lock publishes them to the task; blocks are called by that
/// one task, one at a time. What changes while the operation runs is behind a mutex.
open class CKOperation: Operation, @unchecked Sendable {
    /// What names an operation.
    public typealias ID = String

    /// The operation's own name, made by it.
    open private(set) var operationID: ID = UUID().uuidString
    /// The group that the operation belongs to.
    open var group: CKOperationGroup?
    /// Called when a long-lived operation was kept; never called here.
    open var longLivedOperationWasPersistedBlock: (() -> Void)?

    private var ownConfiguration = Configuration()
    private let lifecycle = Mutex(OperationLifecycle())

    /// Makes an operation.
    override public init() {}

    /// How the operation's requests are made: a copy of what is set; nil sets it back to the defaults.
    ///
    /// What is not set here is taken from the group's `defaultConfiguration`.
    open var configuration: Configuration! {
        get { ownConfiguration }
        set { ownConfiguration = newValue.map { Configuration($0.settings) } ?? Configuration() }
    }

    /// What the operation and its group set; what the operation sets wins.
    var settings: Configuration.Settings {
        ownConfiguration.settings.filled(from: group?.defaultConfiguration?.settings)
    }

    /// True: the operation works outside the thread that starts it.
    override open var isAsynchronous: Bool { true }
    override open var isExecuting: Bool { lifecycle.withLock { $0.isExecuting } }
    override open var isFinished: Bool { lifecycle.withLock { $0.isFinished } }

    /// Begins the work, unless it was begun before. A cancelled operation only calls its result block.
    override open func start() {
        guard lifecycle.withLock({ $0.begin() }) else { return }
        // A queue on Linux listens to these two calls; there is no other observation of keys.
        willChangeValue(forKey: "isExecuting")
        didChangeValue(forKey: "isExecuting")
        if settings.isLongLived == true {
            CloudKitLog.warn(
                of: .longLivedOperations,
                remedy:
                    "An operation ends with its process: add it again at the next launch, and leave isLongLived alone."
            )
        }
        let task = Task(priority: priority) {
            // The task may be at work before it is kept, so an operation that was cancelled already says it here.
            if self.isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
            await self.work()
            self.finish()
        }
        lifecycle.withLock { $0.keep(task) }
        if isCancelled { task.cancel() }
    }

    /// Asks the operation to stop: its result block comes soon, with `CKError.operationCancelled`.
    override open func cancel() {
        super.cancel()
        lifecycle.withLock { $0.cancelTask() }
    }

    /// What the operation does; ends with the result block.
    func work() async {}

    /// Takes the operation for a queue; false where one has it already.
    func claim() -> Bool { lifecycle.withLock { $0.claim() } }

    private func finish() {
        willChangeValue(forKey: "isExecuting")
        willChangeValue(forKey: "isFinished")
        lifecycle.withLock { $0.finish() }
        didChangeValue(forKey: "isExecuting")
        didChangeValue(forKey: "isFinished")
    }

    /// The container that is asked by an operation of no database.
    var askedContainer: CKContainer { settings.container ?? .default() }

    /// How the requests of such an operation are made.
    var containerOptions: ServiceClient.Options {
        ServiceClient.Options(settings, over: askedContainer.publicCloudDatabase.options)
    }

    private var priority: TaskPriority {
        let quality = settings.qualityOfService ?? .default
        return switch quality == .default ? qualityOfService : quality {
        case .userInteractive, .userInitiated: .userInitiated
        case .utility: .utility
        case .background: .background
        default: .medium
        }
    }

    /// The container; nil stands for the default one.
    @available(*, deprecated, message: "Use configuration.container.")
    open var container: CKContainer? {
        get { configuration.container }
        set { configuration.container = newValue }
    }

    /// Whether an expensive network may be used.
    @available(*, deprecated, message: "Use configuration.allowsCellularAccess.")
    open var allowsCellularAccess: Bool {
        get { configuration.allowsCellularAccess }
        set { configuration.allowsCellularAccess = newValue }
    }

    /// Whether the operation should outlive the app.
    @available(*, deprecated, message: "Use configuration.isLongLived.")
    open var isLongLived: Bool {
        get { configuration.isLongLived }
        set { configuration.isLongLived = newValue }
    }

    /// The longest wait for bytes of one answer, in seconds.
    @available(*, deprecated, message: "Use configuration.timeoutIntervalForRequest.")
    open var timeoutIntervalForRequest: TimeInterval {
        get { configuration.timeoutIntervalForRequest }
        set { configuration.timeoutIntervalForRequest = newValue }
    }

    /// The longest time for each request of the operation, in seconds.
    @available(*, deprecated, message: "Use configuration.timeoutIntervalForResource.")
    open var timeoutIntervalForResource: TimeInterval {
        get { configuration.timeoutIntervalForResource }
        set { configuration.timeoutIntervalForResource = newValue }
    }
}
