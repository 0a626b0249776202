import Foundation
import Synchronization
import Testing

@testable import StratusCoreData

class DayEvent: NSManagedObject {
    var timeStamp: Date? { managedValue("timeStamp") }
    /// What was computed is kept, as in the sample.
    var sectionIdentifier: String? {
        willAccessValue(forKey: "sectionIdentifier")
        let known = primitiveValue(forKey: "sectionIdentifier") as? String
        didAccessValue(forKey: "sectionIdentifier")
        if let known { return known }
        let day = timeStamp.map { "day \(Int($0.timeIntervalSinceReferenceDate / 86_400))" }
        setPrimitiveValue(day, forKey: "sectionIdentifier")
        return day
    }
    /// Asks for its own key, and gets the value without calling itself.
    var mark: String { "[\(value(forKey: "mark") as? String ?? "none")]" }
    var size: Int { 3 }
}

final class DayParty: DayEvent {
    override var sectionIdentifier: String? { "party" }
}

/// A class whose getter nothing knows.
final class QuietEvent: NSManagedObject {
    var label: String? { "loud" }
}

/// Events in sections by day, as Apple's sample DateSectionTitles has them: a class computes a transient attribute.
@Suite(.serialized) struct TransientSectionTests {
    private enum Getters: BundledClasses {
        static var moduleName: String { "TransientSectionTests" }
        static var classes: [String: NSManagedObject.Type] { [:] }
        static var keyPaths: [AnyKeyPath: String] { [:] }
        static var getters: [(type: NSManagedObject.Type, key: String, path: AnyKeyPath)] {
            [
                (DayEvent.self, "sectionIdentifier", \DayEvent.sectionIdentifier),
                (DayEvent.self, "mark", \DayEvent.mark),
                (DayEvent.self, "size", \DayEvent.size),
            ]
        }
        static let isRegistered: Bool = {
            BundledModels.register(Getters.self)
            return true
        }()
    }

    private func stack() throws -> GraphStack {
        try #require(Getters.isRegistered)
        let event = entity(
            "Event",
            [
                attribute("timeStamp", .dateAttributeType), relationship("place"),
                attribute("sectionIdentifier", .stringAttributeType) { $0.isTransient = true },
                attribute("mark", .stringAttributeType) { $0.isTransient = true },
                attribute("size", .integer64AttributeType) { $0.isTransient = true },
            ])
        let party = entity("Party")
        event.subentities = [party]
        let quiet = entity("Quiet", [attribute("label", .stringAttributeType) { $0.isTransient = true }])
        event.managedObjectClassName = "StratusCoreDataTests.DayEvent"
        party.managedObjectClassName = "StratusCoreDataTests.DayParty"
        quiet.managedObjectClassName = "StratusCoreDataTests.QuietEvent"
        event.relationshipsByName["place"]?.destinationEntity = event
        return try GraphStack(.sqlite, model: model([event, quiet]))
    }

    private func sections<Object>(
        _ entity: String, by key: String, sort: String = "timeStamp", _ context: NSManagedObjectContext,
        as type: Object.Type = NSManagedObject.self
    ) throws -> [String] {
        let request = NSFetchRequest<Object>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: sort, ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: key, cacheName: nil)
        try controller.performFetch()
        return (controller.sections ?? []).map { "\($0.name): \($0.numberOfObjects)" }
    }

    @Test func namesSectionsByWhatTheClassComputes() throws {
        let stack = try stack()
        try stack.run { context in
            var last: NSManagedObject?
            for (name, hours) in [("Event", 25.0), ("Event", 30), ("Party", 40), ("Event", 50)] {
                let event = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
                event["timeStamp"] = Date(timeIntervalSinceReferenceDate: hours * 3600)
                event["place"] = last
                last = event
            }
            #expect(
                try sections("Event", by: "sectionIdentifier", context) == [
                    "day 1: 2", "party: 1", "day 2: 1",
                ])
            try context.save()
        }
        let other = stack.another()
        try other.performAndWait {
            #expect(
                try sections("Event", by: "sectionIdentifier", other) == ["day 1: 2", "party: 1", "day 2: 1"])
            // At the end of a path, and with other types.
            #expect(
                try sections("Event", by: "place.sectionIdentifier", other)
                    == [": 1", "day 1: 2", "party: 1"])
            #expect(try sections("Event", by: "size", other) == ["3: 4"])
            #expect(try sections("Event", by: "mark", other) == ["[none]: 4"])
            let events = try other.fetch(NSFetchRequest<DayEvent>(entityName: "Event"))
            #expect(
                events.filter { NSPredicate(format: "sectionIdentifier == 'day 1'").evaluate(with: $0) }.count
                    == 2)
            events[0].setValue("set", forKey: "mark")
            #expect(events[0].value(forKey: "mark") as? String == "[set]")
            #expect(events[0].primitiveValue(forKey: "mark") as? String == "set")
        }
    }

    @Test func saysWhyAllSectionsMayBeWithoutAName() throws {
        let said = Mutex<[String]>([])
        CoreDataLog.setHandler { message in said.withLock { $0.append(message) } }
        defer { CoreDataLog.setHandler { FileHandle.standardError.write(Data("CoreData: \($0)\n".utf8)) } }
        try stack().run { context throws in
            let quiet = NSEntityDescription.insertNewObject(forEntityName: "Quiet", into: context)
            #expect(try sections("Quiet", by: "label", sort: "objectID", context) == [": 1"])
            #expect(
                said.withLock {
                    $0.contains { $0.contains("'label'") && $0.contains("ManagedObjectGenerator") }
                })
            quiet.setPrimitiveValue("a", forKey: "label")
            let before = said.withLock { $0.count { $0.contains("'label'") } }
            #expect(try sections("Quiet", by: "label", sort: "objectID", context) == ["a: 1"])
            #expect(said.withLock { $0.count { $0.contains("'label'") } } == before)
        }
    }
}
