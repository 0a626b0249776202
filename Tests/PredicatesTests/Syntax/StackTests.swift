import Foundation
import Predicates
import Testing

@Suite struct StackTests {
    /// Shapes that recurse through different functions, one level short of the limit.
    private static let shapes: [(open: String, middle: String, close: String)] = [
        ("(", "a == 1", ")"), ("NOT ", "a == 1", ""), ("NOT (", "a == 1", " AND b == 2)"),
        ("SUBQUERY(a, $x, ", "a == 1", ").@count == 0"), ("TERNARY(1 == 1, ", "1", ", 2)"),
        ("{a, ", "1", "}"), ("abs(", "1", ")"), ("b[", "1", "]"), ("-", "a", ""), ("", "a", " + 1"),
    ]

    @Test("The deepest tree that parses fits a stack of 2 MB, also to print, compare, evaluate and free")
    func smallStack() async throws {
        let handled = await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: Self.handleDeepestTrees()) }
            thread.stackSize = 2 * 1024 * 1024
            thread.start()
        }
        #expect(handled == Self.shapes.count)
    }

    /// The number of shapes for which a deep tree was read and used.
    private static func handleDeepestTrees() -> Int {
        shapes.count { shape in
            // Some shapes take several levels of the limit for one level of text.
            for depth in stride(from: 128, to: 10, by: -1) {
                let text =
                    String(repeating: shape.open, count: depth) + shape.middle
                    + String(repeating: shape.close, count: depth)
                let format = shape.middle.contains("==") ? text : text + " == 1"
                guard let tree = try? PredicateTree(parsing: format) else { continue }
                guard let again = try? PredicateTree(parsing: tree.description) else { return false }
                _ = try? tree.evaluate(on: ["a": [1], "b": [2]])
                return tree == again && tree.hashValue == again.hashValue
            }
            return false
        }
    }
}
