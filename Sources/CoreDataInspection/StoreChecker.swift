public import Foundation
internal import SQLiteAccess
internal import StratusCoreData

/// Reads all of a store through Core Data, and compares it with what plain SQL says by the documented rules.
///
/// The store and what lies beside it are not changed.
public struct StoreChecker {
    private let session: StoreSession
    private let layout: PlainLayout
    private let comparison: ValueComparison
    private var report: CheckReport
    private var differences = FindingList()
    private var oddities = FindingList()
    private var notes = FindingList()
    /// Attributes whose values need a class or transformer of the app.
    private var undecoded: Set<String> = []

    /// Checks a store; what goes wrong is in the report.
    public static func check(_ url: URL, model: URL? = nil) -> CheckReport {
        var report = CheckReport(path: url.path)
        do {
            let session = try StoreSession(url, model: model)
            defer { session.close() }
            var checker = StoreChecker(session, report)
            return try checker.run()
        } catch let error as InspectionError where ["NOT_SQLITE", "NOT_CORE_DATA"].contains(error.code) {
            report.verdict = .notAStore
            report.error = error.message
        } catch let error as InspectionError {
            report.verdict = .failed
            report.error = error.message
        } catch {
            report.verdict = .failed
            report.error = error is CocoaError ? error.localizedDescription : "\(error)"
        }
        return report
    }

    private init(_ session: StoreSession, _ report: CheckReport) {
        self.session = session
        self.report = report
        layout = PlainLayout(session.plain, session.model.model)
        let file = session.copy.url
        comparison = ValueComparison(
            externalFolder: file.deletingLastPathComponent()
                .appendingPathComponent(".\(file.deletingPathExtension().lastPathComponent)_SUPPORT")
                .appendingPathComponent("_EXTERNAL_DATA"))
    }

    private mutating func run() throws -> CheckReport {
        let plain = session.plain
        report.frameworkVersion = (plain.metadata?["NSPersistenceFrameworkVersion"] as? NSNumber)?.intValue
        report.modelOrigin = session.model.origin.rawValue
        report.entities = plain.entities.count
        let consistency = StoreConsistency(plain, layout, session.model.model)
        for finding in try consistency.findings() { oddities.add(finding.kind, finding.detail) }
        for entity in plain.entities { try check(entity) }
        report.differences = differences.list
        report.oddities = oddities.list
        report.notes = session.model.notes + notes.list
        if !undecoded.isEmpty {
            report.notes.append(
                "Values that need the app's classes or transformers were compared as bytes: "
                    + undecoded.sorted().joined(separator: ", "))
        }
        report.verdict = !differences.isEmpty ? .failed : oddities.isEmpty ? .clean : .odd
        return report
    }

    // MARK: Entities

    private mutating func check(_ entity: PlainStore.Entity) throws {
        let plain = session.plain
        guard let description = session.model.model.entitiesByName[entity.name] else {
            return differences.add("an entity is not in the model", entity.name)
        }
        guard let table = plain.table(of: entity) else {
            return differences.add("an entity has no table", entity.name)
        }
        let own = try plain.count(table, "Z_ENT = \(entity.number)")
        let family = plain.family(of: entity).map(String.init).joined(separator: ", ")
        let all = try plain.count(table, "Z_ENT IN (\(family))")
        let context = session.context
        let (counted, countedAll) = try context.runAndWait {
            (
                try context.count(for: Self.request(entity.name, subentities: false)),
                try context.count(for: Self.request(entity.name, subentities: true))
            )
        }
        if counted != own { differences.add("a count differs", "\(entity.name): \(counted), SQL \(own)") }
        if countedAll != all {
            differences.add("a count with subentities differs", "\(entity.name): \(countedAll), SQL \(all)")
        }
        guard own > 0 else { return }
        try checkRows(of: entity, description, table)
        context.runAndWait { context.reset() }
    }

    private static func request(_ name: String, subentities: Bool) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.includesSubentities = subentities
        request.returnsObjectsAsFaults = false
        return request
    }

    private mutating func checkRows(
        of entity: PlainStore.Entity, _ description: NSEntityDescription, _ table: String
    ) throws {
        let context = session.context
        let objects = try context.runAndWait {
            try context.fetch(Self.request(entity.name, subentities: false))
        }
        var byKey: [Int64: NSManagedObject] = [:]
        for object in objects {
            guard let key = StoreSession.key(object.objectID) else { continue }
            if byKey.updateValue(object, forKey: key) != nil {
                differences.add("an object is fetched twice", "\(entity.name)/p\(key)")
            }
        }
        let attributes = columns(description.attributesByName.values.map { $0 }, entity.name)
        let toOnes = columns(
            description.relationshipsByName.values.filter { !$0.isToMany }, entity.name)
        let names = (["Z_PK"] + attributes.map(\.column) + toOnes.map(\.column)).map(PlainStore.quoted)
        let sql =
            "SELECT \(names.joined(separator: ", ")) FROM \(PlainStore.quoted(table)) WHERE Z_ENT = \(entity.number)"
        let plain = session.plain
        try plain.each(sql) { row in
            guard let key = row.integer(0) else {
                return differences.add("a row has no key", entity.name)
            }
            guard let object = byKey.removeValue(forKey: key) else {
                return differences.add("a row is not fetched", "\(entity.name)/p\(key)")
            }
            report.objects += 1
            context.runAndWait {
                compare(object, key, row, attributes)
                compareToOnes(object, key, row, toOnes, offset: 1 + attributes.count)
            }
        }
        for key in byKey.keys.sorted() { differences.add("an object has no row", "\(entity.name)/p\(key)") }
        let toManys = description.relationshipsByName.values.filter { $0.isToMany && !$0.isTransient }
        for relationship in toManys.sorted(by: { $0.name < $1.name }) {
            try compareToMany(relationship, objects, entity)
        }
    }

    /// The stored properties with their columns; those without one are noted.
    private mutating func columns<Property: NSPropertyDescription>(
        _ properties: [Property], _ entity: String
    ) -> [(property: Property, column: String)] {
        properties.filter { !$0.isTransient }.sorted { $0.name < $1.name }.compactMap { property in
            if let column = layout.column(property) { return (property, column) }
            let kind =
                property is NSCompositeAttributeDescription ? "a composite" : "a property without a column"
            notes.add("\(kind) is not compared", "\(entity).\(property.name)")
            return nil
        }
    }

    private mutating func compare(
        _ object: NSManagedObject, _ key: Int64, _ row: PreparedStatement,
        _ attributes: [(property: NSAttributeDescription, column: String)]
    ) {
        for (index, entry) in attributes.enumerated() {
            let stored = row.value(Int32(index + 1))
            let value = object.value(forKey: entry.property.name)
            report.values += 1
            let place = "\(object.entity.name ?? "").\(entry.property.name) of p\(key)"
            switch comparison.compare(value, stored, entry.property) {
            case .equal: break
            case .odd(let what): oddities.add(what, place)
            case .undecoded:
                undecoded.insert("\(entry.property.entity?.name ?? "").\(entry.property.name)")
            case .different(let expected):
                let read = value.map { String("\($0)".prefix(80)) } ?? "nil"
                differences.add("a value differs", "\(place): \(read), SQL \(expected)")
            }
        }
    }

    // MARK: Relationships

    private mutating func compareToOnes(
        _ object: NSManagedObject, _ key: Int64, _ row: PreparedStatement,
        _ toOnes: [(property: NSRelationshipDescription, column: String)], offset: Int
    ) {
        for (index, entry) in toOnes.enumerated() {
            let stored = row.integer(Int32(offset + index))
            let found = object.objectIDs(forRelationshipNamed: entry.property.name).first
            report.relationships += 1
            if found.flatMap(StoreSession.key) != stored {
                differences.add(
                    "a to-one relationship differs",
                    "\(object.entity.name ?? "").\(entry.property.name) of p\(key): "
                        + "\(found.map { "\($0)" } ?? "nil"), SQL \(stored.map { "\($0)" } ?? "NULL")")
            }
        }
    }

    private mutating func compareToMany(
        _ relationship: NSRelationshipDescription, _ objects: [NSManagedObject], _ entity: PlainStore.Entity
    ) throws {
        guard let destination = relationship.destinationEntity,
            let relation = layout.relation(relationship, session.plain)
        else {
            return notes.add(
                "a relationship without a table is not compared", "\(entity.name).\(relationship.name)")
        }
        let expected = try relation.keys(
            session.plain, destination: layout.table(destination), family: layout.family(destination))
        for object in objects {
            guard let key = StoreSession.key(object.objectID) else { continue }
            let found = session.context.runAndWait {
                object.objectIDs(forRelationshipNamed: relationship.name).compactMap(StoreSession.key)
            }
            report.relationships += 1
            let wanted = expected.keys[key] ?? []
            let hasOrder = relation.order != nil && !expected.unordered.contains(key)
            let isEqual = hasOrder ? found == wanted : found.sorted() == wanted.sorted()
            if !isEqual {
                differences.add(
                    "a to-many relationship differs",
                    "\(entity.name).\(relationship.name) of p\(key): \(found.prefix(12)), SQL \(wanted.prefix(12))"
                )
            }
        }
    }
}
