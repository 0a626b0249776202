/// The identity of a managed object, equal in every context.
///
/// An object that was never saved has a temporary ID; saving it, or
/// `NSManagedObjectContext.obtainPermanentIDs(for:)`, gives it a permanent one.
/// Unchecked sendable: all of it is immutable but the weak reference to the store.
open class NSManagedObjectID: NSObject, NSCopying, @unchecked Sendable {
    /// What makes an ID differ from others.
    package enum Reference: Hashable {
        /// Not in a store yet; unique in the process.
        case temporary(TemporaryKey)
        /// The primary key of a row.
        case row(Int64)
        /// What a store of the app's own uses.
        case custom(String)
    }

    /// What makes the ID differ from others of its entity and store.
    package let reference: Reference
    /// The entity, which for a fault that was never looked at may be an ancestor of the object's.
    open var entity: NSEntityDescription { layout.entity }
    /// Held instead of the entity, which others refer to weakly: such an object costs more to hold.
    package let layout: EntityLayout
    /// The identity of the store, nil for a temporary ID that no store was assigned to.
    package let anchor: StoreAnchor?
    /// The name of the entity.
    package final var entityName: String { entity.name ?? "" }
    /// The number of the entity at the root of the inheritance: IDs of one hierarchy compare by key alone.
    package final var rootNumber: Int { layout.rootNumber }
    /// The identifier of the store, nil for a temporary ID that no store was assigned to.
    package final var storeIdentifier: String? { anchor?.identifier }
    /// The store that holds the object, nil for a temporary ID and when the store was removed.
    open var persistentStore: NSPersistentStore? { anchor?.store }

    /// An ID of a store, or of none.
    package init(reference: Reference, entity: NSEntityDescription, store: NSPersistentStore?) {
        self.reference = reference
        layout = entity.layout
        anchor = store?.anchor
    }

    /// The same where both are known already, as for rows of a fetch.
    package init(reference: Reference, layout: EntityLayout, anchor: StoreAnchor?) {
        self.reference = reference
        self.layout = layout
        self.anchor = anchor
    }

    /// Makes a temporary ID of no entity of a model, for test doubles.
    public convenience override init() {
        self.init(reference: .temporary(TemporaryKey()), layout: Self.noEntity.layout, anchor: nil)
    }

    private static let noEntity = NSEntityDescription.alone(named: "")

    /// Itself: an ID does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// A new temporary ID.
    static func temporary(_ entity: NSEntityDescription) -> NSManagedObjectID {
        NSManagedObjectID(reference: .temporary(TemporaryKey()), entity: entity, store: nil)
    }

    /// Whether the object has no permanent ID yet.
    open var isTemporaryID: Bool { isTemporary }
    final var isTemporary: Bool { if case .temporary = reference { true } else { false } }

    /// The permanent ID that took the place of this temporary one; the ID itself otherwise.
    package final var current: NSManagedObjectID {
        if case .temporary(let key) = reference { key.successor ?? self } else { self }
    }

    /// The number of a temporary ID, unique in the process.
    final var temporaryNumber: Int64? {
        if case .temporary(let key) = reference { Int64(key.number) } else { nil }
    }

    /// The primary key, where the store is one of rows.
    package final var rowKey: Int64? { if case .row(let key) = reference { key } else { nil } }

    /// The ID as an address: `x-coredata://STORE/Entity/p42`, or `…/t…` for a temporary one.
    open func uriRepresentation() -> URL {
        let host = storeIdentifier ?? ""
        let key =
            switch reference {
            case .temporary(let key): "t\(Self.processID)-\(key.number)"
            case .row(let key): "p\(key)"
            case .custom(let key): "c\(Self.escaped(key))"
            }
        let text = "x-coredata://\(host)/\(Self.escaped(entityName))/\(key)"
        guard let url = URL(string: text) else { return URL(fileURLWithPath: text) }
        return url
    }

    private static let processID = UUID().uuidString

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectID else { return false }
        return self === other
            || (reference == other.reference && rootNumber == other.rootNumber
                && (anchor === other.anchor || storeIdentifier == other.storeIdentifier))
    }

    open override var hash: Int {
        switch reference {
        case .temporary(let key): key.number &* -7 &+ rootNumber
        case .row(let key): Int(truncatingIfNeeded: key) &* 31 &+ rootNumber
        case .custom(let key): key.hashValue
        }
    }

    open override var description: String { uriRepresentation().absoluteString }
}

extension NSManagedObjectID: PredicateIdentity, PredicateValueConvertible {
    /// The permanent ID, where this is the temporary one of an object that has been saved.
    package var successor: (any PredicateIdentity)? {
        guard case .temporary(let key) = reference else { return nil }
        return key.successor
    }

    /// The ID itself.
    public var predicateValue: PredicateValue { .object(PredicateObject(identity: self)) }
}
