/// Which queue a context has.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// The oldest kind, for which whoever made the context had to keep to one thread. Treated as a queue of its own.
    @available(*, deprecated, message: "Use privateQueueConcurrencyType or mainQueueConcurrencyType.")
    case confinementConcurrencyType = 0
    /// A queue of its own.
    case privateQueueConcurrencyType = 1
    /// The main queue.
    case mainQueueConcurrencyType = 2
}

extension NSManagedObjectContext {
    /// Which queue a context has; the spelling for ``NSManagedObjectContext/init(_:)``.
    public struct ConcurrencyType: Hashable, Sendable {
        let type: NSManagedObjectContextConcurrencyType
        /// A queue of its own.
        public static let privateQueue = ConcurrencyType(type: .privateQueueConcurrencyType)
        /// The main queue.
        public static let mainQueue = ConcurrencyType(type: .mainQueueConcurrencyType)
    }

    /// Makes a context with a queue of its own, or the main one.
    public convenience init(_ type: ConcurrencyType) { self.init(concurrencyType: type.type) }
}
