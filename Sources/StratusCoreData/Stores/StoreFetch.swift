/// A fetch as a store gets it: names looked up, predicates as trees, nothing optional left to guess.
struct StoreFetch {
    var entity: NSEntityDescription
    var includesSubentities = true
    var predicate: PredicateTree?
    var sort: [StoreSort] = []
    /// 0 for no limit.
    var limit = 0
    var offset = 0
    /// The stores to ask; nil asks all that hold the entity.
    var stores: [NSPersistentStore]?
}

/// One key of a fetch's order.
struct StoreSort {
    /// The key path; never empty.
    var path: [String]
    var ascending = true
    var comparison = Comparison.values

    /// How texts compare.
    enum Comparison {
        /// By their UTF-8 bytes; other types by value.
        case values
        /// Without regard to case (`caseInsensitiveCompare:`).
        case caseInsensitive
        /// As a person of the language would sort them (`localizedStandardCompare:` and its relatives).
        case localized(caseInsensitive: Bool, numeric: Bool)
    }
}

/// An object that a fetch found.
struct FetchedRow {
    /// The object's own entity, which may inherit from the fetch's.
    var layout: EntityLayout
    var reference: NSManagedObjectID.Reference
    /// The row; nil where only IDs were asked for.
    var snapshot: Snapshot?
    /// The store it is in.
    var anchor: StoreAnchor?

    init(
        layout: EntityLayout, reference: NSManagedObjectID.Reference, snapshot: Snapshot? = nil,
        store: NSPersistentStore? = nil
    ) {
        self.init(layout: layout, reference: reference, snapshot: snapshot, anchor: store?.anchor)
    }

    init(
        layout: EntityLayout, reference: NSManagedObjectID.Reference, snapshot: Snapshot? = nil,
        anchor: StoreAnchor?
    ) {
        self.layout = layout
        self.reference = reference
        self.snapshot = snapshot
        self.anchor = anchor
    }

    var store: NSPersistentStore? { anchor?.store }
}

/// The columns of a fetch with dictionary results.
struct StoreColumns {
    struct Column {
        /// The key in the dictionary.
        var name: String
        var expression: ExpressionTree
        /// The type to convert the value to; undefined leaves it as the store gives it.
        var type: NSAttributeType
    }

    var columns: [Column] = []
    var isDistinct = false
    var groupBy: [[String]] = []
    var having: PredicateTree?
}
