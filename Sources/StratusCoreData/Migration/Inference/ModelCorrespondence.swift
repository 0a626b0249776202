/// What of an older model became what of a newer one
/// (Documentation/CoreDataStore.md, 'Lightweight migration').
///
/// Complete also where there are obstacles, so that all of them can be listed.
package struct ModelCorrespondence {
    /// The older model.
    package let source: NSManagedObjectModel
    /// The newer model.
    package let destination: NSManagedObjectModel
    /// One for each entity of the newer model, in the order of their numbers.
    package let entities: [EntityMatch]
    /// The entities of the older model that the newer one lacks.
    package let removed: [NSEntityDescription]
    /// What stands in the way whatever the store holds.
    package private(set) var obstacles: [MigrationObstacle] = []
    /// What stands in the way of the objects that a store may have.
    package private(set) var rowObstacles: [RowObstacle] = []
    private let byDestination: [ObjectIdentifier: EntityMatch]
    private let bySource: [ObjectIdentifier: EntityMatch]

    /// - Parameter versions: other versions of the model, which have the names in between.
    package init(
        source: NSManagedObjectModel, destination: NSManagedObjectModel, versions: [NSManagedObjectModel] = []
    ) {
        source.freezeForUse()
        destination.freezeForUse()
        self.source = source
        self.destination = destination
        let history = RenameHistory(versions)
        let olds = source.entities.sorted { $0.layout.number < $1.layout.number }
        let news = destination.entities.sorted { $0.layout.number < $1.layout.number }
        let names = NameMatch(
            source: olds.map { .init(name: $0.name ?? "", identifier: $0.ownRenamingIdentifier) },
            destination: news.map { .init(name: $0.name ?? "", identifier: $0.ownRenamingIdentifier) },
            aliases: history.entities)
        var byDestination: [ObjectIdentifier: EntityMatch] = [:]
        var bySource: [ObjectIdentifier: EntityMatch] = [:]
        var entities: [EntityMatch] = []
        for (place, new) in news.enumerated() {
            let match = EntityMatch(source: names.places[place].map { olds[$0] }, destination: new)
            entities.append(match)
            byDestination[ObjectIdentifier(new)] = match
            if let old = match.source { bySource[ObjectIdentifier(old)] = match }
        }
        self.entities = entities
        self.byDestination = byDestination
        self.bySource = bySource
        removed = olds.filter { bySource[ObjectIdentifier($0)] == nil }
        for rival in names.rivals {
            obstacles.append(
                MigrationObstacle(
                    entity: news[rival.second].name ?? "",
                    reason: "It is a new name of '\(olds[rival.source].name ?? "")', and so is "
                        + "'\(news[rival.first].name ?? "")'. Give one of them another renaming identifier."))
        }
        for match in entities { matchProperties(match, history) }
        checkRules()
    }

    private mutating func matchProperties(_ match: EntityMatch, _ history: RenameHistory) {
        guard let source = match.source else { return }
        let olds = Self.matched(source)
        let news = Self.matched(match.destination)
        let names = NameMatch(
            source: olds.map { .init(name: $0.name, identifier: $0.ownRenamingIdentifier) },
            destination: news.map { .init(name: $0.name, identifier: $0.ownRenamingIdentifier) },
            aliases: history.properties(of: [source, match.destination]))
        for (place, old) in names.places { match.properties[news[place].name] = olds[old] }
        let kept = Set(names.places.values)
        match.removed = olds.indices.filter { !kept.contains($0) }.map { olds[$0] }.filter { !$0.isTransient }
        for rival in names.rivals {
            obstacles.append(
                MigrationObstacle(
                    entity: match.destination.name ?? "", property: news[rival.second].name,
                    reason:
                        "It is a new name of '\(olds[rival.source].name)', and so is '\(news[rival.first].name)'. "
                        + "Give one of them another renaming identifier."))
        }
    }

    /// The properties that hold something of their own, by name.
    private static func matched(_ entity: NSEntityDescription) -> [NSPropertyDescription] {
        entity.properties.filter { !($0 is NSFetchedPropertyDescription) }.sorted { $0.name < $1.name }
    }

    private mutating func checkRules() {
        var rules = MatchRules(match: self)
        rules.check()
        var known: Set<MigrationObstacle> = []
        obstacles = (obstacles + rules.obstacles).filter { known.insert($0).inserted }
        rowObstacles = rules.rowObstacles
    }

    // MARK: Looking up

    /// Whether nothing stands in the way of any store.
    var fitsAnyStore: Bool { obstacles.isEmpty && rowObstacles.isEmpty }

    /// What a newer entity was.
    package func match(of destination: NSEntityDescription) -> EntityMatch? {
        byDestination[ObjectIdentifier(destination)]
    }

    /// What an older entity became; nil where it is gone.
    package func destination(of source: NSEntityDescription) -> NSEntityDescription? {
        bySource[ObjectIdentifier(source)]?.destination
    }

    /// What an older entity became; nil where it is gone.
    package func match(ofSource source: NSEntityDescription) -> EntityMatch? {
        bySource[ObjectIdentifier(source)]
    }

    /// What a property was, in each of the older entities whose objects have it now.
    package func origins(_ property: NSPropertyDescription) -> [(
        match: EntityMatch, property: NSPropertyDescription
    )] {
        guard let entity = property.entity else { return [] }
        return entity.withDescendants.compactMap { member in
            guard let match = match(of: member), let old = match.properties[property.name] else { return nil }
            return (match, old)
        }
    }
}

/// The names that things had in other versions of a model.
struct RenameHistory {
    private(set) var entities: [String: String] = [:]
    private var properties: [String: [String: String]] = [:]

    init(_ versions: [NSManagedObjectModel]) {
        for entity in versions.flatMap(\.entities) {
            let name = entity.name ?? ""
            if let identifier = entity.ownRenamingIdentifier, identifier != name {
                entities[name] = identifier
            }
            for property in entity.properties {
                guard let identifier = property.ownRenamingIdentifier, identifier != property.name else {
                    continue
                }
                properties[name, default: [:]][property.name] = identifier
            }
        }
    }

    /// The identifiers of properties of the entities, under all names that the entities had.
    func properties(of members: [NSEntityDescription]) -> [String: String] {
        var names = Set(members.compactMap(\.name))
        for name in names {
            var current = name
            while let earlier = entities[current], names.insert(earlier).inserted { current = earlier }
        }
        // Names in between lead to the same first name.
        for (name, identifier) in entities where names.contains(identifier) { names.insert(name) }
        var result: [String: String] = [:]
        for name in names.sorted() { result.merge(properties[name] ?? [:]) { first, _ in first } }
        return result
    }
}
