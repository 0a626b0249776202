internal import SQLiteAccess
internal import StratusCoreData

/// Makes the plan of a migration.
struct MigrationPlanner {
    let url: URL
    let model: NSManagedObjectModel
    let configuration: String?
    let versions: [NSManagedObjectModel]

    /// - Throws: `CocoaError`: 134080 where there is no store, 134130 where its model is not known.
    func plan() throws -> MigrationPlan {
        try StoreContents.read(url) { contents, connection in
            let decision = try MigrationDecision.of(
                contents, connection, url: url, model: model, configuration: configuration, versions: versions
            )
            switch decision {
            case .notNeeded: return MigrationPlan(status: .notNeeded, store: url.path)
            case .impossible(let obstacles, let source):
                var plan = try start(.impossible, [source, model], contents, connection)
                plan.obstacles = obstacles
                return plan
            case .mapping(_, let source): return try start(.mapping, [source, model], contents, connection)
            case .lightweight(let models):
                var plan = try start(.lightweight, models, contents, connection)
                try add(models, &plan, contents, connection)
                return plan
            }
        }
    }

    private func start(
        _ status: MigrationPlan.Status, _ models: [NSManagedObjectModel], _ contents: StoreContents,
        _ connection: SQLiteConnection
    ) throws -> MigrationPlan {
        var plan = MigrationPlan(status: status, store: url.path)
        plan.versions = models.map(\.versionChecksum)
        plan.bytes = try connection.number(
            "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        guard let source = models.first, let layout = try? layout(source, contents) else { return plan }
        let counts = try connection.counts(layout.entities.map { ($0.table.sqlName, $0.number) })
        for member in layout.entities where !member.entity.isAbstract || counts[member.number] != nil {
            plan.objects[member.entity.name ?? ""] = counts[member.number] ?? 0
        }
        return plan
    }

    private func layout(_ source: NSManagedObjectModel, _ contents: StoreContents) throws -> StoreLayout {
        try LayoutBuilder.layout(
            source, configuration: contents.configuration(configuration, in: source), schema: contents.schema)
    }

    private func add(
        _ models: [NSManagedObjectModel], _ plan: inout MigrationPlan, _ contents: StoreContents,
        _ connection: SQLiteConnection
    ) throws {
        var contents = contents
        for (index, (source, destination)) in zip(models, models.dropFirst()).enumerated() {
            let match = ModelCorrespondence(source: source, destination: destination, versions: versions)
            let rewrite = try StoreMigration.rewrite(match, contents, configuration)
            plan.steps += ModelDifference(match: match).steps
            plan.statements += rewrite.shaping + rewrite.moving + rewrite.dropping
            plan.rowsRewritten += rewrite.layouts.old.entities.filter {
                rewrite.rewritten.contains($0.table.name)
            }
            .reduce(0) { $0 + (plan.objects[$1.entity.name ?? ""] ?? 0) }
            // Only the first step's tables are there to be counted.
            plan.losses += try losses(rewrite, index == 0 ? connection : nil)
            contents.follow(rewrite.layouts.new)
        }
        plan.estimatedSeconds = Double(plan.bytes) / 150e6 + Double(plan.rowsRewritten) / 400e3
    }

    // MARK: Losses

    private func losses(_ rewrite: StoreRewrite, _ connection: SQLiteConnection?) throws -> [MigrationPlan
        .Loss]
    {
        var result: [MigrationPlan.Loss] = []
        let layouts = rewrite.layouts
        for gone in layouts.removed {
            let count = try connection?.number(
                "SELECT count(*) FROM \(gone.table.sqlName) WHERE Z_ENT = \(gone.number)")
            guard count != 0 else { continue }
            result.append(
                .init(entity: gone.entity.name ?? "", count: count, reason: "the objects are removed"))
        }
        for match in layouts.match.entities {
            guard let source = match.source, let old = layouts.old.table(of: source) else { continue }
            for property in match.removed {
                guard let condition = Self.condition(property, old, layouts) else { continue }
                let count = try connection?.number(
                    "SELECT count(*) FROM \(old.table.sqlName) AS o WHERE Z_ENT = \(old.number) AND \(condition)"
                )
                guard count != 0 else { continue }
                result.append(
                    .init(
                        entity: source.name ?? "", property: property.name, count: count,
                        reason: "the values are removed"))
            }
        }
        return result + relationshipLosses(layouts)
    }

    /// Whether an object has a value that goes; nil where nothing of its own goes.
    private static func condition(
        _ property: NSPropertyDescription, _ entity: EntityTable, _ layouts: LayoutMatch
    ) -> String? {
        switch entity.storage(property.name) {
        case .column(let column)? where !(property is NSDerivedAttributeDescription):
            return "\(column) NOT NULL"
        case .composite(let parts)?:
            return "(\(parts.map { "\($0.column) NOT NULL" }.joined(separator: " OR ")))"
        case .toOne(let columns)? where !survives(property, layouts): return "\(columns.key) NOT NULL"
        case .join(let side)? where !survives(property, layouts):
            return "EXISTS (SELECT 1 FROM \(side.table.sqlName) WHERE \(side.own) = o.Z_PK)"
        case .toManyKey(let key)? where !key.hasInverse:
            return "EXISTS (SELECT 1 FROM \(key.table.sqlName) WHERE \(key.key) = o.Z_PK)"
        default: return nil
        }
    }

    /// Whether a relationship that is gone is still known from the other side.
    private static func survives(_ property: NSPropertyDescription, _ layouts: LayoutMatch) -> Bool {
        guard let inverse = (property as? NSRelationshipDescription)?.inverseRelationship else {
            return false
        }
        return inverse.entity.withDescendants.contains { member in
            layouts.match.match(ofSource: member)?.properties.values.contains { $0 === inverse } ?? false
        }
    }

    /// Whether an object can be led to by one other only.
    private static func isExclusive(_ relationship: NSRelationshipDescription) -> Bool {
        let inverse = relationship.inverseRelationship?.isToMany
        return relationship.isToMany ? inverse != true : inverse == false
    }

    private func relationshipLosses(_ layouts: LayoutMatch) -> [MigrationPlan.Loss] {
        var result: Set<MigrationPlan.Loss> = []
        for member in layouts.new.entities {
            for case let new as NSRelationshipDescription in member.entity.ownProperties {
                for origin in layouts.origins(new) {
                    guard let old = origin.property as? NSRelationshipDescription else { continue }
                    let entity = origin.entity.entity.name ?? ""
                    if layouts.mayLose(old, new) {
                        let name = new.destinationEntity?.name ?? ""
                        result.insert(
                            .init(
                                entity: entity, property: old.name,
                                reason: "what is removed, or no '\(name)', is led to no more"))
                    }
                    if Self.isExclusive(new), !Self.isExclusive(old) {
                        result.insert(
                            .init(
                                entity: entity, property: old.name,
                                reason: "where several led to one object, only the first does from now on"))
                    }
                }
            }
        }
        return result.sorted {
            ($0.entity, $0.property ?? "", $0.reason) < ($1.entity, $1.property ?? "", $1.reason)
        }
    }
}

extension StoredSchema {
    /// The tables and numbers that a store of a layout has.
    init(_ layout: StoreLayout) {
        for table in layout.tables {
            let system = ["Z_PK", "Z_ENT", "Z_OPT"].map { Column(name: $0, type: "INTEGER") }
            tables[table.name.uppercased()] =
                system + table.columns.map { Column(name: $0.name, type: $0.type) }
        }
        for join in layout.joins {
            tables[join.name.uppercased()] = ([join.first, join.second] + join.orders).map {
                Column(name: $0, type: "INTEGER")
            }
        }
        for member in layout.entities { numbers[member.entity.name ?? ""] = member.number }
    }
}
