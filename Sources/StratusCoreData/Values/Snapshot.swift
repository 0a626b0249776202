/// The stored values of an object at one version: what its row held when it was last fetched or saved.
///
/// Immutable. The values are those of the slots below `EntityLayout.storedCount`: attributes, then to-one
/// relationships as ``PropertyValue/reference(_:)``.
package struct Snapshot {
    /// How often the row was saved (`Z_OPT`), which is how a conflict is noticed.
    package var version: Int64
    private var storage: Storage

    private enum Storage {
        case values([PropertyValue])
        case row(any RowPage, Int)
    }

    /// A row whose values are known.
    package init(version: Int64, values: [PropertyValue]) {
        self.version = version
        storage = .values(values)
    }

    /// A row whose values are made when they are asked for.
    package init(version: Int64, page: any RowPage, row: Int) {
        self.version = version
        storage = .row(page, row)
    }

    /// The value of a slot below `storedCount`.
    package func value(_ slot: Int, _ layout: EntityLayout) -> PropertyValue {
        switch storage {
        case .values(let values): values[slot]
        case .row(let page, let row): page.value(row: row, slot: slot, layout: layout)
        }
    }

    /// All values, below `storedCount`.
    package func values(_ layout: EntityLayout) -> [PropertyValue] {
        switch storage {
        case .values(let values): values
        case .row: (0..<layout.storedCount).map { value($0, layout) }
        }
    }

    /// The slots that may differ from those of another snapshot: stored ones that do, and all that no row holds.
    func difference(from other: Snapshot, _ layout: EntityLayout) -> SlotSet {
        var slots = SlotSet(layout.storedCount..<layout.properties.count)
        for slot in 0..<layout.storedCount where value(slot, layout) != other.value(slot, layout) {
            slots.insert(slot)
        }
        return slots
    }
}

/// Rows of a store, copied as they are, whose values are made when they are asked for.
///
/// A fetch of many objects then copies bytes only; most of the values are never looked at. Made by the store that knows
/// the bytes. Immutable once its rows are handed out.
package protocol RowPage: AnyObject {
    /// The value of a stored slot of a row.
    func value(row: Int, slot: Int, layout: EntityLayout) -> PropertyValue
}
