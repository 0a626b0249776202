import Foundation
import Predicates
import TestSeeds
import Testing

@Suite struct FuzzTests {
    private static let corpus = [
        "name == 'O\\'Brien' AND NOT age IN {1, 2.5, -3} || city CONTAINS[cd] \"é\\u00e9\"",
        "SUBQUERY(items, $i, ANY $i.tags.name LIKE[c] 'a*' && $i.price > 9.2e-5).@count >= 0x1F",
        "ALL a.b[FIRST].@max.c != TERNARY(x < 3, CAST(0, 'NSDate'), FUNCTION(self, 'm:', %@))",
        "%K BETWEEN {%d, %lf} OR SELF.%K == $v.path AND $w := 3 == ~a & 0b01 | 2 ^ 4 << 1 ** 2",
        "distanceToLocation:fromLocation:(location, %@) < 1000 AND TRUEPREDICATE",
        "NONE #in.#'two words' UTI-CONFORMS-TO NULL AND (((a))) = YES UNION {} MINUS %2$@",
    ]

    /// Arguments that fit some of the places, so that both outcomes occur.
    private static let arguments: [PredicateValue] = [
        .string("a.b"), .int(1), .double(2.5), .string("x"), .null,
    ]

    @Test("No text makes the parser trap, and every error has a place inside it", .timeLimit(.minutes(10)))
    func mutations() throws {
        let seed = Seed.one.value
        var random = Random(seed: seed)
        let scalars = Array(
            "()[]{}\"'\\%$@#.,:=<>!&|^~*+-/ \n0129aexuNKd_é😀\u{301}\u{0}\u{feff}?`".unicodeScalars)
        let corpus = Self.corpus.map { Array($0.unicodeScalars) }
        var parsed = 0
        for run in 0..<50_000 {
            var text = corpus[run % corpus.count]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                mutate(&text, with: scalars, &random)
            }
            let format = String(String.UnicodeScalarView(text))
            if try parse(format, isTemplate: run % 2 == 0, seed: seed) { parsed += 1 }
        }
        #expect(parsed > 1_000, "the mutations should leave some formats right; seed \(seed)")
    }

    private func mutate(
        _ text: inout [Unicode.Scalar], with scalars: [Unicode.Scalar], _ random: inout Random
    ) {
        guard !text.isEmpty else { return }
        let place = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: text.remove(at: place)
        case 1: text.insert(scalars[Int.random(in: 0..<scalars.count, using: &random)], at: place)
        case 2: text.swapAt(place, Int.random(in: 0..<text.count, using: &random))
        case 3: text.removeSubrange(place..<min(text.count, place + 4))
        default: text[place] = scalars[Int.random(in: 0..<scalars.count, using: &random)]
        }
    }

    /// Whether the text is a predicate; checks what can be said about either outcome.
    private func parse(_ format: String, isTemplate: Bool, seed: UInt64) throws -> Bool {
        do {
            if isTemplate {
                let tree = try PredicateTree(template: format)
                #expect(try PredicateTree(template: tree.description) == tree, "seed \(seed): \(format)")
            } else {
                let tree = try PredicateTree(parsing: format, arguments: Self.arguments)
                #expect(try PredicateTree(parsing: tree.description) == tree, "seed \(seed): \(format)")
                // Evaluating may fail, but must not trap either.
                _ = try? tree.evaluate(on: ["a": 1, "name": "x", "items": [["price": 2]]])
            }
            return true
        } catch {
            let lines = format.split(separator: "\n", omittingEmptySubsequences: false)
            if error.line < 1 || error.column < 1 || error.line > lines.count + 1 || error.message.isEmpty {
                Issue.record("seed \(seed): \(format)\n\(error)")
            }
            return false
        }
    }
}
