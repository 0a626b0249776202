import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// Fetches of dictionaries: values of each row, distinct ones, groups, statistics; and the values of updates.
@Suite struct DictionarySQLTests {
    private func column(_ name: String, _ tree: ExpressionTree) -> StoreColumns.Column {
        StoreColumns.Column(name: name, expression: tree, type: .undefinedAttributeType)
    }

    @Test("Columns of each row equal their expressions", arguments: Seed.some(20))
    func columns(_ seed: Seed) throws {
        var random = seed.random
        let store = try LawStore(&random, size: 10)
        let entity = store.law.entity("Thing")
        let compiler = FetchCompiler(layout: store.law.layout)
        var predicates = RandomPredicate(random, store)
        for _ in 0..<60 {
            _ = predicates.predicate(on: entity, depth: 0)
            let kind = random.pick(
                [LawKind.string, .whole, .number, .decimal, .date, .uuid, .flag], else: .whole)
            let tree = predicates.expression(kind, 2)
            guard case .function("now", _) = tree else {
                try check(tree, entity, store, compiler)
                continue
            }
        }
    }

    private func check(
        _ tree: ExpressionTree, _ entity: NSEntityDescription, _ store: LawStore, _ compiler: FetchCompiler
    ) throws {
        let now = Date(timeIntervalSinceReferenceDate: 5)
        guard let expected = try? store.objects(of: entity).map({ try tree.value(on: $0, now: now) }) else {
            return
        }
        // Functions over one value run over the rows in a dictionary fetch.
        if "\(tree)".contains("(") { return }
        var fetch = StoreFetch(entity: entity)
        fetch.sort = [StoreSort(path: ["objectID"])]
        let columns = StoreColumns(columns: [column("x", tree)], isDistinct: false, groupBy: [], having: nil)
        let statement = try compiler.dictionaries(fetch, columns)
        let found = try store.run(statement.text).map { $0[0].value(statement.columns[0].kind.letter) }
        #expect(found.count == expected.count)
        for (one, other) in zip(found, expected) {
            #expect(one.isEqual(to: other), "\(tree): \(one), not \(other)\n\(statement.text.sql)")
        }
    }

    @Test("Groups and statistics equal what Swift computes", arguments: Seed.some(20))
    func groups(_ seed: Seed) throws {
        var random = seed.random
        let store = try LawStore(&random, size: random.int(2...20))
        let entity = store.law.entity("Thing")
        let least = random.int(0...3)
        let columns = StoreColumns(
            columns: [
                column("owner.name", .keyPath(["owner", "name"])),
                column("total", .function("sum:", [.keyPath(["small"])])),
                column("n", .function("count:", [.selfObject])),
                column("most", .keyPath(["@max", "weight"])),
                column("mean", .function("average:", [.keyPath(["small"])])),
            ], groupBy: [["owner", "name"]],
            having: .compare(.variable("n"), .greaterThan, .constant(.int(Int64(least)))))
        var fetch = StoreFetch(entity: entity)
        fetch.sort = [StoreSort(path: ["owner", "name"])]
        let statement = try FetchCompiler(layout: store.law.layout).dictionaries(fetch, columns)
        let rows = try store.run(statement.text)
        let groups = Dictionary(grouping: store.objects(of: entity)) {
            ($0.object("owner")?.values["name"] as? String).map { Array($0.utf8) }
        }.filter { $0.value.count > least }
        #expect(rows.count == groups.count)
        for row in rows {
            let name = row[0].value("s").anyValue as? String
            let members = groups[name.map { Array($0.utf8) }] ?? []
            let smalls = members.compactMap { $0.values["small"] as? Int }
            #expect(row[1] == .int(Int64(smalls.reduce(0, +))))
            #expect(row[2] == .int(Int64(members.count)))
            let weights = members.compactMap { $0.values["weight"] as? Float }
            #expect(row[3].value("n").anyValue as? Double == weights.max().map { Double($0) })
            let mean = smalls.isEmpty ? nil : Double(smalls.reduce(0, +)) / Double(smalls.count)
            #expect(row[4].value("n").anyValue as? Double == mean)
        }
    }

    @Test func distinctValuesComeOnce() throws {
        var random = Random(seed: 7)
        let store = try LawStore(&random, size: 30)
        let entity = store.law.entity("Thing")
        let columns = StoreColumns(columns: [column("small", .keyPath(["small"]))], isDistinct: true)
        var fetch = StoreFetch(entity: entity)
        fetch.sort = [StoreSort(path: ["small"], ascending: false)]
        let statement = try FetchCompiler(layout: store.law.layout).dictionaries(fetch, columns)
        let found = try store.run(statement.text).map { $0[0].value("n").anyValue as? Int }
        let expected = Set(store.objects(of: entity).map { $0.values["small"] as? Int })
        #expect(found == expected.sorted { ($0 ?? .min) > ($1 ?? .min) })
    }

    @Test func constantsAndFunctionsStandBesideAttributes() throws {
        var random = Random(seed: 7)
        let store = try LawStore(&random, size: 3)
        let columns = StoreColumns(columns: [
            column("small", .keyPath(["small"])), column("seven", .constant(.int(7))),
            column("tags", .keyPath(["tags", "@count"])),
        ])
        let fetch = StoreFetch(entity: store.law.entity("Thing"))
        let statement = try FetchCompiler(layout: store.law.layout).dictionaries(fetch, columns)
        let rows = try store.run(statement.text)
        #expect(rows.map { $0[1] } == Array(repeating: .int(7), count: 3))
        #expect(
            rows.map { $0[2] }
                == store.objects(of: fetch.entity).map { .int(Int64($0.objects("tags").count)) })
    }

    @Test func aColumnOutsideOfTheGroupsIsAnError() throws {
        var random = Random(seed: 7)
        let store = try LawStore(&random, size: 3)
        let columns = StoreColumns(
            columns: [column("name", .keyPath(["name"])), column("n", .function("count:", [.selfObject]))],
            groupBy: [["code"]])
        #expect(throws: CocoaError.self) {
            try FetchCompiler(layout: store.law.layout)
                .dictionaries(StoreFetch(entity: store.law.entity("Thing")), columns)
        }
    }

    @Test func updatesComputeInTheStore() throws {
        var random = Random(seed: 11)
        let store = try LawStore(&random, size: 12)
        let entity = store.law.entity("Thing")
        let compiler = FetchCompiler(layout: store.law.layout)
        let small = try #require(entity.attributesByName["small"])
        let age = ExpressionTree.keyPath(["owner", "age"])
        let value = try compiler.assignment(
            .function(PredicateFunction.add, [age, .constant(.double(1.5))]), to: small, of: entity,
            alias: "u")
        let fetch = StoreFetch(
            entity: entity, predicate: .compare(.keyPath(["owner", "name"]), .notEqualTo, .constant(.null)))
        try store.run("UPDATE ZTHING AS u SET ZSMALL = \(value) WHERE \(try compiler.condition(fetch))")
        let rows = try store.run("SELECT Z_PK, ZSMALL FROM ZTHING ORDER BY Z_PK")
        for (row, object) in zip(rows, store.objects(of: entity)) {
            let owner = object.object("owner")
            let expected: Int? =
                owner?.values["name"] == nil
                ? object.values["small"] as? Int
                : (owner?.values["age"] as? Int).map { Int(Double($0) + 1.5) }
            #expect(row[1] == expected.map { .int(Int64($0)) } ?? .null)
        }
    }
}
