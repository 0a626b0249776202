import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// The order of a statement is that of the comparisons in memory; limits and offsets cut it, counts count it.
@Suite struct SortSQLLawTests {
    private static let paths: [[String]] = [
        ["name"], ["code"], ["count"], ["small"], ["flag"], ["price"], ["weight"], ["amount"], ["date"],
        ["key"],
        ["link"], ["bytes"], ["owner", "name"], ["owner", "boss", "age"], ["parent", "amount"],
        ["place", "city"],
        ["tags", "@count"], ["children", "@max", "price"], ["objectID"], ["entity", "name"],
    ]

    @Test("Order, limit, offset and count", arguments: Seed.some(40))
    func order(_ seed: Seed) throws {
        var random = seed.random
        let store = try LawStore(&random, size: random.int(1...20))
        let compiler = FetchCompiler(layout: store.law.layout)
        let entity = store.law.entity("Thing")
        for _ in 0..<25 {
            var fetch = StoreFetch(entity: entity)
            fetch.sort = (0..<random.int(1...3)).map { _ in
                StoreSort(
                    path: random.pick(Self.paths, else: ["name"]), ascending: random.oneIn(2),
                    comparison: random.pick(
                        [.values, .values, .caseInsensitive] + StoreSort.Comparison.localizedVariants,
                        else: .values))
            }
            let expected = try store.objects(of: entity).sorted { try Self.precedes($0, $1, fetch.sort) }
            let text = try compiler.ids(fetch)
            #expect(try keys(store, text) == expected.map(\.key), "\(fetch.sort) \(text.sql)")

            fetch.limit = random.int(0...8)
            fetch.offset = random.int(0...8)
            let part = expected.dropFirst(fetch.offset).prefix(fetch.limit == 0 ? .max : fetch.limit)
            #expect(try keys(store, compiler.ids(fetch)) == part.map(\.key))
            #expect(try store.run(compiler.count(fetch)) == [[.int(Int64(part.count))]])
        }
    }

    private func keys(_ store: LawStore, _ text: SQLPiece) throws -> [Int64] {
        try store.run(text).map { if case .int(let key) = $0[0] { key } else { -1 } }
    }

    private static func precedes(_ one: LawObject, _ other: LawObject, _ sorts: [StoreSort]) throws -> Bool {
        for sort in sorts {
            let tree = ExpressionTree.keyPath(sort.path)
            var result = order(try tree.value(on: one), try tree.value(on: other), sort.comparison)
            if !sort.ascending { result = ComparisonResult(rawValue: -result.rawValue) ?? .orderedSame }
            if result != .orderedSame { return result == .orderedAscending }
        }
        return one.key < other.key
    }

    private static func order(
        _ first: PredicateValue, _ second: PredicateValue, _ comparison: StoreSort.Comparison
    ) -> ComparisonResult {
        switch (first, second) {
        case (.null, .null): return .orderedSame
        case (.null, _): return .orderedAscending
        case (_, .null): return .orderedDescending
        case (.string(let left), .string(let right)): return comparison.textOrder(left, right)
        case (.object(let left), .object(let right)):
            let keys = [left, right].map { ($0.base as? NSManagedObjectID)?.rowKey ?? 0 }
            return keys[0] < keys[1]
                ? .orderedAscending : keys[0] > keys[1] ? .orderedDescending : .orderedSame
        default:
            return switch first.order(to: second) {
            case .ascending: .orderedAscending
            case .descending: .orderedDescending
            default: .orderedSame
            }
        }
    }
}
