import Foundation
import Testing

@testable import StratusCoreData

/// What SQLite makes of values that are not of the type of a column of texts.
@Suite struct TextColumnTests {
    @Test func textsAreInListsOfWholeNumbers() throws {
        let bench = try StoreBench(
            model([entity("Car", [attribute("plate", .stringAttributeType)])]))
        let context = bench.context()
        try context.performAndWait {
            for plate in ["1", "2", "3", "04", "x"] {
                NSEntityDescription.insertNewObject(forEntityName: "Car", into: context)
                    .setValue(plate, forKey: "plate")
            }
            try context.save()
            func count(_ list: [Any]) throws -> Int {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
                request.predicate = NSPredicate(format: "plate IN %@", list)
                return try context.count(for: request)
            }
            #expect(try count([1, 2, 3]) == 3)
            #expect(try count([4, "x"]) == 1)
            #expect(try count(Array(1...60)) == 3)
        }
    }
}
