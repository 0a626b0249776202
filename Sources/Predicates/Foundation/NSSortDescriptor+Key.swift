public import Foundation

extension NSSortDescriptor: FactoryInitializable {
    /// Orders objects by the value at a key path, with Apple's signature on Foundation's own class.
    ///
    /// The objects may be anything that offers values by key; see ``KeyValueReadable``. Without a value
    /// comes first. Values without an order between them count as equal. A nil key orders the objects
    /// themselves.
    public convenience init(key: String?, ascending: Bool) {
        self.init(factory: { Self.adopt(.made(key: key, ascending: ascending)) })
    }

    /// Orders objects by the value at a key path with a comparator of one's own.
    public convenience init(key: String?, ascending: Bool, comparator: @escaping Comparator) {
        self.init(factory: { Self.adopt(.made(key: key, ascending: ascending, comparator: comparator)) })
    }

    /// Orders objects by the value at a key path with a named comparison of `NSString`.
    ///
    /// `caseInsensitiveCompare:`, `localizedCompare:`, `localizedCaseInsensitiveCompare:` and
    /// `localizedStandardCompare:` are known; any other name compares as without one.
    public convenience init(key: String?, ascending: Bool, selector: Selector?) {
        self.init(factory: { Self.adopt(.made(key: key, ascending: ascending, selector: selector)) })
    }

    /// The descriptor as the class that the initialiser was called on.
    private static func adopt(_ descriptor: KeySortDescriptor) -> Self {
        guard let descriptor = descriptor as? Self else {
            fatalError("\(self) has no key. Call NSSortDescriptor(key:ascending:).")
        }
        return descriptor
    }

    /// The key path that the descriptor was made with, or nil when it was made with a Swift key path.
    public var key: String? { (self as? KeySortDescriptor)?.path }

    /// The name of the comparison that the descriptor was made with, or nil.
    public var selectorName: String? { (self as? KeySortDescriptor)?.selector?.name }

    /// Whether the descriptor compares with code of the app, which no store can run.
    public var hasComparator: Bool { (self as? KeySortDescriptor)?.comparesWithCode ?? false }
}
