/// The versions of models that migrations know.
package enum MigrationModels {
    /// All versions that the program can find and read.
    package static func all() -> [NSManagedObjectModel] {
        // A model that cannot be read is no version to migrate from.
        ModelLibrary.sources(in: nil).compactMap { try? $0.load() }
    }

    /// The shortest way from a model to another in steps that can be inferred; nil where there is none.
    ///
    /// The direct way is not tried.
    package static func path(
        from source: NSManagedObjectModel, to destination: NSManagedObjectModel,
        through versions: [NSManagedObjectModel]
    ) -> [NSManagedObjectModel]? {
        let wanted = destination.entityVersionHashesByName
        let start = source.entityVersionHashesByName
        var seen: Set<[String: Data]> = [start]
        var nodes: [(model: NSManagedObjectModel, hashes: [String: Data])] = []
        for version in versions {
            let hashes = version.entityVersionHashesByName
            if hashes != wanted, seen.insert(hashes).inserted { nodes.append((version, hashes)) }
        }
        var frontier: [[NSManagedObjectModel]] = [[source]]
        var left = nodes
        while !frontier.isEmpty, !left.isEmpty {
            var next: [[NSManagedObjectModel]] = []
            for path in frontier {
                guard let last = path.last else { continue }
                for (index, node) in left.enumerated().reversed() {
                    // A version of another model altogether would lose everything on the way.
                    guard shares(last, node.model), isInferable(last, node.model, versions) else { continue }
                    if shares(node.model, destination), isInferable(node.model, destination, versions) {
                        return path + [node.model, destination]
                    }
                    next.append(path + [node.model])
                    left.remove(at: index)
                }
            }
            frontier = next
        }
        return nil
    }

    private static func isInferable(
        _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel,
        _ versions: [NSManagedObjectModel]
    ) -> Bool {
        ModelCorrespondence(source: source, destination: destination, versions: versions).fitsAnyStore
    }

    private static func shares(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) -> Bool {
        let match = ModelCorrespondence(source: source, destination: destination)
        return source.entities.isEmpty || match.entities.contains { $0.source != nil }
    }
}

extension NSManagedObjectModel {
    /// All versions of a model's file that can be read.
    package static func versions(readingFrom url: URL) -> [NSManagedObjectModel] {
        // As said: those that can be read.
        ModelSource.versions(at: url).compactMap { try? $0.load() }
    }
}
