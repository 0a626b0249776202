import Foundation
import Predicates
import StratusCoreData
import TestSupport
import Testing

/// What a graph should hold, kept in the simplest way: numbers, names and lists.
struct ReferenceGraph: Equatable {
    struct Node: Equatable {
        var entity: String
        var title: String?
        var credits = 0
        /// The numbers of the nodes that each relationship leads to.
        var links: [String: [Int]] = [:]
    }

    struct Relation {
        var entity: String
        var name: String
        var isMany: Bool
        var isOrdered = false
        var destination: String
        var inverse: String
        var cascades = false
    }

    static let relations: [Relation] = [
        Relation(
            entity: "Course", name: "lessons", isMany: true, destination: "Lesson", inverse: "course",
            cascades: true),
        Relation(entity: "Lesson", name: "course", isMany: false, destination: "Course", inverse: "lessons"),
        Relation(entity: "Course", name: "tags", isMany: true, destination: "Tag", inverse: "courses"),
        Relation(entity: "Tag", name: "courses", isMany: true, destination: "Course", inverse: "tags"),
        Relation(
            entity: "Course", name: "teacher", isMany: false, destination: "Teacher", inverse: "courses"),
        Relation(entity: "Teacher", name: "courses", isMany: true, destination: "Course", inverse: "teacher"),
        Relation(
            entity: "Teacher", name: "desk", isMany: false, destination: "Desk", inverse: "owner",
            cascades: true),
        Relation(entity: "Desk", name: "owner", isMany: false, destination: "Teacher", inverse: "desk"),
        Relation(
            entity: "Course", name: "chapters", isMany: true, isOrdered: true, destination: "Chapter",
            inverse: "course", cascades: true),
        Relation(
            entity: "Chapter", name: "course", isMany: false, destination: "Course", inverse: "chapters"),
        Relation(
            entity: "Course", name: "previous", isMany: false, destination: "Course", inverse: "following"),
        Relation(
            entity: "Course", name: "following", isMany: true, destination: "Course", inverse: "previous",
            cascades: true),
    ]

    static func relations(of entity: String) -> [Relation] { relations.filter { $0.entity == entity } }
    static func inverse(_ relation: Relation) -> Relation {
        relations.first { $0.entity == relation.destination && $0.name == relation.inverse } ?? relation
    }

    var nodes: [Int: Node] = [:]

    /// The same without what does not count: the order of sets, and relationships that lead nowhere.
    var plain: ReferenceGraph {
        var graph = self
        for (number, node) in nodes {
            for relation in Self.relations(of: node.entity) {
                let links = links(number, relation.name)
                graph.nodes[number]?.links[relation.name] =
                    links.isEmpty ? nil : relation.isOrdered ? links : links.sorted()
            }
        }
        return graph
    }

    func links(_ number: Int, _ name: String) -> [Int] { nodes[number]?.links[name] ?? [] }

    mutating func connect(_ from: Int, _ relation: Relation, _ to: Int) {
        guard !links(from, relation.name).contains(to) else { return }
        let back = Self.inverse(relation)
        if !relation.isMany { for old in links(from, relation.name) { disconnect(from, relation, old) } }
        if !back.isMany { for old in links(to, back.name) { disconnect(to, back, old) } }
        nodes[from]?.links[relation.name, default: []].append(to)
        // A node that leads to itself by a relationship that is its own inverse has one side only.
        nodes[to]?.links[back.name, default: []].append(from)
    }

    mutating func disconnect(_ from: Int, _ relation: Relation, _ to: Int) {
        nodes[from]?.links[relation.name]?.removeAll { $0 == to }
        nodes[to]?.links[relation.inverse]?.removeAll { $0 == from }
    }

    mutating func delete(_ number: Int) {
        guard let node = nodes[number] else { return }
        var doomed: [Int] = []
        for relation in Self.relations(of: node.entity) {
            for other in links(number, relation.name) {
                disconnect(number, relation, other)
                if relation.cascades { doomed.append(other) }
            }
        }
        nodes[number] = nil
        for other in doomed { delete(other) }
    }
}

/// One random history of a graph, done to contexts and to the reference alike.
final class GraphHistory {
    let stack: GraphStack
    let context: NSManagedObjectContext
    var random: Random
    var objects: [Int: NSManagedObject] = [:]
    var numbers: [ObjectIdentifier: Int] = [:]
    var committed = ReferenceGraph()
    var current = ReferenceGraph()
    var undo: [ReferenceGraph] = []
    var redo: [ReferenceGraph] = []
    var last = 0
    var log: [String] = []
    let manager = CountingUndoManager()

    final class CountingUndoManager: UndoManager {
        var count = 0
        override func registerUndo<Target: AnyObject>(
            withTarget target: Target, handler: @escaping (Target) -> Void
        ) {
            if !isUndoing, !isRedoing { count += 1 }
            super.registerUndo(withTarget: target, handler: handler)
        }
    }

    /// One for all histories: making it takes longer than a history does.
    private static let model = GraphModel.make {
        $0["Teacher"]?.relationshipsByName["courses"]?.deleteRule = .nullifyDeleteRule
    }

    init(_ kind: StoreKind, seed: Seed, undoes: Bool) throws {
        stack = try GraphStack(kind, model: Self.model)
        context = stack.context
        random = seed.random
        context.runAndWait { if undoes { context.undoManager = manager } }
    }

    private func pick(_ entity: String) -> Int? {
        current.nodes.filter { $0.value.entity == entity }.keys.sorted().randomElement(using: &random)
    }

    private func number(_ object: NSManagedObject) -> Int { numbers[ObjectIdentifier(object)] ?? -1 }

    /// Does one thing, and gives whether it is part of an event.
    func step() throws {
        var before = current
        var registered = manager.count
        switch Int.random(in: 0..<40, using: &random) {
        case 0: try save()
        case 1: rollback()
        case 2...4: undoOne()
        case 5, 6: redoOne()
        case 7: refresh()
        case 8: try fetch()
        case 9:
            try child()
            before = current
            registered = manager.count
        case 10: try merge()
        case 11: try reset()
        default: try edit(in: context) { self.objects[$0] }
        }
        context.processPendingChanges()
        if manager.count > registered {
            undo.append(before)
            redo = []
        }
        if Int.random(in: 0..<3, using: &random) == 0 { try check() }
    }

    private func title(_ entity: String) -> String {
        entity == "Tag" || entity == "Chapter" || entity == "Teacher"
            ? "name" : entity == "Desk" ? "place" : "title"
    }

    /// One change of objects in a context.
    private func edit(
        in context: NSManagedObjectContext, _ find: (Int) -> NSManagedObject?,
        made: ((Int, NSManagedObject) -> Void)? = nil
    ) throws {
        let entities = ["Course", "Course", "Lesson", "Tag", "Teacher", "Desk", "Chapter"]
        let entity = entities.randomElement(using: &random) ?? "Course"
        let kind = Int.random(in: 0..<20, using: &random)
        if kind < 4 || current.nodes.count < 4 {
            last += 1
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            if let made { made(last, object) } else { adopt(last, object) }
            current.nodes[last] = .init(entity: entity)
            log.append("\(last) = \(entity)")
            return
        }
        guard let number = pick(entity), let object = find(number) else { return }
        if kind < 7 {
            let value = "t\(Int.random(in: 0..<5, using: &random))"
            object.setValue(value, forKey: title(entity))
            current.nodes[number]?.title = value
            log.append("\(number).title = \(value)")
            if entity == "Course" {
                let credits = Int.random(in: 0..<5, using: &random)
                object.setValue(credits, forKey: "credits")
                current.nodes[number]?.credits = credits
            }
            return
        }
        if kind < 9 {
            log.append("delete \(number)")
            context.delete(object)
            current.delete(number)
            context.processPendingChanges()
            return
        }
        guard let relation = ReferenceGraph.relations(of: entity).randomElement(using: &random) else {
            return
        }
        try change(relation, number, object, find)
    }

    private func change(
        _ relation: ReferenceGraph.Relation, _ number: Int, _ object: NSManagedObject,
        _ find: (Int) -> NSManagedObject?
    ) throws {
        let linked = current.links(number, relation.name)
        if Int.random(in: 0..<3, using: &random) == 0, let other = linked.randomElement(using: &random) {
            log.append("\(number).\(relation.name) - \(other)")
            current.disconnect(number, relation, other)
            if !relation.isMany {
                object.setValue(nil, forKey: relation.name)
            } else if let value = find(other) {
                if relation.isOrdered {
                    object.mutableOrderedSetValue(forKey: relation.name).remove(value)
                } else {
                    object.mutableSetValue(forKey: relation.name).remove(value)
                }
            }
            return
        }
        if relation.isOrdered, linked.count > 1, Int.random(in: 0..<2, using: &random) == 0 {
            let order = linked.shuffled(using: &random)
            log.append("\(number).\(relation.name) = \(order)")
            current.nodes[number]?.links[relation.name] = order
            object.setValue(NSOrderedSet(array: order.compactMap(find)), forKey: relation.name)
            return
        }
        guard let other = pick(relation.destination), let value = find(other) else { return }
        log.append("\(number).\(relation.name) + \(other)")
        current.connect(number, relation, other)
        if !relation.isMany {
            object.setValue(value, forKey: relation.name)
        } else if relation.isOrdered {
            object.mutableOrderedSetValue(forKey: relation.name).add(value)
        } else {
            object.mutableSetValue(forKey: relation.name).add(value)
        }
    }

    private func adopt(_ number: Int, _ object: NSManagedObject) {
        objects[number] = object
        numbers[ObjectIdentifier(object)] = number
    }

    private func save() throws {
        log.append("save")
        try context.save()
        committed = current
        try checkStore()
    }

    private func rollback() {
        log.append("rollback")
        context.rollback()
        current = committed
        undo = []
        redo = []
    }

    private func undoOne() {
        guard !undo.isEmpty else { return }
        log.append("undo")
        context.undo()
        redo.append(current)
        current = undo.removeLast()
    }

    private func redoOne() {
        guard !redo.isEmpty else { return }
        log.append("redo")
        context.redo()
        undo.append(current)
        current = redo.removeLast()
    }

    private func refresh() {
        if Bool.random(using: &random) {
            log.append("refresh all")
            context.refreshAllObjects()
        } else if let number = pick("Course"), let object = objects[number] {
            log.append("refresh \(number)")
            context.refresh(object, mergeChanges: true)
        }
    }

    private func reset() throws {
        guard !context.hasChanges else { return }
        log.append("reset")
        let ids = current.nodes.keys.compactMap { number in objects[number].map { (number, $0.objectID) } }
        objects = [:]
        numbers = [:]
        context.reset()
        undo = []
        redo = []
        for (number, id) in ids { adopt(number, context.object(with: id)) }
    }

    private func fetch() throws {
        log.append("fetch")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Course")
        let title = "t\(Int.random(in: 0..<5, using: &random))"
        let limit = Int.random(in: 0..<4, using: &random)
        let kind = Int.random(in: 0..<4, using: &random)
        let formats = [
            "title == %@", "ANY tags.name == %@", "teacher.name == %@", "lessons.@count > 1 OR title == %@",
        ]
        request.predicate = NSPredicate(format: formats[kind], title)
        request.sortDescriptors = [
            NSSortDescriptor(key: "credits", ascending: false),
            NSSortDescriptor(key: "title", ascending: true),
        ]
        func matches(_ number: Int) -> Bool {
            switch kind {
            case 0: current.nodes[number]?.title == title
            case 1: current.links(number, "tags").contains { current.nodes[$0]?.title == title }
            case 2: current.links(number, "teacher").contains { current.nodes[$0]?.title == title }
            default: current.links(number, "lessons").count > 1 || current.nodes[number]?.title == title
            }
        }
        let expected = current.nodes.filter { $0.value.entity == "Course" && matches($0.key) }
        let found = try context.fetch(request)
        try expect(
            Set(found.map(number)) == Set(expected.keys),
            "fetch \(formats[kind]) \(title): \(found.map(number))")
        let keys = found.map {
            (current.nodes[number($0)]?.credits ?? 0, current.nodes[number($0)]?.title ?? "")
        }
        try expect(
            zip(keys, keys.dropFirst()).allSatisfy { $0.0 > $1.0 || ($0.0 == $1.0 && $0.1 <= $1.1) }, "order")
        request.fetchLimit = limit
        try expect(
            try context.fetch(request).map(number)
                == Array(limit > 0 ? found.prefix(limit) : found[...]).map(number), "limit")
        try expect(
            try context.count(for: request) == (limit > 0 ? min(limit, found.count) : found.count), "count")
    }

    /// Changes and saves in a child; each save is one event here, which can be undone.
    private func child() throws {
        log.append("child {")
        let child = stack.child(of: context)
        let ids = objects.mapValues(\.objectID)
        var made: [Int: NSManagedObject] = [:]
        var before = current
        func save() throws {
            let registered = manager.count
            try child.save()
            log.append("saved")
            if manager.count > registered {
                undo.append(before)
                redo = []
            }
            before = current
            for (number, object) in made where current.nodes[number] != nil && objects[number] == nil {
                adopt(number, context.object(with: object.objectID))
            }
        }
        try child.runAndWait {
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                try edit(
                    in: child, { made[$0] ?? ids[$0].map { child.object(with: $0) } }, made: { made[$0] = $1 }
                )
                if Int.random(in: 0..<4, using: &random) == 0 { try save() }
            }
            try save()
        }
        log.append("}")
    }

    private func merge() throws {
        guard
            let number = committed.nodes.filter({ $0.value.entity == "Course" }).keys.sorted().randomElement(
                using: &random),
            let id = objects[number]?.objectID, !id.isTemporaryID
        else { return }
        let credits = Int.random(in: 10..<99, using: &random)
        log.append("merge \(number).credits = \(credits)")
        let registered = manager.count
        let isMine = current.nodes[number].map { $0.credits != committed.nodes[number]?.credits } ?? true
        let other = stack.another()
        try other.runAndWait {
            let saved = Observed(NSManagedObjectContext.didSaveObjectsNotification, other)
            try other.get(id, as: Course.self).setValue(credits, forKey: "credits")
            try other.save()
            guard let notification = saved.all.first else { return }
            context.runAndWait { context.mergeChanges(fromContextDidSave: notification) }
        }
        committed.nodes[number]?.credits = credits
        let changed = objects[number].map { $0.changedValues()["credits"] != nil } ?? false
        if !isMine, !changed { current.nodes[number]?.credits = credits }
        // Others' credits are nothing to undo here.
        try expect(manager.count == registered, "the merge registered an undo")
        manager.removeAllActions()
        undo = []
        redo = []
    }

    // MARK: Comparing

    struct Difference: Error, CustomStringConvertible {
        var description: String
    }

    private func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws {
        if !holds { throw Difference(description: what() + "\n" + log.suffix(60).joined(separator: "\n")) }
    }

    func check() throws {
        for (number, node) in current.nodes {
            guard let object = objects[number] else { throw Difference(description: "no object \(number)") }
            try expect(object.managedObjectContext === context && !object.isDeleted, "\(number) is gone")
            try compare(number, node, object) { self.number($0) }
        }
        let inserted = Set(context.insertedObjects.map(number))
        let wanted = Set(current.nodes.keys).subtracting(committed.nodes.keys)
        try expect(inserted == wanted, "inserted \(inserted), not \(wanted)")
        let deleted = Set(context.deletedObjects.map(number))
        let missing = Set(committed.nodes.keys).subtracting(current.nodes.keys)
        try expect(deleted == missing, "deleted \(deleted), not \(missing)")
        try expect(current.plain == committed.plain || context.hasChanges, "has no changes")
    }

    private func compare(
        _ number: Int, _ node: ReferenceGraph.Node, _ object: NSManagedObject,
        _ name: (NSManagedObject) -> Int
    ) throws {
        let text = object.value(forKey: title(node.entity)) as? String
        try expect(text == node.title, "\(number).title is \(text ?? "nil"), not \(node.title ?? "nil")")
        if node.entity == "Course" {
            let credits = object.value(forKey: "credits") as? Int
            try expect(credits == node.credits, "\(number).credits is \(credits ?? -1), not \(node.credits)")
        }
        for relation in ReferenceGraph.relations(of: node.entity) {
            let value = object.value(forKey: relation.name)
            let found: [Int] =
                switch value {
                case let one as NSManagedObject: [name(one)]
                case let set as NSSet: set.allObjects.compactMap { ($0 as? NSManagedObject).map(name) }
                case let set as NSOrderedSet: set.array.compactMap { ($0 as? NSManagedObject).map(name) }
                default: []
                }
            let wanted = current.links(number, relation.name)
            let isSame = relation.isOrdered ? found == wanted : found.sorted() == wanted.sorted()
            try expect(isSame, "\(number).\(relation.name) is \(found), not \(wanted)")
        }
    }

    private func checkStore() throws {
        let other = stack.another("check")
        let ids = Dictionary(
            uniqueKeysWithValues: current.nodes.keys.compactMap { number in
                objects[number].map { ($0.objectID, number) }
            })
        try other.runAndWait {
            var count = 0
            for entity in ["Course", "Lesson", "Tag", "Person", "Desk", "Chapter"] {
                for object in try other.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) {
                    count += 1
                    guard let number = ids[object.objectID], let node = current.nodes[number] else {
                        throw Difference(description: "the store has \(object.objectID)")
                    }
                    try compare(number, node, object) { ids[$0.objectID] ?? -1 }
                }
            }
            try expect(
                count == current.nodes.count, "the store has \(count) objects, not \(current.nodes.count)")
        }
    }
}

@Suite struct GraphLaw {
    /// Whatever is done, both sides of each relationship agree, and the store holds what the context held.
    ///
    /// `STRATUS_SOAK=1000` makes 40,000 histories of each kind.
    @Test(arguments: StoreKind.allCases, [true, false])
    func contextsDoWhatTheReferenceDoes(_ kind: StoreKind, _ undoes: Bool) throws {
        var failures = 0
        for seed in Seed.some(40, failed: Self.failed) {
            do {
                let history = try GraphHistory(kind, seed: seed, undoes: undoes)
                try history.context.runAndWait {
                    for _ in 0..<120 { try history.step() }
                    try history.check()
                }
            } catch {
                Issue.record("\(kind) \(seed.testDescription) undoes \(undoes): \(error)")
                failures += 1
                if failures == 10 { return }
            }
        }
    }

    /// Seeds that failed once, in any kind of store.
    static let failed: [UInt64] = [
        6_217_199_677_493_024_427, 4_461_716_618_421_760_989, 10_748_780_683_829_154_239,
        16_968_079_085_515_656_794, 243, 296, 1_004_796, 1_005_483, 1_012_374, 1_014_075, 1_015_279,
        1_018_490, 1_018_829, 2_003_839, 2_800_610_415_134_549_128,
        1_838_903_766_669_474_434, 255_172_736_451_025_228, 2_120_374_616_348_664_627,
        6_006_239_382_110_548_600, 5_026_792_338_503_833_595, 7_258_606_805_538_589_179,
    ]
}
