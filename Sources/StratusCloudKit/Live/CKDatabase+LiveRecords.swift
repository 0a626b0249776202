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
    ///   - resultsLimit: how many of the first records are followed, 200 at most. The list goes as far as the last of them
    ///     does; it is fetched again when fewer than half are left, and cut to the limit when it has more than twice as many.
    public func liveRecords(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int = CKQueryOperation.maximumResults
    ) -> CKLiveRecords {
        CKLiveRecords(
            database: self, query: query.ownCopy, zoneID: zoneID, desiredKeys: desiredKeys,
            limit: resultsLimit)
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
        /// It was fetched as a whole, or cut to the limit: show all of it again.
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
        private var list: LiveList
        private var feed: LiveFeed

        init(sequence: CKLiveRecords) {
            self.sequence = sequence
            list = LiveList(limit: sequence.limit)
            feed = LiveFeed(
                database: sequence.database, endpoint: .recordsLive, query: sequence.query,
                zoneID: sequence.zoneID, desiredKeys: sequence.desiredKeys, limit: sequence.limit)
        }

        /// The next state of the list; nil when the task was cancelled.
        ///
        /// - Throws: `CKError` where the service refuses the query, at the beginning or later, for example when the
        ///   session ends or the record type is removed; `badContainer` where the transport cannot stream;
        ///   `internalError` for an event that cannot be read. A service that cannot be reached is waited for.
        public mutating func next() async throws -> Element? {
            while let (name, json) = try await feed.next() {
                do {
                    guard let change = try apply(name, json) else { continue }
                    // What follows the border is not known: another page says.
                    if list.isShort { feed.startAgain() }
                    return Element(records: list.records, change: change)
                } catch { throw CKError(any: error) }
            }
            return nil
        }

        private mutating func apply(_ name: String, _ json: JSONObject) throws -> CKLiveRecords.Change? {
            switch name {
            case "page":
                let page = try json.objects("records").map(entry)
                return list.show(page, hasMore: try json.bool("moreComing") ?? false)
            case "enter", "change":
                guard let record = try json.object("record") else { throw JSONError.missing("record") }
                return list.put(try entry(record))
            case "leave":
                return list.remove(
                    recordName: try json.requiredString("recordName"),
                    zoneName: try json.object("zoneID").map { try ZoneID(json: $0).zoneName })
            default: return nil
            }
        }

        private func entry(_ json: JSONObject) throws -> LiveList.Entry {
            let wire = try RecordDictionary(json: json)
            return LiveList.Entry(
                place: try json.requiredString("place"),
                record: CKRecord.from(wire, zoneID: sequence.zoneID, in: sequence.database))
        }
    }
}
