import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// The answer of a statement is that of evaluation in memory.
@Suite struct PredicateSQLLawTests {
    private static let now = Date(timeIntervalSinceReferenceDate: 700_000_000)

    /// Predicates for each seed; more with `STRATUS_LAW_ROUNDS`.
    private static let rounds =
        ProcessInfo.processInfo.environment["STRATUS_LAW_ROUNDS"].flatMap { Int($0) } ?? 400

    /// What happened to the predicates of a run.
    private struct Tally {
        var same = 0
        /// Evaluation in memory is an error for one of the objects.
        var errors = 0
        /// What the compiler refused, by its message.
        var refused: [String: Int] = [:]
    }

    @Test("SQL answers as memory does", arguments: Seed.some(25))
    func sameAnswers(_ seed: Seed) throws {
        var random = seed.random
        let store = try LawStore(&random, size: random.int(1...14))
        let compiler = FetchCompiler(layout: store.law.layout, now: Self.now)
        var predicates = RandomPredicate(random, store)
        var tally = Tally()
        for _ in 0..<Self.rounds {
            let names = ["Thing", "Thing", "Thing", "Book", "Comic", "Person", "Tag", "Note"]
            let name = random.pick(names, else: "Thing")
            let entity = store.law.entity(name)
            let tree = predicates.predicate(on: entity, depth: random.int(0...4))
            var fetch = StoreFetch(entity: entity, predicate: tree)
            fetch.includesSubentities = !random.oneIn(5)
            try check(fetch, store, compiler, &tally)
        }
        let refused = tally.refused.values.reduce(0, +)
        if ProcessInfo.processInfo.environment["STRATUS_LAW_REPORT"] != nil {
            print("same \(tally.same), errors \(tally.errors), refused \(refused)")
            for (text, count) in tally.refused.sorted(by: { $0.value > $1.value }).prefix(30) {
                print(count, text)
            }
        }
        #expect(tally.same > Self.rounds / 2, "\(tally)")
        #expect(refused < Self.rounds / 4, "\(tally)")
    }

    private func check(
        _ fetch: StoreFetch, _ store: LawStore, _ compiler: FetchCompiler, _ tally: inout Tally
    ) throws {
        guard let tree = fetch.predicate else { return }
        let objects = store.objects(of: fetch.entity)
            .filter { fetch.includesSubentities || $0.entity === fetch.entity }
        let expected: Set<Int64>
        do {
            expected = Set(
                try objects.filter { try tree.evaluate(on: $0, now: Self.now) }.map(\.key))
        } catch {
            tally.errors += 1
            // It must be an error, or some answer, but nothing worse.
            if let text = try? compiler.ids(fetch) { _ = try? store.run(text) }
            return
        }
        let text: SQLPiece
        do { text = try compiler.ids(fetch) } catch let error as CocoaError {
            tally.refused[error.userInfo[NSLocalizedDescriptionKey] as? String ?? "?", default: 0] += 1
            return
        }
        let found = try store.run(text).map { row -> Int64 in
            if case .int(let key) = row[0] { return key }
            return -1
        }
        #expect(
            Set(found) == expected && found.count == expected.count,
            "\(fetch.entity.name ?? ""): \(tree)\n\(text.sql)\n\(text.bindings)\n\(found) instead of \(expected)"
        )
        if Set(found) == expected { tally.same += 1 }
    }
}
