import Predicates
import Testing

@Suite struct FormatErrorTests {
    private func mistake(in format: String) -> PredicateFormatError? {
        do {
            _ = try PredicateTree(parsing: format)
            return nil
        } catch {
            return error
        }
    }

    @Test("Line, column in characters, and a caret below the place")
    func place() throws {
        let error = try #require(mistake(in: "name == 'é👨‍👩‍👧' AND\n\tage CONTAIN[c] 3"))
        #expect(error.line == 2)
        #expect(error.column == 6)
        #expect(error.caret == "\tage CONTAIN[c] 3\n\t    ^")
        #expect(error.suggestion == "CONTAINS")
        #expect(
            error.description == """
                Found 'CONTAIN' where an operator is needed. (UNEXPECTED, line 2, column 6)
                \tage CONTAIN[c] 3
                \t    ^
                Did you mean CONTAINS?
                Write an operator here.
                """)
    }

    @Test(
        "Did you mean",
        arguments: [
            ("a BEGINWITH 'x'", "BEGINSWITH"), ("a STARTSWITH 'x'", "BEGINSWITH"), ("a IS nil", "=="),
            ("a == 1 ADN b == 2", "AND"), ("a == 1 ro b == 2", "OR"), ("uppercas(a) == 'X'", "uppercase"),
            ("a NOT IN b", "NOT a IN …"), ("a MTACHES 'x'", "MATCHES"), ("SUBQERY(a, b, c) == 1", "SUBQUERY"),
            ("x IN (1, 2)", "{…} for a list"), ("a betwen {1, 2}", "BETWEEN"),
        ])
    func suggestions(format: String, suggestion: String) {
        #expect(mistake(in: format)?.suggestion == suggestion)
    }

    @Test("Nothing is suggested when nothing is near")
    func noSuggestion() {
        #expect(mistake(in: "a frobnicates b")?.suggestion == nil)
        #expect(mistake(in: "a frobnicates b")?.code == "UNEXPECTED")
    }

    @Test(
        "Each mistake has its code and place",
        arguments: [
            ("", "EMPTY", 1), ("   ", "EMPTY", 4), ("a == ?", "UNEXPECTED_CHARACTER", 6),
            ("a == “x”", "UNEXPECTED_CHARACTER", 6), ("a == 'x", "UNTERMINATED_STRING", 6),
            ("a == '\\", "UNTERMINATED_STRING", 7), ("a == '\\xZZ'", "BAD_ESCAPE", 7),
            ("a == '\\u12'", "BAD_ESCAPE", 7), ("a == '\\ud800'", "BAD_ESCAPE", 7), ("a == '\\9'", "", 0),
            ("a == 5abc", "BAD_NUMBER", 6), ("a == 0x", "BAD_NUMBER", 6),
            ("a == 0xFFFFFFFFFFFFFFFFF", "NUMBER_TOO_LARGE", 6),
            ("a == 1e999", "NUMBER_TOO_LARGE", 6), ("a == %", "BAD_CONVERSION", 6),
            ("a == % d", "BAD_CONVERSION", 6),
            ("a == $", "NAME_MISSING", 6), ("@ == 1", "NAME_MISSING", 1), ("a", "NOT_A_PREDICATE", 1),
            ("a AND b == 1", "NOT_A_PREDICATE", 1), ("a + (b == 1) == 2", "NOT_AN_EXPRESSION", 5),
            ("1 < a < 3", "CHAINED_COMPARISON", 7), ("a ==[x] 1", "UNKNOWN_OPTION", 6),
            ("frob(a) == 1", "UNKNOWN_FUNCTION", 1), ("sqrt(a, b) == 1", "ARGUMENT_COUNT", 1),
            ("CAST(a) == 1", "ARGUMENT_COUNT", 1), ("(a == 1", "UNEXPECTED", 8), ("a == 1)", "UNEXPECTED", 7),
            ("a == ", "UNEXPECTED", 6), ("AND", "NOT_A_PREDICATE", 1), ("a == AND b == 1", "UNEXPECTED", 6),
            ("a. == 1", "UNEXPECTED", 4), ("{1, 2 == a", "UNEXPECTED", 7), ("a == #''", "BAD_KEY_PATH", 6),
            ("%K == 1", "ARGUMENT_MISSING", 1), ("a.5 == 1", "UNEXPECTED", 3),
        ])
    func codes(format: String, code: String, column: Int) {
        #expect(mistake(in: format)?.code ?? "" == code)
        #expect(mistake(in: format)?.column ?? 0 == column)
    }

    @Test(
        "Deep nesting is an error and not the end of the stack",
        arguments: ["(", "NOT ", "!", "-", "~", "{", "a[", "SUBQUERY(a, $x, ", "TERNARY(", "sum(", "$x := "])
    func depth(prefix: String) {
        let text = String(repeating: prefix, count: 100_000)
        #expect(mistake(in: text + "a == 1")?.code == "TOO_DEEP")
    }

    @Test("Long chains: arithmetic is limited, AND and paths are not", .timeLimit(.minutes(10)))
    func chains() throws {
        #expect(mistake(in: "a == 1" + String(repeating: " + 1", count: 100_000))?.code == "TOO_DEEP")
        #expect(mistake(in: "a" + String(repeating: "[0]", count: 100_000) + " == 1")?.code == "TOO_DEEP")
        let chain = try PredicateTree(parsing: "a == 1" + String(repeating: " AND a == 1", count: 20_000))
        guard case .and(let parts) = chain else {
            Issue.record("no chain")
            return
        }
        #expect(parts.count == 20_001)
        #expect(mistake(in: "a" + String(repeating: ".b", count: 2_000) + " == 1") == nil)
        #expect(
            mistake(in: String(repeating: "(", count: 60) + "a == 1" + String(repeating: ")", count: 60))
                == nil)
    }
}
