import Foundation
import Predicates
import Testing

@Suite struct ParserTests {
    private let a = ExpressionTree.keyPath(["a"])
    private let b = ExpressionTree.keyPath(["b"])
    private let one = ExpressionTree.constant(.int(1))
    private let two = ExpressionTree.constant(.int(2))

    @Test(
        "Every spelling of an operator",
        arguments: [
            ("=", .equalTo), ("==", .equalTo), ("!=", .notEqualTo), ("<>", .notEqualTo), ("<", .lessThan),
            ("<=", .lessThanOrEqualTo), ("=<", .lessThanOrEqualTo), (">", .greaterThan),
            (">=", .greaterThanOrEqualTo), ("=>", .greaterThanOrEqualTo), ("IN", .in), ("in", .in),
            ("contains", .contains), ("BeginsWith", .beginsWith), ("ENDSWITH", .endsWith), ("like", .like),
            ("MATCHES", .matches), ("between", .between), ("UTI-CONFORMS-TO", .utiConformsTo),
            ("uti-equals", .utiEquals),
        ] as [(String, PredicateOperator)])
    func operators(spelling: String, meaning: PredicateOperator) throws {
        #expect(try PredicateTree(parsing: "a \(spelling) b") == .compare(a, meaning, b))
    }

    @Test("Options, with and without a blank, in any order")
    func options() throws {
        let folded: PredicateOptions = [.caseInsensitive, .diacriticInsensitive]
        #expect(try PredicateTree(parsing: "a ==[cd] b") == .compare(a, .equalTo, b, options: folded))
        #expect(try PredicateTree(parsing: "a == [DC]b") == .compare(a, .equalTo, b, options: folded))
        #expect(
            try PredicateTree(parsing: "a IN[nl] b")
                == .compare(a, .in, b, options: [.normalized, .localeSensitive]))
    }

    @Test("AND binds tighter than OR, NOT tighter than AND; chains are flat, parentheses stay")
    func precedence() throws {
        let p = PredicateTree.compare(a, .equalTo, one)
        let q = PredicateTree.compare(b, .equalTo, two)
        #expect(try PredicateTree(parsing: "a=1 OR b=2 && a=1") == .or([p, .and([q, p])]))
        #expect(try PredicateTree(parsing: "NOT a=1 AND b=2") == .and([.not(p), q]))
        #expect(try PredicateTree(parsing: "!(a=1 and b=2)") == .not(.and([p, q])))
        #expect(try PredicateTree(parsing: "a=1 AND b=2 AND a=1") == .and([p, q, p]))
        #expect(try PredicateTree(parsing: "(a=1 AND b=2) AND a=1") == .and([.and([p, q]), p]))
        #expect(try PredicateTree(parsing: "NOT a IN b") == .not(.compare(a, .in, b)))
    }

    @Test("Modifiers; NONE is NOT ANY")
    func modifiers() throws {
        let any = PredicateTree.compare(a, .equalTo, one, modifier: .any)
        #expect(try PredicateTree(parsing: "ANY a == 1") == any)
        #expect(try PredicateTree(parsing: "some a == 1") == any)
        #expect(try PredicateTree(parsing: "NONE a == 1") == .not(any))
        #expect(try PredicateTree(parsing: "ANY (a == 1)") == any)
        #expect(throws: PredicateFormatError.self) { try PredicateTree(parsing: "ANY (a == 1 AND b == 2)") }
        #expect(try PredicateTree(parsing: "ALL a == 1") == .compare(a, .equalTo, one, modifier: .all))
    }

    @Test(
        "Literals",
        arguments: [
            ("1", .int(1)), ("-1", .int(-1)), ("- 1", .int(-1)), ("2.5", .double(2.5)), (".5", .double(0.5)),
            ("9.2e-5", .double(9.2e-5)), ("1e7", .double(1e7)), ("0x1F", .int(31)), ("0o17", .int(15)),
            ("0b101", .int(5)), ("-9223372036854775808", .int(.min)),
            ("18446744073709551615", .decimal(Decimal(UInt64.max))), ("YES", .bool(true)),
            ("false", .bool(false)), ("No", .bool(false)), ("nil", .null), ("NULL", .null),
            ("'it'", .string("it")), ("\"it's\"", .string("it's")), ("'$x %@'", .string("$x %@")),
            (#"'a\'b\\c\n\t\u00e9\x41\101'"#, .string("a'b\\c\n\té\u{41}A")),
            ("'\\ud83d\\ude00'", .string("😀")),
            ("{}", .list([])), ("{1, 'a',}", .list([.int(1), .string("a")])),
            ("CAST(0, 'NSDate')", .date(Date(timeIntervalSinceReferenceDate: 0))),
        ] as [(String, PredicateValue)])
    func literals(text: String, value: PredicateValue) throws {
        #expect(try ExpressionTree(parsing: text) == .constant(value))
    }

    @Test(
        "Paths have one form",
        arguments: [
            ("a.b.@count", ["a", "b", "@count"]), ("SELF.a", ["a"]), ("self.a.b", ["a", "b"]),
            ("@avg.x", ["@avg", "x"]), ("#self", ["self"]), ("g.@max.#self", ["g", "@max", "self"]),
            ("a.size.first", ["a", "size", "first"]), ("size", ["size"]), ("in", ["in"]),
            ("any.x", ["any", "x"]),
            ("größe.名前", ["größe", "名前"]), ("#'two words'.b", ["two words", "b"]), ("class", ["class"]),
            ("nilable", ["nilable"]), ("a.in", ["a", "in"]), ("_x1", ["_x1"]),
        ])
    func paths(text: String, keys: [String]) throws {
        #expect(try PredicateTree(parsing: "\(text) == 1") == .compare(.keyPath(keys), .equalTo, one))
    }

    @Test("Roots other than SELF are members")
    func members() throws {
        #expect(try ExpressionTree(parsing: "$x.a.b") == .member(.variable("x"), ["a", "b"]))
        #expect(
            try ExpressionTree(parsing: "a[0].b")
                == .member(.index(a, .expression(.constant(.int(0)))), ["b"]))
        #expect(try ExpressionTree(parsing: "a[last]") == .index(a, .last))
        #expect(try ExpressionTree(parsing: "a[#last]") == .index(a, .expression(.keyPath(["last"]))))
        #expect(
            try ExpressionTree(parsing: "SUBQUERY(a, $x, ANY $x.b == 1 AND $x.c.@count > 2)[0].b")
                == .member(
                    .index(
                        .subquery(
                            a, variable: "x",
                            predicate: .and([
                                .compare(.member(.variable("x"), ["b"]), .equalTo, one, modifier: .any),
                                .compare(.member(.variable("x"), ["c", "@count"]), .greaterThan, two),
                            ])), .expression(.constant(.int(0)))), ["b"]))
    }

    @Test("Arithmetic is functions, with the usual precedence")
    func arithmetic() throws {
        func call(_ name: String, _ arguments: ExpressionTree...) -> ExpressionTree {
            .function(name, arguments)
        }
        #expect(
            try ExpressionTree(parsing: "a + 1 * b") == call("add:to:", a, call("multiply:by:", one, b)))
        #expect(
            try ExpressionTree(parsing: "a - 1 - b")
                == call("from:subtract:", call("from:subtract:", a, one), b))
        #expect(
            try ExpressionTree(parsing: "a ** 1 ** b")
                == call("raise:toPower:", a, call("raise:toPower:", one, b)))
        #expect(
            try ExpressionTree(parsing: "~a & 1 << b")
                == call("bitwiseAnd:with:", call("onesComplement:", a), call("leftshift:by:", one, b)))
        #expect(try ExpressionTree(parsing: "-a") == call("from:subtract:", .constant(.int(0)), a))
        #expect(try ExpressionTree(parsing: "a -1") == call("from:subtract:", a, one))
        #expect(try ExpressionTree(parsing: "a %% 2") == call("modulus:by:", a, two))
    }

    @Test("Calls by short name, by selector, and of one's own")
    func calls() throws {
        #expect(try ExpressionTree(parsing: "sum(a)") == .function("sum:", [a]))
        #expect(try ExpressionTree(parsing: "MAX(a, b)") == .function("max:", [.aggregate([a, b])]))
        #expect(try ExpressionTree(parsing: "now()") == .function("now", []))
        #expect(
            try ExpressionTree(parsing: "bitwiseAnd:with:(a, 1)") == .function("bitwiseAnd:with:", [a, one]))
        #expect(
            try ExpressionTree(parsing: "tokenize(a, 'x')")
                == .function("tokenize:using:", [a, .constant(.string("x"))]))
        #expect(
            try ExpressionTree(parsing: "FUNCTION(a, 'b:', 1)")
                == .message(a, selector: "b:", arguments: [one]))
        #expect(
            try ExpressionTree(parsing: "TERNARY(a = 1, a, b)")
                == .conditional(.compare(a, .equalTo, one), a, b))
        #expect(
            try ExpressionTree(parsing: "$v := a + 1")
                == .assignment(variable: "v", .function("add:to:", [a, one])))
        #expect(
            try ExpressionTree(parsing: "FETCH(a, b, NO)")
                == .fetch(request: a, context: b, countOnly: .constant(.bool(false))))
        #expect(try ExpressionTree(parsing: "a UNION b") == .setOperation(.union, a, b))
    }

    @Test("A parenthesis may hold either kind")
    func parentheses() throws {
        #expect(try PredicateTree(parsing: "((a)) == (1)") == .compare(a, .equalTo, one))
        #expect(
            try PredicateTree(parsing: "((a + 1) = 2)")
                == .compare(.function("add:to:", [a, one]), .equalTo, two))
        #expect(try PredicateTree(parsing: "5 > 2") == .compare(.constant(.int(5)), .greaterThan, two))
        #expect(
            try PredicateTree(parsing: "TRUEPREDICATE OR falsepredicate")
                == .or([.constant(true), .constant(false)]))
    }

    @Test("A template keeps its arguments")
    func templates() throws {
        let object = PredicateArgument(conversion: "@", index: 2)
        let keyPath = PredicateArgument(conversion: "K", index: 0)
        let member = PredicateArgument(conversion: "K", index: 1)
        #expect(
            try PredicateTree(template: "ANY %K.%K == %@")
                == .compare(
                    .memberArgument(.argument(keyPath), member), .equalTo, .argument(object), modifier: .any))
        #expect(
            try PredicateTree(template: "$x.%K >= %.2lf")
                == .compare(
                    .memberArgument(.variable("x"), keyPath), .greaterThanOrEqualTo,
                    .argument(PredicateArgument(conversion: ".2lf", index: 1))))
        #expect(
            try PredicateTree(template: "%2$@ == %1$@")
                == .compare(
                    .argument(PredicateArgument(conversion: "@", index: 1)), .equalTo,
                    .argument(PredicateArgument(conversion: "@", index: 0))))
    }

    @Test("The older form of a search for words, and operators that are methods")
    func oldOperators() throws {
        #expect(
            try PredicateTree(parsing: "allTokens TOKENMATCHES[cdl] 'after sunset'")
                == PredicateTree(parsing: "ALL tokenize('after sunset', 'cdl') IN allTokens"))
        #expect(
            try PredicateTree(parsing: "tag == 'x' AND allTokens tokenmatches %@", arguments: ["a b"])
                == PredicateTree(parsing: "tag == 'x' AND ALL tokenize('a b', '') IN allTokens"))
        #expect(
            try PredicateTree(parsing: "self isKindOfClass:%@", arguments: ["Note"])
                == PredicateTree(parsing: "FUNCTION(SELF, 'isKindOfClass:', 'Note') == YES"))
        #expect(
            try PredicateTree(parsing: "a == 1 AND number notContainedIn: {1, 2}")
                == PredicateTree(parsing: "a == 1 AND FUNCTION(number, 'notContainedIn:', {1, 2}) == YES"))
        let words = try PredicateTree(parsing: "words TOKENMATCHES[cd] 'SUNSET after'")
        #expect(try words.evaluate(on: ["words": ["before", "sunset", "after"]]))
        #expect(try !words.evaluate(on: ["words": ["before", "sunset"]]))
        #expect(throws: PredicateFormatError.self) { try PredicateTree(parsing: "a TOKENMATCHES") }
        #expect(throws: PredicateFormatError.self) { try PredicateTree(parsing: "a isKindOfClass:") }
        #expect(throws: PredicateFormatError.self) { try PredicateTree(parsing: "a == 1 isKindOfClass: b") }
    }
}
