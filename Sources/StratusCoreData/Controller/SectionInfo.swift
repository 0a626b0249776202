import SectionedLists

/// A section as delegates and views get it: a state of the list that does not change any more.
final class SectionInfo: NSFetchedResultsSectionInfo {
    let name: String
    let numberOfObjects: Int
    private let makeObjects: () -> [Any]
    private let makeTitle: () -> String?
    private(set) lazy var indexTitle: String? = makeTitle()
    private(set) lazy var objects: [Any]? = makeObjects()

    /// A section that was deleted has no objects any more; its name says which one it was.
    init(_ section: ObjectListSnapshot.Section, isGone: Bool, title: @escaping () -> String?) {
        name = section.name ?? ""
        numberOfObjects = isGone ? 0 : section.count
        makeObjects = { isGone ? [] : section.items.map(\.object) }
        makeTitle = title
    }

    /// A section of what are no objects.
    init(name: String, values: [Any], title: @escaping () -> String?) {
        self.name = name
        numberOfObjects = values.count
        makeObjects = { values }
        makeTitle = title
    }
}
