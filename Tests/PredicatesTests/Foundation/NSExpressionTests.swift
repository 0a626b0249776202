import Foundation
import Predicates
import Testing

@Suite struct NSExpressionTests {
    @Test("Parts of a comparison, made by hand and from text")
    func comparison() throws {
        let made = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "pets.name"),
            rightExpression: NSExpression(forConstantValue: "Rex"),
            modifier: .any, type: .contains, options: [.caseInsensitive, .diacriticInsensitive])
        #expect(made.predicateFormat == "ANY pets.name CONTAINS[cd] \"Rex\"")
        #expect(made == NSPredicate(format: "ANY pets.name CONTAINS[cd] 'Rex'"))
        #expect(made.evaluate(with: ["pets": [["name": "T-rex"]]]))
        let parsed = try #require(NSPredicate(format: "ALL a.b <[c] $x") as? NSComparisonPredicate)
        #expect(parsed.comparisonPredicateModifier == .all)
        #expect(parsed.predicateOperatorType == .lessThan)
        #expect(parsed.options == .caseInsensitive)
        #expect(parsed.leftExpression.expressionType == .keyPath)
        #expect(parsed.leftExpression.keyPath == "a.b")
        #expect(parsed.rightExpression.variable == "x")
    }

    @Test("Constants are numbers of Foundation, which are what they are asked to be")
    func constants() {
        let yes = NSExpression(forConstantValue: true).constantValue
        #expect(yes as? Int == 1 && yes as? Bool == true && yes is NSNumber)
        let one = NSExpression(format: "1").constantValue
        #expect(one as? Int == 1 && one as? Int64 == 1 && one as? Double == 1 && one as? NSNumber == 1)
        #expect(NSExpression(format: "1.5").constantValue as? Double == 1.5)
        let many = NSExpression(forConstantValue: [1, 2]).constantValue
        #expect(many as? [Int] == [1, 2] && many as? [NSNumber] == [1, 2])
        let sum = NSExpression(format: "1 + 2").expressionValue(with: nil, context: nil)
        #expect(sum as? Int == 3 && sum as? Double == 3)
    }

    @Test(
        "Operations inside operations are printed in parentheses",
        arguments: [
            ("a + b * 2", "a + (b * 2)"), ("a + b + c", "(a + b) + c"), ("(a + b) * c", "(a + b) * c"),
            ("2 ** 3 ** 2", "2 ** (3 ** 2)"), ("a", "a"), ("sum(a) + 1", "sum(a) + 1"),
        ])
    func parentheses(format: String, text: String) {
        let expression = NSExpression(format: format)
        #expect(expression.description == text)
        #expect(NSExpression(format: text) == expression)
    }

    @Test("Every operator goes over and back")
    func operators() {
        for value in Array(UInt(0)...10) + [99, 100] {
            guard let type = NSComparisonPredicate.Operator(rawValue: value) else {
                Issue.record("no operator \(value)")
                continue
            }
            let predicate = NSComparisonPredicate(
                leftExpression: NSExpression(forVariable: "a"),
                rightExpression: NSExpression(forVariable: "b"),
                modifier: .direct, type: type)
            #expect(predicate.predicateOperatorType == type)
        }
    }

    @Test("Kinds of expressions and their parts")
    func kinds() {
        let sum = NSExpression(format: "a + %d", 2)
        #expect(sum.expressionType == .function)
        #expect(sum.function == "add:to:")
        #expect(sum.arguments?.count == 2)
        let query = NSExpression(
            forSubquery: NSExpression(forKeyPath: "pets"), usingIteratorVariable: "p",
            predicate: NSPredicate(format: "$p.age > 1"))
        #expect(query.description == "SUBQUERY(pets, $p, $p.age > 1)")
        #expect(query.variable == "p" && format(of: query.predicate) == "$p.age > 1")
        let choice = NSExpression(
            forConditional: NSPredicate(value: true), trueExpression: sum,
            falseExpression: NSExpression.expressionForEvaluatedObject())
        #expect(choice.true == sum && choice.false.expressionType == .evaluatedObject)
        let list = NSExpression(forAggregate: [NSExpression(forKeyPath: "a"), 3])
        #expect(list.expressionType == .aggregate && list.description == "{a, 3}")
        let union = NSExpression(forUnionSet: list, with: sum)
        #expect(union.expressionType == .unionSet && union.left == list && union.right == sum)
        #expect(NSExpression(forConstantValue: nil).constantValue == nil)
        #expect(
            NSExpression(forFunction: list, selectorName: "m:", arguments: [1]).description
                == "FUNCTION({a, 3}, \"m:\", 1)")
    }

    @Test("Values")
    func values() {
        let object: [String: Any] = ["a": 3, "pets": [["age": 1], ["age": 2]]]
        #expect(NSExpression(format: "a * 2").expressionValue(with: object, context: nil) as? Int == 6)
        #expect(
            NSExpression(forKeyPath: "pets.@max.age").expressionValue(with: object, context: nil) as? Int == 2
        )
        #expect(NSExpression(forVariable: "v").expressionValue(with: nil, context: ["v": 7]) as? Int == 7)
        #expect(NSExpression(forVariable: "v").expressionValue(with: nil, context: nil) == nil)
        #expect(
            NSExpression(forFunction: "average:", arguments: [NSExpression(forConstantValue: [1, 2])])
                .expressionValue(with: nil, context: nil) as? Double == 1.5)
    }

    @Test("The names stand as types beside Foundation's, through one typealias")
    func names() {
        func path(of expression: NSExpression) -> String { expression.keyPath }
        let expressions: [NSExpression] = [NSExpression(forKeyPath: "a")]
        #expect(expressions.map(path) == ["a"])
    }
}
