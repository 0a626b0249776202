public import RecordModel
import RecordStorage
import RecordWire

/// A page of what a link leads to, to be looked at.
///
/// Of a hierarchy it is one record and those right below it; of a zone it is its records, in the order of their last change.
public struct SharedList: Sendable {
    /// One record.
    public struct Record: Sendable {
        /// Its name.
        public var name: String
        /// Its type's name.
        public var type: String
        /// The first of its fields: `Limits/sharePageFields`.
        public var fields: [(name: String, value: FieldValue)]
        /// Whether there are records below it.
        public var hasMore: Bool
    }

    /// The record whose records below are listed; nil for a zone.
    public var record: Record?
    /// The name of the record above that one, where it is shared as well.
    public var above: String?
    /// The records of this page: at most `Limits/sharePageRecords`.
    public var records: [Record] = []
    /// Where the next page begins; nil for none.
    public var next: Int64?

    /// - Returns: nil for a record that the share does not have.
    init?(_ found: ResolvedLink, record name: String?, after: Int64, _ reader: any StoreReader) throws {
        let reading = SharedReading(found: found, reader: reader)
        guard let name = name ?? found.share.root else {
            (records, next) = try reading.zone(after: max(0, after))
            return
        }
        guard let record = try reading.record(name) else { return nil }
        self.record = record
        guard let root = found.share.root else { return }
        if !name.isExactly(root) { above = try found.hierarchy.parent(of: name) }
        (records, next) = try reading.below(name, after: Int(clamping: max(0, after)))
    }
}

/// Reads the records of one share.
private struct SharedReading {
    let found: ResolvedLink
    let reader: any StoreReader

    private func isShared(_ name: String) throws -> Bool {
        try !name.isExactly(found.share.name)
            && found.hierarchy.share(of: name)?.name.isExactly(found.share.name) == true
    }

    /// A record that is shared; nil for any other.
    func record(_ name: String) throws -> SharedList.Record? {
        guard try isShared(name), let row = try reader.record(named: name, in: found.zone.id) else {
            return nil
        }
        return try record(name, row.body)
    }

    private func record(_ name: String, _ body: [UInt8]) throws -> SharedList.Record {
        let hasMore =
            try found.share.root != nil
            && reader.referrers(
                to: name, in: found.zone.id, action: .validate, limit: Limits.sharePageRecords
            ).contains { $0.field == "___parent" }
        return SharedList.Record(
            name: name, type: try RecordBody.recordType(of: body),
            fields: Array(try RecordBody.fields(of: body).prefix(Limits.sharePageFields)), hasMore: hasMore)
    }

    /// The records right below one.
    func below(_ name: String, after: Int) throws -> ([SharedList.Record], Int64?) {
        let start = min(after, Limits.sharePageChildren)
        let end = min(start + Limits.sharePageRecords, Limits.sharePageChildren)
        let names = try reader.referrers(
            to: name, in: found.zone.id, action: .validate, limit: Limits.sharePageChildren + 1
        ).filter { $0.field == "___parent" }.map(\.name).sorted()
        var records: [SharedList.Record] = []
        var bytes = 0
        var place = start
        for name in names.prefix(end).dropFirst(start) where bytes < Limits.answerBytes {
            place += 1
            guard try isShared(name), let row = try reader.record(named: name, in: found.zone.id) else {
                continue
            }
            bytes += row.body.count
            records.append(try record(name, row.body))
        }
        return (records, place < min(names.count, Limits.sharePageChildren) ? Int64(place) : nil)
    }

    /// The records of the zone after a position among its changes.
    func zone(after: Int64) throws -> ([SharedList.Record], Int64?) {
        var rows: [(name: String, body: [UInt8], sequence: Int64)] = []
        var hasMore = false
        var bytes = 0
        let feed = ChangeFeed(
            zone: found.zone.id, after: after, tombstonesAfter: .max, limit: Limits.sharePageRecords + 2)
        try reader.changes(feed) { change in
            guard let body = change.body, !change.name.isExactly(found.share.name) else { return true }
            guard rows.count < Limits.sharePageRecords, rows.isEmpty || bytes < Limits.answerBytes else {
                hasMore = true
                return false
            }
            bytes += body.count
            rows.append((change.name, Array(body), change.sequence))
            return true
        }
        let records = try rows.map { try record($0.name, $0.body) }
        return (records, hasMore ? rows.last?.sequence : nil)
    }
}
