import SectionedLists

/// A section as delegates and views get it: a state of the list that does not change any more.
final class SectionInfo: NSFetchedResultsSectionInfo {
    private let section: ObjectListSnapshot.Section
    private let makeTitle: () -> String?
    private(set) lazy var indexTitle: String? = makeTitle()
    private(set) lazy var objects: [Any]? = isGone ? [] : section.items.map(\.object)
    /// A section that was deleted has no objects any more; its name says which one it was.
    private let isGone: Bool

    init(_ section: ObjectListSnapshot.Section, isGone: Bool, title: @escaping () -> String?) {
        self.section = section
        self.isGone = isGone
        makeTitle = title
    }

    var name: String { section.name ?? "" }
    var numberOfObjects: Int { isGone ? 0 : section.count }
}
