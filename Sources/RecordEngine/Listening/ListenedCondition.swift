import RecordModel
import RecordStorage

/// The condition of a live query, a subscription or a webhook: what is asked of each change, for as long as somebody listens.
///
/// A query runs for ten seconds at most and is gone. A listener's condition is asked again with each change that anybody makes, so it is
/// priced when it is made (``checkPrice()``), and one that may take long is asked on threads of its own
/// (``ConditionEvaluator``).
final class ListenedCondition: Sendable, Hashable {
    let condition: Condition
    private let price: ConditionPrice
    private let hash: Int

    /// So many bytes are gone through at once, where a listener waits for its changes: some microseconds' worth.
    static let bytesAtOnce = 65_536

    init(_ condition: Condition) {
        self.condition = condition
        price = ConditionPrice(condition)
        hash = condition.hashValue
    }

    /// Refuses a condition that goes through texts and lists too often for one that is asked with each change.
    ///
    /// - Throws: `BAD_REQUEST`.
    func checkPrice() throws(ServiceError) {
        guard price.scans <= Limits.scansPerListener else {
            throw ServiceError(
                .badRequest,
                "The predicate goes through texts or lists \(price.scans) times; a live query, a subscription or a webhook may do it \(Limits.scansPerListener) times with each change.",
                remedy:
                    "CONTAINS, LIKE, ANY and ALL count: use fewer, write a choice of whole values as IN, or ask 'records/query' from time to time."
            )
        }
    }

    /// Whether the condition costs next to nothing of a record of so many bytes.
    func isCheap(of bytes: Int) -> Bool { price.passes == 0 || bytes <= Self.bytesAtOnce / price.passes }

    static func == (left: ListenedCondition, right: ListenedCondition) -> Bool {
        left === right || left.hash == right.hash && left.condition == right.condition
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// Whether a condition holds of the record of a change, before and after it; nil where that was not asked.
struct ChangeVerdict: Hashable, Sendable {
    var before: Bool?
    var after: Bool?

    /// Whether it says all that another one does.
    func covers(_ wanted: ChangeSides) -> Bool {
        (!wanted.contains(.before) || before != nil) && (!wanted.contains(.after) || after != nil)
    }
}

/// The record of a change before it, after it, or both.
struct ChangeSides: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let before = ChangeSides(rawValue: 1)
    static let after = ChangeSides(rawValue: 2)
}
