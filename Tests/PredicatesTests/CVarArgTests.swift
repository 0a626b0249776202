import Foundation
import Predicates
import Testing

/// `x as CVarArg` is how much code hands values to a predicate.
@Suite struct CVarArgTests {
    @Test func valuesThatWereCastToArgumentsKeepTheirTypes() {
        let date = Date(timeIntervalSinceReferenceDate: 10)
        let id = UUID()
        let row: [String: Any] = ["at": date, "id": id, "tags": ["a"]]
        #expect(NSPredicate(format: "at == %@", date as any CVarArg).evaluate(with: row))
        #expect(NSPredicate(format: "id == %@", id as any CVarArg).evaluate(with: row))
        #expect(NSPredicate(format: "at IN %@", [date] as any CVarArg).evaluate(with: row))
        #expect(NSPredicate(format: "at < %@", (date + 1) as NSDate as any CVarArg).evaluate(with: row))
        #expect(!NSPredicate(format: "id == %@", UUID() as any CVarArg).evaluate(with: row))
    }
}
