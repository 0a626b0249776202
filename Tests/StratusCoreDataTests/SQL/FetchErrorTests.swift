import Foundation
import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// What a fetch cannot say is an error that names the key and the way out.
@Suite struct FetchErrorTests {
    private func error(_ format: String, _ entity: String = "Thing") throws -> (String, String) {
        var random = Random(seed: 1)
        let store = try LawStore(&random, size: 2)
        let tree = try PredicateTree(parsing: format)
        do {
            let text = try FetchCompiler(layout: store.law.layout)
                .ids(StoreFetch(entity: store.law.entity(entity), predicate: tree))
            return (text.sql, "")
        } catch let error as CocoaError {
            #expect(error.code.rawValue == 134060)
            return (
                error.userInfo[NSLocalizedDescriptionKey] as? String ?? "",
                error.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String ?? ""
            )
        }
    }

    @Test func anUnknownKeyNamesPathEntityAndTheNearestKey() throws {
        #expect(
            try error("nmae == 'x'") == ("keypath nmae not found in entity Thing", "Did you mean 'name'?"))
        #expect(
            try error("owner.agee > 3")
                == ("keypath owner.agee not found in entity Person", "Did you mean 'age'?"))
    }

    @Test func aKeyOfASubentityNamesIt() throws {
        #expect(
            try error("pages > 3")
                == (
                    "keypath pages not found in entity Thing",
                    "'pages' belongs to Book, Comic; fetch that entity."
                ))
    }

    @Test func aToManyKeyNeedsAWord() throws {
        let (message, remedy) = try error("tags.label == 'x'")
        #expect(message == "to-many key not allowed here: 'tags.label'.")
        #expect(remedy.contains("ANY"))
        #expect(try error("tags == nil").0 == "to-many key not allowed here: 'tags'.")
    }

    @Test(arguments: [
        ("hidden == 'x'", "transient"), ("ANY name == 'x'", "ANY needs a to-many relationship"),
        ("blob == 'x'", "cannot be expressed in SQL"), ("name < 5", "cannot compare a string and a number"),
        ("name MATCHES '('", "is not a regular expression"), ("$x == 3", "has no value"),
        ("place == 'x'", "composite"), ("owner < parent", "cannot compare"), ("count.@sum.x > 1", "@sum"),
        ("tokenize:using:(name, 'x') == 'a'", "cannot be expressed in SQL"),
    ])
    func whatCannotBeSaid(_ format: String, _ part: String) throws {
        let message = try error(format).0
        #expect(message.contains(part), "\(message)")
    }

    @Test func valuesAreNeverInTheText() throws {
        let (sql, _) = try error(
            "name == \"Robert'); DROP TABLE ZTHING;--\" AND code IN {'a', 'b;c'} AND price > 4711")
        #expect(!sql.contains("DROP") && !sql.contains("b;c") && !sql.contains("4711"))
    }

    @Test func equalShapesHaveEqualTexts() throws {
        let one = try error("name == 'a' AND count > 1 AND owner.name BEGINSWITH[cd] 'x'").0
        #expect(try error("name == 'b' AND count > 7 AND owner.name BEGINSWITH[cd] 'yy'").0 == one)
    }

    @Test func deepPredicatesAreRefusedNotFatal() throws {
        var tree = PredicateTree.compare(.keyPath(["count"]), .equalTo, .constant(.int(1)))
        for _ in 0..<100_000 { tree = .not(tree) }
        var random = Random(seed: 1)
        let store = try LawStore(&random, size: 2)
        #expect(throws: CocoaError.self) {
            try FetchCompiler(layout: store.law.layout)
                .ids(StoreFetch(entity: store.law.entity("Thing"), predicate: tree))
        }
        // Letting go of it step by step, since a deep value frees itself by recursion.
        while case .not(let part) = tree { tree = part }
    }
}
