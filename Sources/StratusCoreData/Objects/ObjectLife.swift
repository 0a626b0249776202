/// Where an object stands between its store and its context: the one place where that is kept and changed.
///
/// An object is *saved* (the store has its row), *new* (the next save writes one) or *gone* (it will never have a row
/// again). A saved one may be *changed*, and a saved or a new one *deleted*: the next save does it. Beside that, its
/// values may not have been looked at (*fault*), and its row may have turned out to be missing (*inaccessible*).
///
/// | transition | from | to | who |
/// |---|---|---|---|
/// | `insert` | any without a context | new | `insert(_:)`, a new object, a child's new object |
/// | `change` | saved | changed | setters; a new or gone object stays what it is |
/// | `unchange` | changed | saved | undo back to what was saved, merge policies |
/// | `delete` | saved, new | deleted | `delete(_:)` |
/// | `followDelete` | deleted | deleted, the other sides know | the end of an event |
/// | `followDeleteAgain` | deleted | deleted, the other sides are to hear of it | a merge that found new ones |
/// | `deleteFollowed` | any | deleted, the other sides know | undo of an insertion, children, duplicates |
/// | `undelete` | deleted | what it was | `insert(_:)` of a deleted object, merge policies |
/// | `deleteElsewhere` | any | deleted, the other sides know, nothing to save | a merge |
/// | `revert` | changed, deleted | saved | rollback, refresh without changes |
/// | `settle` | new, changed | saved | a save |
/// | `drop` | new | gone | a delete or a rollback of what was never saved |
/// | `saveDelete`, `leave` | deleted | gone | a save, before and after its hooks |
/// | `retire` | deleted | gone, and says that it is deleted | a merge |
/// | `reinsert` | saved, changed | new | a conflict with a row that is gone, settled for the object |
/// | `bringBack` | deleted, gone | new, changed or saved | undo of a delete |
/// | `turnIntoFault`, `fulfil` | | a fault; no fault | refreshes; the next look |
/// | `forget` | any | saved, a fault, without a context | `reset()` |
/// | `vanish` | any | deleted, inaccessible, the other sides know | a fault whose row others deleted |
/// | `missRow` | any | the same, inaccessible | a delete of what others deleted; a fault without a context |
struct ObjectLife {
    private var flags: Flags

    private struct Flags: OptionSet {
        let rawValue: UInt16

        static let inserted = Flags(rawValue: 1)
        static let updated = Flags(rawValue: 2)
        static let deleted = Flags(rawValue: 4)
        static let fault = Flags(rawValue: 8)
        static let followed = Flags(rawValue: 16)
        static let gone = Flags(rawValue: 32)
        static let inaccessible = Flags(rawValue: 64)
        static let deleting = Flags(rawValue: 128)

        static let changes: Flags = [.inserted, .updated, .deleted]
    }

    /// The life of an object that has values and no context yet.
    static let outside = ObjectLife(flags: [])
    /// The life of an object that was saved and not looked at.
    static let fault = ObjectLife(flags: .fault)

    // MARK: Asking

    /// New, and not saved yet.
    var isInserted: Bool { flags.contains(.inserted) }
    /// Saved before, and changed since; also where it is to be deleted.
    var isUpdated: Bool { flags.contains(.updated) }
    /// To be deleted by the next save, or deleted by others.
    var isDeleted: Bool { flags.contains(.deleted) }
    /// Whether the next save has something to do for it, unless it is gone.
    var hasChanges: Bool { !flags.isDisjoint(with: .changes) }
    /// Whether it is new or changed.
    var isInsertedOrUpdated: Bool { !flags.isDisjoint(with: [.inserted, .updated]) }
    /// Its values were not looked at yet.
    var isFault: Bool { flags.contains(.fault) }
    /// Its delete was followed to the other sides of its relationships.
    var isDeleteFollowed: Bool { flags.contains(.followed) }
    /// It will never have a row again, unless an undo brings it back.
    var isGone: Bool { flags.contains(.gone) }
    /// Its row has vanished.
    var isInaccessible: Bool { flags.contains(.inaccessible) }
    /// Its delete has begun, and `prepareForDeletion` runs.
    var isDeleting: Bool { flags.contains(.deleting) }

    /// What is true in every state.
    var isConsistent: Bool {
        // Either its first row or a change of its row is to be written.
        if flags.isSuperset(of: [.inserted, .updated]) { return false }
        // Only deletes are followed.
        if isDeleteFollowed, !isDeleted { return false }
        // Nothing is written for what is gone.
        return !(isGone && isInsertedOrUpdated)
    }

    private mutating func move(adding added: Flags, removing removed: Flags = []) {
        flags.subtract(removed)
        flags.formUnion(added)
        assert(isConsistent, "\(flags.rawValue)")
    }

    // MARK: Changes

    mutating func insert() { move(adding: .inserted, removing: [.updated, .gone, .inaccessible]) }

    mutating func change() {
        if flags.isDisjoint(with: [.inserted, .gone]) { move(adding: .updated) }
    }

    mutating func unchange() { move(adding: [], removing: .updated) }

    mutating func revert() {
        assert(!isInserted, "A new object has no row to go back to.")
        move(adding: [], removing: [.updated, .deleted, .followed])
    }

    mutating func settle() { move(adding: [], removing: [.inserted, .updated]) }

    mutating func reinsert() {
        move(adding: .inserted, removing: [.updated, .deleted, .followed, .gone])
    }

    // MARK: Deletes

    /// Marks the time in which `prepareForDeletion` runs, so that it may delete the object itself.
    mutating func beginDelete() { move(adding: .deleting) }
    mutating func endDelete() { move(adding: [], removing: .deleting) }

    mutating func delete() { move(adding: .deleted) }

    mutating func followDelete() {
        assert(isDeleted, "Only deletes are followed.")
        move(adding: .followed)
    }

    mutating func followDeleteAgain() {
        assert(isDeleted, "Only deletes are followed.")
        move(adding: [], removing: .followed)
    }

    mutating func deleteFollowed() { move(adding: [.deleted, .followed]) }

    mutating func undelete() { move(adding: [], removing: [.deleted, .followed]) }

    mutating func deleteElsewhere() {
        move(adding: [.deleted, .followed], removing: [.inserted, .updated])
    }

    mutating func drop() {
        move(adding: .gone, removing: [.inserted, .updated, .deleted, .followed])
    }

    mutating func saveDelete() { move(adding: .gone, removing: [.inserted, .updated]) }

    mutating func leave() {
        move(
            adding: [.gone, .inaccessible],
            removing: [.inserted, .updated, .deleted, .followed, .fault])
    }

    mutating func retire() {
        move(
            adding: [.gone, .inaccessible, .deleted],
            removing: [.inserted, .updated, .followed, .fault])
    }

    /// What an object is whose delete is taken back.
    enum Return {
        /// It has no row: the next save writes one.
        case new
        /// It has its row, and changes from before the delete.
        case changed
        /// It has its row as it is.
        case saved
    }

    mutating func bringBack(as state: Return) {
        flags.subtract([.deleted, .followed, .gone])
        switch state {
        case .new: move(adding: .inserted, removing: .updated)
        case .changed: change()
        case .saved: break
        }
    }

    // MARK: Faults

    mutating func fulfil() { flags.subtract(.fault) }

    /// Its context has forgotten it, with all that was changed.
    mutating func forget() { flags = .fault }

    mutating func turnIntoFault() { move(adding: .fault, removing: .inaccessible) }

    /// Its values are in memory, whatever they were.
    mutating func takeValues() { move(adding: [], removing: [.fault, .inaccessible]) }

    mutating func vanish() {
        move(
            adding: [.deleted, .followed, .inaccessible], removing: [.inserted, .updated])
    }

    mutating func missRow() { move(adding: .inaccessible) }
}
