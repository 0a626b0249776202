import SectionedLists

/// A section as delegates and views get it: a state of the list that does not change any more.
final class SectionInfo: NSFetchedResultsSectionInfo {
    private let section: ObjectListSnapshot.Section
    private let makeTitle: () -> String?
    private(set) lazy var indexTitle: String? = makeTitle()
    private(set) lazy var objects: [Any]? = section.items.map(\.object)

    init(_ section: ObjectListSnapshot.Section, title: @escaping () -> String?) {
        self.section = section
        makeTitle = title
    }

    var name: String { section.name ?? "" }
    var numberOfObjects: Int { section.count }
}
