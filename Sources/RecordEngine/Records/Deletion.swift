import RecordModel
import RecordStorage

/// Deleting a record, with those that shall go when it goes.
///
/// All that goes is found and checked first; so a refusal leaves everything in its place. Circles end because
/// a record is visited once.
struct Deletion {
    let zone: ZoneRow
    let store: any StoreWriter

    /// The most records that one deletion takes with it; beyond it the chain is cut into several requests.
    static let most = 10_000

    mutating func delete(_ row: RecordRow) throws {
        var doomed = [row]
        var names: Set<String> = [row.name]
        var validators: [(target: String, row: ReferrerRow)] = []
        var next = 0
        while next < doomed.count {
            let target = doomed[next].name
            next += 1
            for referrer in try store.referrers(to: target, in: zone.id, limit: Self.most) {
                switch referrer.action {
                case .none: continue
                case .validate: validators.append((target, referrer))
                case .deleteSelf:
                    guard names.insert(referrer.name).inserted,
                        var row = try store.record(named: referrer.name, in: zone.id)
                    else { continue }
                    // Ten thousand bodies of a megabyte each are not kept.
                    row.body = []
                    doomed.append(row)
                    guard doomed.count <= Self.most else {
                        throw ServiceError(
                            .quotaExceeded, "More than \(Self.most) records would be deleted with this one.",
                            remedy: "Delete some of those that refer to it first.")
                    }
                }
            }
        }
        // A record that goes too cannot hold the others back.
        if let (_, holder) = validators.first(where: { !names.contains($0.row.name) }) {
            throw ServiceError(
                .validatingReference,
                "Field=\(holder.field), recordID=\(holder.name), title=Record delete would violate validating reference, rejecting update",
                remedy: "Delete or change that record first.")
        }
        for row in doomed { try store.delete(row, in: zone, sequence: store.nextSequence()) }
    }
}
