import Foundation
import Predicates
import Testing

@Suite struct NSPredicateTests {
    @Test("A format gives the class that Apple's parser gives")
    func classes() {
        #expect(NSPredicate(format: "a == 1") is NSComparisonPredicate)
        #expect(NSPredicate(format: "a == 1 AND b == 2") is NSCompoundPredicate)
        #expect(NSPredicate(format: "NOT a == 1") is NSCompoundPredicate)
        #expect(type(of: NSPredicate(format: "TRUEPREDICATE")) == NSPredicate.self)
        #expect(
            (NSPredicate(format: "a == 1 OR b == 2") as? NSCompoundPredicate)?.compoundPredicateType == .or)
    }

    @Test("Arguments of every kind, as a list and as an array")
    func arguments() {
        let predicate = NSPredicate(format: "%K == %@ AND age > %ld AND born < %@", "name", "Ada", 30, Date())
        #expect(predicate.evaluate(with: ["name": "Ada", "age": 31, "born": Date.distantPast]))
        #expect(!predicate.evaluate(with: ["name": "Ada", "age": 30, "born": Date.distantPast]))
        #expect(NSPredicate(format: "name == %@", nil as String?).evaluate(with: ["x": 1]))
        #expect(NSPredicate(format: "a IN %@", argumentArray: [[1, 2]]).evaluate(with: ["a": 2]))
        #expect(NSPredicate(format: "a == 1", argumentArray: nil).evaluate(with: ["a": 1]))
        #expect(NSPredicate(format: "SELF IN %@", ["a", "b"]).evaluate(with: "b"))
    }

    @Test("predicateFormat is the normal form")
    func text() {
        #expect(format(of: NSPredicate(format: "a=1&&b='x'")) == "a == 1 AND b == \"x\"")
        #expect(
            format(of: NSPredicate(format: "TRUEPREDICATE && true = YES")) == "TRUEPREDICATE AND YES == YES")
        #expect(format(of: NSPredicate(format: "FALSEPREDICATE")) == "FALSEPREDICATE")
    }

    @Test("The throwing twin gives the same predicate, or the error")
    func throwing() throws {
        #expect(try NSPredicate.parsed("a == %@", 1) == NSPredicate(format: "a == 1"))
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parsed("a = = 1") }
    }

    @Test("Trees come back out of predicates of every make")
    func trees() throws {
        let made = NSPredicate(format: "a == 1 AND NOT (b == 2 OR TRUEPREDICATE)")
        #expect(made.tree == (try PredicateTree(parsing: "a == 1 AND NOT (b == 2 OR TRUEPREDICATE)")))
        let part = NSPredicate(format: "a == 1")
        let mixed = NSCompoundPredicate(andPredicateWithSubpredicates: [
            part, NSPredicate(value: false), NSCompoundPredicate(notPredicateWithSubpredicate: part),
        ])
        #expect(mixed.tree?.description == "a == 1 AND FALSEPREDICATE AND NOT a == 1")
        #expect(NSPredicate(value: true).tree == .constant(true))
        #expect(NSCompoundPredicate(andPredicateWithSubpredicates: []).tree == .constant(true))
        #expect(NSCompoundPredicate(orPredicateWithSubpredicates: []).tree == .constant(false))
        #expect(NSPredicate(PredicateTree.constant(true)).tree == .constant(true))
    }

    @Test("A block has no tree, alone or as a part, and is never called to find out")
    func blocks() {
        let block = NSPredicate { _, _ in
            Issue.record("the block was called")
            return true
        }
        #expect(block.tree == nil)
        #expect(throws: PredicateTreeError.self) {
            try PredicateTree(
                NSCompoundPredicate(orPredicateWithSubpredicates: [NSPredicate(value: true), block]))
        }
    }

    @Test("Errors of evaluation are false, also below NOT")
    func errors() {
        #expect(!NSPredicate(format: "frob == 1").evaluate(with: Person([:])))
        #expect(!NSPredicate(format: "NOT frob == 1").evaluate(with: Person([:])))
        #expect(!NSPredicate(format: "a < 1").evaluate(with: ["a": "text"]))
        #expect(!NSPredicate(format: "a == $missing").evaluate(with: ["a": 1]))
    }

    @Test("Variables, at evaluation and by substitution")
    func variables() {
        let predicate = NSPredicate(format: "age > $limit AND ($who.name == 'x' OR name == $name)")
        let object: [String: Any] = ["age": 5, "name": "Ada"]
        #expect(
            predicate.evaluate(
                with: object, substitutionVariables: ["limit": 4, "who": object, "name": "Ada"]))
        let half = predicate.withSubstitutionVariables(["limit": 4, "who": NSExpression(forKeyPath: "boss")])
        #expect(format(of: half) == "age > 4 AND (boss.name == \"x\" OR name == $name)")
        #expect(half.withSubstitutionVariables(["name": "Ada"]).evaluate(with: object))
        let hidden = NSPredicate(format: "SUBQUERY(a, $x, $x == $y).@count == $x").withSubstitutionVariables([
            "x": 1
        ])
        #expect(format(of: hidden) == "SUBQUERY(a, $x, $x == $y).@count == 1")
        let block = NSPredicate { object, _ in object as? Int == 1 }
        let mixed = NSCompoundPredicate(andPredicateWithSubpredicates: [
            block, NSPredicate(format: "SELF == $x"),
        ])
        #expect(mixed.withSubstitutionVariables(["x": 1]).evaluate(with: 1))
    }

    @Test("Equality and copies")
    func equality() {
        #expect(NSPredicate(format: "a = 1") == NSPredicate(format: "a == %d", 1))
        #expect(NSPredicate(format: "a = 1").hash == NSPredicate(format: "a == 1").hash)
        #expect(NSPredicate(format: "a = 1 AND b = 2") == NSPredicate(format: "a = 1 && b = 2"))
        #expect(NSPredicate(format: "a = 1") != NSPredicate(format: "a = 2"))
        #expect(NSPredicate(format: "a = 1") != NSPredicate(value: false))
        #expect(NSPredicate(value: false) != NSPredicate(format: "a = 1"))
        #expect(NSPredicate(format: "a = 1").copy() as? NSPredicate == NSPredicate(format: "a = 1"))
    }

    @Test("Filtering through Foundation")
    func filtering() {
        let array = NSArray(array: [1, 2, 3, 4])
        #expect(array.filtered(using: NSPredicate(format: "SELF > 2")) as? [Int] == [3, 4])
    }
}
