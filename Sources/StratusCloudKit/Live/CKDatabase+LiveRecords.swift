internal import Foundation
internal import RecordModel
internal import RecordWire

extension CKDatabase {
    /// The records that match a query, now and after each change of them.
    ///
    /// ```swift
    /// for try await update in database.liveRecords(matching: query) { show(update.records) }
    /// ```
    /// The first element has the records as they are; each later one what a committed change made of them. The sequence
    /// connects again by itself and goes on where it was, also after a restart of the service; it ends when its task is
    /// cancelled, and throws `CKError` where the service refuses. Files of assets are not downloaded.
    /// - Parameters:
    ///   - query: what the records have to match, and their order.
    ///   - zoneID: the zone; nil stands for the default zone.
    ///   - desiredKeys: the fields wanted; nil for all.
    ///   - resultsLimit: how many of the first records are followed, 200 at most.
    public func liveRecords(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int = CKQueryOperation.maximumResults
    ) -> CKLiveRecords {
        CKLiveRecords(
            database: self, query: query, zoneID: zoneID, desiredKeys: desiredKeys, limit: resultsLimit)
    }
}

/// The records that match a query, as they change; see
/// ``CKDatabase/liveRecords(matching:inZoneWith:desiredKeys:resultsLimit:)``.
public struct CKLiveRecords: AsyncSequence, Sendable {
    /// The records after a change.
    public struct Element: Sendable {
        /// The records in the order of the query.
        public let records: [CKRecord]
        /// What made them so.
        public let change: Change
    }

    /// What happened to the list.
    public enum Change: Sendable, Hashable {
        /// It was fetched as a whole.
        case fetched
        /// A record came in at an index.
        case inserted(CKRecord.ID, at: Int)
        /// A record changed, and perhaps its index.
        case changed(CKRecord.ID, from: Int, to: Int)
        /// A record went from an index.
        case removed(CKRecord.ID, at: Int)
    }

    let database: CKDatabase
    let query: CKQuery
    let zoneID: CKRecordZone.ID?
    let desiredKeys: [CKRecord.FieldKey]?
    let limit: Int

    /// Begins with the records as they are then.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Holds a connection, the list and the events that came in.
    public struct Iterator: AsyncIteratorProtocol {
        private let sequence: CKLiveRecords
        private var list = LiveList()
        private var feed: LiveFeed

        init(sequence: CKLiveRecords) {
            self.sequence = sequence
            feed = LiveFeed(
                database: sequence.database, endpoint: .recordsLive, query: sequence.query,
                zoneID: sequence.zoneID, desiredKeys: sequence.desiredKeys, limit: sequence.limit)
        }

        /// The next state of the list; nil when the task was cancelled.
        ///
        /// - Throws: `CKError`.
        public mutating func next() async throws -> Element? {
            while let (name, json) = try await feed.next() {
                do {
                    guard let change = try list.apply(name, json, sequence) else { continue }
                    return Element(records: list.records, change: change)
                } catch { throw CKError(any: error) }
            }
            return nil
        }
    }
}

/// The list of a live query, sorted by the places that the service gives.
private struct LiveList: Sendable {
    private struct Entry: Sendable {
        var place: String
        var record: CKRecord
    }

    private var entries: [Entry] = []
    /// Whether more records match than were fetched: those after the last one are not followed then.
    private var hasMore = false

    var records: [CKRecord] { entries.map(\.record) }

    mutating func apply(
        _ name: String, _ json: JSONObject, _ sequence: CKLiveRecords
    ) throws -> CKLiveRecords.Change? {
        switch name {
        case "page":
            hasMore = try json.bool("moreComing") ?? false
            entries = try json.objects("records").map { try Self.entry($0, sequence) }
            return .fetched
        case "enter", "change":
            guard let record = try json.object("record") else { throw JSONError.missing("record") }
            return replace(try Self.entry(record, sequence))
        case "leave":
            let recordName = try json.requiredString("recordName")
            let zone = try json.object("zoneID").map { try ZoneID(json: $0).zoneName }
            guard
                let index = entries.firstIndex(where: { entry in
                    entry.record.recordID.recordName == recordName
                        && (zone == nil || entry.record.recordID.zoneID.zoneName == zone)
                })
            else { return nil }
            return .removed(entries.remove(at: index).record.recordID, at: index)
        default: return nil
        }
    }

    private static func entry(_ json: JSONObject, _ sequence: CKLiveRecords) throws -> Entry {
        let wire = try RecordDictionary(json: json)
        return Entry(
            place: try json.requiredString("place"),
            record: CKRecord(wire, zoneID: sequence.zoneID, from: sequence.database))
    }

    private mutating func replace(_ entry: Entry) -> CKLiveRecords.Change? {
        let recordID = entry.record.recordID
        let old = entries.firstIndex { $0.record.recordID == recordID }
        let lastPlace = entries.last?.place
        if let old { entries.remove(at: old) }
        let index = index(of: entry.place)
        if hasMore, index == entries.count, let lastPlace, lastPlace != entry.place {
            return old.map { .removed(recordID, at: $0) }
        }
        entries.insert(entry, at: index)
        return old.map { .changed(recordID, from: $0, to: index) } ?? .inserted(recordID, at: index)
    }

    /// Where a place belongs.
    private func index(of place: String) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].place.utf8.lexicographicallyPrecedes(place.utf8) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
