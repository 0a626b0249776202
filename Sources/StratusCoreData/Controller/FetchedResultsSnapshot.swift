import SectionedLists
import Synchronization

/// One change of a list, for a view that shows the list before and is to show the list after.
public enum FetchedResultsChange: Hashable, Sendable {
    /// A section is gone, with its objects; the index is that before all changes.
    case deleteSection(Int, name: String)
    /// A section is new; the index is that after all changes.
    case insertSection(Int, name: String)
    /// An object is gone from its position before all changes.
    case delete(NSManagedObjectID, at: IndexPath)
    /// An object is new at its position after all changes.
    case insert(NSManagedObjectID, at: IndexPath)
    /// An object went from a position before all changes to another after them; it has to be drawn again where its
    /// content changed.
    case move(NSManagedObjectID, from: IndexPath, to: IndexPath, contentChanged: Bool)
    /// An object changed and stayed; its position before all changes, and after them.
    case update(NSManagedObjectID, at: IndexPath, now: IndexPath)
}

/// A controller's list at one moment, and how it differs from the one before. It holds IDs, and may go anywhere.
///
/// Taking it costs no time that grows with the list: it shares its storage with the list and with other snapshots.
public struct FetchedResultsSnapshot: Sendable {
    /// A section of the list.
    public struct Section: Sendable {
        private let section: IDListSnapshot.Section

        init(_ section: IDListSnapshot.Section) { self.section = section }

        /// The name; "" in a list without sections.
        public var name: String { section.name ?? "" }
        /// The number of objects.
        public var count: Int { section.count }
        /// The IDs of the objects, in a new array.
        public var objectIDs: [NSManagedObjectID] { section.items }
    }

    private let snapshot: IDListSnapshot
    private let difference: IDListChanges

    init(_ snapshot: IDListSnapshot, _ difference: IDListChanges) {
        self.snapshot = snapshot
        self.difference = difference
    }

    /// The number of objects.
    public var count: Int { snapshot.count }
    /// The sections; one in a list without sections.
    public var sections: [Section] { snapshot.sections.map(Section.init) }
    /// The IDs of all objects, section after section, in a new array.
    public var objectIDs: [NSManagedObjectID] { snapshot.items }

    /// The ID of the object at a position, nil where there is none.
    public func objectID(at indexPath: IndexPath) -> NSManagedObjectID? {
        guard indexPath.count == 2 else { return nil }
        return snapshot.item(at: ListPosition(section: indexPath.section, item: indexPath.item))
    }

    /// The position of an object, nil where it is not in the list. The first call indexes the list.
    public func indexPath(for objectID: NSManagedObjectID) -> IndexPath? {
        snapshot.position(of: objectID).map { IndexPath($0) }
    }

    /// How the list differs from that of the snapshot before: sections first, then objects that are deleted (the last
    /// first), inserted, moved and updated. Empty in the first snapshot of a sequence.
    ///
    /// Applied as a table view applies a batch, it turns the list before into this one. An object that is saved for
    /// the first time gets its permanent ID, which shows as a delete and an insert at one position.
    public var changes: [FetchedResultsChange] {
        difference.sectionDeletes.map { .deleteSection($0.index, name: $0.name ?? "") }
            + difference.sectionInserts.map { .insertSection($0.index, name: $0.name ?? "") }
            + difference.deletes.map { .delete($0.item, at: IndexPath($0.position)) }
            + difference.inserts.map { .insert($0.item, at: IndexPath($0.position)) }
            + difference.moves.map {
                .move(
                    $0.item, from: IndexPath($0.old), to: IndexPath($0.new), contentChanged: $0.contentChanged
                )
            }
            + difference.updates.map { .update($0.item, at: IndexPath($0.old), now: IndexPath($0.new)) }
    }
}

/// The sequences of snapshots that somebody reads.
final class SnapshotStreams: Sendable {
    typealias Continuation = AsyncStream<FetchedResultsSnapshot>.Continuation
    private let readers = Mutex<[Int: Continuation]>([:])
    private let last = Atomic<Int>(0)

    var isEmpty: Bool { readers.withLock(\.isEmpty) }

    /// A new sequence, which begins with a snapshot where there is one.
    func open(_ first: FetchedResultsSnapshot?) -> AsyncStream<FetchedResultsSnapshot> {
        let (stream, continuation) = AsyncStream.makeStream(of: FetchedResultsSnapshot.self)
        let number = last.add(1, ordering: .relaxed).newValue
        readers.withLock { $0[number] = continuation }
        continuation.onTermination = { [weak self] _ in self?.close(number) }
        if let first { continuation.yield(first) }
        return stream
    }

    func send(_ snapshot: FetchedResultsSnapshot) {
        for reader in readers.withLock({ Array($0.values) }) { reader.yield(snapshot) }
    }

    /// Ends all sequences.
    func finish() {
        for reader in readers.withLock({ Array($0.values) }) { reader.finish() }
    }

    private func close(_ number: Int) { readers.withLock { $0[number] = nil } }
}
