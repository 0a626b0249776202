/// A fetch as a store gets it: names looked up, predicates as trees, nothing optional left to guess.
package struct StoreFetch {
    /// The entity whose objects are looked for.
    package var entity: NSEntityDescription
    /// Whether objects of its subentities are meant too.
    package var includesSubentities = true
    /// What they fulfil; nil for all.
    package var predicate: PredicateTree?
    /// Their order, the most important key first.
    package var sort: [StoreSort] = []
    /// 0 for no limit.
    package var limit = 0
    /// How many are left out from the front.
    package var offset = 0
    /// The stores to ask; nil asks all that hold the entity.
    var stores: [NSPersistentStore]?
}

extension StoreFetch {
    /// A fetch of all objects of an entity.
    package init(entity: NSEntityDescription) { self.init(entity: entity, predicate: nil) }
}

/// One key of a fetch's order.
package struct StoreSort {
    /// The key path; never empty.
    package var path: [String]
    /// Whether small values come first.
    package var ascending = true
    /// How its values compare.
    package var comparison = Comparison.values

    /// How texts compare.
    package enum Comparison {
        /// By their UTF-8 bytes; other types by value.
        case values
        /// Without regard to case (`caseInsensitiveCompare:`).
        case caseInsensitive
        /// As a person of the language would sort them (`localizedStandardCompare:` and its relatives).
        case localized(caseInsensitive: Bool, numeric: Bool)
    }
}

/// An object that a fetch found.
package struct FetchedRow {
    /// The object's own entity, which may inherit from the fetch's.
    package var layout: EntityLayout
    /// What makes its ID differ from others.
    package var reference: NSManagedObjectID.Reference
    /// The row; nil where only IDs were asked for.
    package var snapshot: Snapshot?
    /// The store it is in.
    package var anchor: StoreAnchor?

    /// An object of a store.
    package init(
        layout: EntityLayout, reference: NSManagedObjectID.Reference, snapshot: Snapshot? = nil,
        store: NSPersistentStore? = nil
    ) {
        self.init(layout: layout, reference: reference, snapshot: snapshot, anchor: store?.anchor)
    }

    /// The same where the anchor is known already, as for each row of a page.
    package init(
        layout: EntityLayout, reference: NSManagedObjectID.Reference, snapshot: Snapshot? = nil,
        anchor: StoreAnchor?
    ) {
        self.layout = layout
        self.reference = reference
        self.snapshot = snapshot
        self.anchor = anchor
    }

    /// The store; nil once it is gone.
    var store: NSPersistentStore? { anchor?.store }
}

/// The columns of a fetch with dictionary results.
package struct StoreColumns {
    /// A value of each dictionary.
    package struct Column {
        /// The key in the dictionary.
        package var name: String
        /// What is computed.
        package var expression: ExpressionTree
        /// The type to convert the value to; undefined leaves it as the store gives it.
        package var type: NSAttributeType
    }

    /// The values, in order.
    package var columns: [Column] = []
    /// Whether equal dictionaries count once.
    package var isDistinct = false
    /// The key paths whose values make a group.
    package var groupBy: [[String]] = []
    /// What a group fulfils; nil for all.
    package var having: PredicateTree?
}
