import Foundation
import Predicates
import Testing

@Suite struct ArgumentTests {
    private func right(_ format: String, _ arguments: [Any?]) throws -> PredicateValue? {
        guard case .comparison(let comparison) = try PredicateTree(parsing: format, arguments: arguments),
            case .constant(let value) = comparison.right
        else { return nil }
        return value
    }

    @Test("%@ takes any value and never parses it")
    func objects() throws {
        #expect(try right("a == %@", ["b == 1"]) == .string("b == 1"))
        #expect(try right("a == %@", [nil]) == .null)
        #expect(try right("a == %@", [3]) == .int(3))
        #expect(try right("a == %@", [true]) == .bool(true))
        #expect(try right("a IN %@", [[1, 2]]) == .list([.int(1), .int(2)]))
        #expect(try right("a IN %@", [Set(["x"])]) == .set([.string("x")]))
        #expect(try right("a BETWEEN {%@, %d}", [1, 2]) == .list([.int(1), .int(2)]))
        #expect(try right("a == %2$@ ", [1, 2]) == .int(2))
    }

    @Test("Numbers of any width")
    func numbers() throws {
        #expect(try right("a == %d", [Int64.max]) == .int(.max))
        #expect(try right("a == %lld", [UInt8(7)]) == .int(7))
        #expect(try right("a == %i", [true]) == .int(1))
        #expect(try right("a == %lu", [NSNumber(value: 5)]) == .int(5))
        #expect(try right("a == %f", [2]) == .double(2))
        #expect(try right("a == %.3f", [Float(0.5)]) == .double(0.5))
        #expect(try right("a == %s", ["x"]) == .string("x"))
        // As real code has them.
        #expect(try right("a == %lud", [5]) == .int(5))
        #expect(try right("(a == %lud)", [5]) == .int(5))
        #expect(try right("a == %p", ["x"]) == .string("x"))
        #expect(throws: PredicateFormatError.self) { try right("a == %dinner", [5]) }
    }

    @Test("%K takes a path, also in the middle of one")
    func keyPaths() throws {
        func left(_ format: String, _ arguments: [Any?]) throws -> ExpressionTree? {
            guard case .comparison(let comparison) = try PredicateTree(parsing: format, arguments: arguments)
            else { return nil }
            return comparison.left
        }
        #expect(try left("%K == 1", ["a.b.@count"]) == .keyPath(["a", "b", "@count"]))
        #expect(try left("%K.%K == 1", ["a", "b.c"]) == .keyPath(["a", "b", "c"]))
        #expect(try left("SELF.%K == 1", ["in"]) == .keyPath(["in"]))
        #expect(try left("$x.%K == 1", ["a"]) == .member(.variable("x"), ["a"]))
        #expect(try left("%K == 1", ["SELF"]) == .selfObject)
        #expect(try left("%K == 1", ["first name"]) == .keyPath(["first name"]))
        #expect(
            try PredicateTree(parsing: "%K == 1", arguments: ["first name"]).description
                == "#\"first name\" == 1")
    }

    @Test("Nothing is substituted between quotes, and arguments too many are ignored")
    func quotes() throws {
        #expect(try right("a == '%@'", [1]) == .string("%@"))
        #expect(try right("a == %@", [1, 2, 3]) == .int(1))
    }

    @Test(
        "Wrong arguments are errors",
        arguments: [
            ("a == %@", [], "ARGUMENT_MISSING"), ("%K == 1", [.int(5)], "ARGUMENT_TYPE"),
            ("%K == 1", [.string("a..b")], "BAD_KEY_PATH"), ("%K == 1", [.string("")], "BAD_KEY_PATH"),
            ("a == %d", [.string("x")], "ARGUMENT_TYPE"), ("a == %d", [.null], "ARGUMENT_TYPE"),
            ("a == %f", [.date(Date())], "ARGUMENT_TYPE"), ("a == %s", [.int(1)], "ARGUMENT_TYPE"),
            ("a == %9$@", [.int(1)], "ARGUMENT_MISSING"),
            ("a == %d", [.double(.infinity)], "ARGUMENT_TYPE"),
            ("a == %99999999999999999999$@", [.int(1)], "BAD_CONVERSION"),
        ] as [(String, [PredicateValue], String)])
    func wrongArguments(format: String, arguments: [PredicateValue], expected: String) {
        #expect(code(of: format, arguments) == expected)
    }

    @Test("An expression passed for %@ becomes part of the tree")
    func expressions() throws {
        let sum = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "a.b")])
        #expect(try PredicateTree(parsing: "%@ > 1", arguments: [sum]).description == "sum(a.b) > 1")
    }
}
