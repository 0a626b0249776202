import Foundation
import Testing

@testable import Predicates

/// Ranges of Swift after BETWEEN.
@Suite struct RangeTests {
    private func comparison(_ value: Any, _ type: NSComparisonPredicate.Operator) -> NSComparisonPredicate {
        NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "age"),
            rightExpression: NSExpression(forConstantValue: value),
            modifier: .direct, type: type)
    }

    /// As QueryKit makes them of `\\User.age << (32 ..< 64)`.
    @Test func areTheirBounds() {
        let wanted = NSPredicate(format: "age BETWEEN %@", [32, 64])
        #expect(comparison(32..<64, .between) == wanted && comparison(32...64, .between) == wanted)
        #expect(NSPredicate(format: "age BETWEEN %@", 32..<64) == wanted)
        #expect(NSPredicate(format: "age BETWEEN $r").withSubstitutionVariables(["r": 32...64]) == wanted)
        #expect(wanted.tree?.description == "age BETWEEN {32, 64}")
    }

    @Test(arguments: [(31, false), (32, true), (50, true), (64, true), (65, false)])
    func holdBetweenTheirBounds(_ age: Int, _ holds: Bool) {
        let object = ["age": age]
        #expect(comparison(32...64, .between).evaluate(with: object) == holds)
        #expect(NSPredicate(format: "age BETWEEN %@", 32.0...64.0).evaluate(with: object) == holds)
        let variable = NSPredicate(format: "age BETWEEN $r")
        #expect(variable.evaluate(with: object, substitutionVariables: ["r": 32...64]) == holds)
    }

    @Test func areNoListsElsewhere() {
        // Neither bound is an element of a list: IN has no meaning for a range.
        #expect(!comparison(1...3, .in).evaluate(with: ["age": 1]))
        #expect(!comparison(1...3, .in).evaluate(with: ["age": 2]))
    }

    @Test func areOfAnyKind() {
        let day = Date(timeIntervalSinceReferenceDate: 0)
        let days = NSPredicate(format: "SELF BETWEEN %@", day...day.addingTimeInterval(10))
        #expect(
            days.evaluate(with: day.addingTimeInterval(5)) && !days.evaluate(with: day.addingTimeInterval(11))
        )
        #expect(NSPredicate(format: "SELF BETWEEN %@", "a"..."c").evaluate(with: "b"))
        #expect(NSPredicate(format: "SELF BETWEEN %@", Decimal(1)...Decimal(2)).evaluate(with: 1.5))
    }
}
