import Synchronization

/// Finds uses of objects and contexts on another queue than their own.
///
/// Off unless asked for: by the launch argument of Apple's platforms, `-com.apple.CoreData.ConcurrencyDebug 1`, by
/// `STRATUS_COREDATA_CONCURRENCY_DEBUG=1` in the environment, or by ``NSManagedObjectContext/checksConcurrency``.
enum ConcurrencyCheck {
    private static let isOn = Atomic<Bool>(startsOn)
    private static let handler = Mutex<(@Sendable (String) -> Void)?>(nil)

    private static var startsOn: Bool {
        let arguments = CommandLine.arguments
        if let place = arguments.firstIndex(of: "-com.apple.CoreData.ConcurrencyDebug"),
            arguments.indices.contains(place + 1)
        {
            return arguments[place + 1] != "0"
        }
        return ProcessInfo.processInfo.environment["STRATUS_COREDATA_CONCURRENCY_DEBUG"] == "1"
    }

    static var isEnabled: Bool {
        get { isOn.load(ordering: .relaxed) }
        set { isOn.store(newValue, ordering: .relaxed) }
    }

    static func setHandler(_ newHandler: (@Sendable (String) -> Void)?) {
        handler.withLock { $0 = newHandler }
    }

    @inline(__always)
    static func check(_ object: NSManagedObject) {
        guard isOn.load(ordering: .relaxed) else { return }
        checkSlowly(object.managedObjectContext) {
            "the object \(object.objectID) of class \(type(of: object))"
        }
    }

    @inline(__always)
    static func check(_ context: NSManagedObjectContext) {
        guard isOn.load(ordering: .relaxed) else { return }
        checkSlowly(context) { "the context" }
    }

    private static func checkSlowly(_ context: NSManagedObjectContext?, _ what: () -> String) {
        guard let context, !context.isOnItsQueue else { return }
        let message =
            "Core Data was used on the wrong queue: \(what()) belongs to \(context) of \(context.queueLabel), and was used on "
            + "\(currentQueueLabel). Wrap the use in the context's perform or performAndWait."
        if let handler = handler.withLock({ $0 }) { handler(message) } else { fatalError(message) }
    }

    private static var currentQueueLabel: String {
        if let context = CurrentContext.stack.last { return "the queue of \(context)" }
        if Thread.isMainThread { return "the main thread" }
        return Thread.current.name.flatMap { $0.isEmpty ? nil : "the thread \($0)" } ?? "another thread"
    }
}

extension NSManagedObjectContext {
    /// Whether uses on a wrong queue are found; every use of an object then costs a look at the queue.
    public static var checksConcurrency: Bool {
        get { ConcurrencyCheck.isEnabled }
        set { ConcurrencyCheck.isEnabled = newValue }
    }

    /// Sets what happens when a use on a wrong queue is found. Nil stops the program with the message.
    public static func onConcurrencyViolation(_ handler: (@Sendable (String) -> Void)?) {
        ConcurrencyCheck.setHandler(handler)
    }
}
