/// What a store has written of a save and not committed yet.
package protocol OpenSave: AnyObject {
    /// The store.
    var store: NSPersistentStore { get }
    /// Does what the commit would do and may fail at, as far as it can be taken back.
    func flush() throws
    /// Ends the save. Where it throws, nothing of it is written.
    func commit() throws -> StoreSaveResult
    /// Takes the save back.
    func rollBack()
}

extension OpenSave {
    func flush() throws {}
}

/// Some stores have committed their part of a save, and then one could not.
///
/// Unchecked sendable, as every error has to be: it never leaves the thread that saves.
struct IncompleteSave: Error, @unchecked Sendable {
    /// What the stores that committed have written.
    var result: StoreSaveResult
    /// The identifiers of those stores.
    var committed: Set<String>
    /// What the caller of the save gets: `CocoaError` 134040.
    var error: CocoaError
}

/// A save of objects that live in several stores.
///
/// All stores write first, each in a transaction that stays open, and they commit only when every one has written
/// everything. So a conflict, values that are not unique, a locked file and a full disk leave all stores as they were,
/// and the save can be tried again.
///
/// The commits follow each other, and between two of them the process or the disk can fail: SQLite keeps several files
/// with write-ahead logs together no better (https://www.sqlite.org/wal.html: "atomic for each individual database, but
/// … not atomic across all databases as a set"). Where one fails, the objects of the stores that have committed are
/// saved, the others are not, and the error is Apple's NSPersistentStoreIncompleteSaveError.
struct MultiStoreSave {
    private let changes: StoreChanges
    private let stores: [any GraphStore]
    private let context: NSManagedObjectContext?

    init(_ changes: StoreChanges, _ stores: [any GraphStore], _ context: NSManagedObjectContext?) {
        self.changes = changes
        // Everybody locks files in the same order, so that no two saves wait for each other.
        self.stores = stores.sorted { $0.identifier < $1.identifier }
        self.context = context
    }

    /// - Throws: `CocoaError` where an object is of a store that is not among those given, and would get lost.
    static func requireStores(_ stores: [any GraphStore], of changes: StoreChanges) throws {
        var known: StoreAnchor?
        for change in [changes.inserted, changes.updated, changes.deleted].joined() {
            let anchor = change.objectID.anchor
            if let anchor, anchor === known { continue }
            guard let anchor, stores.contains(where: { $0.identifier == anchor.identifier }) else {
                throw CoreDataError(
                    134030,
                    "The store of \(change.objectID) is not reachable from this context's coordinator.",
                    remedy: "Add the store again, or remove the object from the context."
                ).cocoa
            }
            known = anchor
        }
    }

    /// - Throws: `CocoaError` 133010 where a relationship leads to an object of another store, whose key means another object
    ///   in the store of its owner.
    private func requireOwnDestinations() throws {
        for change in [changes.inserted, changes.updated].joined() {
            let own = change.objectID.storeIdentifier
            for slot in change.changedSlots {
                guard case .reference(let objectID) = change.values[slot] else { continue }
                if objectID.storeIdentifier != own { throw Self.external(change, slot) }
            }
            for list in change.toManys where list.added.contains(where: { $0.storeIdentifier != own }) {
                throw Self.external(change, list.slot)
            }
        }
    }

    private static func external(_ change: ObjectChange, _ slot: Int) -> CocoaError {
        let name = "\(change.layout.entity.name ?? "?").\(change.layout.properties[slot].name)"
        return CoreDataError(
            133_010, "The relationship '\(name)' leads to an object of another store.",
            remedy:
                "Assign both objects to one store before the save, or use a fetched property between stores.",
            userInfo: [NSAffectedObjectsErrorKey: [change.objectID]]
        ).cocoa
    }

    func run() throws -> StoreSaveResult {
        try requireOwnDestinations()
        var open = try begin()
        do {
            for save in open { try save.flush() }
        } catch {
            for save in open { save.rollBack() }
            throw error
        }
        // What a store of the app's own has written cannot be taken back, but it is the likeliest to fail.
        open.sort { $0.store is NSIncrementalStore && !($1.store is NSIncrementalStore) }
        var result = StoreSaveResult()
        var committed: Set<String> = []
        for (place, save) in open.enumerated() {
            do {
                take(try save.commit(), of: save.store, into: &result)
                committed.insert(save.store.identifier)
            } catch {
                for other in open[(place + 1)...] { other.rollBack() }
                if committed.isEmpty { throw error }
                throw IncompleteSave(
                    result: result, committed: committed,
                    error: incomplete(error, open[place...].map(\.store)))
            }
        }
        return result
    }

    /// Lets every store write; where one refuses, the conflicts of all are thrown.
    private func begin() throws -> [any OpenSave] {
        var open: [any OpenSave] = []
        var conflicts = StoreConflicts()
        do {
            for store in stores {
                let part = changes.part(of: store)
                guard !part.isEmpty || store.hasUnsavedMetadata else { continue }
                do {
                    open.append(try store.beginSave(part, from: context))
                } catch let found as StoreConflicts {
                    conflicts.stale += found.stale
                    conflicts.duplicates += found.duplicates
                }
            }
            guard conflicts.stale.isEmpty, conflicts.duplicates.isEmpty else { throw conflicts }
            return open
        } catch {
            for save in open { save.rollBack() }
            throw error
        }
    }

    private func take(
        _ saved: StoreSaveResult, of store: NSPersistentStore, into result: inout StoreSaveResult
    ) {
        result.snapshots.merge(saved.snapshots) { _, new in new }
        result.derived += saved.derived
        for (change, row) in zip(changes.part(of: store).inserted, saved.insertedRows) {
            result.snapshots[change.objectID] = row
        }
        guard let token = saved.historyToken else { return }
        let known = result.historyToken?.transactions ?? [:]
        result.historyToken = NSPersistentHistoryToken(
            transactions: known.merging(token.transactions) { max($0, $1) })
    }

    private func incomplete(_ cause: any Error, _ failed: [NSPersistentStore]) -> CocoaError {
        CoreDataError(
            134040, "Not all stores could be saved: some had committed when another one failed.",
            remedy: "Save again: only what is not saved yet is written.",
            userInfo: [NSAffectedStoresErrorKey: failed], cause: cause
        ).cocoa
    }
}

extension StoreChanges {
    /// The changes of the objects of one store.
    func part(of store: NSPersistentStore) -> StoreChanges {
        var part = self
        let isOfStore = { (change: ObjectChange) in change.objectID.storeIdentifier == store.identifier }
        part.inserted = inserted.filter(isOfStore)
        part.updated = updated.filter(isOfStore)
        part.deleted = deleted.filter(isOfStore)
        return part
    }
}
