import SectionedLists

/// What a controller and the views of it that delegates get have in common: the list, and how it follows its context.
///
/// Not generic, so that views of any result type share it. Used on the queue of its context.
final class ResultsCore {
    let request: AnyFetchRequest
    let context: NSManagedObjectContext
    let sectionKeyPath: String?
    let cacheName: String?
    /// Whether a result is of the type that the controller promises.
    let accepts: (Any) -> Bool
    weak var owner: (any ResultsOwner)?
    weak var delegate: (any NSFetchedResultsControllerDelegate)? { didSet { delegateStyle = nil } }
    let streams = SnapshotStreams()
    var movesAcrossChangedSections = true

    /// The last successful fetch, with its names looked up; nil before it.
    var basis: Basis?
    /// The list as it is.
    var list: ObjectList?
    /// The list as it is shown; the one before while a delegate hears that it will change.
    var shown = ObjectListSnapshot() {
        didSet {
            sectionInfos = nil
            indexTitles = nil
            shownVersion += 1
        }
    }
    /// Counts the lists that were shown.
    private(set) var shownVersion = 0
    /// What the last fetch found, where that are no objects.
    var fixed: FixedList?
    /// Whether there was a successful fetch.
    var isFetched: Bool { basis != nil || fixed != nil }
    /// Whether the list has changed and the former one is still shown.
    var isShowingOld = false
    /// Counts the fetches.
    var fetches = 0
    /// The same list with IDs, kept while somebody takes snapshots.
    var mirror: SectionedList<NSManagedObjectID, ListKey>?
    /// Snapshots of the mirror that were not sent yet.
    var outbox: [(snapshot: IDListSnapshot, changes: IDListChanges)] = []
    /// Objects on the paths of keys and section names; kept alive, so that they are read once and their changes heard.
    var related: Set<ListedObject> = []
    /// The listed objects that have temporary IDs.
    var temporaries: Set<ObjectIdentifier> = []
    /// Listed objects that are out of the list while only some of the new objects are given their IDs.
    var suspended: (before: ObjectListSnapshot, entries: [ListEntry<ListedObject, ListKey>])?

    /// Which way of listening the delegate uses, once that is known.
    var delegateStyle: DelegateStyle?
    /// Set by the default body of an exclusive delegate method.
    var metDefaultBody = false
    var queue: [Work] = []
    var isDelivering = false
    /// Whether something that mattered happened while nobody listened.
    var isStale = false
    /// Whether the context was reset, so that the list means nothing until the next fetch.
    var isLost = false
    /// Objects whose changes wait to be saved, for a request that leaves unsaved changes out.
    var unsaved: [NSManagedObject] = []

    private var isRegistered = false
    private var sectionInfos: [SectionInfo]?
    private var indexTitles: [String]?

    /// What the list is a list of.
    struct Basis {
        var plan: FetchPlan
        let family: Set<Int>
        let reader: ListReader
        let dependencies: PathDependencies
        let includesPending: Bool
    }

    enum DelegateStyle { case snapshots, differences, calls }

    /// What waits for its turn.
    enum Work {
        case event(ContextEvent)
        /// Changes that the list has already, and the list after them.
        case changes(ObjectListChanges, ObjectListSnapshot)
    }

    init(
        request: AnyFetchRequest, context: NSManagedObjectContext, sectionKeyPath: String?,
        cacheName: String?,
        accepts: @escaping (Any) -> Bool
    ) {
        self.request = request
        self.context = context
        self.sectionKeyPath = sectionKeyPath
        self.cacheName = cacheName
        self.accepts = accepts
    }

    deinit { streams.finish() }

    /// Whether changes of the context are followed: only where somebody hears of them.
    var isTracking: Bool { delegate != nil || !streams.isEmpty }

    func noteUnimplemented() { metDefaultBody = true }

    // MARK: What is shown

    var sections: [SectionInfo] {
        if let sectionInfos { return sectionInfos }
        let infos =
            fixed?.sections.map { section in
                SectionInfo(name: section.name, values: section.values) { [weak self] in
                    self?.indexTitle(section.name)
                }
            } ?? shown.sections.map { info($0) }
        sectionInfos = infos
        return infos
    }

    func info(_ section: ObjectListSnapshot.Section, isGone: Bool = false) -> SectionInfo {
        SectionInfo(section, isGone: isGone) { [weak self] in self?.indexTitle(section.name ?? "") }
    }

    /// The title of a section by the delegate or the controller.
    private func indexTitle(_ name: String) -> String? {
        guard let delegate, let view = owner?.delegateView else { return ownIndexTitle(name) }
        return delegate.controller(view, sectionIndexTitleForSectionName: name)
    }

    /// The title by the controller, which a subclass may have replaced.
    func ownIndexTitle(_ name: String) -> String? {
        guard let owner else { return Self.defaultIndexTitle(name) }
        return owner.sectionIndexTitle(forSectionName: name)
    }

    static func defaultIndexTitle(_ name: String) -> String? { name.first.map { $0.uppercased() } }

    /// The titles of all sections, each once.
    var sectionIndexTitles: [String] {
        if let indexTitles { return indexTitles }
        var seen: Set<String> = []
        let titles = sections.compactMap(\.indexTitle).filter { seen.insert($0).inserted }
        indexTitles = titles
        return titles
    }

    /// The object, or what else was fetched, at a position.
    func result(at indexPath: IndexPath) -> Any? {
        if let fixed { return fixed.value(at: indexPath) }
        return shown.item(at: ListPosition(section: indexPath.section, item: indexPath.item))?.object
    }

    func position(of object: NSManagedObject) -> ListPosition? {
        let item = ListedObject(object: object)
        // While a delegate hears that the list will change, the one that is shown is not the list any more.
        if isShowingOld { return shown.position(of: item) }
        return list?.position(of: item)
    }

    // MARK: Following the context

    /// Starts to hear of the context's events; the context does not keep the core alive.
    func register() {
        guard !isRegistered else { return }
        isRegistered = true
        context.eventListeners.append(WeakEventListener(listener: self))
    }
}

/// What a core asks of its controller.
protocol ResultsOwner: AnyObject {
    /// The controller as delegates get it.
    var delegateView: NSFetchedResultsController<any NSFetchRequestResult> { get }
    func sectionIndexTitle(forSectionName sectionName: String) -> String?
}
