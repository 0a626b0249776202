import Foundation
import Predicates
import Testing

@Suite struct NormalFormTests {
    @Test(
        "The printed form",
        arguments: [
            ("a=1", "a == 1"), ("a<>'x'", "a != \"x\""),
            ("a=1&&b=2||NOT c=3", "a == 1 AND b == 2 OR NOT c == 3"),
            ("a=1 AND (b=2 OR c=3)", "a == 1 AND (b == 2 OR c == 3)"), ("NONE a=1", "NOT ANY a == 1"),
            ("not (a=1 and b=1)", "NOT (a == 1 AND b == 1)"), ("a contains [dc] 'x'", "a CONTAINS[cd] \"x\""),
            ("a in {1,2}", "a IN {1, 2}"), ("SELF.a = YES", "a == YES"), ("a = NULL", "a == nil"),
            ("(a + 1) * 2 > 3", "(a + 1) * 2 > 3"), ("a - (b - c) = 0", "a - (b - c) == 0"),
            ("bitwiseAnd:with:(a, 1) = 1", "a & 1 == 1"), ("#size = #and", "size == #and"),
            ("cast(0, 'NSDate') < d", "CAST(0.0, \"NSDate\") < d"), ("count(a) > 1", "count(a) > 1"),
            ("SUBQUERY(a,$x,$x.b=1).@count>0", "SUBQUERY(a, $x, $x.b == 1).@count > 0"),
            ("truepredicate", "TRUEPREDICATE"), ("a = '\"\\\\'", #"a == "\"\\""#), ("-5 < a", "-5 < a"),
            ("a = 1.0", "a == 1.0"), ("(-5).a = 1", "(-5).a == 1"), ("a[ first ] = 1", "a[FIRST] == 1"),
        ])
    func text(format: String, normal: String) throws {
        let tree = try PredicateTree(parsing: format)
        #expect(tree.description == normal)
        #expect(try PredicateTree(parsing: normal) == tree)
    }

    @Test("Values without a literal of their own read back")
    func values() throws {
        let values: [Any?] = [
            Date(timeIntervalSinceReferenceDate: 12.25), Data([0, 255]), UUID(), Decimal(string: "1.50"),
            URL(string: "https://example.org/a?b=c"), [1, "a", nil] as [Any?], Set([1, 2, 3]),
            ["k": [true]], Double.infinity, Int64.min, "\u{1}\u{7f}\u{301}\"'\\", 1e300, -0.0,
            Decimal(UInt64.max), Date.distantFuture,
        ]
        for value in values {
            let tree = try PredicateTree(parsing: "a == %@", arguments: [value])
            #expect(try PredicateTree(parsing: tree.description) == tree, "\(tree)")
        }
    }
}
