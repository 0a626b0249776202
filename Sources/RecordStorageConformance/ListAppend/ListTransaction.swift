/// What one transaction of a list-append history did, as its client saw it.
///
/// Lists are only ever appended to, and every value is appended once: so what a reader saw tells which transactions came before
/// it, and the order of a list's values is the order of those who appended them. (The idea is Elle's, by Kingsbury and Alvaro.)
package struct ListTransaction: Sendable {
    /// A step on one of the lists, which have numbers.
    package enum Step: Sendable, Equatable {
        case append(list: Int, value: Int)
        /// What was there; the transaction's own values are among them.
        case read(list: Int, values: [Int])
    }

    /// What its client was told.
    package enum Outcome: Sendable {
        case stored
        /// Nothing was stored.
        case refused
        /// Nobody could say.
        case unknown
    }

    package var steps: [Step]
    package var outcome: Outcome
    /// When it was asked for and when it was answered, on a clock that counts moments of the whole history.
    package var began: Int
    package var ended: Int

    package init(_ steps: [Step], outcome: Outcome = .stored, began: Int, ended: Int) {
        self.steps = steps
        self.outcome = outcome
        self.began = began
        self.ended = ended
    }

    var appends: [(list: Int, value: Int)] {
        steps.compactMap { if case .append(let list, let value) = $0 { (list, value) } else { nil } }
    }

    /// What it saw of others; what it had appended to a list itself by then is left out.
    var reads: [(list: Int, values: [Int])] {
        var own: [Int: Int] = [:]
        return steps.compactMap { step in
            switch step {
            case .append(let list, _):
                own[list, default: 0] += 1
                return nil
            case .read(let list, let values): return (list, values.dropLast(own[list] ?? 0))
            }
        }
    }
}
