import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// The fetches of the documents use the indexes that Core Data's layout has.
@Suite struct QueryPlanTests {
    private let store: LawStore
    private let compiler: FetchCompiler

    init() throws {
        var random = Random(seed: 3)
        store = try LawStore(&random, size: 5)
        compiler = FetchCompiler(layout: store.law.layout)
    }

    private func plan(
        _ format: String, _ sort: [StoreSort] = [], limit: Int = 0, of name: String = "Thing"
    ) throws -> String {
        let tree = try PredicateTree(parsing: format)
        var fetch = StoreFetch(entity: store.law.entity(name), predicate: tree)
        fetch.sort = sort
        fetch.limit = limit
        let text = try compiler.ids(fetch)
        return try store.run("EXPLAIN QUERY PLAN \(text)").map { row in
            if case .text(let line) = row[3] { line } else { "" }
        }.joined(separator: "\n")
    }

    @Test(arguments: [
        "count == 5", "count != nil AND count > 3", "name BEGINSWITH 'ab'", "name == 'x'",
        "name IN {'a', 'b'}",
        "amount == 1.5", "count BETWEEN {1, 3}", "count > 3 AND code CONTAINS[cd] 'x'",
    ])
    func attributesByIndex(_ format: String) throws {
        let plan = try plan(format)
        #expect(plan.contains("SEARCH t0 USING") && plan.contains("INDEX"), "\(plan)")
    }

    @Test func aDateThatIsThere() throws {
        #expect(try plan("count != nil").contains("SEARCH t0 USING"))
    }

    @Test func sortedWithALimitNeedsNoSorting() throws {
        let plan = try plan("count != nil && price != 0", [StoreSort(path: ["count"])], limit: 50)
        #expect(plan.contains("INDEX") && !plan.contains("TEMP B-TREE FOR ORDER BY"), "\(plan)")
        let descending = try self.plan(
            "count != nil && price != 0", [StoreSort(path: ["count"], ascending: false)], limit: 50)
        #expect(
            descending.contains("INDEX") && !descending.contains("TEMP B-TREE FOR ORDER BY"), "\(descending)")
    }

    @Test func throughARelationship() throws {
        // The join turns round: from the owner's index to the key's.
        let plan = try plan("owner.name == 'x'")
        #expect(
            plan.contains("SEARCH t1 USING COVERING INDEX") || plan.contains("SEARCH t1 USING INDEX"),
            "\(plan)")
        #expect(plan.contains("SEARCH t0 USING"), "\(plan)")
    }

    @Test func objectsByKey() throws {
        let id = NSManagedObjectID(reference: .row(1), entity: store.law.entity("Person"), store: nil)
        var fetch = StoreFetch(entity: store.law.entity("Thing"))
        fetch.predicate = .compare(.keyPath(["owner"]), .equalTo, .constant(.object(PredicateObject(id))))
        let text = try compiler.ids(fetch)
        let lines = try store.run("EXPLAIN QUERY PLAN \(text)")
        #expect("\(lines)".contains("SEARCH t0 USING INDEX ZTHING_ZOWNER_INDEX"))
        #expect(!text.sql.contains("JOIN"))
    }

    @Test func anyUsesTheKeysOfTheOtherSide() throws {
        #expect(try plan("ANY children.name == 'x'").contains("SEARCH t1 USING INDEX"))
        #expect(try plan("ANY tags.label == 'x'").contains("SEARCH"))
    }

    @Test func aSubentityLeavesTheIndexToThePredicate() throws {
        #expect(try plan("count > 3", of: "Book").contains("Z_Thing_count"))
        let sorted = try plan("code != nil", [StoreSort(path: ["count"])], limit: 50, of: "Book")
        #expect(
            sorted.contains("Z_Thing_count") && !sorted.contains("TEMP B-TREE FOR ORDER BY"),
            "\(sorted)")
        #expect(try plan("code != nil", of: "Book").contains("ZTHING_Z_ENT_INDEX"))
    }

    @Test func thousandsOfPartsAreNoDeepExpression() throws {
        let parts = (0..<5_000).map { number in
            PredicateTree.compare(.keyPath(["price"]), .greaterThan, .constant(.int(Int64(number))))
        }
        let fetch = StoreFetch(entity: store.law.entity("Thing"), predicate: .or(parts))
        _ = try store.run(try compiler.count(fetch))
    }
}
