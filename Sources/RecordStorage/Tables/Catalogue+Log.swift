internal import RecordModel

/// What is watched, the log of changes, and what became of requests. Engines write these by statements of their own, since they
/// are written with each change; they are described for copies.
extension Catalogue {
    /// An engine numbers the changes of its watches; all that were copied have the first number.
    package static let watches = StoreTable<ChangeWatch>(
        "change_watch", key: 2,
        [
            .init("database", \.database), .init("type", \.type), .init("since", \.since),
            .init("used_at", \.usedAt),
        ],
        constants: [("version", firstWatchVersion)],
        blank: ChangeWatch(database: 0, type: 0, since: 0, usedAt: 0))
    package static let firstWatchVersion: Int64 = 1

    package static let changes = StoreTable<PlacedChange>(
        "change_log", key: 1,
        [
            .init("sequence", \.change.sequence), .init("position", \.position), .init("kind", \.change.kind),
            .init("database", \.change.database), .init("zone", \.change.zone),
            .init("zone_name", \.change.zoneName), .init("type", \.change.type),
            .init("record", \.change.record), .init("name", \.change.name), .init("before", \.change.before),
            .init("after", \.change.after),
        ],
        blank: PlacedChange(
            position: 0,
            change: LoggedChange(sequence: 0, kind: .created, database: 0, zone: 0, name: "")))

    package static let outcomes = StoreTable<PlacedOutcome>(
        "kept_outcome", key: 1,
        [
            .init("position", \.position), .init("key", \.outcome.key), .init("request", \.outcome.request),
            .init("created_at", \.outcome.createdAt), .init("outcome", \.outcome.outcome),
        ], unique: [["key"]],
        blank: PlacedOutcome(
            position: 0, outcome: IdempotencyRecord(key: [], request: [], createdAt: 0, outcome: [])))
}

/// A logged change and the bytes of the log up to its end.
package struct PlacedChange: Hashable, Sendable {
    package var position: Int64
    package var change: LoggedChange

    package init(position: Int64, change: LoggedChange) {
        self.position = position
        self.change = change
    }
}

/// A kept outcome and the bytes of all that were kept up to its end.
package struct PlacedOutcome: Hashable, Sendable {
    package var position: Int64
    package var outcome: IdempotencyRecord

    package init(position: Int64, outcome: IdempotencyRecord) {
        self.position = position
        self.outcome = outcome
    }
}
