import SectionedLists

/// A list of what a fetch finds, in sections, that follows the changes of its context and reports them to its delegate.
///
/// **Order and sections.** The objects are in the order of the request. Each distinct section name makes one section;
/// the sections are in the order of their first objects, and the objects of a section keep their order. So sections may
/// be named by any key, whatever the order is: a section is never split, and ``fetchedObjects`` is always the sections
/// one after the other. A name is a text; other values are taken by their description, and objects without a value form
/// the section "".
///
/// **What is followed.** The controller reacts to events of its context: `processPendingChanges`, which `perform` and
/// `save` call, and merges of what other contexts and processes saved. It follows the listed objects and the objects on
/// the key paths of the predicate, the order and the section name: a chapter that gets another number moves its
/// lessons. The cost of an event grows with what changed, not with the list. Without a delegate and without a reader of
/// ``snapshots()`` the list stays as it was fetched. After `reset` of the context no changes are sent: fetch again.
///
/// **Limits.** The request's limit and offset count for ``performFetch()`` only. What a class computes is followed when
/// the object itself changes. A change of the request has no effect before the next ``performFetch()``.
///
/// **Dictionaries and IDs.** A request may ask for those too. The list is then what was fetched, until the next
/// ``performFetch()``: nothing is followed, and the delegate is not called. A section name key path is one of the keys of
/// the dictionaries.
///
/// Belongs to the queue of its context. The generic parameter has no constraint, as that of ``NSFetchRequest``.
open class NSFetchedResultsController<ResultType>: NSObject {
    let core: ResultsCore
    private let ownRequest: NSFetchRequest<ResultType>?
    private weak var lastView: NSFetchedResultsController<any NSFetchRequestResult>?
    private var objects: (version: Int, objects: [ResultType])?

    /// Makes a controller. Nothing is fetched yet.
    ///
    /// - Parameters:
    ///   - fetchRequest: needs at least one sort descriptor.
    ///   - context: where the objects come from and whose changes are followed.
    ///   - sectionNameKeyPath: the key or the path of to-one relationships whose value names an object's section: a
    ///     stored or transient attribute, or a key that the class computes (`value(forUndefinedKey:)` and
    ///     `offersUndefinedKey(_:)`). Nil makes one section.
    ///   - name: keeps the section names of the objects in a file of that name, see ``deleteCache(withName:)``.
    public init(
        fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext,
        sectionNameKeyPath: String?, cacheName name: String?
    ) {
        core = ResultsCore(
            request: fetchRequest, context: context, sectionKeyPath: sectionNameKeyPath, cacheName: name
        ) { $0 is ResultType }
        ownRequest = fetchRequest
        super.init()
        core.owner = self
    }

    /// A view of a controller under another result type.
    init(viewOf core: ResultsCore) {
        self.core = core
        ownRequest = nil
        super.init()
    }

    /// The request. Changes of it count from the next ``performFetch()`` on.
    open var fetchRequest: NSFetchRequest<ResultType> {
        if let ownRequest { return ownRequest }
        let copy = NSFetchRequest<ResultType>()
        core.request.copyValues(to: copy)
        return copy
    }

    /// The context.
    open var managedObjectContext: NSManagedObjectContext { core.context }
    /// The key path of the section names.
    open var sectionNameKeyPath: String? { core.sectionKeyPath }
    /// The name of the cache file.
    open var cacheName: String? { core.cacheName }

    /// Hears of changes; not kept alive. Set it before ``performFetch()``, so that it misses nothing.
    open weak var delegate: (any NSFetchedResultsControllerDelegate)? {
        get { core.delegate }
        set { core.delegate = newValue }
    }

    /// Whether an object that changes to or from a section which is inserted or deleted by that is reported as moved.
    ///
    /// True, as Apple documents it: "A move is reported when the changed attribute on the object is one of the sort
    /// descriptors used in the fetch request" (NSFetchedResultsControllerDelegate). A delegate that passes such a move
    /// to a view's `moveRow(at:to:)` sets false and gets a delete and an insert, since views refuse it.
    open var movesAcrossChangedSections: Bool {
        get { core.movesAcrossChangedSections }
        set { core.movesAcrossChangedSections = newValue }
    }

    /// Fetches, and makes the list. The delegate is not called.
    ///
    /// - Throws: `CocoaError` 134060 where the request has no sort descriptor, or where a sort key or the section name
    ///   key path does not exist in the entity, or in the dictionaries; the message names it. And what ``NSManagedObjectContext/fetch(_:)``
    ///   throws. The list is then as it was.
    open func performFetch() throws { try core.performFetch() }

    // MARK: The list

    /// All objects, section after section; nil before the first fetch. Made when it is first asked for after a change.
    open var fetchedObjects: [ResultType]? {
        guard core.isFetched else { return nil }
        if let objects, objects.version == core.shownVersion { return objects.objects }
        let found =
            core.fixed?.values.compactMap { $0 as? ResultType }
            ?? core.shown.items.compactMap { $0.object as? ResultType }
        objects = (core.shownVersion, found)
        return found
    }

    /// The sections; nil before the first fetch. A list without a section name key path has one.
    open var sections: [any NSFetchedResultsSectionInfo]? { core.isFetched ? core.sections : nil }

    /// The object at a position. A position that is not in the list stops the program, as an array does.
    open func object(at indexPath: IndexPath) -> ResultType {
        guard indexPath.count == 2, let result = core.result(at: indexPath) else {
            let sizes = core.sections.map { "\($0.numberOfObjects)" }.joined(separator: ", ")
            fatalError(
                "There is no object at \(indexPath). The sections have \(sizes.isEmpty ? "no" : sizes) objects."
            )
        }
        guard let object = result as? ResultType else {
            fatalError(
                "The object at \(indexPath) is a \(type(of: result)), which is not of type \(ResultType.self)."
            )
        }
        return object
    }

    /// The position of an object; nil where it is not in the list.
    open func indexPath(forObject object: ResultType) -> IndexPath? {
        if let fixed = core.fixed { return fixed.indexPath(of: object) }
        return (object as? NSManagedObject).flatMap(core.position(of:)).map { IndexPath($0) }
    }

    // MARK: The index beside the list

    /// The titles of the sections in the index beside the list, each once.
    open var sectionIndexTitles: [String] { core.sectionIndexTitles }

    /// The title of a section in the index: the first letter of its name, in upper case. Override it for others.
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        if let owner = core.owner, owner !== self {
            return owner.sectionIndexTitle(forSectionName: sectionName)
        }
        return ResultsCore.defaultIndexTitle(sectionName)
    }

    /// The first section with a title; `NSNotFound` where no section has it.
    open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        core.sections.firstIndex { $0.indexTitle == title } ?? NSNotFound
    }

    // MARK: Sequences

    /// The list as it is, then as it is after each change, with the differences. The snapshots hold IDs only.
    ///
    /// Call it on the context's queue; read the sequence anywhere. It begins with the list as it is, where it was
    /// fetched, and ends with the controller. No snapshot is left out, so each difference leads from the one before.
    public func snapshots() -> AsyncStream<FetchedResultsSnapshot> { core.openStream() }

    /// Removes the file that a cache name stands for, or all of them for nil.
    ///
    /// The cache saves reading the objects that section names are read from, and making those names, when the same
    /// list is fetched again in an unchanged store, in another run of the program for instance. It is used only where
    /// the store's identity and state, the model, the request and the key path are those it was written for; else it is
    /// ignored and written again. So nothing wrong is ever shown for want of this call. The files are in
    /// `stratus-coredata` in `XDG_CACHE_HOME` or `~/.cache`.
    open class func deleteCache(withName name: String?) { SectionCacheFiles.delete(name) }

    // MARK: Identity

    /// Whether the other is the same controller or a view of it.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? any CoreHolder)?.core === core
    }

    open override var hash: Int { ObjectIdentifier(core).hashValue }
}

/// A controller of any result type.
protocol CoreHolder {
    var core: ResultsCore { get }
}

extension NSFetchedResultsController: CoreHolder, ResultsOwner {
    var delegateView: NSFetchedResultsController<any NSFetchRequestResult> {
        if let same = self as? NSFetchedResultsController<any NSFetchRequestResult> { return same }
        if let lastView { return lastView }
        let view = NSFetchedResultsController<any NSFetchRequestResult>(viewOf: core)
        lastView = view
        return view
    }
}
