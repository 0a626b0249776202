import Foundation
import TestSupport
import Testing

@testable import CoreDataInspection

@Suite("Stores of random models")
struct RandomStoreTests {
    // The checker finds tables and columns by the documented rules, with no code of the store's.
    @Test("Stores that we write read as the documented rules say", arguments: Seed.some(25))
    func law(seed: Seed) throws {
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/Random.sqlite")
        var store = RandomStore(seed: seed)
        try store.write(url)
        let report = StoreChecker.check(url)
        #expect(report.verdict == .clean, "\(report.line) \(report.differences) \(report.oddities)")
        #expect(report.notes.isEmpty, "\(report.notes)")
    }
}
