import SectionedLists

/// What a controller lists that are no objects: dictionaries, or IDs. It stays as it was fetched.
///
/// A dictionary has no identity by which it could be found again after a change, and one of a grouped fetch stands for many
/// rows. So no changes are followed; whoever wants newer ones fetches again.
struct FixedList {
    /// The sections in the order of their first values; a section is never split. One without a name where the list has none.
    private(set) var sections: [(name: String, values: [Any])] = []
    /// All values, section after section.
    var values: [Any] { sections.flatMap(\.values) }

    /// Arranges the results of a fetch.
    ///
    /// - Parameter sectionKey: the key of the dictionaries whose value names a section; nil for no sections.
    init(_ results: [Any], sectionKey: String?) {
        guard let sectionKey else {
            sections = [("", results)]
            return
        }
        var places: [String: Int] = [:]
        for result in results {
            let name = ListReader.text((result as? NSDictionary)?.object(forKey: sectionKey))
            if let place = places[name] {
                sections[place].values.append(result)
            } else {
                places[name] = sections.count
                sections.append((name, [result]))
            }
        }
    }

    func value(at indexPath: IndexPath) -> Any? {
        guard sections.indices.contains(indexPath.section) else { return nil }
        let values = sections[indexPath.section].values
        return values.indices.contains(indexPath.item) ? values[indexPath.item] : nil
    }

    /// The position of the first value that equals another one.
    func indexPath(of value: Any) -> IndexPath? {
        // A dictionary of Swift is one of Foundation's in the list.
        guard let wanted = (value as? NSDictionary) ?? (value as? NSObject) else { return nil }
        for (section, content) in sections.enumerated() {
            if let item = content.values.firstIndex(where: { ($0 as? NSObject)?.isEqual(wanted) ?? false }) {
                return IndexPath(item: item, section: section)
            }
        }
        return nil
    }
}

extension ResultsCore {
    /// Fetches what are no objects, and makes a list of it that follows no changes.
    func performFixedFetch() throws {
        if request.resultType == .countResultType {
            throw CoreDataError(
                134060, "A fetched results controller cannot list a number, which its request asks for.",
                remedy: "Call count(for:), or leave the request's resultType as it is."
            ).cocoa
        }
        if let sectionKeyPath { try checkSectionKey(sectionKeyPath) }
        let results = try context.results(of: request)
        if let stranger = results.first(where: { !accepts($0) }) { throw unfit(stranger) }
        (basis, list, mirror, related, temporaries) = (nil, nil, nil, [], [])
        fixed = FixedList(results, sectionKey: sectionKeyPath)
        shown = ObjectListSnapshot()
        fetches += 1
    }

    /// A section is named by what the dictionaries hold, and by nothing else.
    private func checkSectionKey(_ key: String) throws {
        guard request.resultType == .dictionaryResultType else {
            throw CoreDataError(
                134060,
                "The section name key path '\(key)' needs objects or dictionaries; the request asks for IDs.",
                remedy: "Give nil for a list without sections, or leave the request's resultType as it is."
            ).cocoa
        }
        let columns = try StoreColumns(request, entity: context.plan(request).fetch.entity).columns
        guard !columns.contains(where: { $0.name == key }) else { return }
        throw CoreDataError(
            134060,
            "The section name key path '\(key)' is no key of the dictionaries that the request asks for.",
            remedy:
                "Add it to propertiesToFetch, which gives: \(columns.map(\.name).joined(separator: ", "))."
        ).cocoa
    }

    /// The error about a result that is not of the controller's type.
    func unfit(_ result: Any) -> CocoaError {
        CoreDataError(
            134060,
            "A controller's fetch of \(request.entityName ?? "?") found \(type(of: result)), "
                + "which is not the controller's result type.",
            remedy: "Make the controller's type fit the request's resultType and the class of the entity."
        ).cocoa
    }
}
