import Foundation
import Predicates
import Testing

@Suite struct FunctionTests {
    @Test(
        "Arithmetic and functions",
        arguments: [
            ("1 + 2 * 3", .int(7)), ("(1 + 2) * 3", .int(9)), ("7 / 2", .int(3)), ("7 / 2.0", .double(3.5)),
            ("7 / 0", .null), ("2 ** 10", .int(1024)), ("2 ** -1", .double(0.5)),
            ("2 ** 3 ** 2", .int(512)),
            ("9223372036854775807 + 1", .double(0x1p63)), ("-7 %% 3", .int(-1)), ("6 & 3", .int(2)),
            ("6 | 3", .int(7)),
            ("6 ^ 3", .int(5)), ("~0", .int(-1)), ("1 << 4", .int(16)), ("16 >> 2", .int(4)),
            ("1 << 64", .int(0)),
            ("sqrt(9)", .double(3)), ("ln(1)", .double(0)), ("log(1000)", .double(3)), ("exp(0)", .double(1)),
            ("floor(1.5)", .double(1)), ("ceiling(1.5)", .double(2)), ("trunc(-1.5)", .double(-1)),
            ("abs(-3)", .int(3)),
            ("uppercase('ab')", .string("AB")), ("lowercase('AB')", .string("ab")),
            ("canonical('Été')", .string("ete")),
            ("length('😀')", .int(2)), ("noindex(3)", .int(3)), ("nil + 1", .null), ("sqrt(nil)", .null),
            ("tokenize('Bob  SMITH!', 'Cdl')", .list([.string("bob"), .string("smith")])),
            ("TERNARY(1 < 2, 'a', 'b')", .string("a")), ("CAST('12', 'NSNumber')", .int(12)),
            ("CAST(CAST(5, 'NSDate'), 'NSNumber')", .double(5)), ("CAST(12, 'NSString')", .string("12")),
            ("CAST(2 + 3, 'NSDate')", .date(Date(timeIntervalSinceReferenceDate: 5))),
            ("CAST(5, 'NSDate') + 2", .date(Date(timeIntervalSinceReferenceDate: 7))),
            ("CAST(5, 'NSDate') - CAST(2, 'NSDate')", .double(3)), ("YES + YES", .int(2)),
            ("CAST('0.1', 'NSDecimalNumber') + CAST('0.2', 'NSDecimalNumber')", .decimal(Decimal(3) / 10)),
            ("objectFrom:withIndex:({5, 6}, 1)", .int(6)), ("'abc'.length", .int(3)),
            ("'abc'.uppercaseString", .string("ABC")),
            ("FUNCTION('abc', 'length')", .int(3)), ("sum({1, 2.5})", .double(3.5)),
            (
                "FUNCTION(CAST(5, 'NSDate'), 'dateByAddingTimeInterval:', -1)",
                .date(Date(timeIntervalSinceReferenceDate: 4))
            ),
            ("abs(-9223372036854775808)", .double(0x1p63)), ("-9223372036854775808 / -1", .double(0x1p63)),
            ("-9223372036854775808 %% -1", .double(0)),
        ] as [(String, PredicateValue)])
    func values(text: String, value: PredicateValue) throws {
        #expect(try ExpressionTree(parsing: text).value(on: nil) == value)
    }

    @Test("now() is the time of the evaluation, also twice")
    func now() throws {
        let now = Date(timeIntervalSinceReferenceDate: 1_000)
        let tree = try PredicateTree(parsing: "now() == %@ AND now() == now()", arguments: [now])
        #expect(try tree.evaluate(on: nil, now: now))
        #expect(try !tree.evaluate(on: nil, now: now + 1))
    }

    @Test("random stays in its range")
    func random() throws {
        for _ in 0..<100 {
            #expect(try evaluate("random() >= 0 AND random() < 1 AND random(3) IN {0, 1, 2}", on: nil))
        }
    }

    @Test("Distances are metres on the globe")
    func distance() throws {
        let berlin = Place(predicateLatitude: 52.52, predicateLongitude: 13.405)
        let paris = Place(predicateLatitude: 48.8566, predicateLongitude: 2.3522)
        let format = "distanceToLocation:fromLocation:(place, %@) < %f"
        #expect(try evaluate(format, [paris, 880_000], on: ["place": berlin]))
        #expect(try !evaluate(format, [paris, 870_000], on: ["place": berlin]))
        #expect(try !evaluate(format, [paris, 870_000], on: ["x": 1]))
    }

    @Test("Values of every Swift and Foundation type convert")
    func conversion() {
        let some: Int?? = 3
        let none: Int?? = .some(nil)
        #expect(PredicateValue(some as Any) == .int(3))
        #expect(PredicateValue(none as Any) == .null)
        #expect(PredicateValue(UInt8(200)) == .int(200))
        #expect(PredicateValue(UInt64.max) == .decimal(Decimal(UInt64.max)))
        #expect(PredicateValue(Float(0.5)) == .double(0.5))
        #expect(PredicateValue(NSNumber(value: true)) == .bool(true))
        #expect(PredicateValue(NSNumber(value: 1)) == .int(1))
        #expect(PredicateValue(NSNumber(value: 1.5)) == .double(1.5))
        #expect(PredicateValue(NSDecimalNumber(string: "1.5")) == .decimal(Decimal(string: "1.5") ?? 0))
        #expect(PredicateValue("abc" as NSString) == .string("abc"))
        #expect(PredicateValue("abc".dropFirst()) == .string("bc"))
        #expect(
            PredicateValue(NSDate(timeIntervalSinceReferenceDate: 1))
                == .date(Date(timeIntervalSinceReferenceDate: 1)))
        #expect(PredicateValue(NSNull()) == .null)
        #expect(PredicateValue([1, nil, "a"] as [Any?]) == .list([.int(1), .null, .string("a")]))
        #expect(PredicateValue(["a": [1]]) == .dictionary(["a": .list([.int(1)])]))
        #expect(PredicateValue(Person([:])) != PredicateValue(Person([:])))
        let person = Person([:])
        #expect(PredicateValue(person) == PredicateValue(person))
        #expect(PredicateValue(person).hashValue == PredicateValue(person).hashValue)
    }

    @Test("Collections nested beyond the limit become one opaque object")
    func nesting() {
        var nested: Any = 1
        for _ in 0..<1_000 { nested = [nested] }
        var value = PredicateValue(nested)
        var levels = 0
        while case .list(let elements) = value, let first = elements.first {
            value = first
            levels += 1
        }
        #expect(levels == 64)
        guard case .object = value else {
            Issue.record("\(value)")
            return
        }
    }
}
