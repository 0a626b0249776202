import SectionedLists

/// The sections and items of a list at one moment, in the shape of UIKit's class of this name.
///
/// Sections are identified by their names (`String`), items by `NSManagedObjectID`. What comes from a controller shares
/// its storage with the controller's list: making it takes no time that grows with the list, reading an array of it
/// does. It cannot be edited here: on Linux there is no view whose data source would take the result.
public final class NSDiffableDataSourceSnapshotReference: NSObject, NSCopying {
    private var make: (() -> IDListSnapshot)?
    private lazy var snapshot: IDListSnapshot = make?() ?? IDListSnapshot()
    private let reloaded: [NSManagedObjectID]

    /// An empty snapshot.
    public override init() { reloaded = [] }

    init(reloaded: [NSManagedObjectID], _ make: @escaping () -> IDListSnapshot) {
        self.make = make
        self.reloaded = reloaded
    }

    /// Reads what it stands for, so that it is not changed by what happens later.
    func load() {
        _ = snapshot
        make = nil
    }

    /// The number of items in all sections.
    public var numberOfItems: Int { snapshot.count }
    /// The number of sections.
    public var numberOfSections: Int { snapshot.sectionCount }
    /// The names of the sections, in order.
    public var sectionIdentifiers: [Any] { snapshot.sections.map { $0.name ?? "" } }
    /// The IDs of all objects, section after section.
    public var itemIdentifiers: [Any] { snapshot.items }
    /// The IDs of the objects that have changed and are to be drawn again.
    public var reloadedItemIdentifiers: [Any] { reloaded }
    /// Empty: changed objects are reloaded, as on Apple's platforms.
    public var reconfiguredItemIdentifiers: [Any] { [] }
    /// Empty: sections have nothing that could change but their items.
    public var reloadedSectionIdentifiers: [Any] { [] }

    /// The number of items in a section, 0 where there is no such section.
    public func numberOfItems(inSection sectionIdentifier: Any) -> Int {
        section(sectionIdentifier)?.count ?? 0
    }

    /// The IDs of the objects of a section, none where there is no such section.
    public func itemIdentifiersInSection(withIdentifier sectionIdentifier: Any) -> [Any] {
        section(sectionIdentifier)?.items ?? []
    }

    /// The IDs of the objects of a section, none where there is no such section.
    public func itemIdentifiers(inSectionWithIdentifier sectionIdentifier: Any) -> [Any] {
        itemIdentifiersInSection(withIdentifier: sectionIdentifier)
    }

    /// The name of the section of an object, nil where the object is not in the list.
    public func sectionIdentifier(forSectionContainingItemIdentifier itemIdentifier: Any) -> Any? {
        position(itemIdentifier).flatMap { snapshot.section(at: $0.section) }.map { $0.name ?? "" }
    }

    /// The index of an object in ``itemIdentifiers``, `NSNotFound` where it is not in the list.
    public func index(ofItemIdentifier itemIdentifier: Any) -> Int {
        guard let position = position(itemIdentifier) else { return NSNotFound }
        return (0..<position.section).reduce(position.item) { $0 + (snapshot.section(at: $1)?.count ?? 0) }
    }

    /// The index of an object in ``itemIdentifiers``, `NSNotFound` where it is not in the list.
    public func indexOfItemIdentifier(_ itemIdentifier: Any) -> Int {
        index(ofItemIdentifier: itemIdentifier)
    }

    /// The index of a section, `NSNotFound` where there is none.
    public func index(ofSectionIdentifier sectionIdentifier: Any) -> Int {
        snapshot.sections.firstIndex { ($0.name ?? "") == sectionIdentifier as? String } ?? NSNotFound
    }

    /// The index of a section, `NSNotFound` where there is none.
    public func indexOfSectionIdentifier(_ sectionIdentifier: Any) -> Int {
        index(ofSectionIdentifier: sectionIdentifier)
    }

    /// The snapshot itself: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    private func section(_ identifier: Any) -> IDListSnapshot.Section? {
        snapshot.sections.first { ($0.name ?? "") == identifier as? String }
    }

    private func position(_ identifier: Any) -> ListPosition? {
        (identifier as? NSManagedObjectID).flatMap(snapshot.position(of:))
    }
}
