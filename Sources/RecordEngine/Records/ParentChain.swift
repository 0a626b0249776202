import RecordModel
import RecordStorage
import RecordWire

/// Follows records to those above them in a share's hierarchy.
///
/// What one request reads of them is bounded, in records and in bytes.
struct ParentChain {
    private var records = 0
    private var bytes = 0

    /// Whether a record is another one or below it.
    ///
    /// - Throws: `QUOTA_EXCEEDED` where too much is above the record to tell; `StorageError`.
    mutating func leads(
        from start: String, to name: String, in zone: ZoneRow, _ store: any StoreReader
    ) throws -> Bool {
        try path(from: start, to: name, in: zone, store) != nil
    }

    /// The records from one up to another one that is above it, both among them; nil where it is not.
    ///
    /// - Throws: `QUOTA_EXCEEDED` where too much is above the record to tell; `StorageError`.
    mutating func path(
        from start: String, to name: String, in zone: ZoneRow, _ store: any StoreReader
    ) throws -> [String]? {
        // Who is above whom is not encrypted.
        let store = SealedStore.base(of: store)
        var seen: Set<ExactText> = []
        var path = [start]
        var next = start
        // A circle that was stored by an earlier version ends the way as well.
        while seen.insert(ExactText(next)).inserted {
            if next.isExactly(name) { return path }
            guard let row = try store.record(named: next, in: zone.id) else { return nil }
            records += 1
            bytes += row.bodyBytes
            guard records <= Limits.parentsPerRequest, bytes <= Limits.requestWriteBytes else {
                throw ServiceError(
                    exceeding: "parentsPerRequest",
                    "Too many records are above '\(name)' to look at in one request.",
                    remedy:
                        "Give fewer records another parent in one request, or make the hierarchy less deep.")
            }
            guard let parent = try RecordBody.parent(of: row.body) else { return nil }
            next = parent
            path.append(parent)
        }
        return nil
    }

    /// A record that would be above itself.
    static func circle(_ name: String) -> ServiceError {
        ServiceError(
            .badRequest, "The record '\(name)' would be above itself: its parents make up a circle.",
            remedy: "Give it a parent that is not below it.")
    }
}
