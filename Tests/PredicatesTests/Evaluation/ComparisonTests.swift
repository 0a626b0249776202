import Foundation
import Predicates
import Testing

@Suite struct ComparisonTests {
    @Test(
        "Nil: equal to nil only, unequal to all else, never less or more",
        arguments: [
            ("x == nil", true), ("x != nil", false), ("x == 5", false), ("x != 5", true), ("x < 5", false),
            ("x >= 5", false), ("NOT x < 5", true), ("x IN {1, 2}", false), ("x IN {1, nil}", true),
            ("NOT x IN {1}", true), ("x BETWEEN {1, 2}", false), ("x BEGINSWITH 'a'", false),
            ("x CONTAINS 'a'", false), ("x LIKE '*'", false), ("x MATCHES '.*'", false),
            ("x.y.z == nil", true),
            ("nil == nil", true), ("x > nil", false), ("x == x", true), ("ANY x == 1", false),
            ("ALL x == 1", true), ("x.@count == 0", true), ("x + 1 == nil", true),
        ])
    func null(format: String, holds: Bool) throws {
        #expect(try evaluate(format, on: ["y": 1]) == holds)
        #expect(try evaluate(format, on: ["x": NSNull()]) == holds)
        #expect(try evaluate(format, on: ["x": Int?.none as Any]) == holds)
    }

    @Test(
        "Numbers of all kinds compare exactly",
        arguments: [
            ("1 == 1.0", true), ("YES == 1", true), ("NO == 0", true), ("YES == 2", false), ("1 < 1.5", true),
            ("9007199254740993 == 9007199254740992.0", false),
            ("9007199254740993 > 9007199254740992.0", true),
            ("9223372036854775807 < 9223372036854775808.0", true),
            ("-9223372036854775808 == -9223372036854775808.0", true),
            ("18446744073709551615 > 9223372036854775807", true),
            ("1 == CAST('1.0', 'NSDecimalNumber')", true),
            ("0.5 == CAST('0.5', 'NSDecimalNumber')", true), ("1 == '1'", false), ("1 != '1'", true),
            ("2 BETWEEN {1, 2}", true), ("2.5 BETWEEN {1, 2}", false), ("CAST('nan', 'Double') < 1", false),
            ("CAST('nan', 'Double') == CAST('nan', 'Double')", false), ("1.5 IN {1, 1.5}", true),
            ("CAST(0, 'NSDate') < CAST(1, 'NSDate')", true),
        ])
    func numbers(format: String, holds: Bool) throws {
        #expect(try evaluate(format, on: nil) == holds)
    }

    @Test(
        "Strings: by bytes without options, folded with them",
        arguments: [
            ("'Äpfel' == 'äpfel'", false), ("'Äpfel' ==[c] 'äPFEL'", true), ("'Äpfel' ==[d] 'Apfel'", true),
            ("'Äpfel' ==[c] 'apfel'", false), ("'Äpfel' ==[cd] 'aPFEL'", true),
            ("'Äpfel' ==[n] 'äpfel'", false),
            ("'ABC' ==[cdn] 'abc'", false), ("'a' < 'b'", true), ("'B' < 'a'", true), ("'B' <[c] 'a'", false),
            ("'é' == '\\u0065\\u0301'", false), ("'é' ==[d] '\\u0065\\u0301'", true),
            ("'hello' CONTAINS 'ell'", true), ("'hello' CONTAINS[c] 'ELL'", true),
            ("'hello' CONTAINS ''", true),
            ("'hello' BEGINSWITH 'he'", true), ("'hello' ENDSWITH[c] 'LO'", true),
            ("'hello' ENDSWITH 'hello!'", false),
            ("'ell' IN 'hello'", true), ("'x' IN[c] {'X', 'Y'}", true), ("{'X'} CONTAINS[c] 'x'", true),
            ("'hello' LIKE 'h?l*'", true), ("'hello' LIKE 'h?l'", false), ("'HELLO' LIKE[c] '*ell*'", true),
            ("'a*c' LIKE 'a\\\\*c'", true), ("'abc' LIKE 'a\\\\*c'", false), ("'' LIKE '*'", true),
            ("'' LIKE '?'", false),
            ("'abab' LIKE '*ab'", true), ("'aab' LIKE '*ab'", true), ("'👨‍👩‍👧' LIKE '?'", true),
            ("'abc' MATCHES 'a|abc'", true), ("'abc' MATCHES 'b'", false),
            ("'ABC' MATCHES[c] '[a-z]+'", true),
            ("'a1' MATCHES '[a-z]\\\\d'", true), ("'É' MATCHES[cd] 'e'", true),
            ("'abc\n' MATCHES 'abc'", false),
            ("'b' BETWEEN {'a', 'c'}", true), ("'public.PNG' UTI-CONFORMS-TO 'public.data'", true),
            ("'public.png' UTI-EQUALS 'Public.PNG'", true),
            ("'public.data' UTI-CONFORMS-TO 'public.png'", false),
        ])
    func strings(format: String, holds: Bool) throws {
        #expect(try evaluate(format, on: nil) == holds)
    }

    @Test("A LIKE pattern of many runs takes no time", .timeLimit(.minutes(10)))
    func hostileLike() throws {
        let text = String(repeating: "a", count: 2_000)
        let pattern = String(repeating: "*a", count: 500) + "*b"
        #expect(try !evaluate("%@ LIKE %@", [text, pattern], on: nil))
    }

    @Test(
        "What cannot be compared is an error",
        arguments: [
            ("'a' < 1", "INCOMPARABLE"), ("1 BEGINSWITH 'a'", "INCOMPARABLE"), ("1 IN 2", "INCOMPARABLE"),
            ("1 BETWEEN 2", "BAD_RANGE"), ("1 BETWEEN {1}", "BAD_RANGE"), ("'a' MATCHES '('", "BAD_PATTERN"),
            ("$x == 1", "UNBOUND_VARIABLE"), ("ANY 1 == 1", "NOT_A_COLLECTION"), ("1.foo == 1", "NO_KEYS"),
            ("'a' + 1 == 2", "BAD_ARGUMENT"), ("FETCH(1, 2, NO) == 1", "UNSUPPORTED"),
            ("ANYKEY == 1", "UNSUPPORTED"),
            ("CAST(1, 'Frob') == 1", "UNSUPPORTED"), ("FUNCTION('a', 'b:', 1) == 1", "UNSUPPORTED"),
            ("{1, 'a'}.@sum.self == 1", "BAD_ARGUMENT"), ("1[0] == 1", "NOT_A_COLLECTION"),
        ])
    func errors(format: String, code: String) throws {
        #expect(try evaluationCode(of: format, on: nil) == code)
    }

    @Test("An unknown key is an error where the keys are fixed, and nil in a dictionary")
    func unknownKeys() throws {
        #expect(try evaluationCode(of: "frob == nil", on: Person([:])) == "UNKNOWN_KEY")
        #expect(try evaluate("frob == nil", on: ["name": "Ada"]))
        #expect(try evaluate("name == nil", on: Person([:])))
    }

    @Test("A template has no answer")
    func template() throws {
        let tree = try PredicateTree(template: "a == %@")
        #expect(throws: PredicateEvaluationError.self) { try tree.evaluate(on: ["a": 1]) }
    }
}
