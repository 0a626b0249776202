import RecordModel
import RecordStorage

/// Deleting a record, with those that go when it goes.
///
/// All that goes is found and checked first; so a refusal leaves everything in its place. Circles end because
/// a record is visited once.
///
/// Nobody can keep others from deleting what is theirs: a VALIDATE reference holds back those alone who may read and
/// change the record that holds it, and a cascade that grows beyond its bound by records that the caller may not change
/// leaves the rest of them where they are. A DELETE_SELF reference takes its record along, whoever
/// made it: it says so itself. CloudKit's documentation knows no exception of either kind, nor a rule for public
/// databases.
struct Deletion {
    let zone: ZoneRow
    let store: any StoreWriter
    /// What the caller may do, and the types that it depends on.
    let rights: AccessRights
    let schema: Schema
    /// Who keeps the last states of what goes; nil where nothing should be left of it.
    var keeper: VersionKeeper?
    /// What may be written of last states that are kept; nil for any number of bytes.
    var budget: WriteBudget?

    /// The most records that one deletion takes with it; beyond it the chain is cut into several requests.
    static let most = 10_000
    /// How many of them the store is told of at once, before it is asked.
    private static let portion = 500

    func delete(_ row: RecordRow) throws {
        var doomed = [row]
        var names: Set<String> = [row.name]
        var next = 0
        while next < doomed.count {
            let target = doomed[next].name
            next += 1
            let referrers = try store.referrers(
                to: target, in: zone.id, action: .deleteSelf, limit: Self.most)
            for start in stride(from: 0, to: referrers.count, by: Self.portion) {
                let portion = referrers[start..<min(start + Self.portion, referrers.count)]
                    .filter { !names.contains($0.name) }
                try store.foresee(recordsNamed: portion.map(\.name), in: zone.id)
                for referrer in portion { try add(referrer, to: &doomed, &names) }
            }
        }
        for target in doomed { try checkReferrers(to: target.name, besides: names) }
        if keeper != nil {
            let kept = doomed.filter { schema.type(numbered: $0.type)?.keeping != nil }
            let bytes = kept.reduce(0) { $0 + $1.bodyBytes }
            try budget?.check(keeping: bytes)
            budget?.take(bytes)
        }
        for row in doomed {
            let sequence = try store.nextSequence()
            if let keeper, let type = schema.type(numbered: row.type) {
                try keeper.keep(deleted: row, of: type, in: zone, sequence: sequence)
            }
            try store.delete(row, in: zone, sequence: sequence)
        }
    }

    /// Takes a record along that refers to one which goes.
    private func add(
        _ referrer: ReferrerRow, to doomed: inout [RecordRow], _ names: inout Set<String>
    ) throws {
        guard !names.contains(referrer.name), var row = try store.record(named: referrer.name, in: zone.id)
        else { return }
        guard doomed.count < Self.most else {
            // Others may have hung them there to make the deletion impossible.
            let origin = RecordOrigin(type: row.type, createdBy: row.createdBy)
            guard rights.may(.write, origin, in: schema) else { return }
            throw ServiceError(
                .quotaExceeded, "More than \(Self.most) records would be deleted with this one.",
                remedy: "Delete some of those that refer to it first.")
        }
        names.insert(row.name)
        // Ten thousand bodies of a megabyte each are not kept.
        row.body = []
        doomed.append(row)
    }

    /// Refuses the deletion where a record that stays holds a VALIDATE reference that counts.
    private func checkReferrers(to target: String, besides doomed: Set<String>) throws {
        // A record that goes too cannot hold the others back.
        let holder = try store.referrers(to: target, in: zone.id, action: .validate, limit: Self.most).first {
            guard !doomed.contains($0.name) else { return false }
            guard !rights.isUnlimited else { return true }
            guard let origin = try store.origin(ofRecordNamed: $0.name, in: zone.id) else { return false }
            return rights.may(.read, origin, in: schema) && rights.may(.write, origin, in: schema)
        }
        guard let holder else { return }
        throw ServiceError(
            .validatingReference,
            "Field=\(holder.field), recordID=\(holder.name), title=Record delete would violate validating reference, rejecting update",
            remedy: "Delete or change that record first.")
    }
}
