/// Finds what things of a newer model were called in an older one.
///
/// A renaming identifier is the name in the model before, or the name of all versions that the first of them had
/// (Apple's "canonical name"). Both are understood, so that two renames in a row can be followed from the first
/// version, and from the second, to the third.
struct NameMatch {
    struct Name {
        var name: String
        /// The identifier that was set, not the name that stands in for it.
        var identifier: String?
    }

    /// For each of the newer names the position of the older one.
    private(set) var places: [Int: Int] = [:]
    /// Newer things that claim the same older one, by position.
    private(set) var rivals: [(first: Int, second: Int, source: Int)] = []

    /// - Parameter aliases: names with the identifiers that other versions of the model give them.
    init(source: [Name], destination: [Name], aliases: [String: String]) {
        var claimed: [Int: Int] = [:]
        for (place, name) in destination.enumerated() {
            guard let identifier = name.identifier, identifier != name.name,
                let found = Self.find(identifier, name.name, source, aliases)
            else { continue }
            if let first = claimed[found] {
                rivals.append((first, place, found))
            } else {
                claimed[found] = place
                places[place] = found
            }
        }
        // A name that stayed, and one that was given back.
        for matches in [{ (old: Name, new: Name) in old.name == new.name }, { $0.identifier == $1.name }] {
            for (place, name) in destination.enumerated() where places[place] == nil {
                guard
                    let found = source.indices.first(where: {
                        claimed[$0] == nil && matches(source[$0], name)
                    })
                else { continue }
                claimed[found] = place
                places[place] = found
            }
        }
    }

    private static func find(
        _ identifier: String, _ name: String, _ source: [Name], _ aliases: [String: String]
    ) -> Int? {
        var wanted = identifier
        var seen: Set<String> = []
        while seen.insert(wanted).inserted {
            let same = source.indices.filter { source[$0].identifier == wanted }
            if let place = same.first(where: { source[$0].name == name }) ?? same.first { return place }
            if let place = source.firstIndex(where: { $0.name == wanted }) { return place }
            guard let earlier = aliases[wanted] else { return nil }
            wanted = earlier
        }
        return nil
    }
}
