import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// Random models, random data, random changes that inference accepts.
@Suite struct MigrationLawTests {
    @Test(
        "What survives keeps its value, what is new has its default, and the file is what a new one would be",
        arguments: Seed.some(60))
    func law(_ seed: Seed) throws {
        var random = seed.random
        let before = SketchModel.random(&random)
        var after = before
        for _ in 0..<random.int(1...6) { after.edit(&random) }
        guard !isAmbiguous(before, after) else { return }
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/Law.sqlite")
        let store = try SketchStore(url, before)
        try store.fill(&random)
        let old = try SketchStore.contents(url, before, store.model)
        let model = after.build()

        let match = ModelCorrespondence(source: store.model, destination: model)
        try #require(match.obstacles.isEmpty, "\(match.obstacles)")
        let plan = try NSPersistentStoreCoordinator.migrateStore(at: url, to: model)
        let new = try SketchStore.contents(url, after, model)
        compare(
            try expected(old, before, after), new, before, after,
            "\(plan)\n\(plan.statements.joined(separator: "\n"))")
        // An index alone is no other version, as on Apple's platforms: such a store stays as it is.
        try checkFile(url, model, isMigrated: plan.status != .notNeeded)
    }

    /// Whether a name was given to something else, which the sketch tells apart by its id and inference cannot.
    private func isAmbiguous(_ before: SketchModel, _ after: SketchModel) -> Bool {
        after.entities.contains { entity in
            let olds = before.attributes(of: entity.id)
            return after.attributes(of: entity.id).contains { new in
                olds.contains {
                    $0.id != new.id && ($0.name == new.identifier ?? new.name || $0.name == new.name)
                }
            }
        }
    }

    private func expected(
        _ old: [SketchStore.Key: SketchStore.Content], _ before: SketchModel, _ after: SketchModel
    ) throws -> [SketchStore.Key: SketchStore.Content] {
        var result: [SketchStore.Key: SketchStore.Content] = [:]
        for (key, content) in old {
            guard after.entity(content.entity) != nil, let root = after.chain(content.entity).last?.id else {
                continue
            }
            var wanted = SketchStore.Content(entity: content.entity)
            let olds = Dictionary(before.attributes(of: content.entity).map { ($0.id, $0) }) { first, _ in
                first
            }
            for attribute in after.attributes(of: content.entity) {
                let standard = attribute.hasDefault ? SketchValue.storedDefault(attribute.type) : .null
                var value = standard
                if let known = olds[attribute.id] {
                    value = content.attributes[attribute.id] ?? .null
                    if value == .null, known.isOptional, !attribute.isOptional { value = standard }
                }
                wanted.attributes[attribute.id] = value
            }
            for relationship in after.relationships(of: content.entity) {
                guard
                    let known = before.relationships(of: content.entity).first(where: {
                        $0.id == relationship.id
                    })
                else { continue }
                wanted.relationships[relationship.id] = targets(
                    known, relationship, key, content, old, before, after)
            }
            result[SketchStore.Key(table: root, pk: key.pk)] = wanted
        }
        return result
    }

    private func targets(
        _ known: SketchModel.Relationship, _ new: SketchModel.Relationship, _ key: SketchStore.Key,
        _ content: SketchStore.Content, _ old: [SketchStore.Key: SketchStore.Content], _ before: SketchModel,
        _ after: SketchModel
    ) -> [Int64] {
        let root = before.chain(known.destination).last?.id ?? 0
        let inverses = [before, after].map { sketch in sketch.entities.flatMap(\.relationships) }
        let oldInverse = inverses[0].first { $0.id == known.inverse }
        let newInverse = inverses[1].first { $0.id == new.inverse }
        // Many could lead to one object, and only one can from now on: the first stays.
        let wasExclusive = known.isToMany ? oldInverse?.isToMany != true : oldInverse?.isToMany == false
        let isExclusive =
            !wasExclusive && (new.isToMany ? newInverse?.isToMany != true : newInverse?.isToMany == false)
        return (content.relationships[known.id] ?? []).filter { pk in
            guard let target = old[SketchStore.Key(table: root, pk: pk)], after.entity(target.entity) != nil,
                after.isKind(target.entity, of: new.destination)
            else { return false }
            guard isExclusive else { return true }
            let owners = old.filter { other, content in
                other.table == key.table
                    && after.relationships(of: content.entity).contains { $0.id == new.id }
                    && after.entity(content.entity) != nil
                    && content.relationships[known.id]?.contains(pk) == true
            }
            return owners.keys.map(\.pk).min() == key.pk
        }
    }

    private func compare(
        _ wanted: [SketchStore.Key: SketchStore.Content], _ found: [SketchStore.Key: SketchStore.Content],
        _ before: SketchModel, _ after: SketchModel, _ plan: String
    ) {
        #expect(Set(wanted.keys) == Set(found.keys), Comment(rawValue: plan))
        for (key, content) in wanted {
            guard let other = found[key] else { continue }
            #expect(content.entity == other.entity, "\(key)")
            for attribute in after.attributes(of: content.entity) {
                #expect(
                    content.attributes[attribute.id].map(SketchValue.comparable)
                        == other.attributes[attribute.id],
                    "\(after.entity(content.entity)?.name ?? "").\(attribute.name) of \(key)\n\(plan)")
            }
            for (id, targets) in content.relationships {
                let new = after.relationships(of: content.entity).first { $0.id == id }
                let old = before.relationships(of: content.entity).first { $0.id == id }
                let isOrdered = [new, old].allSatisfy { $0?.isToMany == true && $0?.isOrdered == true }
                let other = other.relationships[id] ?? []
                #expect(
                    (isOrdered ? targets : targets.sorted()) == (isOrdered ? other : other.sorted()),
                    "\(after.entity(content.entity)?.name ?? "").\(new?.name ?? "") of \(key)\n\(plan)")
            }
        }
    }

    private func checkFile(_ url: URL, _ model: NSManagedObjectModel, isMigrated: Bool) throws {
        let connection = try SketchStore.connect(url)
        #expect(try connection.rows("PRAGMA integrity_check") == [[.text("ok")]])
        let fresh = URL(fileURLWithPath: url.path + ".fresh")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.remove(try coordinator.addPersistentStore(type: .sqlite, at: fresh))
        let other = try SketchStore.connect(fresh)
        let difference = try StoreShape(connection).difference(from: StoreShape(other))
        #expect(difference.isEmpty || !isMigrated, "\(difference)")
        let numbers = "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT"
        #expect(try connection.rows(numbers) == other.rows(numbers))
        connection.close()
        other.close()
        // No option to migrate: the model opens it as it is.
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for entity in model.entities {
                _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity.name ?? ""))
            }
        }
        try coordinator.remove(store)
        #expect(try coordinator.migrationPlan(forStoreAt: url).status == .notNeeded)
        #expect(!FileManager.default.fileExists(atPath: url.path + ".migrating"))
    }
}

/// The tables, indexes and triggers of a database, without regard to the order of columns.
struct StoreShape: Equatable {
    var tables: [String: Set<String>] = [:]
    var indexes: [String: String] = [:]
    var triggers: Set<String> = []

    /// What one of two has and the other has not.
    func difference(from other: StoreShape) -> [String] {
        Set(lines).symmetricDifference(other.lines).sorted().map { (lines.contains($0) ? "+ " : "- ") + $0 }
    }

    private var lines: [String] {
        tables.flatMap { name, columns in ["table \(name)"] + columns.map { "column \(name).\($0)" } }
            + indexes.map { "index \($0) \($1)" } + triggers.map { "trigger \($0)" }
    }

    init(_ connection: SQLiteConnection) throws {
        for (name, columns) in try StoredState.schema(connection).tables where !name.hasPrefix("SQLITE_") {
            tables[name] = Set(columns.map { "\($0.name) \($0.type)" })
        }
        for row in try connection.rows(
            "SELECT type, name, sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql NOT NULL")
        {
            guard case .text(let type) = row[0], case .text(let name) = row[1], case .text(let sql) = row[2]
            else { continue }
            if type == "index" { indexes[name] = StoreRewrite.normalized(sql) } else { triggers.insert(name) }
        }
    }
}
