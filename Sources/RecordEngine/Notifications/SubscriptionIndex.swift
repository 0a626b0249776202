import RecordModel
import RecordStorage
import RecordWire

/// The subscriptions of one user in one database, by the types and zones that they are for.
///
/// Of a change only those are looked at that are for its type and its zone, and only these are ever understood: most of
/// what a user has is not due in most waits.
struct SubscriptionIndex {
    /// What subscriptions are for, with 0 for all types or zones.
    private struct Target: Hashable {
        var type: Int64
        var zone: Int64
    }

    private enum Subscriptions {
        case stored([SubscriptionRow])
        case understood([SubscriptionPlan])
    }

    private var byTarget: [Target: Subscriptions] = [:]
    private let context: CallContext
    private let schema: Schema
    /// The numbers of the types that they are for, with ``ChangeWatch/allTypes`` for all.
    let types: Set<Int64>
    /// The sequence number with which the oldest was made; nil for no subscriptions.
    let oldest: Int64?

    init(_ rows: [SubscriptionRow], _ context: CallContext, schema: Schema) {
        self.context = context
        self.schema = schema
        types = Set(rows.map(\.type))
        oldest = rows.map(\.since).min()
        byTarget = Dictionary(grouping: rows) { Target(type: $0.type, zone: $0.zone) }
            .mapValues { .stored($0) }
    }

    /// Those that a change may be for, in the order in which they were made.
    mutating func plans(for change: LoggedChange) -> [SubscriptionPlan] {
        var found: [SubscriptionPlan] = []
        for type in Set([change.type, ChangeWatch.allTypes]) {
            for zone in Set([change.zone, 0]) {
                found += plans(for: Target(type: type, zone: zone))
            }
        }
        return found.sorted { $0.row.since < $1.row.since }
    }

    private mutating func plans(for target: Target) -> [SubscriptionPlan] {
        switch byTarget[target] {
        case nil: return []
        case .understood(let plans): return plans
        case .stored(let rows):
            // One that is damaged in the store keeps the others from nothing.
            let plans = rows.compactMap { try? SubscriptionPlan($0, context, schema: schema) }
            byTarget[target] = .understood(plans)
            return plans
        }
    }
}
