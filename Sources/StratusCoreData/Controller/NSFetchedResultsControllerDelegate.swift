/// What happened to an object or a section of a controller's list, with Apple's numbers.
public enum NSFetchedResultsChangeType: UInt, Sendable {
    /// It is new in the list.
    case insert = 1
    /// It is in the list no more.
    case delete = 2
    /// It is at another position; it may have changed as well, so draw it again there.
    case move = 3
    /// It stayed and has changed.
    case update = 4
}

/// A section of a controller's list, as it was when it was asked for.
public protocol NSFetchedResultsSectionInfo {
    /// What the objects of the section have in common; "" in a list without sections.
    var name: String { get }
    /// The title in an index beside the list; by default the first letter of the name, in upper case.
    var indexTitle: String? { get }
    /// The number of objects.
    var numberOfObjects: Int { get }
    /// The objects. The array is made when it is first asked for.
    var objects: [Any]? { get }
}

/// Hears of the changes of a controller's list. Every method is optional.
///
/// The methods are called on the queue of the controller's context. There are three ways to listen, of which a delegate
/// uses one: snapshots, differences, or single changes. A delegate with the snapshot method gets no other call; one with
/// the method for differences gets no single changes, where the list has no sections.
///
/// Single changes are one transaction, as between `beginUpdates` and `endUpdates` of a table view: sections first,
/// then deleted, inserted, moved and updated objects. The index paths of deletes and updates, and the first one of
/// moves, are those before all changes; new index paths are those after them. What other changes merely shift is not
/// reported. No object moves to where it is. One that leaves a deleted section or enters an inserted one is moved, which
/// views refuse: ``NSFetchedResultsController/movesAcrossChangedSections`` makes it a delete and an insert.
///
/// The controller that is handed over is a view of the delegate's own: equal to it, with the same answers, and of the
/// type that Apple's signatures have. Compare with `==`; `===` sees two objects.
public protocol NSFetchedResultsControllerDelegate: AnyObject {
    /// The list is about to change; the controller still answers with the old one.
    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)
    /// A section was inserted or deleted.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType)
    /// An object was inserted, deleted, moved or updated.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)
    /// All changes were reported.
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)
    /// The list as it is now, with IDs; the changed ones are marked to be reloaded.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference)
    /// How a list without sections differs from before. An object that changed is removed and inserted.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)
    /// The title of a section in the index beside the list.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String?
}

// The bodies below mean "not implemented". Those of the two exclusive methods tell the controller so, which is how
// it learns, without Objective-C, which way of listening a delegate uses.
extension NSFetchedResultsControllerDelegate {
    /// Does nothing.
    public func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {}
    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {}
    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {}
    /// Does nothing.
    public func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)
    {}
    /// Tells the controller that the delegate does not take snapshots.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) { controller.core.noteUnimplemented() }
    /// Tells the controller that the delegate does not take differences.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) { controller.core.noteUnimplemented() }
    /// The controller's own title.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? { controller.core.ownIndexTitle(sectionName) }
}
