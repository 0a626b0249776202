extension SectionedSnapshot {
    /// What has changed from another snapshot to this one, with as few moves as can be.
    ///
    /// This compares any two states, for example before and after a fetch that was performed again. It takes
    /// O(n log n) time for what the two do not share. A snapshot knows no content: items that stayed are reported as
    /// updated, and items that moved as changed, when they are in `contentChanged`.
    @inlinable
    public func changes(
        since old: SectionedSnapshot, contentChanged: Set<Item> = []
    ) -> SectionedChanges<Item> {
        var report = ChangeReport(before: old.tree, after: tree)
        var sections: [SectionName: ChangeReport<Item>.TouchedSection] = [:]
        let oldSections = old.tree.elements
        let newSections = tree.elements
        for (index, section) in oldSections.enumerated() {
            sections[section.name] = .init(name: section.name, old: index, new: nil)
        }
        for (index, section) in newSections.enumerated() {
            sections[section.name, default: .init(name: section.name)].new = index
        }
        report.sections = Array(sections.values)

        var places: [Item: Int] = [:]
        for (place, section) in oldSections.enumerated() {
            let isShared = sections[section.name]?.new.map {
                newSections[$0].items.isShared(with: section.items)
            }
            for (index, item) in section.items.elements.enumerated() {
                let isChanged = contentChanged.contains(item)
                if isShared == true, !isChanged { continue }
                places[item] = report.touched.count
                report.touched.append(
                    .init(
                        item: item, old: ListPosition(section: place, item: index), mayMove: isShared != true,
                        contentChanged: isChanged, isUpdateIfStaying: isChanged))
            }
        }
        for (place, section) in newSections.enumerated() {
            let partner = sections[section.name]?.old
            let isShared = partner.map { oldSections[$0].items.isShared(with: section.items) }
            for (index, item) in section.items.elements.enumerated() {
                if isShared == true, !contentChanged.contains(item) { continue }
                let position = ListPosition(section: place, item: index)
                if let known = places[item] {
                    report.touched[known].new = position
                    report.touched[known].isInSameSection = report.touched[known].old?.section == partner
                } else {
                    report.touched.append(.init(item: item, new: position))
                }
            }
        }
        return report.changes()
    }
}
